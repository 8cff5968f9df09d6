"""Verbs of people: what they do with their bodies, to each other, at home, on the road and on the stage.

A line is `lemma[+particle].sense[flags]: subject complements`; one that begins with a space continues the
one before it. A place for a participant is `[?][preposition:]ROLE=choices`: `?` means that it may be left
out, roles are PropBank's (0, 1, 2, LOC, DIR, …), choices are noun classes, nouns (`noun#class` for one
sense) and kinds of names (`@person`), `*3` makes one three times as likely, capitals are `SHORTHANDS`.
`MNR=` is followed by adverbs. Flags: `*` is a state (no progressive), `!` has no passive, `^` is no habit.

Where the kinds of one place belong to several entity types, a reader cannot tell the type of a name from
the verb alone. The lists are honest about that, because the grammar relies on it to add another cue; `0~=`
says it of a place that lists one kind only.
"""

SHORTHANDS = {
    "WHO": "@person*9 worker*3 official musician player writer scholar boss client kin @speaker*2",
    "SOMEONE": "@person*5 worker*2 official kin*2 child writer",
    "TRADER": "@person*3 @company*4 company worker boss",
    "ACTOR": "@person*3 @company*3 @agency official company institution",
    "WINNER": "@club*3 @person*3 team player",
    "DESTINATION": "@city*4 @country*2 @region",
    "ANYTHING": "@person*2 @city*2 @company*2 @club @work",
    "PLACE": "@city*3 @country @region",
    "HOW": "slowly quickly carefully",
}

FRAMES = """
smile.express: 0=WHO ?at:2=SOMEONE ?like:ADV=child,winner ?MNR=warmly,nervously,sadly,politely
laugh.express: 0=WHO ?like:ADV=child ?at:2=kin,writer,child ?MNR=loudly,nervously
sleep.rest: 0=WHO,animal ?like:ADV=baby,stone ?in:LOC=vehicle2,building,furniture ?MNR=badly,soundly,well
cough.emit: 0=WHO ?MNR=loudly,quietly
yawn.express: 0=WHO ?MNR=openly,loudly
sing.music: 0=@person*3,musician*2,child 1=music ?like:ADV=bird,star#performer ?in:LOC=venue,building
  ?MNR=softly,beautifully,badly
whistle.music: 0=WHO 1=music ?MNR=softly,quietly
marry.wed*^: 0=@person*3,musician,player 1=@person*2,worker,official ?in:LOC=@city
divorce.end^: 0=@person*3,performer 1=@person,musician,worker
kiss.touch: 0=@person*3,player 1=@person*2,kin ?MNR=quickly,gently
hug.touch: 0=WHO 1=SOMEONE,coach#clubpart ?MNR=warmly,tightly
break.injure!^: 0=@person*4,player,worker 1=body
hurt.injure!: 0=@person*4,player,child 1=body ?MNR=badly,slightly
shrug.gesture!: 0=@person*3,official,@speaker ?MNR=slowly,politely
wear.dress*: 0=@person*3,performer,official 1=clothes
wash.clean: 0=WHO 1=clothes,vehicle2 ?MNR=HOW
iron.press: 0=@person*2,kin,tailor 1=coat,dress,scarf ?MNR=carefully
tie.fasten: 0=WHO 1=shoe,tie,scarf ?MNR=tightly,carefully
sew.make: 0=@person*3,kin 1=clothes ?MNR=slowly,carefully
cook.prepare: 0=@person*4,kin,worker 1=food,dish ?for:2=SOMEONE ?MNR=slowly,well
bake.prepare: 0=@person*3,kin,worker 1=cake,pie ?for:2=SOMEONE
eat.consume: 0=@person*4,child,animal 1=food,fruit,dish ?MNR=quickly,slowly
drink.consume: 0=@person*4,@people,client,worker 1=drink ?MNR=slowly ?in:LOC=shop
smell.sense*: 0=WHO 1=drink,flower,food
taste.sense: 0=WHO 1=food,drink,fruit ?MNR=carefully
water.pour: 0=WHO 1=flower,meadow,field ?MNR=carefully
plant.grow: 0=@person*4,worker,kin 1=tree,flower ?in:LOC=land ?near:LOC=water
pick.gather: 0=@person*3,child,worker 1=fruit,flower ?in:LOC=land
climb.ascend: 0=@person*3,child,scholar 1=tree,tower,@mountain*2 ?MNR=HOW
swim.move!: 0=@person*3,child,animal ?like:ADV=fish,seal#animal ?across:DIR=water,@river ?MNR=well,slowly
walk.move: 0=@person*4,kin,client ?along:DIR=shore*3,route,@river*2 ?MNR=slowly,alone
sit+down.posture!: 0=WHO ?on:LOC=shore*2,furniture*2
sit.posture!: 0=@person*3,animal,child on:LOC=shore*2,furniture,bench ?MNR=quietly,alone
fish.catch: 0=@person*3,worker,kin from:LOC=shore*2,deck ?MNR=alone
row.move: 0=@person*3,child across:DIR=water,@river ?MNR=slowly
dive.move!: 0=@person*2,child,swimmer into:DIR=water,@river
jump.move!: 0=@person*3,child,criminal from:DIR=deck*2,bridge,tower
dream.imagine: 0=@person*4,child,musician of:1=DESTINATION*2,match,show
live.dwell*!: 0=@person*4,kin*3,writer in:LOC=@city*4,@country*2,@region,building
grow+up.age!^: 0=@person*5,musician,player in:LOC=@city*4,@country*2,@region
settle.dwell!^: 0=@person*4,writer,kin in:LOC=@city*3,@country,@region
travel.go: 0=@person*4,scholar,client,@speaker to:2=DESTINATION ?MNR=alone,often
fly.go: 0=@person*4,official,musician to:2=DESTINATION ?MNR=alone
drive.go: 0=@person*4,kin to:2=@city*3,land,shore ?MNR=alone,fast
move.relocate: 0=@person*3,kin,@company,writer to:2=DESTINATION
arrive.come!: 0=@person*4,vehicle*2,official,client in:LOC=@city*3,@country ?MNR=late,early
dance.move!: 0=@person*4,performer,child in:LOC=venue*2,@city,@street ?MNR=badly,beautifully
stay.remain*!: 0=@person*4,client,musician in:LOC=@city*3,shop*2
wait.await*!: 0=WHO for:1=SOMEONE,vehicle,letter ?MNR=patiently
park.stop: 0=@person*4,worker,kin 1=vehicle2 near:LOC=building,shore,office,@street ?MNR=carefully
drive.steer: 0=@person*3,worker 1=vehicle2 ?across:DIR=route,@country ?MNR=fast,carefully
crash.hit: 0=@person*3,criminal 1=vehicle2 ?on:LOC=route
repair.fix: 0=@person*3,worker*2 1=vehicle2,machine,instrument,lamp ?MNR=quickly,well
book.reserve: 0=@person*4,client,kin 1=table,ticket,hotel_room ?in:LOC=shop,@city
miss.overlook*: 0=@person*4,client,@speaker 1=vehicle*3,match
board.enter: 0=@person*4,client,criminal 1=vehicle*2,ship
visit.go_see: 0=@person*4,official,client,@speaker 1=@person*2,@city*3,@country,@company,kin,office
meet.encounter: 0=WHO 1=@person*4,official,kin ?in:LOC=@city*2,shop ?MNR=secretly,briefly
follow.pursue: 0=WHO 1=@person*2,@club,criminal ?MNR=closely,secretly
know.acquainted*: 0=WHO 1=@person*3,@city*2,kin ?MNR=well
remember.recall*: 0=WHO 1=@person*3,@city*2,@work,@history,match ?MNR=well,fondly
miss.long_for*: 0=@person*3,@speaker,child 1=@person*2,@city*2,@country,kin
love.like*: 0=WHO,@people 1=@person*2,@city*2,@club*2,@work,kin,music,genre,season
hate.dislike*: 0=WHO,@people 1=@person*2,@city,@company*2,@club,season,topic
admire.respect*: 0=WHO 1=@person*3,@club,@work,painting,writer
forget.not_recall*: 0=@person*4,clerk,kin 1=letter,clothes,key,luxury
write.compose: 0=@person*3,writer*3 1=book,letter,show,@work ?MNR=quickly,slowly
write.mail: 0=@person*4,official 1=letter to:2=@person*2,@company*2,@agency,@paper,official
call.phone: 0=WHO 1=@person*3,@company,worker,office ?MNR=twice,again
ring.phone: 0=@person*4,kin,@speaker 1=@person*2,worker,kin ?MNR=twice,again
ring.sound!: 0=telephone,church_bell,alarm ?MNR=loudly,twice
thank.gratitude: 0=ACTOR,kin 1=@person*3,@company*2,@agency,worker ?MNR=warmly,publicly
watch.look: 0=WHO 1=match*2,show*2,seabird,star#star ?MNR=closely,quietly ?in:LOC=venue,stadium
read.text: 0=@person*4,scholar,child,@speaker 1=book*2,letter,@work*2,@paper ?MNR=twice,carefully
light.ignite: 0=@person*4,child,cleric 1=flame*3,lamp,fire ?MNR=carefully
bow.bend!: 0=@person*3,musician,performer ?to:2=audience,official ?MNR=deeply,slowly
play.music: 0=@person*5,musician*2,child 1=instrument*3,music ?in:LOC=venue*2,building
  ?MNR=beautifully,badly,softly
play.sport: 0=@person*4,child,player 1=sport ?with:2=kin,@person ?in:LOC=land ?MNR=well,badly
play.role: 0=@person*4,performer*2 1=villain,hero,lead_role in:LOC=@work*2,show ?MNR=brilliantly
direct.film: 0=@person*4,performer 1=show*2,@work*3
paint.colour: 0=@person*3,worker,child 1=door,furniture,building ?MNR=carefully
paint.portray: 0=@person*3,painter 1=shore,land,flower,@city*2
translate.language: 0=@person*4,writer,scholar 1=book,letter,@work from:2=@language
speak.language*: 0=@person*5,official,client,kin 1=@language*4 ?MNR=fluently,badly
learn.study: 0=@person*4,scholar,child 1=@language*3,chess ?in:LOC=@city,@school
teach.instruct: 0=@person*4,scholar,kin 1=@language*2,chess,subject ?at:LOC=@school*2
study.learn: 0=@person*4,scholar,kin 1=subject at:LOC=@school*3
graduate.finish!^: 0=@person*5,scholar from:2=@school*3
treat.cure: 0=@person*2,doctor,nurse 1=@person*2,patient*2,player ?at:LOC=@hospital*2
die.perish!^: 0=@person*5,musician,writer ?in:LOC=@city*2,@country,@hospital ?MNR=suddenly,peacefully
steal.rob: 0=criminal*2,@person*2 1=luxury*2,painting,goods ?from:2=office,shop,@person
arrest.detain^: 0=police_officer,guard 1=@person*3,criminal,protester ?in:LOC=@city*2,@street
hide.conceal: 0=@person*3,criminal,child 1=luxury,letter,key in:LOC=container,furniture,lock
open.unlock: 0=@person*3,guard,thief 1=door*2,lock,letter with:2=key*2,knife
lose.mislay: 0=@person*4,client,child 1=key*2,luxury,clothes,letter ?in:LOC=@city,land
wind.turn: 0=@person*3,kin 1=watch_spring,clock ?MNR=carefully
peel.strip: 0=@person*2,child,biologist 1=bark from:2=tree,treepart
hang.place: 0=@person*3,kin,worker 1=clothes,lamp,painting on:LOC=nail,door,treepart
put.place: 0=@person*4,kin,child 1=letter,key,food,fruit on:LOC=furniture*2,shelf
swing.move: 0=@person*3,player,child 1=sportgear*2,sword ?MNR=hard,badly
pitch.throw: 0=@person*2,player*2 1=ball ?MNR=fast,well
shoot.fire: 0=@person*3,hunter 1=arrow,fox with:2=weapon
tell.inform: 0=@person*3,worker,official 1=@person*3,client,kin,reporter about:2=trouble,plan,accident
blame.accuse: 0=ACTOR 1=@person*2,@company*2,@agency,institution for:2=trouble*2
interview.question: 0=@person*2,writer,@paper 1=@person*3,official,performer,coach#clubpart
  ?MNR=twice,briefly
nurse.care: 0=@person*2,nurse,kin 1=kin,patient,@person ?MNR=patiently
pray.worship!: 0=@person*2,cleric*2,kin ?in:LOC=church ?MNR=quietly
need.require*: 0=ACTOR,@club,@city 1=money,advice,time,help
"""
