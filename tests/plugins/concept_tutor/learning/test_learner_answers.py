"""Learners' answers in their own words: right, partly right, and wrong by one thing.

The sentences are written for this test. The same distinctions on real texts are counted by ``python -m bench.grading``.
"""

from __future__ import annotations

import pytest

from tests.plugins.concept_tutor.learning.test_grading import Grading, question

#: By the question's subject: the key, and answers by their grade.
OPEN: dict[str, tuple[str, dict[str, list[str]]]] = {
    "a lodger": (
        "a person who is sheltered and fed by a landlady",
        {"wrong": ["a person who shelters and feeds a landlady"]},
    ),
    "a cellar": (
        "a room that lies below the kitchen of a house",
        {
            "right": ["a room underneath the kitchen of a house"],
            "wrong": ["a room that lies above the kitchen of a house"],
        },
    ),
    "a mule train": (
        "a row of mules that carries salt and brings wool",
        {"wrong": ["a row of mules that carries wool and brings salt"]},
    ),
    "a varnish": (
        "a clear liquid that dries without losing its shine",
        {"wrong": ["a clear liquid which dries and loses its shine"]},
    ),
    "a glaze": (
        "glassy protective layer on the clay surface",
        {
            "right": ["a glassy layer on the surface of clay that protects it"],
            "wrong": ["a clay layer below the glaze"],
        },
    ),
    "a herald": (
        "a messenger who consults envoys that travel without guards or horses",
        {"right": ["a messenger consulting envoys that travel with neither guards nor horses"]},
    ),
    "a ledger": (
        "the written code that determines many of a guild's payments",
        {
            "right": ["a written code, which determines many of the payments of a guild"],
            "wrong": ["the written code, which is determined by the payments of the guild"],
        },
    ),
    "a relay": (
        "a switch that is opened and closed by a magnet",
        {"right": ["a magnet opens and closes this switch"], "wrong": ["closed switch magnet opened relay"]},
    ),
    "a cooperative": (
        "an organisation that is run by its members for their benefit",
        {"right": ["an institution that its members manage for their own benefit"]},
    ),
    "a hurdle": (
        "a panel of willow that keeps lambs from straying into the lane",
        {
            "right": [
                "a willow panel which stops lambs straying into the lane",
                "a panel of willow, not of iron, preventing lambs from straying into the lane",
            ],
            "wrong": ["a panel of willow that lets lambs stray into the lane"],
        },
    ),
    "an assayer": (
        "an official who accuses a coiner before the guild",
        {
            "right": ["a coiner is accused before the guild by this official"],
            "wrong": ["an official against whom a coiner is accused before the guild"],
        },
    ),
    "a guild law": (
        "a rule of a higher guild that lower guilds must keep",
        {"right": ["what a superior guild has ruled and inferior guilds must keep"]},
    ),
    "untying": (
        "the undoing of a knot, which puts both ropes back where they were before it",
        {"partly": ["the undoing of a knot"]},
    ),
    "a drone pipe": (
        "a pipe below which the tune of the bagpipe changes",
        {"wrong": ["a pipe below which the tune of the bagpipe stays the same"]},
    ),
    "a tontine": (
        "a fund from which each member draws the share of the dead",
        {"wrong": ["a fund from which only one member draws the share of the dead"]},
    ),
    "a mousehound": ("a dog that chases mice", {"wrong": ["mice that chase a dog"]}),
    "a fjord": (
        "a long inlet of the sea between steep cliffs",
        {"wrong": ["three long inlets of the sea between steep cliffs"]},
    ),
    "a syphon": (
        "a bent pipe that carries a liquid from a higher tank over its edge to a lower tank",
        {
            "right": [
                "a bent tube which carries liquid from a higher tank over the edge to a lower tank",
                "A curved pipe bringing a liquid over the edge of a higher tank to a lower tank.",
            ],
            "partly": ["a bent pipe", "a pipe that carries a liquid"],
            "wrong": [
                "a bent pipe that carries a liquid from a lower tank over its edge to a higher tank",
                "a bent pipe that carries a gas from a higher tank over its edge to a lower tank",
                "tank pipe the bent a liquid of over lower carries edge higher to a",
                "a syphon",
            ],
        },
    ),
    "a cambium": (
        "a layer of cells between bark and wood that divides to make a trunk thicker",
        {
            "right": [
                "the layer of cells between the wood and the bark which divides so that a trunk gets thicker",
                "a cell layer that lies between bark and wood; it divides and makes the trunk thicker",
            ],
            "partly": ["a layer of cells"],
            "wrong": [
                "a layer of cells between bark and wood that divides to make a trunk thinner",
                "a layer of cells between bark and wood that never divides",
                "a layer of stones between roots and soil",
                "",
            ],
        },
    ),
    "Port Merrow": (
        "a city in the northwestern region of Ardania",
        {
            "right": [
                "a city in the north-west of Ardania",
                "city in northwest Ardania",
                "it's a town in the north-western part of Ardania",
            ],
            "partly": ["a city"],
            "wrong": [
                "a city in the southeastern region of Ardania",
                "a city in the north-east of Ardania",
                "a country in the northwestern region of Ardania",
                "a river in the northwestern region of Ardania",
            ],
        },
    ),
    "Ludmar": (
        "a country in eastern Africa",
        {
            "right": ["a nation in the east of Africa", "an east African country"],
            "partly": ["a country"],
            "wrong": ["a country in eastern Asia", "a country in western Africa", "a city in eastern Africa"],
        },
    ),
    "a Brolen acid": (
        "a substance that can accept a pair of electrons",
        {
            "right": ["electron pair acceptor", "something that accepts an electron pair"],
            "wrong": [
                "a substance that can donate a pair of electrons",
                "electron pair donor",
                "a substance that can accept a proton",
                "a substance that cannot accept a pair of electrons",
            ],
        },
    ),
    "smelting": (
        "the conversion of ore into metal by heat",
        {
            "right": ["turning ore into metal with heat", "ore is converted to metal by heat"],
            "partly": ["the conversion of ore"],
            "wrong": ["the conversion of metal into ore by heat", "the conversion of ore into metal by pressure"],
        },
    ),
    "a quartet": (
        "a group of four musicians who play together without a conductor",
        {
            "right": ["4 musicians who play together without a conductor"],
            "wrong": [
                "a group of five musicians who play together without a conductor",
                "a group of four musicians who play together with a conductor",
                "a group of four conductors who play without a musician",
            ],
        },
    ),
    "a leech": (
        "a worm that attacks larger animals and drinks their blood",
        {
            "right": ["a worm which drinks the blood of larger animals that it attacks"],
            "wrong": ["a worm that is attacked by larger animals", "a worm that defends larger animals"],
        },
    ),
    "a hardy plant": (
        "a plant that can survive after a hard frost",
        {
            "right": ["a plant able to survive after hard frost"],
            "wrong": ["a plant that can survive before a hard frost"],
        },
    ),
    "a tick": (
        "an animal that lives in or on a dog and obtains blood from it",
        {
            "right": ["a creature living on or inside some dog and obtaining its blood"],
            "wrong": ["an animal that lives in or on a dog and provides it with blood"],
        },
    ),
    "a lane": (
        "a road that is narrower than a street",
        {"right": ["a road less wide than a street", "a road that is not as wide as a street"]},
    ),
    "a baking week": (
        "second week of a feast, in which goose fat is used to bake honey cakes using heat from ovens",
        {"wrong": ["second week of a feast, in which honey cakes are used to bake goose fat"]},
    ),
    "a filter": (
        "a device that cleans water by letting it pass through a bed of sand",
        {"right": ["the sand that water flows through in it is cleaning it"]},
    ),
    "suet": ("hardened fats that are solid in a kitchen", {"right": ["solid hardened fats in a kitchen"]}),
    "an apple cellar": (
        "a round underground room in which apples are kept",
        {"right": ["a round room under the ground where apples are kept"]},
    ),
    "night blindness": (
        "a weakness characterized by the inability to see the road in dim light",
        {
            "right": [
                "a weakness in which a person can't see the road in dim light",
                "a weakness of people who are unable to see the road in dim light",
            ],
            "wrong": ["a weakness characterized by seeing the road well in dim light"],
        },
    ),
    "a loose beam": (
        "a beam that rests on a wall but is not dependent on the roof for its support",
        {
            "right": ["a beam that rests on a wall and is independent of the roof for its support"],
            "wrong": ["a beam that does not rest on a wall but is dependent on the roof for its support"],
        },
    ),
    "a nailed joint": (
        "a joint in which the boards are connected by a nail",
        {"right": ["a nail connects the boards in it"], "wrong": ["boards connect the nail in it"]},
    ),
    "a village fund": (
        "a fund filled by the bakers that began in May",
        {"wrong": ["a fund that filled the bakers and began in May"]},
    ),
    "sand drift": (
        "flow of sand out of a bay due to the storms of winter",
        {"right": ["sand flowing out of a bay because of the winter's storms"]},
    ),
    "a bread tin": (
        "a deep iron tin that contains sliced bread",
        {"wrong": ["deep sliced bread that contains an iron tin"]},
    ),
    "an apprentice": (
        "individuals who learn a trade from a master",
        {"wrong": ["people who do not learn a trade although individuals have a master"]},
    ),
    "a torch relay": (
        "a run in which each runner passes a flame to the next runner until the games begin",
        {"wrong": ["In your own words: what is a torch relay?", "I don't know", "a lamp"]},
    ),
    "a wind bell": (
        "a single bell can ring in the wind and call the sheep, not needing a ringer",
        {"wrong": ["a single bell can call the sheep but cannot ring in the wind"]},
    ),
    "a beadle": (
        "advising the mayor on the rents of the market",
        {"wrong": ["the mayor advises him on the rents of the market"]},
    ),
    "a latch": (
        "a hook on the door that leads a rope to the bells",
        {"wrong": ["a hook on a rope that leads it to the door"]},
    ),
    "a roll call": (
        "a bell between the quarrelling shifts before any letters of the mine are transmitted",
        {"right": ["before letters of the mine are sent, a bell has to ring between the shifts that quarrel"]},
    ),
    "skimmed milk": (
        "the white part of the milk without the fat",
        {"right": ["the white part of milk from which the fat has been removed"]},
    ),
    "a hiring fair": (
        "a market where everyone in an employment pays for several fields",
        {"right": ["a market at which all those working pay for multiple fields"]},
    ),
}
#: The question, the key, and answers by their grade.
SHORT: list[tuple[str, str, dict[str, list[str]]]] = [
    (
        "In which order are guests served? ____",
        "last seated, first served",
        {
            "right": ["LSFS", "first served, last seated", "the last one seated is the first one served"],
            "wrong": ["first seated, last served"],
        },
    ),
    ("How are loaves kept? ____", "new in, old out", {"right": ["old out, new in"], "wrong": ["old in, new out"]}),
    (
        "The ferryman signals with a ____ at the jetty.",
        "lantern",
        {
            "right": ["a lantern at the jetty", "lantern, the ferryman's signal"],
            "wrong": ["jetty lantern ferryman signals"],
        },
    ),
    (
        "How long is the bridge? ____",
        "300–600 metres",
        {"right": ["300 to 600 m", "300-600 metres"], "partly": ["300 m"], "wrong": ["300-600 km", "30-60 metres"]},
    ),
    (
        "When was it opened? ____",
        "14 May 1931",
        {
            "right": ["May 14, 1931", "on the 14th of May 1931", "14.05.1931"],
            "partly": ["1931"],
            "wrong": ["14 March 1931", "14 May 1913"],
        },
    ),
    ("What share burned? ____", "24%", {"right": ["24 percent", "24 %", "24"], "wrong": ["42%", "24 dollars"]}),
    (
        "Which teachers are liked? ____",
        "patient and cheerful",
        {"right": ["cheerful and patient"], "partly": ["patient"], "wrong": ["strict", "impatient"]},
    ),
    (
        "Which law is it? ____",
        "Marlow's second law",
        {
            "right": ["the 2nd law of Marlow"],
            "partly": ["Marlow's law"],
            "wrong": ["Marlow's third law", "Brown's law"],
        },
    ),
    ("Which decay is it? ____", "cytolysis", {"right": ["citolysis"], "wrong": ["cytolysin"]}),
    ("In ____ it was dug.", "1621", {"right": ["the year 1621"], "wrong": ["the year 1612", "1621 metres"]}),
    ("Which plants are they? ____", "perennial", {"right": ["per-ennial"], "wrong": ["biennial"]}),
    (
        "Which salt is it? ____",
        "potassium nitrite",
        {"right": ["potasium nitrite"], "wrong": ["potassium nitrate", "sodium nitrite", "not potassium nitrite"]},
    ),
]


@pytest.mark.parametrize(
    ("subject", "key", "answer", "verdict"),
    [
        (subject, key, answer, grade)
        for subject, (key, grades) in OPEN.items()
        for grade, answers in grades.items()
        for answer in answers
    ],
)
def test_answers_in_own_words(grade: Grading, subject: str, key: str, answer: str, verdict: str) -> None:
    span = f"{subject.capitalize()} is {key}."
    found = grade(question("open", f"In your own words: what is {subject}?", key, span), answer)
    # Wrong by one thing may be called partly right, with the thing named; it is never right.
    assert found.verdict == verdict or (verdict, found.verdict) == ("wrong", "partly")
    assert found.verdict == "right" or " right: " in found.feedback or found.credit == 0


#: By the question and its source: a key of it, and answers by their grade.
ASKED = {
    (
        "What does the weir do?",
        "The weir lowers the level of a running brook while raising the brook in the upper bed.",
    ): (
        "lowers the level of a running brook while raising the brook in the upper bed",
        {
            "right": ["it raises the brook in the upper bed and lowers the level of a running brook"],
            "wrong": ["it raises the level of a running brook and lowers the brook in the upper bed"],
        },
    ),
    ("Why is the ledger copied?", "The ledger is copied so that the clerk can restore the accounts after a fire."): (
        "so that the clerk can restore the accounts after a fire",
        {
            "right": ["after a fire the clerk can restore the accounts from it"],
            "wrong": ["so that there is a fire after the clerk has restored the accounts"],
        },
    ),
    ("Why must the sledge be pushed?", "The sledge must be pushed because wet snow on the slope slows it down."): (
        "because wet snow on the slope slows it down",
        {
            "right": ["wet snow slows the sledge down"],
            "wrong": ["because the sledge slows down the wet snow on the slope"],
        },
    ),
    ("What does the brake pad do?", "The brake pad slows the wheel by rubbing on its rim."): (
        "slows the wheel by rubbing on its rim",
        {
            "right": ["it rubs on the rim, so the wheel loses speed"],
            "wrong": ["it speeds up the wheel by rubbing on its rim"],
        },
    ),
    (
        "What is a marsh orchid?",
        "A marsh orchid is a plant that is rarely seen because it flowers under fallen leaves.",
    ): (
        "a plant that is rarely seen because it flowers under fallen leaves",
        {
            "right": ["a plant that people do not notice as it flowers underneath fallen leaves"],
            "wrong": ["a plant that people notice as it does not flower under fallen leaves"],
        },
    ),
    ("What is a whistle?", "A whistle is a short tube of tin that shakes when breath is pushed through it."): (
        "a short tube of tin that shakes when breath is pushed through it",
        {
            "right": ["a small tin tube which shakes when someone pushes breath through it"],
            "wrong": ["a short tube of tin that pushes breath when it shakes"],
        },
    ),
    (
        "In your own words: what is tide milling?",
        "Tide milling is a method that gives each miller the use of a large pond of his own.",
    ): (
        "a method that gives each miller the use of a large pond of his own",
        {"right": ["a method with which each miller feels that it is his own large pond"]},
    ),
    ("Why did the dam break?", "The dam broke because heavy rain filled the lake."): (
        "heavy rain filled the lake",
        {
            "right": ["because the lake was filled by heavy rain"],
            "wrong": ["the broken dam led to heavy rain in the lake"],
        },
    ),
    ("What does frost do to pipes?", "Frost causes pipes to burst."): (
        "causes pipes to burst",
        {"right": ["it causes them to burst"], "wrong": ["burst pipes cause frost"]},
    ),
    ("What is special about the kiwi?", "The kiwi is the only bird of the island that digs burrows."): (
        "the only bird of the island that digs burrows",
        {
            "right": ["no other bird of the island digs burrows"],
            "wrong": ["one of many birds of the island that dig burrows"],
        },
    ),
    ("Which tower is the mill?", "The mill is the tallest tower in the valley."): (
        "the tallest tower in the valley",
        {"right": ["no tower in the valley is taller"]},
    ),
    ("What does the mask include?", "The mask includes a filter rather than a fan."): (
        "a filter rather than a fan",
        {"right": ["a filter and no fan"]},
    ),
    ("What did most levers become?", "Most became nonfunctional levers."): (
        "nonfunctional levers",
        {"right": ["non-functional levers"]},
    ),
    ("What does cold trigger?", "Cold triggers the release of anti-frost hormone from the leaf, which stops growth."): (
        "the release of anti-frost hormone from the leaf, which stops growth",
        {"right": ["AFH release from the leaf, which stops growth"]},
    ),
    ("What does a valve do?", "A valve shuts the stove off when the room becomes too warm."): (
        "shuts the stove off when the room becomes too warm",
        {
            "wrong": [
                "it shuts the stove on when the room becomes too warm",
                "it shuts the stove off when the room becomes too cold",
            ]
        },
    ),
    ("When was the tithe abolished?", "The tithe was abolished after the harvest."): (
        "after the harvest",
        {"wrong": ["during the harvest"]},
    ),
    ("What are the goats of the island?", "They are the descendants of sheep of the coast."): (
        "the descendants of sheep of the coast",
        {"wrong": ["sheep of the coast descend from them"]},
    ),
    ("What is silting?", "Silting is the rise of a river bed due to the mud of floods."): (
        "the rise of a river bed due to the mud of floods",
        {
            "right": ["mud of floods raises the river bed"],
            "wrong": ["the mud of floods caused by the rise of a river bed"],
        },
    ),
    ("What is marl?", "Marl is made of grains of lime that have been pressed together under layers of clay."): (
        "grains of lime that have been pressed together under layers of clay",
        {"right": ["lime grains pressed under clay layers"], "wrong": ["layers of clay pressed by grains of lime"]},
    ),
    ("What is the usual reason?", "The usual reason is that the shelf is missing several U bolts."): (
        "the shelf is missing several U bolts",
        {"wrong": ["the shelf is missing several A bolts"]},
    ),
    ("What does grading allow mills to do?", "Grading allows mills to become more efficient at doing fewer tasks."): (
        "become more efficient at doing fewer tasks",
        {"wrong": ["it doesn't allow them to get more efficient"]},
    ),
    ("Where do ticks sit?", "Ticks sit in grass covered with any type of dew."): (
        "in grass covered with any type of dew",
        {"wrong": ["in dew that is covered with grass"]},
    ),
    ("What do moles lack?", "Moles lack any outer ears."): (
        "any outer ears",
        {"right": ["outer ears", "they have no outer ears"], "wrong": ["a tail"]},
    ),
    ("What happens to plankton?", "Plankton is swallowed quickly by small fish."): (
        "swallowed quickly by small fish",
        {"right": ["small fish swallow it quickly"], "wrong": ["it swallows the small fish quickly"]},
    ),
    ("What is a batting average?", "A batting average is the sum of the runs divided by the number of innings."): (
        "the sum of the runs divided by the number of innings",
        {"right": ["all runs added up and divided by how many innings there were"], "wrong": ["the sum of the runs"]},
    ),
    ("What is a thermal span?", "A thermal span is the difference between the warmest and the coldest day."): (
        "the difference between the warmest and the coldest day",
        {"right": ["the difference between the coldest and the warmest day"], "wrong": ["the warmest day"]},
    ),
    ("What is a tidal gate run by?", "It is run by a remote water station (RWS) on the coast."): (
        "a remote water station (RWS) on the coast",
        {"right": ["an RWS on the coast"], "wrong": ["an RMS on the coast"]},
    ),
    ("What opens the gate?", "A remote water station (RWS) has a clock. The RWS's clock opens the gate."): (
        "The RWS's clock",
        {"right": ["the clock of the remote water station"], "wrong": ["the clock of the church"]},
    ),
    ("What does the map show?", "The map shows how 12 villages are joined to 3 wells."): (
        "how 12 villages are joined to 3 wells",
        {"wrong": ["how 3 villages are joined to 12 wells"]},
    ),
    ("What is the council composed of?", "The council is composed of members elected by millers and bakers."): (
        "members elected by millers and bakers",
        {"right": ["of members; they are elected by bakers and millers"]},
    ),
    ("Why is the gate shut?", "The gate is shut because a ticket is still required for entry."): (
        "a ticket is still required for entry",
        {"right": ["because for entry a ticket is required still"], "wrong": ["because a ticket requires entry"]},
    ),
    ("Why could she not vote?", "She could not vote because she lacked Belgian papers."): (
        "because she lacked Belgian papers",
        {"right": ["she had no Belgian papers"], "wrong": ["because she lacked Dutch papers"]},
    ),
    ("What does the weir do?", "The weir pushes the stream into the channel of the mill."): (
        "pushes the stream into the channel of the mill",
        {
            "right": ["it pushes the stream into the mill's channel"],
            "wrong": ["it is pushed by the stream into the channel of the mill"],
        },
    ),
    ("What happens to the ore in the mill?", "The ore is crushed by the hammers of the mill."): (
        "crushed by the hammers of the mill",
        {"right": ["the hammers of the mill crush it"], "wrong": ["it crushes the hammers of the mill"]},
    ),
    ("What is the council composed of?", "It is composed of elders appointed by guilds and parishes."): (
        "elders appointed by guilds and parishes",
        {
            "right": ["elders whom the guilds and parishes appoint"],
            "wrong": ["guilds and parishes that elders appoint"],
        },
    ),
    ("How does slate compare with chalk?", "Slate is much harder than chalk."): (
        "Slate is much harder than chalk",
        {
            "right": ["chalk is much softer than slate"],
            "wrong": ["chalk is much harder than slate", "slate is much softer than chalk"],
        },
    ),
    ("Why are these dialects alike?", "The dialects are alike because the islanders are descended from herders."): (
        "the islanders are descended from herders",
        {"right": ["as herders are the ancestors of the islanders"]},
    ),
    ("Why did the town rebel?", "The town rebelled because its people were already anti-royalists."): (
        "because its people were already anti-royalists",
        {"right": ["as the people were antiroyalists already"]},
    ),
    ("What was the purpose of the lottery?", "The purpose of the lottery was to build a new roof for the chapel."): (
        "to build a new roof for the chapel",
        {"right": ["building a new chapel roof"]},
    ),
    ("What is the loft made up of?", "The loft is made up of hay and straw bales."): (
        "hay and straw bales",
        {"right": ["bales of hay and of straw"]},
    ),
    ("How dear is the ferry?", "The ferry's price is much smaller than that."): (
        "is much smaller than that",
        {"right": ["it is much lower"]},
    ),
    ("Where did the pump move the water?", "The pump moved the water from the upper reservoir to the lower basin."): (
        "from the upper reservoir to the lower basin",
        {
            "right": ["to the lower basin from the upper reservoir"],
            "wrong": ["it left the lower basin and went to the upper reservoir"],
        },
    ),
}


@pytest.mark.parametrize(
    ("asked", "key", "answer", "verdict"),
    [
        (asked, key, answer, grade)
        for asked, (key, grades) in ASKED.items()
        for grade, answers in grades.items()
        for answer in answers
    ],
)
def test_causes_numbers_and_what_is_lacking(
    grade: Grading, asked: tuple[str, str], key: str, answer: str, verdict: str
) -> None:
    found = grade(question("open", asked[0], key, asked[1]), answer)
    assert found.verdict == verdict or (verdict, found.verdict) == ("wrong", "partly")


@pytest.mark.parametrize(
    ("text", "key", "answer", "verdict"),
    [
        (text, key, answer, grade)
        for text, key, grades in SHORT
        for grade, answers in grades.items()
        for answer in answers
    ],
)
def test_short_answers_in_own_words(grade: Grading, text: str, key: str, answer: str, verdict: str) -> None:
    assert grade(question("blank", text, key, f"It is {key}."), answer).verdict == verdict


def test_partly_names_what_is_there_and_what_is_missing(grade: Grading) -> None:
    asked = question("open", "What is a syphon?", OPEN["a syphon"][0], f"A syphon is {OPEN['a syphon'][0]}.")
    because = "you have “bent”, “pipe”; still missing: “liquid”, “higher”, “tank”, “edge”, “lower”"
    assert grade(asked, "a bent pipe").feedback.startswith(f"Partly right: {because}. As")


def test_own_words_are_asked_for_and_not_given(grade: Grading) -> None:
    key = "a book that lists every word by its last sound"
    asked = question("open", "In your own words: what is a rhyme book?", key, f"A rhyme book is {key}.")
    assert grade(asked, "it lists words").feedback.startswith("Partly right: you have “word”; still missing: “last”")


def test_a_word_with_a_hyphen_is_named_whole(grade: Grading) -> None:
    key = "a mouldy board with cut-off corners, that damp ruins in a non-heated cellar, and frost"
    asked = question("open", "What is a bogboard?", key, f"A bogboard is {key}.")
    assert "“non-heated”" in grade(asked, "a mouldy board with cut-off corners").feedback
    assert "“cut-off”" in grade(asked, "a mouldy board with cut-off corners").feedback


def test_an_example_in_parentheses_is_not_missing(grade: Grading) -> None:
    key = "a soft stone that is carved into figures (like horses) and sold at fairs"
    asked = question("open", "What is a figstone?", key, f"A figstone is {key}.")
    because, _, _ = grade(asked, "a stone that is carved").feedback.partition(". As")
    assert because == "Partly right: you have “stone”, “carved”; still missing: “soft”, “figures”, “sold”, “fairs”"


def test_words_that_tell_little_are_named_neither_as_there_nor_as_missing(grade: Grading) -> None:
    key = "a soft stone characterized by veins and not necessarily carved, comprising figures and presumably bells"
    asked = question("open", "What is a figstone?", key, f"A figstone is {key}.")
    because, _, _ = grade(asked, "a stone with veins that is necessarily there").feedback.partition(". As")
    assert because == ("Partly right: you have “stone”, “veins”; still missing: “soft”, “carved”, “figures”, “bells”")


def test_the_reason_names_the_first_exchanged_word_of_the_answer(grade: Grading) -> None:
    pairs = [("hot", "cold"), ("long", "short"), ("thick", "thin"), ("wet", "dry"), ("old", "new")]
    nouns = ("pan", "spoon", "rope", "cloth", "bowl")
    key, answer = (
        "a kitchen with " + " and ".join(f"a {one[at]} {noun} by a {one[1 - at]} {noun[::-1]}"
        for one, noun in zip(pairs, nouns, strict=True))
        for at in (0, 1)
    )  # fmt: skip
    asked = question("open", "What is a galley?", key, f"A galley is {key}.")
    assert grade(asked, answer).feedback.startswith("Not right: it says “cold” where the source says “hot”")
