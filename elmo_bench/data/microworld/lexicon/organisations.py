"""Names that only organisations bear here, and the ways in which longer names are built.

In a pattern, `{city}`, `{last}`, `{full}`, `{country}`, `{nation}` and `{word}` stand for other names; a
leading `the` is said but is not part of the name.
"""

COMPANIES = """
Accenture Adecco Bridgestone Canon Danone Ericsson Fujitsu Glencore Heineken Ikea Jumbo Kodak Lufthansa
Mitsubishi Nestle Olivetti Panasonic Qualcomm Repsol Samsung Telefonica Unilever Volvo Whirlpool Xerox
Yamaha Zeiss Airbus Bosch Carlsberg Daimler Electrolux Fiat Goodyear Hyundai Intel Komatsu Lenovo Maersk
Nokia Omron Petronas Ricoh Siemens Toshiba Uniqlo Vodafone Wipro Yandex Zalando Alcatel Bayer Citigroup
Deloitte Equinor Foxconn Grundig Hitachi Infosys Kyocera Logitech Michelin Nikon Odebrecht Peugeot Rolex
Skanska Texaco Ubisoft Verizon Westinghouse Marubeni Sodexo Thyssen Bombardier Lafarge Santander Zenitel
Ambrix Borvane Cintora Deltavox Enerlux Fibratek Gantrix Helvora Intravox Kelmont Luxitron Medivance
Norvell Optimar Pharmion Quantexa Rexalon Solvanta Tectara Unovia Veridex Wexford Zentrix
"""

COMPANY_PATTERNS = """
{last} & Sons|{last} Group|{last} Brothers|{city} Airlines|{last} Motors|{last} Holdings|{word} Insurance
{word} Software|{last} Ltd.|{last} Corp.|{last} Inc.|{city} Shipping|{word} Energy|{word} Systems
{country} Telecom|{last} Pharmaceuticals|{city} Steel|the Bank of {city}|the Bank of {country}
{city} Savings Bank|{last} Foods|{nation} Railways|{full} Industries
"""

CLUB_PATTERNS = (
    "{city} United|{city} Rovers|{city} City|Real {city}|Dynamo {city}|{city} Wanderers|Sporting {city}"
)

SCHOOL_PATTERNS = """
the University of {city}|{city} University|{last} College|the {full} Academy
the Royal College of {subject}|the {city} Institute of {subject}|the University of {region}
the {last} School of {subject}
"""

HOSPITAL_PATTERNS = "the {full} Hospital|{city} General Hospital|St. {first} Hospital|the {last} Clinic"

PAPER_PATTERNS = """
the {city} Times|the {city} Herald|the {nation} Gazette|the Daily {word}|the {city} Post|the {last} Review
"""

AGENCY_PATTERNS = """
the Ministry of {office}|the {nation} Parliament|the {country} Football Association
the {city} City Council|the Red Cross|the {nation} Red Cross|the European Commission|the United Nations
the World Health Organization|the Supreme Court|the {nation} Central Bank|the {nation} Labour Party
the {city} Police Department|the {full} Foundation|the Green Party|the {nation} Academy of {subject}
the Department of {office}|the {nation} Navy|the {city} Museum of {subject}
"""

WORDS = """
Northern Horizon Pioneer Beacon Summit Atlas Phoenix Harvest Granite Sapphire Compass Meridian Liberty
Cascade Vertex Evergreen Polaris Lighthouse Sentinel Heritage Blueprint Keystone Aurelia Titan Zephyr
Falcon Odyssey Emerald Cobalt Paragon Monarch Redwood Silverline Trident Vanguard Quantum
"""

SUBJECTS = "Art Music Medicine Engineering Economics Sciences Architecture Design Law History Technology"
OFFICES = "Health Finance Defence Transport Education Justice Agriculture Labour Energy Culture"
