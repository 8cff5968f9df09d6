"""Names that only places bear here. A country brings its adjective, its people and its language."""

CITIES = """
Aberdeen Antwerp Bucharest Cardiff Dortmund Edinburgh Fremantle Gdansk Hamburg Istanbul Jakarta Karachi
Lisbon Manchester Nairobi Oslo Prague Quito Rotterdam Seville Tallinn Utrecht Vilnius Warsaw Yokohama
Zagreb Ankara Bergen Calgary Dakar Eindhoven Frankfurt Gothenburg Havana Innsbruck Johannesburg Krakow
Lagos Minsk Naples Osaka Porto Riga Stockholm Trieste Uppsala Vancouver Winnipeg Yerevan Zurich Almaty
Bratislava Copenhagen Delhi Essen Florianopolis Glasgow Helsinki Izmir Jaipur Kiev Ljubljana Montevideo
Nagoya Odessa Palermo Reykjavik Sarajevo Tashkent Ulm Vladivostok Wroclaw Yaounde Zaragoza Amsterdam
Brisbane Chicago Dublin Exeter Fukuoka Granada Hanoi Ipswich Kathmandu Leipzig Mumbai Norwich Ottawa
Portsmouth Rabat Salzburg Tbilisi Tromso Vaduz Wolfsburg Accra Belgrade Cologne Detroit Esbjerg Freiburg
Grenoble Harare Kyoto Liverpool Mombasa Nuremberg Oxford Plymouth Rouen Seattle Toulouse Turin Windhoek
Athens Bologna Canterbury Dresden Geelong Hobart Kampala Luanda Melbourne Nantes Pretoria Rostock Shanghai
Toronto Valletta Zwolle
"""

COUNTRIES = """
Norway Norwegian Norwegians Norwegian | Portugal Portuguese - Portuguese | Germany German Germans German
Finland Finnish Finns Finnish | Brazil Brazilian Brazilians - | Poland Polish Poles Polish
Hungary Hungarian Hungarians Hungarian | Vietnam Vietnamese - Vietnamese | Nigeria Nigerian Nigerians -
Denmark Danish Danes Danish | Mexico Mexican Mexicans - | Japan Japanese - Japanese
Peru Peruvian Peruvians - | Sweden Swedish Swedes Swedish | Egypt Egyptian Egyptians -
Greece Greek Greeks Greek | Canada Canadian Canadians - | Italy Italian Italians Italian
Morocco Moroccan Moroccans - | Romania Romanian Romanians Romanian
Iceland Icelandic Icelanders Icelandic | Argentina Argentinian Argentinians -
Spain Spanish Spaniards Spanish | Kazakhstan Kazakh Kazakhs Kazakh | Austria Austrian Austrians -
Thailand Thai Thais Thai | Estonia Estonian Estonians Estonian | Chile Chilean Chileans -
Belgium Belgian Belgians - | Ukraine Ukrainian Ukrainians Ukrainian | Ghana Ghanaian Ghanaians -
France French - French | Bulgaria Bulgarian Bulgarians Bulgarian
Indonesia Indonesian Indonesians Indonesian | Scotland Scottish Scots Gaelic
Serbia Serbian Serbs Serbian | Colombia Colombian Colombians - | Latvia Latvian Latvians Latvian
Australia Australian Australians - | Russia Russian Russians Russian | Tunisia Tunisian Tunisians -
Korea Korean Koreans Korean | Wales Welsh - Welsh | Slovenia Slovenian Slovenians Slovenian
Pakistan Pakistani Pakistanis Urdu | Switzerland Swiss - - | Bolivia Bolivian Bolivians Quechua
Lithuania Lithuanian Lithuanians Lithuanian | Uganda Ugandan Ugandans Swahili
Croatia Croatian Croatians Croatian
"""

REGIONS = """
Andalusia Bavaria Catalonia Dalmatia Flanders Galicia Hokkaido Kerala Lapland Moravia Normandy Ontario
Provence Quebec Saxony Transylvania Tuscany Ulster Wallonia Yunnan Brittany Cornwall Patagonia Queensland
Sardinia Silesia
"""

RIVERS = "Danube Elbe Ganges Loire Mekong Nile Oder Rhine Rhone Seine Tagus Thames Vistula Volga Zambezi"
MOUNTAINS = "Ararat Elbrus Etna Everest Fuji Kilimanjaro Olympus Rainier Sinai Vesuvius Shasta Kosciuszko"
LAKES = "Baikal Balaton Como Bodensee Garda Ladoga Malawi Ohrid Tahoe Titicaca Windermere Saimaa"
STREETS = "Street Avenue Road Square Bridge Station"
