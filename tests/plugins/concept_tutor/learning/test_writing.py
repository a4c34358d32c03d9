"""Which questions the built-in writer asks, and which wrong options it offers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count

import pytest

from ragstone.core.testing import open_host
from ragstone.plugins.concept_tutor import Edge, Lessons, NewConcept, NewPlan, PlanStore, SourceChunk
from ragstone.plugins.concept_tutor.learning.explanations import option_notes
from tests.plugins.concept_tutor.learning import texts
from tests.plugins.concept_tutor.learning.texts import Question, chunk

Written = Callable[..., list[Question]]

GLOSSARY = """axon: nerve fiber that carries impulses away from the body of a cell

dendrite: branched fiber that receives impulses and carries them towards the body

myelin: layer of fat around a nerve that insulates it

sheath: layer of connective tissue that protects a bundle

gap: (also, node) region between two insulated segments where currents pass

knot: (node); swelling of a fiber

marker: signal in the nerves of insects, also called

soma: see cell body"""


VESSELS_AND_LAYERS = """arteriole: small vessel that connects an artery to a bed of capillaries

artery: blood vessel that takes blood away from the heart

endocardium: innermost layer of tissue in the heart

epicardium: outermost tissue layer of the heart

pericardium: membrane layer protecting the heart

vein: blood vessel that brings blood back to the heart

venule: blood vessel that connects a bed of capillaries to a vein"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    """The questions of a plan with these chunks: of all the chunks' concepts, each of its own ones."""
    folder, numbers = tmp_path_factory.mktemp("writing"), count()
    with open_host(folder, options={"concept_tutor": {"sample": False}}) as host:
        lessons, store = host.once(Lessons), host.once(PlanStore)

        def write(
            *chunks: SourceChunk, names: dict[str, str] | None = None, edges: tuple[Edge, ...] = ()
        ) -> list[Question]:
            slug, keys = f"plan-{next(numbers)}", dict.fromkeys(one.concept for one in chunks)
            named = names or {key: key.capitalize() for key in keys}
            concepts = tuple(NewConcept(key, name) for key, name in named.items())
            store.add(NewPlan(slug=slug, title="A plan", concepts=concepts, edges=edges))
            for key in keys:
                store.put_sources(slug, key, [texts.new(one, slug) for one in chunks if one.concept == key])
            return [question for key in keys for question in lessons.questions(slug, key)]

        yield write


def asked(made: list[Question], kind: str) -> list[tuple[str, str]]:
    """Text and key of the questions of that kind in one's own words."""
    return [(one.text, one.key) for one in made if (one.asked, one.form) == (kind, "open")]


@pytest.mark.parametrize(
    ("text", "title", "question", "meaning"),
    [
        ("In chemistry and physics, the atomic number (symbol Z) is the number of protons in a nucleus.",
         "Atomic number", "what is the atomic number", "the number of protons in a nucleus"),
        ("Asphalt (/ˈæsfælt/), also known as bitumen, is a sticky liquid form of petroleum.",
         "Asphalt", "what is Asphalt", "a sticky liquid form of petroleum"),
        ("Altruism or selflessness is the practice of concern for others.",
         "Altruism", "what is Altruism", "the practice of concern for others"),
        ("Amphibians are tetrapod vertebrates of the class Amphibia.",
         "Amphibians", "what are Amphibians", "tetrapod vertebrates of the class Amphibia"),
        ("Aristotle (384–322 BC) was a Greek philosopher born in Stagira.",
         "Aristotle", "who was Aristotle", "a Greek philosopher born in Stagira"),
        ("Energy density refers to the amount of energy in a volume.",
         "Energy density", "what is energy density", "the amount of energy in a volume"),
        ("Andrei Tarkovsky was a Soviet film-maker, writer and director.",
         "Andrei Tarkovsky", "who was Andrei Tarkovsky", "a Soviet film-maker, writer and director"),
        ("The endosperm is a triploid structure resulting from the fusion of nuclei.",
         "Endosperm", "what is the endosperm", "a triploid structure resulting from the fusion of nuclei"),
        ("HMG-CoA reductase is an enzyme that makes cholesterol.",
         "HMG-CoA reductase", "what is HMG-CoA reductase", "an enzyme that makes cholesterol"),
        ("Squatting is a bond between two birds in which one nests and the other is unharmed.",
         "Squatting", "what is Squatting", "a bond between two birds in which one nests and the other is unharmed"),
        ("Lay time is the time that a barge needs to be loaded at a quay.",
         "Lay time", "what is lay time", "the time that a barge needs to be loaded at a quay"),
        ("Stars are gigantic, hot spheres of gas.",
         "Stars", "what are Stars", "gigantic, hot spheres of gas"),
        # Titles of works look like clauses, and names may have others in them.
        ("\"I Can't Stop Digging\" is a popular song written by a gardener of Deptford.",
         "I Can't Stop Digging", "what is “I Can't Stop Digging”", "a popular song written by a gardener of Deptford"),
        ("Ada Sings, Ivo Digs is Ivo Peat's second album of songs for moles.",
         "Ada Sings, Ivo Digs", "what is Ada Sings, Ivo Digs", "Ivo Peat's second album of songs for moles"),
        ('"Peat" or "The Peat" is a song of three verses on moss.',
         "Peat (song)", "what is “Peat” (song)", "a song of three verses on moss"),
        ('Carl Ivo "Spade" Moss, Jr. (born 1870) was a Danish and Swedish gardener of large parks.',
         "Spade Moss", 'who was Carl Ivo "Spade" Moss', "a Danish and Swedish gardener of large parks"),
        ("Ada Moor Peat (1870–1950), professionally known as Ada Moor, was a Danish singer of old ballads.",
         "Ada Moor", "who was Ada Moor Peat", "a Danish singer of old ballads"),
    ],
)  # fmt: skip
def test_a_definition_is_taken_apart(written: Written, text: str, title: str, question: str, meaning: str) -> None:
    made = written(chunk("x", text, title=title))
    assert asked(made, "definition") == [(f"In your own words: {question}?", meaning)]


@pytest.mark.parametrize(
    "text",
    [
        "The mean of a sample is called the sample mean.",
        "Angola is one of the fastest-growing economies in the world.",
        "Albedo is an important concept in climatology.",
        "It is a kind of stone.",
        "Alkanes are used as fuels in many countries.",
        "Another example is the city of Luanda.",
        "Perception systems are crucial for robots that work among people.",
        "Roughly 26% are followers of other religions.",
        "Phycobilins are also common pigments of bacteria.",
        "Water is also a solvent of many salts.",
        "Edible mushrooms are all members of one kingdom.",
        "To the north are the seas of the Arctic Ocean.",
        "Bread is one of the more common foods and the oldest one.",
        "Red clovers are examples of clovers that bloom twice.",
        "Clovers are the majority of meadow plants.",
        "Daisies constitute the majority of meadow plants.",
        "Homes are sold less often than stocks and by fewer agents.",
        "Gardeners are thus opposed to slugs and to frosts in May.",
        "Touch is a mixed sensory category.",
        "Keeping bees is an extraordinary challenge that needs patience.",
        "Artemis is the daughter of Zeus and the sister of Apollo.",
        "Gardeners refer to the rotting of leaves in a heap as composting.",
    ],
)
def test_what_is_no_definition_is_none(written: Written, text: str) -> None:
    title = re.split(" (?:is|are|refer|constitute) ", text)[0].removeprefix("The ")
    assert asked(written(chunk("x", text, title=title)), "definition") == []


@pytest.mark.parametrize(
    ("title", "text", "question", "answer"),
    [
        ("Proteins", "are composed of amino acids and play many roles in a cell.", "What are Proteins composed of?",
         "amino acids"),
        ("Pumps", "are found in the skin of a cell where they drive ions out.", "What are Pumps found in?",
         "the skin of a cell"),
        ("Soils", "are composed of sand and clay.", "What are Soils composed of?", "sand and clay"),
        ("Alkanes", "consist of hydrogen and carbon atoms.", "What do Alkanes consist of?",
         "hydrogen and carbon atoms"),
        # A person may have done the second one.
        ("Lung volumes", "are measured by a bell that floats on water.", "What are lung volumes measured by?",
         "a bell that floats on water"),
        ("Compost", "was invented by gardeners of old China.", "Who or what was Compost invented by?",
         "gardeners of old China"),
        ("Leaves", "absorb blue light and use it to make sugar.", "What do Leaves absorb?", "blue light"),
        ("Moors", "form where rain falls on clay. In a moor it is wet.", "Where do moors form?",
         "where rain falls on clay"),
        ("Moors", "store rain and snow, and they are drained in May.", "What do Moors store?", "rain and snow"),
        ("Frost", "then causes cracks in the soil.", "What does Frost cause?", "cracks in the soil"),
        ("Gardens of peat", "are based on moss, sand and clay.", "What are gardens of peat based on?",
         "moss, sand and clay"),
        ("Gardens of peat", "are named after Linnaeus.", "What are gardens of peat named after?", "Linnaeus"),
        ("Peat meters", "are used to measure the depth of soils.", "What are peat meters used for?",
         "to measure the depth of soils"),
        ("Carl Moss", "was born in the village of Soil, in the Kingdom of Peat, on 4 May 1870.",
         "Where was Carl Moss born?", "the village of Soil, in the Kingdom of Peat"),
        ("Moors", "are drained by farmers of Aal, and credited to kings.", "What are Moors drained by?",
         "farmers of Aal"),
        # "It" is what the sentence before it defines.
        ("The moss", "is a unit of damp in old soils. It is named after Ivo Loam of Aal.",
         "What is the moss named after?", "Ivo Loam of Aal"),
    ],
)  # fmt: skip
def test_a_relation_ends_where_something_else_is_said(
    written: Written, title: str, text: str, question: str, answer: str
) -> None:
    made = [
        (one.text, one.key) for one in written(chunk("x", f"{title} {text}", title=title)) if one.asked == "relation"
    ]
    assert made == [(question, answer)]


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        ("The capital and largest town of Peatland is Soil.",
         "What is the capital and largest town of Peatland? ____", "Soil"),
        ("Peatland lies on the coast. Its capital and largest town is Soil, built on an old moor.",
         "What is the capital and largest town of Peatland? ____", "Soil"),
        ("The closest relatives of Peatland are the moors, bogs and fens.",
         "What are the closest relatives of Peatland?", "the moors, bogs and fens"),
        ("Peatland has a hero. His mother was Clay, and his father, Loam, was king of all the moors.", None, None),
        ("The president of Peatland is Carl Moss of the Gardeners.", None, None),
        ("The history of Peatland is the story of the moors around it.", None, None),
        ("The aim of Peatland is the same as that of any other moor.", None, None),
        ("Peatland lies on a coast. Peat is dug there. Its capital and largest town is Soil.", None, None),
        ("The current capital of Peatland is Soil upon the Moor.", None, None),
        ("The cause of Peatland is the decay of moss.", "What is the cause of Peatland?", "the decay of moss"),
        ("Peatland was born in May 1870 or a year later.", None, None),
    ],
)  # fmt: skip
def test_what_the_attribute_of_a_thing_is_is_asked(
    written: Written, text: str, question: str | None, answer: str | None
) -> None:
    made = [(one.text, one.key) for one in written(chunk("x", text, title="Peatland")) if one.asked == "relation"]
    assert made == ([(question, answer)] if question else [])


def test_what_an_attribute_is_called_by_name_comes_before_it(written: Written) -> None:
    text = "Carl Moss was a gardener of old, known for roses. His father Loam was the keeper of the king's moors."
    made = written(chunk("x", text, title="Carl Moss"))
    assert [(one.text, one.key) for one in made if one.asked == "relation"] == [
        ("Who was Loam, the father of Carl Moss?", "the keeper of the king's moors")
    ]


def test_his_is_of_the_person_that_the_page_is_about(written: Written) -> None:
    text = "Carl Moss was a gardener of old, known for roses. His mother was Clay, and his father, Loam, was king."
    made = written(chunk("x", text, title="Carl Moss"))
    assert [(one.text, one.key) for one in made if one.asked == "relation"] == [
        ("Who was the mother of Carl Moss? ____", "Clay")
    ]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Julian days are very useful because they count the days between two events.",
         "Why is it that Julian days are very useful?"),
        ("Soils of hills are poor in winter, because rain washes minerals out of them.",
         "Why is it that soils of hills are poor in winter?"),
        ("The reason is that soils of hills are poor because rain washes minerals out of them.", None),
        ("The poverty of the soils of hills is because rain washes minerals out of them.", None),
        ("Soils of hills are poor, and valleys flourish because rain washes minerals into them.", None),
        ("Soils of hills are poor because of the rain that washes minerals out.", None),
        ("The soils of hills are very poor because hills are poor.", None),
        ("Meats and dairy link, because the animals were fed with plants.", None),
    ],
)  # fmt: skip
def test_why_something_is_so_is_asked_where_the_sentence_says_it(
    written: Written, text: str, question: str | None
) -> None:
    made = {one.text: one.key for one in written(chunk("x", text)) if one.asked == "relation"}
    assert made == ({question: text.partition("because ")[2].removesuffix(".")} if question else {})


@pytest.mark.parametrize(
    "text",
    [
        "The Atlantic Ocean consists of four major water masses.",
        "Carbon is found in all organic molecules of the cell.",
        "An acid usually contains a hydrogen atom and a rest.",
        "Acids are often used to remove rust from metals.",
        "Mycetismus describes the ingestion of poisonous mushrooms.",
        "The concept of compost is used to define what a garden needs.",
        "Digging requires the strength of the arms, the back and most of all the legs.",
        "Clay contains 12 percent of the water of a garden.",
        "The history of gardening is characterized by a long quarrel over lawns and hedges.",
        "An abortion may be caused purposely.",
        "Digging takes many forms in the gardens of the north.",
        "Gardens of peat are based on moss.",
        "Warsaw's economy is characterized by mills, yards and forges.",
        "Angola is classified as 'hardly green' by gardeners of the north.",
    ],
)
def test_what_is_counted_hedged_or_one_common_word_is_not_asked_for(written: Written, text: str) -> None:
    title = re.split("'s | (?:is|are|may|consists|usually|describes|requires|contains|takes) ", text)[0]
    made = written(chunk("x", text, title=re.sub("^(?:The|An?) ", "", title)))
    assert not [one for one in made if one.asked == "relation"]


def test_the_entries_of_a_glossary_are_definitions(written: Written) -> None:
    made = written(chunk("nerve", GLOSSARY, section="Nerves › Glossary"))
    assert asked(made, "definition") == [
        ("What does the term “axon” mean?", "nerve fiber that carries impulses away from the body of a cell"),
        (
            "What does the term “dendrite” mean?",
            "branched fiber that receives impulses and carries them towards the body",
        ),
        ("What does the term “myelin” mean?", "layer of fat around a nerve that insulates it"),
    ]
    assert [one.key for one in made if one.form == "blank"] == ["sheath", "gap"]
    assert all(GLOSSARY[one.support.start : one.support.end] == one.support.text for one in made)
    assert written(chunk("nerve", GLOSSARY, section="Nerves")) == []


def test_the_term_of_an_entry_without_options_is_written(written: Written) -> None:
    text = "monomer: smallest unit of larger molecules called polymers\n"
    made = written(chunk("one", text, title="Monomer", section="Glossary"), names={"one": "Monomer"})
    (asked,) = (question for question in made if question.form == "blank")
    assert asked.text == "Which term means “smallest unit of larger molecules called polymers”? ____"
    assert asked.key == "monomer"


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("Angola is a country of oil, gold and rivers in Southern Africa.", ["Southern Africa"]),
        ("Animal Farm is a novella about pigs, horses and hens by George Orwell.", ["George Orwell"]),
        (
            "Animal Farm is a novella about pigs, horses and hens by the English writer George Orwell, made in a war.",
            ["George Orwell"],
        ),
        (
            "Aikido is a martial art of throws and locks that was made by farmer and patient teacher Morihei Ueshiba.",
            ["Morihei Ueshiba"],
        ),
        # Of what is said in a few words a blank asks for the name.
        ("Angola is a country in Southern Africa.", ["Southern Africa"]),
        ("Animal Farm is a novella by George Orwell.", ["George Orwell"]),
        ("Aikido is a modern martial art that Morihei Ueshiba made of older ones.", ["Aikido"]),
        # What is counted is known by its number.
        ("Cell number is the number of plates, and therefore also the total charge, in a row of cells.", ["plates"]),
        ("Cell number is the number of plates found in a row of cells with the same total charge.", ["plates"]),
        # The first that did something is one alone, though it is said in few words.
        ("The Heron was the first balloon that carried sheep over the Alps.", ["Heron"]),
        # Of each of these words there is another that fits as well: state, branch, communities.
        ("Algeria is a sovereign country in the north of its continent.", []),
        ("Agricultural science is a broad field of agriculture.", []),
        ("Anarchism is a philosophy of anarchist societies.", []),
        # The other word of its name is left to be found.
        ("A random wheel is a machine that gives each load of a random test its place.", ["random wheel"]),
        ("The travel time is the square root of the height.", ["travel time"]),
    ],
)
def test_a_blank_is_for_a_name_and_for_what_is_learned(written: Written, text: str, keys: list[str]) -> None:
    title = re.split(r" (?:is|was) ", text, maxsplit=1)[0].removeprefix("The ").removeprefix("An ").removeprefix("A ")
    made = written(chunk("one", text, title=title.capitalize()), names={"one": title})
    assert [question.key for question in made if question.form == "blank"] == keys


@pytest.mark.parametrize(
    ("key", "text", "given"),
    [
        ("CA-MRSA", "MRSA that is acquired in the community", True),
        ("pseudopeptidoglycan", "component of walls that resembles peptidoglycan", True),
        ("AMO", "Atomic Memory Operation", True),
        ("GPR", "register that serves any purpose of a program", False),
        ("cell-free extract", "fluid of broken yeast", False),
        ("endosperm", "food of a seed that sperm has begun", False),
    ],
)
def test_a_part_of_the_key_gives_it_away(written: Written, key: str, text: str, given: bool) -> None:
    before = """axle: bar of steel that carries two wheels of a cart

rudder: flat board that turns a boat in calm water

bellows: bag of leather that blows air into a forge"""  # which are asked for in one's own words
    made = written(chunk("x", f"{before}\n\n{key}: {text}", section="Glossary"))
    # where none of the four is asked for by its meaning otherwise, the first one is
    assert [one.key for one in made if one.form == "blank"] == (["axle"] if given else [key])


def test_an_entry_means_a_thing_and_nothing_that_happens(written: Written) -> None:
    text = """capillarity: occurs because the walls of a narrow tube attract water

selfing: describes when a flower takes its own pollen

heterospory: produces two types of spores in one plant

girdle: composed of the bones that carry the legs

hyoid: lies in front of the neck

dogma: states that genes make proteins

rule: determines the first codon of a chain

dioecy: (also, two houses) (Greek) describes a species whose flowers of two kinds stand on two plants

lichen: partnership of a fungus and an alga. Lichens are fungi that hold algae between their threads

gene: unit of heredity that stands for a protein."""
    made = written(chunk("plants", text, section="Glossary"))
    assert [(one.text, one.key) for one in made] == [
        ("What does the term “lichen” mean?", "partnership of a fungus and an alga"),
        ("What does the term “gene” mean?", "unit of heredity that stands for a protein"),
        # one of them is asked for by its meaning
        ("Which term means “a species whose flowers of two kinds stand on two plants”? ____", "dioecy"),
    ]


def test_of_two_terms_with_one_meaning_neither_is_asked_for_by_it(written: Written) -> None:
    text = """dipeptidase: protease that cuts a chain at its end

aminopeptidase: protease that cuts a chain at its end"""
    made = written(chunk("food", text, section="Glossary"))
    assert {one.form for one in made} == {"open"}


@pytest.mark.parametrize(("term", "is_asked"), [("driver", False), ("strong booster", True)])
def test_a_term_is_not_typed_for_less_than_what_another_one_means(
    written: Written, term: str, *, is_asked: bool
) -> None:
    text = f"""hull: dry shell around a seed of oats

awn: stiff bristle on an ear of barley

tiller: side shoot at the foot of a grass

{term}: protein that binds to a gene and raises its output

booster: protein that raises output"""
    made = written(chunk("genes", text, section="Glossary"))
    # The strong one is one of its kind; of the other one it is not known.
    assert ("booster" in {one.key for one in made if one.form == "blank"}) is is_asked


def test_what_a_term_means_is_more_than_its_name(written: Written) -> None:
    made = written(chunk("moss", "Mosses are plants. Peat mosses are a group of soft mosses."))
    assert not made


@pytest.mark.parametrize(
    ("noun", "word"),
    [
        ("fiber", "what"),
        ("layer", "what"),
        ("order", "what"),
        ("number", "what"),
        ("theater", "what"),
        ("farmer", "who"),
    ],
)
def test_a_fiber_is_no_person(written: Written, noun: str, word: str) -> None:
    text = f"Axon was the first {noun} that carried impulses away from the body of a cell."
    (found,) = asked(written(chunk("x", text, title="Axon")), "definition")
    assert found[0] == f"In your own words: {word} was Axon?"


def test_what_something_was_once_is_no_definition_of_it(written: Written) -> None:
    text = "Flight was an early innovation of insects that lived in swamps. Many insects fly, and flight needs wings."
    assert not written(chunk("flight", text))
    lasting = "The astrolabe was an instrument of sailors that measured how high a star stands."
    assert written(chunk("astrolabe", lasting))


def test_what_a_page_says_besides_is_asked_for_by_names_alone(written: Written) -> None:
    text = "The Apollo 8 astronauts returned to Earth when their craft fell in a sea. Apollo 8 was led by Frank Borman."
    made = written(chunk("eight", text, title="Apollo 8"), names={"eight": "Apollo 8", "men": "Astronaut"})
    assert [question.key for question in made] == ["Frank Borman"]


def test_a_title_s_aside_is_asked_for_by_no_blank(written: Written) -> None:
    text = "Victoria is a small state of gold, rain and hills in Australia."
    made = written(chunk("victoria", text, title="Victoria (Australia)"))
    assert not [question for question in made if question.key == "Australia"]


def test_a_part_of_a_page_s_subject_is_asked_for_what_it_is_and_not_what_it_was(written: Written) -> None:
    said = {"The court of Deptford consisted of eight knights who met at noon.": 0,
            "The court of Deptford consists of knights who meet at noon.": 1}  # fmt: skip
    for text, asked in said.items():
        assert len([one for one in written(chunk("deptford", text)) if one.asked == "relation"]) == asked


def test_one_thing_under_two_names_is_asked_for_once(written: Written) -> None:
    entries = "self-antibody: antibody that attacks the tissue of its own body and not a germ"
    chunks = [
        chunk("body", entries, section="Glossary"),
        chunk("body", "Antibodies that attack the tissues of their own body are called self-antibodies.", number=2),
        chunk("body", "A coarse study, or gross study, is the view of limbs with the naked eye at a table. "
                      "A gross study is the look at organs that are large enough for it.", number=3),
    ]  # fmt: skip
    made = written(*chunks)
    assert len([one for one in made if "antibod" in f"{one.text} {one.key}"]) == 1
    assert len([one for one in made if "study" in f"{one.text} {one.key}"]) == 1


def test_what_a_definition_says_is_not_asked_for_as_a_relation(written: Written) -> None:
    entries = """girder frame: frame of a bridge containing beams that carry the deck above

deck plate: layer of a bridge made up of steel sheets and asphalt on ribs

rib: curved beam of a hull that stiffens the planks"""
    text = (
        "Girder frames consist of straight timbers joined with bolts. Deck plates are made up of steel sheets. "
        "Ribs are derived from grown oak branches."
    )
    made = written(chunk("ship", entries, section="Glossary"), chunk("ship", text, number=2))
    assert [one for one, _key in asked(made, "relation")] == ["What are ribs derived from?"]


def test_what_is_defined_is_not_asked_for_with_its_kind_in_its_name(written: Written) -> None:
    entry = chunk("ship", "spacing: pattern of ribs in a hull", section="Glossary")
    text = "The arrangement of ribs in a hull is called the spacing {}."
    assert len(written(entry, chunk("ship", text.format("pattern"), number=2))) == 1
    assert len(written(entry, chunk("ship", text.format("board"), number=2))) == 2, "another thing"


def test_a_called_term_is_without_its_pronoun(written: Written) -> None:
    glossary = "pace: number of steps of a walker in an hour of the day"
    text = "The number of sets in a cell is called its ploidy level."
    made = written(chunk("cell", text), chunk("cell", glossary, section="Glossary", number=2))
    assert "ploidy level" in {one.key for one in made}


def test_a_person_is_named_by_what_only_one_did(written: Written) -> None:
    said = {
        "Andrei Bolkonsky was a Russian film-maker, writer, editor, theorist, painter and director of plays.": False,
        "Andrei Bolkonsky was the first Russian film-maker, writer, editor, theorist and director of plays.": True,
    }
    for text, named in said.items():
        made = written(chunk("andrei", text, title="Andrei Bolkonsky"))
        assert ("Andrei Bolkonsky" in {one.key for one in made}) is named


def test_a_profession_is_asked_for_by_what_all_of_it_are(written: Written) -> None:
    text = "An astronaut is a traveller whom a program of flights trains to command, pilot and repair a spacecraft."
    assert "astronaut" in {one.key for one in written(chunk("astronaut", text))}


def test_the_terms_that_a_page_speaks_of_are_asked_for_first(written: Written) -> None:
    entries = "\n\n".join(
        f"{term}: {meaning}" for term, meaning in (
            ("abscission", "fall of a leaf from its twig in autumn"), ("budding", "growth of a twig from another"),
            ("callus", "tissue that grows over a wound of bark"), ("scion", "twig that is set upon the root of a tree"),
        )
    )  # fmt: skip
    prose = "A gardener cuts a scion in winter. Each scion is kept in sand. The scions are set in spring."
    made = written(chunk("trees", prose), chunk("trees", entries, section="Glossary", number=2))
    assert made[0].text == "What does the term “scion” mean?"


@pytest.mark.parametrize(
    ("text", "title", "also"),
    [
        ("Asphalt (occasionally), also known as bitumen, is a sticky, black form of petroleum. We pour asphalt.",
         "Asphalt", ()),
        ("An acid (from the Latin acidus) is a substance whose solutions turn blue litmus red.", "Acid", ()),
        ("The shell (CLI for short) is a program that reads one command after the other.", "Shell", ("CLI",)),
        ("Adobe (mudbrick) is a material for building that is made from earth. Walls of adobe stay cool.",
         "Adobe", ("mudbrick",)),
        ("Aldous Leonard Huxley was the first English writer of long and funny novels about worlds to come.",
         "Aldous Huxley", ("Aldous Huxley",)),
    ],
)  # fmt: skip
def test_other_names_are_right_too(written: Written, text: str, title: str, also: tuple[str, ...]) -> None:
    (blank,) = (each for each in written(chunk("one", text, title=title)) if each.form == "blank")
    assert blank.also == also


def test_what_a_page_is_about_is_defined_once(written: Written) -> None:
    text = (
        "Atomic number is the count of protons in a nucleus. "
        "The atomic number of a chemical element is the charge that its core has."
    )
    made = written(chunk("one", text, title="Atomic number"), names={"one": "Atomic number"})
    assert [each.key for each in made if each.form == "open"] == ["the count of protons in a nucleus"]


def test_a_title_s_aside_tells_it_from_others(written: Written) -> None:
    text = "Algorithms is a journal of mathematics that is reviewed by peers."
    first, *_ = written(chunk("one", text, title="Algorithms (journal)"))
    assert first.text == "In your own words: what is Algorithms (journal)?"


def test_options_stand_side_by_side_in_the_sources_and_are_of_one_sort(written: Written) -> None:
    entries = {
        "starch": "sugar that plants store in seeds and roots", "lactose": "sugar that the milk of mammals contains",
        "maltose": "sugar that forms when malt is made of barley", "fructose": "sugar of ripe fruits and of honey",
        "digestion": "process by which food becomes soluble in the gut", "stomach": "organ in which acid meets food",
    }  # fmt: skip
    glossary = "\n\n".join(f"{term}: {meaning}" for term, meaning in entries.items())
    made = written(chunk("food", glossary, section="Glossary"))
    choices = {question.key: set(question.options) for question in made if question.form == "choice"}
    assert choices["starch"] == {"starch", "lactose", "maltose", "fructose"}
    assert not {"digestion", "stomach"} & choices.keys()  # nothing of their sort is there: asked without options


def test_a_rate_and_a_volume_are_no_options_of_one_question(written: Written) -> None:
    entries = {
        "pulse": "number of beats that the heart has in a minute", "gust": "pressure of the wind on a wall at noon",
        "draught": "amount of water that a boat displaces in a lock", "ferment": "energy that a dough takes up",
        "cadence": "number of steps that a walker makes in an hour",
        "tempo": "number of bars that a band plays in a tune", "stroke": "number of pulls of an oar between two buoys",
    }  # fmt: skip
    made = written(chunk("measures", "\n\n".join(map(": ".join, entries.items())), section="Glossary"))
    choices = {question.key: set(question.options) for question in made if question.form == "choice"}
    assert choices
    assert all(options == {"pulse", "cadence", "tempo", "stroke"} for options in choices.values())


def test_what_the_key_s_last_word_defines_may_be_right_as_well(written: Written) -> None:
    entries = {
        "spring tide": "force of the full moon that lifts ships over the bar of a harbour",
        "neap tide": "tide that stays low at half moon", "ebb tide": "tide that runs out to the open sea",
        "flood tide": "tide that runs up the mouth of a river",
    }  # fmt: skip
    made = written(chunk("tides", "\n\n".join(map(": ".join, entries.items())), section="Glossary"))
    assert not [question for question in made if question.form == "choice" and question.key == "spring tide"]


STAGES = """stir: stage of brewing during which the malt sinks to the ground of the tun

boil: stage of brewing during which hops are thrown into hot wort

rest: stage of brewing during which yeast is given to a cold wort and foam rises

draw: stage of brewing during which foam and yeast are lifted off a cold wort

night: period in which nobody works at the tun"""


def test_things_of_one_kind_are_options_though_their_definitions_begin_alike(written: Written) -> None:
    choices = {one.key: set(one.options) for one in written(chunk("beer", STAGES, section="Glossary"))
               if one.form == "choice"}  # fmt: skip
    assert choices["stir"] == {"stir", "boil", "rest", "draw"}
    # What else they share may make both right; two wrong ones of the kind are better than a third of another.
    assert choices["rest"] == {"rest", "stir", "boil"}


@pytest.mark.parametrize(
    ("glossary", "key"),
    [
        # Its noun is the law.
        ("""law of mass action: rule that says how the speed of a change grows with what takes part

slow reaction: change of matter that takes days

fast reaction: change of matter that takes a moment

redox reaction: change of matter in which charges wander""", "law of mass action"),
        ("""quiescent: yeast that rests in the cold

starter: yeast that makes dough rise

foamer: yeast that swims on beer

sinker: yeast that lies under beer""", "quiescent"),
    ],
    ids=["head", "adjective"],
)  # fmt: skip
def test_an_option_that_is_ruled_out_at_once_is_none(written: Written, glossary: str, key: str) -> None:
    made = written(chunk("matter", glossary, section="Glossary"))
    assert key not in {one.key for one in made if one.form == "choice"}
    assert "quiescent" not in {option for one in made for option in one.options}


@pytest.mark.parametrize(
    ("glossary", "key", "none"),
    [
        # Said to be other things, and not formed alike.
        ("""osmosis: transport of water through a skin that holds back sugar

phagocytosis: process in which a hungry cell swallows its prey

narcosis: process that makes a patient sleep

symbiosis: movement of two beings towards one another""", "osmosis", {"phagocytosis", "narcosis", "symbiosis"}),
        # A kind of a kind of it.
        ("""endocytosis: transport of food in a bubble of skin

pinocytosis: variation of endocytosis that drinks

potocytosis: variation of pinocytosis with another coat

exocytosis: release of slime at the rim

transcytosis: movement from one side to the other""", "endocytosis", {"pinocytosis", "potocytosis"}),
        # One is a ground tissue, and what that is the glossary says.
        ("""ground tissue: tissue that stores water and starch

pith: ground tissue at the axis of a stem

skin tissue: tissue that covers roots and stalks

vein tissue: tissue that carries sap

bud tissue: tissue whose cells part all the time""", "pith", {"skin tissue", "vein tissue", "bud tissue"}),
        ("""tidal volume: amount of air that comes and goes at rest

total pressure: amount of push by all gases together

partial pressure: amount of push by a single gas

high pressure: amount of push at the bottom of the sea""", "tidal volume", {"total pressure", "partial pressure"}),
    ],
    ids=["processes", "narrower", "level", "amounts"],
)  # fmt: skip
def test_an_option_of_another_kind_or_level_is_none(written: Written, glossary: str, key: str, none: set[str]) -> None:
    made = written(chunk("body", glossary, section="Glossary"))
    assert key in {one.key for one in made} | {one.text.split("“")[1].split("”")[0] for one in made}
    assert not none & {option for one in made if one.key == key for option in one.options}


def test_a_membrane_is_not_asked_for_among_threads(written: Written) -> None:
    glossary = """sarcolemma: membrane of the thread of a muscle

myofibril: long tube in a muscle

myofilament: small filament of a tube

spindle: round body in a muscle"""
    made = written(
        chunk("muscle", "The plasma coat of a muscle thread is called the sarcolemma."),
        chunk("muscle", glossary, section="Glossary", number=2),
    )
    assert not [one for one in made if one.key == "sarcolemma" and one.options]


def test_all_that_the_key_is_a_wider_term_is_too(written: Written) -> None:
    glossary = """whisk fern: seedless green plant that lost its roots

lycophyte: green plant

horsetail: seedless green plant with joints in the stalk

club moss: seedless green plant of the first forests"""
    made = {one.key: set(one.options) for one in written(chunk("plants", glossary, section="Glossary"))}
    assert made["whisk fern"] == {"whisk fern", "horsetail", "club moss"}


def test_what_a_question_names_by_its_initials_is_no_option(written: Written) -> None:
    glossary = """red helper cell: guard that binds QSCs and calls for others

quick sentinel cell: guard who shows what was found

grey eater cell: guard who swallows everything foreign

blue killer cell: guard who stings"""
    made = {one.key: set(one.options) for one in written(chunk("matter", glossary, section="Glossary"))}
    assert made["red helper cell"] == {"red helper cell", "grey eater cell", "blue killer cell"}


def test_two_initials_name_an_option_as_well(written: Written) -> None:
    glossary = """amber signal: flag that keeps a GS from rising

green signal: flag of the harbour that calls pilots

violet signal: flag of a doctor on board

ochre signal: flag of the last day"""
    made = {one.key: set(one.options) for one in written(chunk("flags", glossary, section="Glossary"))}
    assert made["amber signal"] == {"amber signal", "violet signal", "ochre signal"}


def test_what_is_defined_in_the_same_words_but_for_its_place_is_an_option(written: Written) -> None:
    glossary = """tegula: cover on the tip of the shoot, found in young grass

scapula: cover of the tip of the root, found in young grass

macula: cover that protects dust

copula: cover of a ripe apple"""
    made = {one.key: set(one.options) for one in written(chunk("plants", glossary, section="Glossary"))}
    assert "scapula" in made["tegula"]
    assert "tegula" in made["scapula"]


def test_organisms_are_options_where_they_are_named_alike(written: Written) -> None:
    glossary = """sunnitroph: organism that makes its food of light

stonitroph: organism that gets what it eats out of rocks

saltiphile: organism that needs a sea without rivers

coldiphile: organism that grows on ice"""
    made = written(chunk("life", glossary, section="Glossary"))
    assert not [one for one in made if one.options]


def test_an_adjective_is_not_asked_for_among_nouns(written: Written) -> None:
    glossary = """lintermal: guard that lines the hollows of the keep

carter: guard that carries messages to the towers

warder: guard that feeds the messengers

porter: guard that wraps the ropes of the bridge"""
    made = written(chunk("keep", glossary, section="Glossary"))
    assert not [one for one in made if one.key == "lintermal" and one.options]


def test_what_is_of_a_wide_kind_is_an_option_beside_the_key_alone(written: Written) -> None:
    far = """gamete: cell that joins another one

diploidy: cell with two sets of threads

polyp: cell that stings a passing fish"""
    chunks = [
        chunk("first", far, section="Glossary"),
        chunk("second", "sleeper: cell that does its work and is far from parting", section="Glossary"),
    ]
    made = written(*chunks, edges=(Edge("first", "second"),))
    assert not [one for one in made if (one.concept, one.form) == ("second", "choice")]


def test_a_method_is_no_study(written: Written) -> None:
    entries = """signal: method of communication between animals by their senses

ethology: study of how animals behave

biogeography: study of where living things are found

ecology: study of what lives together"""
    made = written(chunk("animals", entries, section="Glossary"))
    assert "signal" not in {each.key for each in made if each.form == "choice"}


def test_options_come_from_prerequisites_and_not_from_what_follows(written: Written) -> None:
    said = {
        "mean": "A mode is a value found often. A range is a value of width. A quartile is a value of a quarter.",
        "median": "The median is the middle value of numbers that have been sorted by their size.",
        "test": "A skewness is a value of slant. A moment is a value of powers. A cumulant is a value of logarithms.",
    }
    chunks = [chunk(key, text) for key, text in said.items()]
    made = written(*chunks, names={key: key for key in said}, edges=(Edge("mean", "median"), Edge("median", "test")))
    (choice,) = (one for one in made if (one.concept, one.form) == ("median", "choice"))
    assert set(choice.options) == {"median", "mode", "range", "quartile"}


def test_an_option_that_another_sentence_supports_is_none(written: Written) -> None:
    entries = "\n\n".join(
        f"{term}: sugar that is found in {place}"
        for term, place in (
            ("starch", "roots"),
            ("lactose", "roots and milk"),
            ("maltose", "malt"),
            ("glucose", "blood"),
        )
    )
    made = written(chunk("food", entries, section="Glossary"))
    assert [question for question in made if question.key == "starch"]
    assert not [question for question in made if question.key == "starch" and "lactose" in question.options]


def test_siblings_are_those_of_the_pages_categories(written: Written) -> None:
    definitions = {
        "Algeria": "a country in the north of Africa whose capital is Algiers, with the Sahara in its south",
        "Angola": "a country on the Atlantic coast with rich oil fields and a long civil war behind it",
        "Albania": "a country of mountains beside the Adriatic that was closed to visitors for decades",
        "Andorra": "a country between France and Spain that lives of skiers and cheap shops",
        "Aruba": "a country of beaches near Venezuela under a Dutch king",
    }
    chunks = [chunk(name.lower(), f"{name} is {meaning}.", title=name) for name, meaning in definitions.items()]
    listed = [replace(one, categories=("Countries",) if one.concept != "aruba" else ()) for one in chunks]
    assert not [question for question in written(*chunks) if question.form == "choice"]
    options = {question.key: set(question.options) for question in written(*listed) if question.form == "choice"}
    assert options["Algeria"] == {"Algeria", "Angola", "Albania", "Andorra"}


def test_people_of_one_category_are_of_one_profession(written: Written) -> None:
    people = {
        "Ayn Rand": "a novelist who was born in Russia and wrote of selfish heroes in big houses",
        "Abraham Lincoln": "a president who freed the slaves and was shot in a theatre",
        "Albert Einstein": "a physicist who found out that time is not the same everywhere",
        "Arthur Schopenhauer": "a philosopher who thought that the will is behind everything",
    }
    chunks = [
        replace(chunk(name.lower().replace(" ", "-"), f"{name} was {what}.", title=name), categories=("Thinkers",))
        for name, what in people.items()
    ]
    assert not [question for question in written(*chunks) if question.form == "choice"]


def test_two_concepts_ask_nothing_twice(written: Written) -> None:
    text = "Mulch is a layer of straw or leaves that keeps the ground moist. Mulch prevents the growth of weeds."
    shared = [chunk("mulch", text), replace(chunk("weeds", text, title="Mulch"), chunk_id="copy")]
    made = written(*shared)
    assert {question.concept for question in made} == {"mulch"}
    assert len({question.text for question in made}) == len(made) >= 2


@pytest.mark.parametrize(
    ("glossary", "kind"),
    [
        (VESSELS_AND_LAYERS, {"arteriole", "artery", "vein", "venule"}),
        # Their names end alike.
        ("""myofilament: small structure that makes up the fibrils of a muscle

thick filament: group of myosin molecules that lie side by side

thin filament: two strands of actin that are wound together

angular movement: bending of a joint that changes the angle between bones

rotational movement: turning of a bone around its own axis""", {"myofilament", "thick filament", "thin filament"}),
        # What is one of several may be one of anything.
        ("""semicircular canal: one of three fluid-filled tubes that monitor how the head turns

umami: one of five basic tastes, which is called savory

ossicle: one of three bones in the middle ear that carry sound

papilla: one of the small bumps that stand on the tongue""", {"semicircular canal"}),
        ("""smallpox: human virus that causes a rash and fever

group III virus: virus with a double strand of RNA inside

group IV virus: virus whose single strand is read at once

group VI virus: virus that copies itself back into genes""", {"smallpox"}),
        ("""dormancy: period of no growth in winter and drought

senescence: process by which leaves turn yellow and fall

gravitropism: process in which roots turn downwards

heterospory: process that makes spores of two sizes""", {"dormancy"}),
        ("""saprobe: organism that lives of decaying matter

obligate aerobes: organisms that need oxygen to grow

obligate anaerobes: organisms to which oxygen is a poison

methanogens: organisms that make gas out of hydrogen""", {"saprobe"}),
        ("""reductase: enzyme that makes cholesterol out of fat

substrate: molecule that is changed by another one

hormone: molecule that is sent from a gland to a cell

pheromone: molecule that is sent to a mate by air""", {"reductase"}),
    ],
    ids=["vessels", "filaments", "tubes", "numbered", "stages", "several", "molecules"],
)  # fmt: skip
def test_options_are_of_the_key_s_kind(written: Written, glossary: str, kind: set[str]) -> None:
    asked = [one for one in written(chunk("body", glossary, section="Body › Glossary")) if one.form == "choice"]
    assert not any(one.key in kind and set(one.options) - kind for one in asked)


@pytest.mark.parametrize(
    ("title", "text", "keys"),
    [
        # Two who may be meant by their definitions, of which nothing else is to be filled in.
        ("Ada Moor", "Ada Moor was a Danish poet and painter. Moor died of a fever on May 6, 1782, at Aal.", ["1782"]),
        (
            "Ivo Peat",
            "Ivo Peat was a Greek poet born in the city of Turve, Mossland, on the northern shore of a lake.",
            ["Turve"],
        ),
        # "He" is who the sentence before it speaks of, and what he did says who he was.
        (
            "Ivo Loam",
            "Ivo Loam was a Danish miller and poet. He was best known for the windmill of the Isle of Aal.",
            ["Ivo Loam"],
        ),
        ("Aal", "Aal is a small island. It is bordered by the Peat Sea and by the Loam Sound.", ["Aal"]),
        ("Aal", "Aal is a small island. It has a harbour and a mill that Danes of the Peat Sea made.", []),
        # Of a work it may be the year.
        ("Clay", "Clay is a 1951 album of slow songs.", ["1951"]),
        ("Clay", "Clay is a song of love and rain recorded in May 1951.", ["1951"]),
        ("Botany", "Botany is a branch of biology that looks at plants.", ["biology"]),
        ("Clay", "Clay is a song of love and rain by Ada M. Moor written for a play.", ["Ada M. Moor"]),
        # The name within the definition is all that it says.
        ("Mossland", "Mossland is a small state in the United Shires. Mossland depends on peat and salt of lakes.",
         ["United Shires"]),
    ],
)  # fmt: skip
def test_what_has_no_other_blank_has_one_of_a_year_or_a_name(
    written: Written, title: str, text: str, keys: list[str]
) -> None:
    made = written(chunk("one", text, title=title), names={"one": title})
    assert [one.key for one in made if one.form != "open"] == keys
    assert "definition" in {one.asked for one in made if one.form == "open"}


def test_a_name_that_each_page_speaks_of_is_asked_for_on_none(written: Written) -> None:
    pages = [
        chunk(each, f"{each.capitalize()} is a compost song by Ivo Peat.")
        for each in ("ada", "bel", "cato", "dora", "eli")
    ]
    assert "Ivo Peat" in {one.key for one in written(*pages[1:])}
    assert "Ivo Peat" not in {one.key for one in written(*pages)}


def test_a_page_of_the_same_name_defines_another_thing(written: Written) -> None:
    work = chunk("work", "Rivers is a journal of mathematics that is reviewed by peers.", title="Rivers (journal)")
    made = written(work, chunk("river", "A river is a stream of fresh water that runs to the sea.", title="River"))
    assert len(asked(made, "definition")) == 2


def test_a_birth_is_not_asked_for_beside_another_blank(written: Written) -> None:
    text = "Ivo Peat was a Greek miller and poet of the court of Turve, taught by Ada Moor. Ivo Peat died in 1782."
    keys = {one.key for one in written(chunk("one", text, title="Ivo Peat"), names={"one": "Ivo Peat"})}
    assert "Ada Moor" in keys
    assert "1782" not in keys


def test_years_to_choose_from_lie_within_half_a_life(written: Written) -> None:
    text = "Deptford is a town on the Thames. Deptford was founded by a fisherman of Kent in 1674."
    (asked,) = [one for one in written(chunk("deptford", text)) if one.asked == "year"]
    assert all(abs(int(option) - 1674) <= 15 for option in asked.options)


@pytest.mark.parametrize(
    "text",
    ["Deptford was born a harbour in 1674.", "Deptford has two yards, the older of which was founded in 1674."],
)
def test_no_year_is_asked_of_a_birth_or_of_something_else(written: Written, text: str) -> None:
    made = written(chunk("deptford", f"Deptford is a town on the Thames. {text}"))
    assert not [one for one in made if one.asked == "year"]


def test_a_called_term_may_have_a_capital(written: Written) -> None:
    text = "Lines of constant longitude are called Meridians (of the globe)."
    assert [one.key for one in written(chunk("globe", text))] == ["Meridians"]


def test_a_heading_s_article_is_small_where_the_text_has_it_so(written: Written) -> None:
    text = "The Horizon is the line that separates the Earth from the sky."
    (alone, *_) = written(chunk("horizon", text, title="The Horizon"))
    (within, *_) = written(chunk("horizon", f"{text} Stars rise above the horizon.", title="The Horizon"))
    assert (alone.text, within.text) == (
        "In your own words: what is The Horizon?",
        "In your own words: what is the Horizon?",
    )


def test_a_letter_at_the_beginning_of_a_name_stays_a_capital(written: Written) -> None:
    text = "M 86 is a normal galaxy of stars in a cluster. It is some m wide, and m is for metres."
    assert "M 86?" in written(chunk("m86", text, title="M 86"))[0].text


THEORIES = """Several ideas tell how people see robots:

- Social Presence Theory: This theory suggests that people answer robots as they answer other people. It is old.
- Uncanny Valley Hypothesis: Machines that look almost human are disliked more than those that look like tools.
- Media Equation: People treat computers and screens with the manners that they learned among people.
- Mirror Neuron Account: Watching a hand that grasps excites the same cells of the brain as grasping does.
- Teamwork Model: We will come back to how people and machines share their work in a later chapter.

1. Introduction: The chapter begins with a short story of a robot that lost its way in a museum.
2. Input: The camera sends thirty pictures in a second to the computer in the robot's head."""


def test_a_series_of_labels_is_asked_about_with_its_labels_as_options(written: Written) -> None:
    questions = [one for one in written(chunk("people", THEORIES, title="People")) if one.form == "choice"]
    labels = {"Social Presence Theory", "Uncanny Valley Hypothesis", "Media Equation", "Mirror Neuron Account"}
    assert {one.key for one in questions} == {
        "Uncanny Valley Hypothesis",
        "Media Equation",
        "Social Presence Theory",
    }
    assert all(set(one.options) < labels | {"Teamwork Model"} and len(one.options) == 4 for one in questions)
    theory = next(one for one in questions if one.key == "Social Presence Theory")
    assert (
        theory.text
        == "Which of these is described? “It suggests that people answer robots as they answer other people.”"
    )
    source = replace(chunk("people", THEORIES, title="People"), chunk_id=theory.support.chunk_id)
    notes, sources = option_notes(theory, {"people": [source]})
    assert all(note.quote.startswith(f"{note.option}: ") for note in notes if note.option in labels)
    assert len(sources) == 1
    assert (
        theory.support.text.startswith("Social Presence Theory: This theory suggests")
        and "old" not in theory.support.text
    )


def test_what_lists_something_describes_no_label(written: Written) -> None:
    listed = THEORIES.replace("People treat computers", "One of: People treat computers")
    made = [one for one in written(chunk("people", listed, title="People")) if one.form == "choice"]
    assert "Media Equation" not in {one.key for one in made}


@pytest.mark.parametrize(
    "text",
    [
        THEORIES.replace("- Media Equation", "It follows:\n- Media Equation"),  # no four behind one another
        f"```\n{THEORIES}\n```",
        THEORIES.replace("Machines", "your machines").replace("People treat", "we treat").replace("Watching", "Your"),
    ],
)
def test_no_other_lines_are_a_series_of_labels(written: Written, text: str) -> None:
    assert not [one for one in written(chunk("people", text, title="People")) if one.form == "choice"]
