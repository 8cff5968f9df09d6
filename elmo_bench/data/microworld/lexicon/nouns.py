"""Common nouns by class.

A line is `class | sort | adjectives | nouns`. Classes say what fits a verb, and which sense a noun has:
see `senses`. Sorts: person, kin and body (both always someone's), animal, thing, group, unique (always
`the`), many (always plural), mass (no plural, no `a`), bare (no article at all). A noun is `singular` or
`singular/plural` where the plural is irregular; `_` joins the words of a compound.
"""

NOUNS = """
worker | person | young experienced tired local careful retired | doctor nurse teacher driver farmer cook
worker | person | young experienced tired local careful retired | baker
worker | person | honest patient busy elderly skilled | fisher carpenter plumber clerk guard gardener
worker | person | honest patient busy elderly skilled | waiter
worker | person | young clever friendly nervous | engineer librarian mechanic pilot secretary tailor
worker | person | young clever friendly nervous | porter builder
worker | person | local friendly strict | bus_driver shop_assistant tour_guide dentist hunter guide
official | person | former powerful corrupt new popular | mayor minister senator ambassador governor
official | person | former powerful corrupt new popular | prosecutor judge
official | person | former acting senior | prime_minister police_chief president
official | person | former acting senior | spokesperson/spokespersons
boss | person | new former ambitious rich | director manager owner chair founder investor
musician | person | talented young famous gifted blind | pianist violinist singer drummer guitarist
musician | person | talented young famous gifted blind | cellist conductor
performer | person | famous talented unknown brilliant | actor dancer director comedian acrobat star
player | person | young injured tall fast talented | striker goalkeeper captain pitcher defender runner
player | person | young injured tall fast talented | boxer swimmer
writer | person | famous young angry unknown brilliant | novelist poet journalist editor reporter author
writer | person | famous young angry unknown brilliant | critic
scholar | person | young brilliant retired curious | professor student physicist historian biologist
scholar | person | young brilliant retired curious | researcher
cleric | person | old quiet kind | priest minister bishop monk nun
criminal | person | clever dangerous notorious | thief/thieves burglar smuggler forger
child | person | little noisy shy hungry | boy girl child/children toddler baby
kin | kin | old younger beloved late | mother father sister brother aunt uncle wife/wives husband
kin | kin | old younger beloved late | daughter son
kin | kin | favourite old | cousin grandmother neighbour friend
client | person | angry regular loyal foreign | customer visitor tourist passenger guest
patient | person | old sick anxious | patient
voter | person | angry young local | voter resident citizen worker protester
fan | person | loud loyal young angry | fan supporter
crowd | unique | large noisy small angry | crowd audience
team | group | young strong weak unbeaten | team squad side club
body | body | left right sore swollen | knee shoulder ankle hand back palm wrist
voice | body | soft deep calm | voice smile
animal | animal | hungry wild young frightened old | dog cat horse goat fox wolf/wolves
animal | animal | grey young wild | seal bat owl bear bird
mouse | animal | little grey | mouse/mice
seabird | animal | white tired wild | crane gull goose/geese duck
tree | thing | tall old dead | oak maple palm pine birch
flower | thing | red fresh beautiful wild | rose tulip lily plant fern violet
treepart | thing | dry rough broken | branch trunk root
bark | mass | rough dry thick | bark
fruit | thing | ripe sweet green rotten | apple pear plum orange peach
food | mass | fresh hot cold stale | bread soup cheese rice honey
dish | thing | delicious salty cold | cake pie stew salad omelette chip
drink | mass | hot cold strong sweet | coffee tea wine beer milk port
instrument | thing | old expensive broken beautiful | violin piano guitar drum cello trumpet organ flute
goods | thing | cheap expensive old new | car bicycle sofa camera computer carpet lamp phone
luxury | thing | expensive golden precious stolen | watch ring necklace brooch painting
furniture | thing | wooden comfortable heavy antique | table chair cabinet bed shelf/shelves desk wardrobe
container | thing | empty heavy locked wooden | box drawer bag trunk suitcase pitcher
tool | thing | rusty sharp useful broken | hammer drill saw ladder pump knife/knives
part | thing | rusty tiny loose missing | screw nail spring bolt key valve
machine | thing | huge noisy modern old | crane tractor printer engine fan
metal | mass | hot heavy pure | iron steel copper lead
clothes | thing | woollen warm black elegant | coat scarf/scarves hat tie glove bow dress shoe
weapon | thing | wooden ancient heavy | bow sword arrow spear
letter | thing | long short angry secret | letter note report draft file
book | thing | long boring wonderful old | book novel diary poem story
debt | thing | unpaid large small | bill debt fine invoice
law | thing | new strict unpopular controversial | bill treaty law budget reform
plan | thing | new secret ambitious expensive | plan project merger deal proposal scheme
product | thing | cheap modern powerful electric | engine chip tyre battery camera toy pump
ship | thing | old large white small | ship ferry boat yacht tanker
shippart | thing | wet narrow wooden | deck bow mast sail
vehicle | thing | crowded slow early late | train bus ferry plane tram
vehicle2 | thing | old rusty black | car van truck motorcycle
water | thing | deep cold wide shallow | river lake stream canal pond
source | thing | hot cold hidden | spring well
shore | thing | muddy steep green sandy | bank shore
land | thing | green wide quiet steep | hill valley field meadow park forest
building | thing | old empty tall ruined | house church tower barn cottage castle
shop | thing | small cheap cosy busy | bakery bookshop café restaurant hotel pub
venue | thing | crowded small famous | theatre hall club opera_house
ground | thing | muddy empty green | pitch court stadium playground
office | thing | small noisy modern | office bank library school hospital station airport
company | group | large rich foreign troubled | company firm bank brewery airline manufacturer shipyard
facility | thing | old modern profitable | plant factory warehouse refinery mine mill
branch | thing | local foreign profitable | branch office subsidiary
institution | unique | new powerful independent | government cabinet committee council board parliament
court | unique | local supreme | court jury
match | thing | difficult exciting important | match final game race
sport | bare | | football chess tennis cricket basketball
sportgear | thing | heavy wooden broken new | bat racket club ball helmet
show | thing | long dull wonderful new | play opera concert film musical
showpart | thing | weak brilliant predictable clever | plot ending dialogue scene cast
music | thing | sad beautiful slow | song melody symphony tune note
genre | mass | loud old | rock jazz soul
record | thing | new early rare | record album single
stone | thing | heavy huge smooth grey | rock stone boulder
star | thing | bright distant young | star planet comet moon
flame | thing | small wet long | match candle torch
lamp | thing | bright dim red | light lamp lantern
sound | thing | loud sharp sudden | bark ring cry whistle note
weather | mass | heavy sudden light | rain snow frost fog ice hail
season | mass | cold hot long early | summer winter spring autumn
feeling | mass | great sudden new | hope joy faith anger
price | thing | high low average | price rent wage tax interest_rate
stock | many | cheap expensive | share bond
trouble | thing | serious sudden unexpected | delay fire flood strike leak accident shortage
route | thing | narrow busy long quiet | road bridge street path tunnel
door | thing | heavy wooden narrow | door window gate
lock | thing | old heavy electronic | lock safe cabinet drawer
seal | thing | official broken royal | seal stamp signature
screen | thing | bright cracked | screen keyboard mouse/mice
cell | thing | dark tiny cold | cell prison
watch | bare | careful constant | watch guard
degree | thing | first second | degree diploma
topic | thing | difficult important dangerous | question problem war crisis/crises election
news | mass | bad good strange | news
advice | mass | good bad useful | advice
suit | thing | long costly | lawsuit case
firmpart | thing | profitable foreign new | subsidiary factory headquarters/headquarters branch
staff | person | loyal angry former | employee shareholder
citypart | thing | narrow crowded busy famous | harbour market cathedral airport street
clubpart | person | new injured young | coach striker goalkeeper
landpart | thing | strong weak growing | economy currency army constitution
petal | thing | | rose_petal olive_branch apple_blossom ivy_leaf/ivy_leaves lily_pad pearl_earring
petal | thing | | stone_wall frost_flower holly_branch heather_branch eagle_feather cork_oak shell_fragment
petal | thing | | violet_flower orange_peel winter_rose bird_feather
cub | animal | | fox_cub wolf_cub marsh_bird brook_trout/brook_trout eagle_chick king_penguin jaguar_cub
cub | animal | | puma_cub dove_chick snow_goose/snow_geese crane_chick park_squirrel brown_bear
gadget | thing | | reading_lamp china_cup turkey_sandwich orange_cake bath_towel mercury_lamp
gadget | thing | | subway_ticket visa_form
gadget | thing | | target_price page_number rice_cake price_list bell_tower stone_tool park_bench
gadget | thing | | king_prawn
gadget | thing | | cook_book apple_pie pearl_button square_table mobile_phone sharp_knife/sharp_knives
firm | group | large small ambitious | company firm group manufacturer supplier retailer exporter
firm | group | large small ambitious | publisher start-up
town | thing | small old quiet pretty | town port city resort
nation | thing | small rich poor young | country republic kingdom
squad | group | | club side team football_club
piece | thing | dull wonderful short controversial | novel film play opera song poem painting
piece | thing | dull wonderful short controversial | series/series
visit | thing | short secret long | visit trip journey flight walk
deed | thing | long new public final | talk call offer answer attack search report study claim
deed | thing | strange final | promise order demand review test vote march plan dance
gesture | thing | quick warm shy | smile hug kiss look laugh
shift | thing | small sharp sudden | rise fall cut change drop
subject | bare | | physics law medicine history economics
crime | bare | | theft fraud murder
aid | mass | | money help time
rest | thing | short long | rest break
other | thing | new small old | ticket telephone church_bell alarm bench hotel_room watch_spring clock
other | thing | new small old | lead_role website
other | thing | | goal penalty page date prize chart mistake interview answer
other | thing | strange old | rumour contract village castle wall wave storm festival
force | unique | small | crew army league alliance union
someone | person | young old | villain hero/heroes painter police_officer king queen soldier expert rival
someone | person | young old | winner
creature | animal | small | snake fish/fish
other | thing | high small | cost service
summit | thing | | mountain_top
coast | unique | | coast
"""

GENDERS = {
    "she": "mother sister aunt wife daughter grandmother girl nun queen",
    "he": "father brother uncle husband son boy monk king priest",
}

# First words of compounds that are adjectives.
ADJECTIVES_IN_COMPOUNDS = "sharp square brown mobile prime"

# Nouns that stand before a noun of the class: the company plans failed.
COMPOUNDS = {
    "deed": "company bank government police school hospital club council court",
    "plan": "company bank government school hospital club council",
    "visit": "school family business",
    "trouble": "train factory school power",
    "letter": "business love bank",
}

# Classes that a nationality can modify: a Norwegian ship.
NATIONAL = "worker official musician performer player writer scholar firm company ship drink goods"

# What only an entity of a kind has.
POSSESSIONS = {
    "person": "kin body voice",
    "city": "citypart",
    "country": "landpart",
    "region": "citypart",
    "company": "firmpart staff",
    "club": "clubpart",
    "paper": "staff",
}

# What a noun may be part of or related to: preposition, then classes and kinds of names.
WHOLES = {
    "shore": "of water*3 @river",
    "shippart": "of ship",
    "treepart": "of tree",
    "bark": "of tree",
    "showpart": "of show*3 @work",
    "door": "of building vehicle2 office",
    "visit": "to @city*3 @country*2 @hospital",
    "vehicle": "to @city*4 @country",
    "stock": "of @company",
    "voter": "from @city*3 @country",
    "client": "from @city*2 @country",
}
