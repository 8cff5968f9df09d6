"""Times, adverbs, quantities, predicates, connectives, and what adjectives and verbs say about liking."""

# Tenses in which they fit | preposition | tokens as word/tag or word/tag/sense, phrases apart by `;`
TIMES = """
past future | on | Monday/NNP; Tuesday/NNP; Wednesday/NNP; Thursday/NNP; Friday/NNP; Saturday/NNP
past future | on | Sunday/NNP
past future | on | Monday/NNP morning/NN; Friday/NNP evening/NN; Sunday/NNP afternoon/NN
past future | on | the/DT first/JJ of/IN May/NNP
past | | yesterday/NN; last/JJ week/NN; last/JJ month/NN; last/JJ spring/NN/season; last/JJ year/NN
past | | this/DT morning/NN
past | | last/JJ summer/NN; last/JJ Tuesday/NNP; last/JJ May/NNP; one/CD day/NN; that/DT night/NN
past | in | 1957/CD; 1968/CD; 1974/CD; 1983/CD; 1991/CD; 1998/CD; 2003/CD; 2008/CD; 2012/CD; 2016/CD
past | in | 2019/CD
past future | in | January/NNP; March/NNP; April/NNP; May/NNP; June/NNP; July/NNP; August/NNP
past future | in | October/NNP; early/JJ June/NNP
past future | in | the/DT spring/NN/season; the/DT summer/NN; the/DT evening/NN; late/JJ April/NNP
past future | in | the/DT autumn/NN
past | during | the/DT war/NN; the/DT winter/NN; lunch/NN; the/DT strike/NN; the/DT crisis/NN
past | during | the/DT storm/NN
past future | after | the/DT match/NN/contest; the/DT election/NN; dinner/NN; work/NN; the/DT concert/NN
past future | after | midnight/NN
past future | before | the/DT meeting/NN; the/DT match/NN/contest; dawn/NN; Easter/NNP; breakfast/NN
past future | before | Christmas/NNP
future | | tomorrow/NN; next/JJ week/NN; next/JJ month/NN; next/JJ spring/NN/season; next/JJ year/NN
future | | next/JJ May/NNP
future present | | tonight/NN; this/DT summer/NN; this/DT week/NN; this/DT afternoon/NN
present | | every/DT morning/NN; every/DT summer/NN; every/DT Sunday/NNP; every/DT year/NN
present | | every/DT spring/NN/season
present | in | May/NNP; August/NNP; winter/NN; the/DT spring/NN/season; the/DT evening/NN
present | on | Sundays/NNPS; Fridays/NNPS; Monday/NNP mornings/NNS
"""

NUMBERS = "two two two three three four five six ten"
QUANTITIES = "several many some"
FREQUENCIES = "often always usually rarely sometimes"
DEGREES = "very rather quite really"
UNGRADED = """
broken asleep goalless winless barefoot married ruined locked missing unpaid electric wooden overvalued
unreadable plotless overlong landlocked dead unbeaten empty ancient antique golden black red white green
wonderful superb terrible awful delightful excellent brilliant
"""
# Adjectives that stand before a noun only.
ATTRIBUTIVE = """
former acting senior regular left right younger favourite second first supreme great new royal average
"""
# Adverbs of manner that may stand before the verb.
BEFORE_THE_VERB = """
carefully quietly quickly slowly secretly suddenly gently softly nervously narrowly easily openly publicly
firmly strongly completely closely warmly loudly
"""
OPENINGS = "however meanwhile fortunately unfortunately later surprisingly indeed apparently"

# Adjectives that say of a name in subject position what kind of thing it names.
PREDICATES = {
    "person": "tired ill hungry nervous asleep thirsty drunk barefoot shy polite lonely married angry",
    "city": "crowded sunny foggy snowy hilly humid picturesque densely_populated walkable",
    "country": "mountainous landlocked democratic sparsely_populated tropical",
    "company": "profitable overvalued publicly_traded unprofitable",
    "club": "goalless winless",
    "work": "unreadable overlong plotless well-written badly_translated",
}
OPINIONS = "wonderful superb terrible awful delightful disappointing excellent mediocre"
STORY_OPINIONS = "boring dull brilliant charming clever funny moving weak predictable"

LIKED = """
wonderful excellent brilliant superb charming clever funny moving delightful beautiful delicious exciting
talented friendly kind love enjoy admire praise thank win beautifully brilliantly warmly fondly
"""
DISLIKED = """
boring disappointing mediocre dull terrible awful weak predictable stale rotten corrupt unpopular broken
dangerous hate disappoint blame criticise harshly badly unreadable overlong plotless lose
"""

IRREGULAR_VERBS = """
sleep slept slept | sing sang sung | break broke broken | hurt hurt hurt | wear wore worn
eat ate eaten | drink drank drunk | swim swam swum | sit sat sat | grow grew grown | fly flew flown
drive drove driven | get got got | meet met met | know knew known | forget forgot forgotten
write wrote written | ring rang rung | read read read | light lit lit | speak spoke spoken
teach taught taught | steal stole stolen | hide hid hidden | lose lost lost | wind wound wound
hang hung hung | put put put | swing swung swung | shoot shot shot | tell told told | buy bought bought
sell sold sold | pay paid paid | win won won | beat beat beaten | lead led led | draw drew drawn
make made made | cut cut cut | fall fell fallen | rise rose risen | lend lent lent | leave left left
bite bit bitten | spring sprang sprung | hit hit hit | shine shone shone | begin began begun
bring brought brought | run ran run | lie lay lain | say said said | think thought thought
cost cost cost | sew sewed sewn | feel felt felt | hear heard heard | keep kept kept | dig dug dug
have had had | see saw seen | take took taken | give gave given
"""

# Verbs that double their last letter.
DOUBLING = """
hug plan shrug admit stop fit travel cancel swim sit get put cut win hit run begin drop dig top forget
"""
