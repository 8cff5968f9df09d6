"""What is named but is neither a person, a place nor an organisation: works, events, products.

In a pattern, `{adjective}`, `{noun}` and `{nouns}` are words of a title, the rest as in `organisations`.
"""

TITLE_ADJECTIVES = """
Silent Crooked Burning Forgotten Hidden Frozen Golden Broken Distant Hollow Endless Scarlet Invisible
Restless Wandering Crimson Ancient Bitter Fading Velvet Haunted Midnight Secret Stolen Whispering Savage
Tender Unfinished Painted Drowned
"""

TITLE_NOUNS = """
Harbour Mirror Orchard Garden Lantern Voyage Shadow Winter Kingdom Serpent Letter Island Promise Raven
Clockmaker Lighthouse Daughter Labyrinth Station Stranger River Tempest Cathedral Emperor Desert Violin
Horseman Carousel Widow Sparrow
"""

WORK_PATTERNS = """
The {adjective} {noun}|{adjective} {nouns}|The {noun} of {city}|A {noun} in {city}|The {nouns} of {nouns}
{first}|The {noun} and the {noun}|{first}|Letters to {first}|{noun} without End|The Last {noun}|{last}
Goodbye {first}|{first} , My Love|Return to {city}|The {noun} 's {noun}|The {last} Affair|{city}
"""

CONTEST_PATTERNS = """
the {city} Marathon|the {nation} Open|the {nation} Grand Prix|the {nation} Cup|the {last} Trophy
the World Cup|the {region} Rally|the {city} Masters
"""
EVENT_PATTERNS = """
the {city} Film Festival|the {city} Book Fair|the {city} Jazz Festival|the {country} Expo
the {city} Carnival
"""
PRIZE_PATTERNS = (
    "the {last} Prize|the Nobel Prize|the {adjective} {noun} Award|the {last} Medal|the {city} Prize"
)
HISTORY_PATTERNS = (
    "the Battle of {city}|the Treaty of {city}|the {nation} Revolution|the Siege of {city}|the {last} Plan"
)

PRODUCT_PATTERNS = "{brand} {number}|{brand}|{brand} Pro|{word} {number}"
BRANDS = """
Zenora Kestrel Lumina Marauder Novara Orbita Pulsar Quadra Rapide Stratus Tempra Ultima Vespera Wavelet
Xantia Ypsilon Altea Bravura Cordia Duetto Elantra Fiorina Gemini Husky Impala Javelin Komet Laguna
Mistral Nimbus
"""
