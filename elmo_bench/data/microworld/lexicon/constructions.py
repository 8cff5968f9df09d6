"""Frames and words that belong to one sentence pattern; frames are written as in `frames_people`."""

# There was a crane on the bank.
EXISTENCE = """
be.exist*!: 1=seabird*2,animal near:LOC=water,source,@river
be.exist*!: 1=crowd,protester,police_officer outside:LOC=venue,office,ground,@agency
be.exist*!: 1=plant#flower,tree,stone on:LOC=shore,land
be.exist*!: 1=furniture,lamp,instrument in:LOC=venue,building,office
be.exist*!: 1=plant#facility,shop,citypart in:LOC=@city*3,@region
be.exist*!: 1=key,nail,screw,match#flame in:LOC=container,lock
be.exist*!: 1=mistake in:LOC=letter,book
be.exist*!: 1=note#music in:LOC=music
be.exist*!: 1=mouse#mouse,bat#animal in:LOC=furniture,building
"""

# Somebody or something says a sentence: the subject alone does not tell a person from an organisation.
REPORTS = """
say.report: 0=ACTOR*3,@paper,writer
claim.report: 0=ACTOR*2,@paper
believe.think: 0=ACTOR,scholar
hope.wish: 0=ACTOR*2,@club
deny.reject: 0=ACTOR*2
admit.concede: 0=ACTOR,@club
insist.claim: 0=ACTOR*2
report.say: 0=@paper*2,ACTOR
fear.worry: 0=ACTOR,@club,kin
"""

# Somebody or something intends an action: plans to buy.
INTENDED = """
buy.trade sell.trade rent.lease sue.law hire.employ fire.dismiss announce.say reject.refuse support.back
open.start criticise.blame cancel.stop pay.settle apologise.regret serve.offer help.assist lend.money
publish.issue bill.charge
"""
CONTROL = """
plan.intend want.desire hope.wish decide.choose refuse.reject promise.vow agree.accept try.attempt
need.must
"""

# Verbs that make sensible commands, by frame.
IMPERATIVES = """
mark.note polish.rub bill.charge ring.phone call.phone book.reserve park.stop light.ignite water.pour
plant.grow pick.gather wash.clean iron.press tie.fasten cook.prepare watch.look read.text play.music
sue.law chase.pursue visit.go_see meet.encounter follow.pursue thank.gratitude write.mail open.unlock
hide.conceal put.place hang.place fix.mend cancel.stop share.divide pay.settle buy.trade sell.trade
peel.strip swing.move board.enter leave.depart
"""

# Noun classes that are spoken of by their own adjectives: the train to Jordan was late.
STATED = """
vehicle*4 worker official musician player shore animal seabird show showpart drink food weather price
stock season plan law trouble route ground voter client door lock machine company tool instrument citypart
record team branch
"""

# Subjects without an article, whose first word may also be a name: Rose petals, Frost, Summer.
BARE = "petal*4 gadget*4 cub*4 weather*2 season*2"

REVIEWED = "@work*2 dish venue shop record goods"
STORIES = "show*3 @work*4 showpart*3 book"

COMPARATIVES = "bigger richer poorer older smaller better more_popular more_famous"

# Classes of nouns that say what a name stands for.
DESCRIPTIONS = {
    "@person": "worker*2 official musician player writer scholar boss performer",
    "@city": "town",
    "@country": "nation",
    "@region": "land",
    "@company": "firm",
    "@club": "squad",
    "@work": "piece",
}
# Where those come from.
ORIGINS = {
    "@person": "from @city, from @city, from @region, from @country",
    "@city": "in @country, on @river, in @region",
    "@country": "on @river, near @country",
    "@region": "in @country",
    "@company": "from @city, in @country, based in @city",
    "@club": "from @city, from @region",
    "@work": "about @city, by @person",
}

# Than any other of its kind.
RIVALS = {
    "@person": "worker official musician player writer scholar",
    "@city": "town",
    "@country": "nation",
    "@company": "firm",
    "@club": "squad",
}
