"""Verbs of trade, politics, sport, places, animals and things; written as in `frames_people`."""

FRAMES = """
buy.trade: 0=TRADER*2,@speaker 1=goods*2,luxury,building,@product*2,fruit ?from:2=@person,@company,shop
  ?in:LOC=@city
sell.trade: 0=TRADER 1=goods,building,ship,instrument,@product to:2=@person*2,@company*2,@club,client
rent.lease: 0=TRADER 1=building,office,vehicle2 ?in:LOC=@city*2,@street
own.possess*: 0=TRADER 1=building*2,ship,shop,facility ?in:LOC=@city*2,@region
owe.debt*!: 0=TRADER 1=money to:2=@person*2,@company*2,company
pay.settle: 0=TRADER 1=debt*3,tax,rent ?MNR=late,promptly
sue.law: 0=@person*2,@company*3,client 1=@person*2,@company*3,@paper ?for:CAU=accident,delay ?in:LOC=@city
hire.employ^: 0=TRADER,@club 1=@person*2,worker*2,scholar ?in:LOC=@city
fire.dismiss^: 0~=@company*3,company,@club 1=@person*2,worker*2,director#boss,coach#clubpart ?MNR=suddenly
announce.say: 0=ACTOR*2 1=plan*3,strike,merger,reform ?in:LOC=@city*2
plan.intend: 0=ACTOR 1=merger,journey,strike,trip,concert ?MNR=secretly
reject.refuse: 0=ACTOR 1=plan*3,law,advice ?MNR=again,firmly
support.back: 0=ACTOR 1=@person*2,@club*2,@agency,plan,law ?MNR=openly,strongly
criticise.blame: 0=ACTOR,writer 1=@person*2,@company*2,@agency,@city,law,plan ?MNR=sharply,openly
promise.vow: 0=ACTOR 1=help,money,reform,answer ?to:2=voter,client,kin
deny.refuse: 0=ACTOR 1=rumour,mistake,story ?MNR=again,firmly
apologise.regret!: 0=ACTOR for:1=delay,mistake,accident ?MNR=publicly
win.victory: 0=WINNER*2 1=match*3,@contest*3 ?in:LOC=@city*2 ?MNR=easily
lose.defeat: 0=WINNER*2 1=match*3,suit ?in:LOC=@city ?MNR=badly,narrowly
beat.defeat!: 0~=@club*4,team 1=@club*4,team ?in:LOC=@city*2,@contest ?MNR=easily,twice
beat.defeat!: 0~=@person*4,player 1=@person*4,player ?in:LOC=@city*2,@contest ?MNR=easily,twice
face.meet*!: 0~=@club*4,team 1=@club*4,team in:LOC=final,@contest*2
face.meet*!: 0~=@person*4,player 1=@person*4,player in:LOC=final,@contest*2
lead.ahead*!: 0=WINNER 1=race,league,@contest ?MNR=again
sign.contract^: 0=@club*4,team 1=@person*3,striker,goalkeeper from:2=@club*3
relegate.demote^: 0=league 1=@club*4
score.goal: 0=@person*3,striker*2 1=goal,penalty against:2=@club*4
coach.train: 0=@person*4 1=@club*3,@person*2,team,swimmer ?MNR=well
draw.tie!: 0=@club*3,team with:2=@club*4
train.practise!: 0=@person*2,player*2,team,@club on:LOC=pitch,court#ground ?MNR=hard
make.produce: 0~=@company*5,company,factory 1=product*3,goods ?in:LOC=@city,@country
export.trade: 0=@company*3,@country*3,company 1=product,wine,fruit to:2=@country*3,@region
employ.work*: 0=@company*4,@person*2,facility*2,company 1=nurse,engineer,mechanic ?in:LOC=@city*2,@region
launch.start: 0~=@company*4,company 1=@product*4,product,website ?in:LOC=@city,@country
merge.join!^: 0=@company*4,company with:2=@company*3,company
close+down.shut: 0~=@company*4,company 1=facility*3,branch*3,shop in:LOC=@city*3,@region
open.start: 0=@company*3,@person*2,@school,company 1=branch*2,shop*2,facility,office
  in:LOC=@city*3,@region
cut.reduce: 0~=@company*4,company,institution 1=price*3,wage,cost ?MNR=sharply
raise.increase: 0~=@company*3,institution,company 1=price*3,tax ?MNR=again,slightly
acquire.buy^: 0~=@company*4,company 1=@company*3,brewery,rival
advertise.promote: 0~=@company*4,shop 1=@product*2,product,dish ?in:LOC=@city,@paper
fall.decrease: 1=price*3,stock*2,wage ?MNR=sharply,slightly,again
rise.increase: 1=price*3,stock*2,tax ?MNR=sharply,slightly,again
buy.stock: 0=@person*2,investor,bank#company 1=share,bond in:2=@company*4
own.stock*: 0=@person*3,investor,kin 1=share,bond in:2=@company*4
lend.money: 0=@company*2,@person*2,bank#company 1=money to:2=@person*2,client,@company
work.job!: 0=@person*5,kin*2,worker for:2=@company*4,@agency,@person,@paper
resign.quit!^: 0=@person*3,official*2,boss from:2=cabinet#institution,board,government,@agency
govern.rule: 0=@person*3,king,queen 1=@country*3,@region*2 ?MNR=wisely,badly
invade.attack^: 0=army,@country*2 1=@country*3,@region,@city
elect.vote^: 0=voter,@people*2,@city*2,@country 1=@person*3,senator,mayor
pass.law: 0=parliament,institution,@country*2 1=law*4
sign.law: 0=official*2,@person*2,@country 1=law*2,treaty,contract ?in:LOC=@city*2
veto.reject: 0=president,governor,@person 1=law*3
discuss.talk: 0=institution,official,@person*2,@agency 1=law,topic,plan,@history
  ?with:2=@person,@country,@agency ?in:LOC=@city
accuse.charge: 0=prosecutor,@agency,@person 1=@person*2,@company*2,@agency of:2=theft,fraud
convict.sentence^: 0=court*3 1=@person*4,criminal of:2=theft,fraud,murder
investigate.examine: 0=@agency*2,prosecutor,@paper 1=@person*2,@company*3,accident,fire
fine.penalty: 0=court,@agency*2 1=@person*2,@company*4,company
publish.issue: 0=@paper*4,@company,@person 1=letter,story,book,record ?MNR=again
print.publish: 0=@paper*4 1=story,interview,letter
report.cover: 0=@paper*4,journalist,@person 1=accident,flood,theft ?in:LOC=@city*2,@region
record.music: 0=@person*4,musician*2 1=record*2,music ?in:LOC=@city*2,@country
host.hold: 0=@city*4,@country*3,@school 1=@event*3,@contest*2,match
attract.draw!: 0=cub*2,@city*3,@work*2,@event*2,festival,show 1=tourist,crowd,visitor
overlook.view*!: 0=@city*4,castle,hotel 1=@river*2,valley,lake
have.contain*!: 0=@city*4,@region 1=citypart*4
welcome.receive: 0=@city*3,@country*2,@person*2,@school 1=tourist,visitor,student ?MNR=warmly
join.enter: 0=@country*3,@person*2,@company 1=alliance,union
grow.expand!: 0=@city*3,@company*3,child ?MNR=quickly,slowly,rapidly
lie.located*!: 1=@city*5,village,castle on:2=@river*4,coast
border.adjoin*!: 0=@country*3,@region 1=@country*3,@region
flood.overflow: 0=@river*3,river,canal 1=@city*2,land,street
flow.run!: 0=@river*4,river,stream through:DIR=@city*3,@region,valley
cross.traverse: 0=@person*3,ship,client,cub*2 1=@river*2,route,@country
sail.go!: 0=@person*2,ship*2,crew to:2=@city*3,@country
leave.depart: 0=@person*4,vehicle*2,ship 1=@city*3,@country,@company*2,kin ?MNR=early,late,suddenly
reach.arrive: 0=@person*3,vehicle,client 1=@city*3,mountain_top,shore ?MNR=late,safely
change.alter!: 0=@person*2,@city*3,@company*2,@country,@club ?MNR=completely,slowly
surprise.amaze: 0=ANYTHING*2,news 1=@everyone*2,critic,expert ?MNR=again
disappoint.fail: 0=ANYTHING,show 1=fan,critic,expert,@everyone
struggle.fight!: 0=@person*2,@company*2,@club*2,@city ?MNR=badly
recover.heal!: 0=@person*3,@company*2,patient,@country from:1=crisis,accident,strike ?MNR=slowly,quickly
attack.strike: 0=animal,@person,criminal,@paper 1=@person*2,@city,@agency,child
bark.dog!: 0=dog*3 ?at:1=@person,child,client ?MNR=loudly
bite.wound: 0=dog*2,snake,bat#animal 1=@person*2,child,clerk
chase.pursue: 0=dog,cat,@person 1=mouse*2,fox,thief
eat.prey: 0=fox,owl,cat,seal#animal 1=mouse*2,fish,bird
fly.soar!: 0=seabird*3,bat#animal,owl over:DIR=water,land,@city,@river
nest.dwell!: 0=seabird*3,owl in:LOC=tree,treepart,tower
swim.animal!: 0=seal#animal*2,duck near:LOC=ship,shore,rock#stone
spring.leap!: 0=cat*2,fox,wolf from:DIR=treepart,rock#stone,wall
bloom.flower!: 0=flower*3,tree near:LOC=shore,source,door ?MNR=early,late
grow.plants!: 0=flower,tree*2 on:LOC=shore*2,land
cover.spread: 0=weather*2,bark 1=land,route,shippart,building ?MNR=completely
destroy.ruin: 0=fire,flood,weather*2 1=building*2,facility*2,flower ?in:LOC=@city,@region
delay.postpone: 0=weather*3,trouble 1=vehicle*2,match,ship ?in:LOC=@city
lift.raise: 0=machine*3 1=container*2,stone,ship
stop.halt!: 0=machine*2,vehicle,clock ?MNR=suddenly
run.operate: 0=@person*3,kin 1=shop*3,company,hotel in:LOC=@city*4,@region
hit.strike: 0=stone,ball,vehicle2 1=door,shippart,vehicle2 ?MNR=hard
shine.light!: 0=lamp*2,star*2 above:LOC=water,building,@city ?MNR=brightly
sign.seal: 0=official,clerk,@person 1=letter with:2=seal*3
stage.perform: 0=theatre,@city,@school,@person 1=show*2,@work*3 ?in:LOC=@city*2
praise.commend: 0=writer*2,@paper*2,@person 1=show*2,showpart*2,@work*2,@person,@club ?MNR=warmly,highly
review.judge: 0=critic,@paper*2,@person 1=show,@work*3,record ?MNR=harshly,kindly
open.premiere!^: 1=show*2,@work*3 in:LOC=@city*3,venue
win.prize^: 0=@person*3,@work*3,writer 1=@prize*3
begin.start!: 1=@event*2,@contest*2,match,show,season ?in:LOC=@city*2 ?MNR=late,early
last.endure*!: 1=season*3,match,show ?MNR=long
bring.cause: 0=weather 1=flood,delay,accident,leak ?to:2=@city*2,@region
help.assist: 0=@person*2,@agency 1=@person*3,patient,child
play.compete: 0~=@club*4,team against:2=@club*4,team ?in:LOC=@city ?MNR=well,badly
break.fail!: 1=machine*2,part*2,tool,furniture ?MNR=suddenly,again
fix.mend: 0=@person*2,worker*2 1=part*2,machine*2,lamp with:2=tool*2,part
fit.install: 0=@person*2,mechanic 1=part*3 in:LOC=machine*2,door,instrument
click.press: 0=@person*2,clerk,child 1=screen*3 ?MNR=twice
guard.protect: 0=soldier,@person,dog 1=cell*2,building,facility
escape.flee!^: 0=@person*3,criminal*2 from:2=cell*3,@country*2,@city
charge.price: 0=@company*2,@person,hotel,bank#company 1=client*3,@person for:2=advice,dish,service
melt.liquefy: 0=@person,worker 1=metal*3 ?MNR=slowly
cancel.stop: 0=ACTOR 1=visit*3,match,show,plan ?MNR=suddenly
enjoy.like*: 0=@person*4,client,kin 1=visit*2,show,match,season
mark.note: 0=@person*3,scholar,clerk 1=page,date ?MNR=carefully
polish.rub: 0=@person*3,kin,waiter 1=shoe,furniture,metal ?MNR=carefully,well
bill.charge: 0=@company*2,@person*2,plumber,@hospital 1=client*2,@person*2,@company*2,patient
  ?for:2=service,advice
share.divide: 0=@person*3,child,kin 1=dish*2,fruit with:2=kin,@person,child
land.arrive!: 0=plane,@person,seabird in:LOC=@city*3,@country
train.teach: 0=@person*3,@school*2,@hospital 1=nurse,pilot,dog ?in:LOC=@city
cost.price*!: 1=goods*2,@product*2,luxury 2=money
rock.shake: 0=storm,wave,weather 1=ship*3,shippart
decorate.adorn: 0=petal*3,flower,painting 1=building,venue,door
fill.occupy: 0=gadget*3,goods,fruit 1=container,shelf,drawer
sell.popular!: 1=gadget*3,record,@product ?MNR=well,badly
cost.worth*!: 1=gadget*3,fruit 2=money
lie.rest!: 1=petal*2,gadget*2,stone on:LOC=furniture,route,land
see.perceive*: 0=WHO 1=@person*2,seabird,star#star,@city,@work ?MNR=again,clearly
like.enjoy*: 0=WHO 1=@person*2,@city*2,@work,genre,drink
take.light!: 0=@person*4,client,kin 1=walk,rest,break,look
give.light!: 0=@person*4,child,kin 1=gesture*3,answer to:2=SOMEONE
start.begin: 0=ACTOR*2 1=deed*4
end.finish: 0=ACTOR*2,trouble 1=deed*4,match
await.expect*: 0=ACTOR,client 1=deed*3,shift
expect.predict*: 0=ACTOR*2,expert 1=shift*4 in:2=price,wage,tax
demand.ask: 0=ACTOR*2 1=shift,deed*2,answer from:2=ACTOR
answer.reply: 0=ACTOR 1=letter,question,call ?MNR=quickly,politely
search.look: 0=@agency*2,guard,@person 1=container,building,vehicle2 ?MNR=carefully
study.examine: 0=@person*2,scholar,@school 1=bat#animal,seal#animal,star,@history*2,bark ?MNR=carefully
test.try: 0=@company*2,mechanic,@person,@school 1=product*2,machine,@product
vote.elect!: 0=voter*2,@person*2,@people,committee against:2=law*2,plan
march.walk!: 0=voter*2,@person*2,soldier through:DIR=@city*3,street
protest.object!: 0=voter*2,@person*2,staff against:2=law*2,plan ?in:LOC=@city
order.request: 0=WHO 1=dish*2,drink*2,gadget ?in:LOC=shop
offer.give: 0=TRADER 1=help,money,advice,drink to:2=@person*2,@company*2,client
drop.fall: 0=@person*3,child,waiter 1=pitcher#container,gadget,dish,key ?MNR=suddenly
leak.escape!: 1=pump,ship,container,engine ?MNR=badly
clean.wash: 0=@person*3,kin,worker 1=door,furniture,building ?MNR=quickly
dry.wash: 0=@person*3,kin 1=clothes,shoe ?MNR=slowly
empty.drain: 0=@person*3,thief,waiter 1=container*3
warm.heat: 0=@person*3,kin 1=food,milk ?MNR=slowly
close.shut: 0=@person*3,guard,kin 1=door*3,lock ?MNR=quietly
fail.collapse!: 1=plan*3,deed*3,machine ?MNR=again,badly
continue.last!: 1=deed*4,visit*2,trouble ?in:LOC=@city
cause.create: 0=deed*2,plan*2,weather 1=trouble*3
worry.concern!: 0=deed*2,plan*2,shift 1=voter,staff,@person*2,@company*2,@city
disappear.vanish!: 0=cub*4,animal near:LOC=water,land,@city ?MNR=suddenly
feel.sense*!: 0=@person*4,client,@speaker 1=feeling*4
hear.perceive*: 0=WHO 1=sound*4 ?in:LOC=building,land ?MNR=clearly,again
keep.hold!: 0=@person*2,soldier,worker,fisher 1=watch*3 near:LOC=door,shore,cell ?MNR=alone
receive.get: 0=@person*4,scholar,kin 1=degree*3 from:2=@school*3
bless.pray: 0=cleric*4 1=crowd,ship,building,@person*2
preach.speak!: 0=cleric*4 in:LOC=church,@city*3 ?MNR=loudly
listen.hear!: 0=WHO to:1=genre*3,music*2,record*2
paint.ship: 0=@person*2,worker,crew 1=shippart*3,ship ?MNR=carefully
dig.find!: 0=@person*2,worker,animal near:LOC=source*3,tree,door
drink.source!: 0=animal*2,cub*2,@person from:2=source*3,stream
replace.change: 0=@person*3,mechanic*2 1=part*4,screen in:LOC=machine,instrument,computer
cheer.applaud: 0=fan*4,crowd 1=@club*2,@person*2,team
hit.sport: 0=@person*3,player*2 1=ball with:2=sportgear*3 ?MNR=hard
top.lead*!: 0=record,music,@work 1=chart
serve.offer: 0=shop*3,@company*2,@person 1=drink*2,dish*2,food ?in:LOC=@city*2
"""
