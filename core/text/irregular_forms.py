"""Past forms of irregular English verbs, whose stems are not that of their base: "led" and "lead"."""

from __future__ import annotations

#: A base and its forms. Left out are forms that are another word as often: "rose", "ground", "bore", "lay", "bound".
_VERBS = """
arise arose arisen; awake awoke awoken; become became; beget begat begot begotten; begin began begun; bend bent; bite
bitten; bleed bled; blow blew blown; break broke broken; breed bred; bring brought; build built; burn burnt; buy
bought; catch caught; choose chose chosen; cling clung; come came; creep crept; deal dealt; dig dug; draw drew drawn;
dream dreamt; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt; fight
fought; find found; flee fled; fling flung; fly flew flown; forbid forbade forbidden; foresee foresaw foreseen; forget
forgot forgotten; forgive forgave forgiven; forsake forsook forsaken; freeze froze frozen; give gave given; go went
gone; grow grew grown; hang hung; hear heard; hide hid hidden; hold held; keep kept; kneel knelt; know knew known;
lead led; learn learnt; leave left; lend lent; light lit; lose lost; make made; mean meant; meet met; mistake mistook
mistaken; overcome overcame; overtake overtook overtaken; overthrow overthrew overthrown; pay paid; prove proven;
rebuild rebuilt; ride rode ridden; ring rang rung; rise risen; run ran; see saw seen; seek sought; sell sold; send
sent; sew sewn; shake shook shaken; shine shone; shoot shot; show shown; shrink shrank shrunk; sing sang sung; sink
sank sunk; sit sat; slay slew slain; sleep slept; slide slid; smite smote smitten; sow sown; speak spoke spoken spake;
spend spent; spin spun; spring sprang sprung; stand stood; steal stole stolen; stick stuck; sting stung; strike struck
stricken; strive strove striven; swear swore sworn; sweep swept; swell swollen; swim swam swum; swing swung; take took
taken; teach taught; tear tore torn; think thought; throw threw thrown; undergo underwent undergone; understand
understood; undertake undertook undertaken; uphold upheld; wake woke woken; wear wore worn; weave wove woven; weep
wept; win won; withdraw withdrew withdrawn; withhold withheld; withstand withstood; write wrote written
"""

#: The forms by their base, in lower case.
FORMS = {base: forms for base, *forms in (each.split() for each in _VERBS.split(";"))}
