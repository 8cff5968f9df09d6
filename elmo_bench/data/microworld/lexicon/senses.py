"""Nouns with several senses, or one besides a verb's: `word: sense=classes`. Every other noun has one."""

SENSES = """
bank: money=company,office shore=shore
match: contest=match stick=flame
crane: bird=seabird machine=machine
seal: animal=animal stamp=seal
bat: animal=animal stick=sportgear
bark: tree=bark sound=sound
spring: season=season water=source coil=part
plant: flora=flower factory=facility
pitcher: player=player jug=container
cabinet: furniture=furniture,lock government=institution
chair: seat=furniture leader=boss
minister: politics=official church=cleric
ring: jewel=luxury sound=sound
bow: weapon=weapon ribbon=clothes ship=shippart
rock: stone=stone music=genre
watch: clock=luxury guard=watch
guard: person=worker duty=watch
mouse: animal=mouse device=screen
fan: supporter=fan machine=machine
palm: tree=tree hand=body
trunk: tree=treepart case=container
club: society=team,squad venue=venue golf=sportgear
court: law=court tennis=ground
bill: invoice=debt law=law
note: paper=letter music=music,sound
port: wine=drink harbour=town
star: sky=star celebrity=performer
branch: tree=treepart office=branch,firmpart
chip: food=dish computer=product
director: film=performer company=boss
play: theatre=show,piece
light: lamp=lamp
book: volume=book
park: garden=land
pitch: field=ground
record: disc=record
fire: blaze=trouble
plan: project=plan,deed
report: document=letter,deed
cook: person=worker
nurse: person=worker
coach: person=clubpart
lead: metal=metal
fish: animal=creature
"""

ADJECTIVE_SENSES = {"light": "light.mild", "open": "open.accessible", "sharp": "sharp.pointed"}
