"""When what was found is answered plainly, and when it only comes closest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
from llama_index.core.schema import Document, NodeWithScore, TextNode

from ragstone.core import Host, Settings
from ragstone.core.retrieval import HybridRetriever, Retrieval, judge, weigh_evidence
from ragstone.core.retrieval.answerability import dated_text
from ragstone.core.retrieval.fusion import Scores
from ragstone.core.retrieval.models import Spelling
from ragstone.core.retrieval.sentences import sentences_of
from ragstone.core.testing import open_host
from ragstone.core.text import question_stems
from ragstone.core.text.answer_types import answer_type_scorer
from ragstone.core.text.chunk_terms import idf_coverage
from ragstone.core.text.stemming import form_stems, stem_hashes
from ragstone.core.text.times import is_of_other_day


def _verdict(question: str, text: str, cosine: float = 0.1, heading: str = "", setting: str | None = None) -> str:
    found = _found(question, text, cosine, heading, setting)
    return judge(weigh_evidence(found), found)


def _found(
    question: str,
    text: str,
    cosine: float = 0.1,
    heading: str = "",
    setting: str | None = None,
    metadata: Mapping[str, str] = MappingProxyType({}),
) -> Retrieval:
    node = TextNode(id_="n", text=text, metadata={"section": heading, **metadata}, metadata_template="{value}")
    return Retrieval(
        question,
        (NodeWithScore(node=node, score=1.0),),
        {"n": Scores(cosine, 1.0, 1.0)},
        dict.fromkeys([stem for stem in question_stems(question) if stem not in form_stems(question)], 2.0),
        sentence_cosines={"n": np.full(9, cosine)},
        setting=lambda _node, _quote: setting,
    )


def test_no_is_an_answer_to_whether_something_is_so() -> None:
    text = "The winch is old. It does not need oil, but grease."
    assert _verdict("Does a winch need oil?", text, 0.4) == "answered"
    assert _verdict("Which winch needs oil?", text, 0.4) == "closest"


@pytest.mark.parametrize(
    "text",
    [
        "The Kerr loom, short for Kerr Loom of Oslo, is a frame. Early in its development the loom was used in Oslo.",
        "Bo Kerr and Ada Lund have ideas of what the loom can do. The loom is a frame.",
    ],
)
def test_a_development_or_an_idea_is_no_invention(text: str) -> None:
    assert _verdict("Who invented the loom?", text, 0.6) == "closest"


@pytest.mark.parametrize("text", ["Cats and hens are not accepted.", "Cats are welcome.", "Cats are not permitted."])
def test_what_is_accepted_welcome_or_permitted_is_allowed(text: str) -> None:
    assert _verdict("Are cats allowed?", text, 0.5) == "answered"
    assert _verdict("Are cats allowed?", "Cats are fed by the cook.", 0.5) == "closest"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Bo Berg married Ada Reed.", "answered"),
        ("Bo Berg and his wife Ada Reed led the yard.", "answered"),
        ("Bo Berg has been married to the singer Ada Reed since then.", "answered"),
        ("Ada Reed, who became the second wife of Bo Berg, sang.", "answered"),
        ("Bo Berg was born in Oslo, the fourth of seven children of Ada Reed.", "closest"),
        ("Bo Berg wrote to his wife that he wished to see the Holy Land.", "closest"),
        ("Bo Berg’s father married Ada Reed.", "closest"),
    ],
)
def test_a_wife_is_named_where_she_is_the_wife(text: str, verdict: str) -> None:
    assert _verdict("Who was Bo Berg's wife?", text, 0.7) == verdict


@pytest.mark.parametrize(
    ("question", "text", "verdict"),
    [
        ("Who founded the yard?", "The yard was founded in 1184 by monks of the bay.", "answered"),
        ("Who founded the yard?", "The yard was founded in 1184 by hand.", "closest"),
        ("Who founded the yard?", "The yard was founded. It was led by monks of the bay.", "closest"),
        ("Who left the yard?", "Berg has left the yard.", "answered"),
        ("Who saved the boat of Berg?", "The boat of Berg was saved near Oslo.", "closest"),
        ("Who saved the boat of Berg?", "The boat of Reed was saved by Berg near Oslo.", "closest"),
        ("Who saved the boat of Berg?", "The boat of Berg was saved by his brother.", "answered"),
        ("Who saved the boat of Berg?", "The boat of Berg was saved by Ada Reed.", "answered"),
        ("Who directed The Yard?", "The Yard is a symphonic poem by Ada Reed, written in Oslo.", "closest"),
        ("Who directed The Yard?", "The Yard is a film by Ada Reed.", "answered"),
        ("What is the atomic number of iron?", "The number of iron atoms tells how large a piece is.", "closest"),
        ("What is the atomic number of iron?", "The atomic number of iron is 26.", "answered"),
        ("Who wrote to the yard?", "14:30 Two boats were missing. Berg wrote to the yard.", "answered"),
        ("What was the temperature of the yard?", "In summer the yard gets too hot, so we shade it.", "closest"),
        ("What was the temperature of the yard?", "In summer the yard had 31 °C.", "answered"),
        ("Who first described the yard?", "Berg (1988) was the first to describe the yard.", "answered"),
        ("Who first described the yard?", "Boats (1988) of the yard have been described first.", "closest"),
    ],
)
def test_who_did_something_may_have_no_name_or_a_year_behind_it(question: str, text: str, verdict: str) -> None:
    assert _verdict(question, text, 0.7) == verdict


@pytest.mark.parametrize(
    ("question", "text", "verdict"),
    [
        ("Who is the sailmaker?", "The sailmaker is Mr. Berg.", "answered"),
        ("Who is the sailmaker?", "The sailmaker is asleep.", "closest"),
        ("Who is the captain?", "Berg was appointed captain.", "answered"),
        ("Who is the captain?", "To do: paint Berg's boat, oil the winch, invite the captain.", "closest"),
        ("Who was the king of Mora?", "At that time Berg ruled as king of Mora.", "answered"),
        ("Who is the king of Mora?", "It is led by Ada Ann Berg of Oslo and the king of Mora.", "closest"),
    ],
)
def test_who_is_the_captain_is_answered_by_a_name_beside_the_office(question: str, text: str, verdict: str) -> None:
    assert _verdict(question, text, 0.5) == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Ada Reed was assistant conductor in Oslo before she came to us.", "closest"),
        ("The conductor since 2018 is Ada Reed. Bo Berg led the choir.", "closest"),
        ("Ada Reed succeeded Bo Berg as conductor.", "answered"),
        ("Bo Berg was conductor before her. Ada Reed came in 2018.", "answered"),
    ],
)
def test_who_held_an_office_before_someone_is_said_of_both(text: str, verdict: str) -> None:
    assert _verdict("Who was the conductor before Ada Reed?", text, 0.6) == verdict


@pytest.mark.parametrize(
    ("question", "text", "verdict"),
    [
        ("When will the gutter be fixed?", "Bo was here. He found the broken gutter.", "closest"),
        ("When was the gutter found?", "Bo was here. He found the broken gutter.", "answered"),
        ("When is the gutter fixed?", "Bo Berg fixes the gutter.", "answered"),
    ],
)
def test_the_day_of_what_was_is_not_when_something_will_be(question: str, text: str, verdict: str) -> None:
    assert _verdict(question, text, 0.6, "13 March 2026") == verdict


@pytest.mark.parametrize(("metadata", "day"), [({}, "13 March 2026 "), ({"context": "Bo: Is it fixed?"}, "")])
def test_the_day_of_a_turn_is_not_when_something_will_be(metadata: dict[str, str], day: str) -> None:
    found = _found("When is the gutter fixed?", "Bo fixes the gutter.", heading="13 March 2026", metadata=metadata)
    assert dated_text(found, sentences_of(found)[0]) == f"{day}Bo fixes the gutter."


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Ada Reed was at the fair.", "closest"),
        ("Ada Reed leaves for the fair.", "answered"),
        ("Ada Reed: on Friday, at noon.", "answered"),
        ("Ada Reed is at the fair until the 17th.", "answered"),
    ],
)
def test_a_name_alone_is_no_answer(text: str, verdict: str) -> None:
    assert _verdict("When does Ada Reed leave?", text, 0.6) == verdict


@pytest.mark.parametrize(
    ("sentence", "has_time"),
    [
        ("They come by Thursday.", True),
        ("Please come on the 17th instead.", True),
        ("It begins at half past seven.", True),
        ("It is ready in two weeks.", True),
        ("It is kept on the 17th floor.", False),
        ("It fell at the second try.", False),
        ("It has two doors.", False),
    ],
)
def test_a_time_may_be_written_as_people_write_it_to_each_other(sentence: str, *, has_time: bool) -> None:
    assert answer_type_scorer("When does it begin?")(sentence) == has_time


def test_another_section_is_not_near() -> None:
    text = "## {}\n\nThe lamps are behind the {}.\n\n## Money\n\nThe account of the club had 1,840 pounds in May."
    assert _verdict("How much does the piano cost?", text.format("Stage", "piano"), 0.4) == "closest"
    assert (
        _verdict("How many pounds had the account of the club in May?", text.format("Stage", "piano"), 0.4)
        == "answered"
    )


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("The yard is open from Tuesday to Sunday.", "closest"),
        ("The yard is opened on Mondays.", "closest"),
        ("The yard was opened on a Monday.", "answered"),
        ("Opened in spring, the yard has a crane.", "answered"),
    ],
)
def test_when_something_is_open_is_not_when_it_was_opened(text: str, verdict: str) -> None:
    assert _verdict("When was the yard opened?", text, 0.6) == verdict


def test_what_to_do_is_said_below_the_heading_that_names_the_case() -> None:
    text, heading = "Call the baker before eight. He asks his sister.", "When a sailor is ill"
    assert _verdict("What should I do if a sailor is ill?", text, 0.3, heading) == "answered"
    assert _verdict("What should I do if a sailor is late?", text, 0.3, heading) == "closest"


def test_what_belongs_to_someone_may_be_said_with_a_pronoun() -> None:
    assert _verdict("What is Ada's fee?", "Ada Reed can play on Monday. Her fee is 2,400 euros.", 0.3) == "answered"
    assert _verdict("What is Ada's job?", "Ada Reed can play on Monday. Her fee is 2,400 euros.", 0.3) == "closest"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("We wanted to know why the winch squeaks.", "closest"),
        ("Ada asked Bo why the winch squeaks.", "closest"),
        ("Ada asked Bo why the winch squeaks because she heard it.", "answered"),
        ("Nobody knows why the winch squeaks.", "answered"),
    ],
)
def test_what_is_to_be_found_out_is_not_said(text: str, verdict: str) -> None:
    assert _verdict("Why does the winch squeak?", text, 0.6) == verdict


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("How much butter is in rye bread?", "closest"),
        ("How much water is in rye bread?", "answered"),
        ("How much is rye bread with butter kneaded?", "answered"),
    ],
)
def test_how_much_of_a_thing_is_a_quantity_of_that_thing(question: str, verdict: str) -> None:
    assert _verdict(question, "Rye bread rises less with butter. It has two cups of water.", 0.7) == verdict


@pytest.mark.parametrize(
    ("question", "text", "verdict"),
    [
        ("What is the heat capacity of oil?", "The heat capacity of oil is 1,200 joules.", "answered"),
        ("What is the heat capacity of oil?", "The heat capacity of oil is used in lamps.", "closest"),
        ("What is the use of oil?", "The use of oil is in lamps.", "answered"),
    ],
)
def test_a_capacity_is_a_number(question: str, text: str, verdict: str) -> None:
    assert _verdict(question, text, 0.7) == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("| winch | noise |\n|---|---|\n| B20 | 60 dB |\n| B60 | 71 dB |", "answered"),
        ("| name | place |\n|---|---|\n| winch B20 | the noise of the quay |", "closest"),
        ("The noise of the B60 winch is 71 dB.", "closest"),
        ("The noise of each winch is 71 dB.", "answered"),
        ("| winch | noise |\n|---|---|\n" + "| B20 | 60 dB |\n" * 11, "closest"),
    ],
)
def test_what_is_asked_of_each_thing_is_answered_by_a_short_table_with_a_column_for_it(text: str, verdict: str) -> None:
    assert _verdict("What is the noise of each winch?", text, 0.6) == verdict


@pytest.mark.parametrize(("header", "verdict"), [("Max depth", "answered"), ("Depth", "closest")])
def test_a_limit_may_be_in_the_header_of_a_table(header: str, verdict: str) -> None:
    text = f"| Lock | {header} |\n|---|---|\n| Berg | 3 m |\n| Lund | 4 m |"
    assert _verdict("What is the maximum depth of the lock Berg?", text, 0.7) == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("The yard had 40 boats in 1850.", "answered"),
        ("The yard had 40 boats in 1800.", "closest"),
        ("The yard had 40 boats in 1800. It had few ships in 1850.", "closest"),
        ("In 1850 the yard grew. The yard had 40 boats then, and 50 boats in 1861.", "answered"),
        ("The yard had 40 boats from 1840 to 1860.", "answered"),
        ("The yard had 40 boats of 18,000 kg.", "answered"),
    ],
)
def test_what_was_in_another_year_only_comes_closest(text: str, verdict: str) -> None:
    assert _verdict("How many boats had the yard in 1850?", f"{text} Winches of 1850 are in the hall.", 0.7) == verdict


def test_another_form_of_an_irregular_verb_is_the_word_of_the_question() -> None:
    text = "Anna Berg led the yard. Anna Berg was at the yard from 1924 on. She built two ships."
    node = NodeWithScore(node=TextNode(id_="n", text=text), score=1.0)
    question = "What did Anna Berg build at the yard?"
    idf = dict.fromkeys(question_stems(question), 2.0) | {"build": 9.0}
    assert sentences_of(Retrieval(question, (node,), {}, idf))[0].text == "She built two ships."


@pytest.mark.parametrize(
    ("question", "text", "verdict"),
    [
        ("How tall is the mast?", "The mast is 9 metres high.", "answered"),
        ("How tall is the mast?", "The mast is 9 metres thick.", "closest"),
        ("How long did the yard live?", "The life of the yard was nine years.", "answered"),
        ("Why did the yard fail?", "The failure of the yard came of debts.", "answered"),
        ("When did the yard begin?", "The yard began in 1924.", "answered"),
        ("Why did the yard fail?", "The founding of the yard came of debts.", "closest"),
    ],
)
def test_the_past_of_a_verb_and_the_noun_of_a_word_are_the_same_word(question: str, text: str, verdict: str) -> None:
    assert _verdict(question, text, 0.35) == verdict


@pytest.mark.parametrize(
    ("question", "text", "heading", "verdict"),
    [
        ("What happened to Lind and Berg?", "Lind knew it. He and Berg were lost at sea.", "", "answered"),
        (
            "What happened to Lind and Berg?",
            "Lind knew.\n\nIt is old. It is long. Berg slept.",
            "",
            "closest",
        ),
        ("What is a mooring winch?", "You may meet one at the stern.", "3.2 Mooring winches", "answered"),
        ("What is a mooring winch?", "You may meet one at the stern.", "3.2 Mooring", "closest"),
        (
            "What is the aim of the race?",
            "A race has a buoy. Your aim is to pass it first.",
            "",
            "answered",
        ),
        ("What is the aim of the race?", "A race has a buoy. Take aim and pass it first.", "", "closest"),
        ("What is the price of the race?", "The race has a price. Its price is high.", "", "closest"),
        ("What is the m\u0131nimum depth of the lock?", "The lock has a depth of 3 metres.", "", "closest"),
    ],
)
def test_what_is_said_of_the_one_thing_that_is_asked_for_answers(
    question: str, text: str, heading: str, verdict: str
) -> None:
    assert _verdict(question, text, heading=heading) == verdict


@pytest.mark.parametrize(
    ("question", "text", "verdict"),
    [
        ("How many people pulled the rope?", "People pulled the rope. Forty workers pulled it.", "answered"),
        ("How many people pulled the rope?", "People pulled the rope. Forty horses pulled it.", "closest"),
        ("How much was Berg paid for the rope?", "Berg was paid thirty pieces of silver for the rope.", "answered"),
        ("How much was Berg paid for the rope?", "Berg was paid for thirty pieces of the rope.", "closest"),
        ("What is the name of Mr. Berg's horse?", "Mr. Berg did name the ship after Lind.", "closest"),
        ("What is the name of Mr. Berg's ship?", "Mr. Berg did name the ship after Lind.", "answered"),
        ("How often was the winch oiled?", "The winch was oiled thrice.", "answered"),
        ("For whom did Berg work in the 1880s?", "Berg did work for Anna Lind from 1884.", "answered"),
        ("For whom did Berg work in 1885?", "Berg did work for Anna Lind from 1884.", "closest"),
        ("What did Berg write about tariffs?", "Berg did write letters on the quay.", "closest"),
        ("What did Berg write about letters?", "Berg did write letters on the quay.", "answered"),
        ("What colour are the boats of the quay?", "The boats of the quay have a knife and two ropes.", "closest"),
        ("What colour are the boats of the quay?", "The boats of the quay have bluish ropes.", "answered"),
        ("Who pays half the fee?", "Members over seventy pay half the fee.", "answered"),
        ("Who pays half the fee?", "You must pay half the fee. It is a must.", "closest"),
    ],
)
def test_a_quantity_a_decade_or_a_topic_is_there_in_other_words_or_not_at_all(
    question: str, text: str, verdict: str
) -> None:
    assert _verdict(question, text, 0.7) == verdict


@pytest.mark.parametrize(
    ("question", "text", "verdict"),
    [
        ("How many children did Berg have?", "Berg was born in 1921 and oiled the first 400 winches.", "closest"),
        ("How many children did Berg have?", "Berg was born in 1921 and had two sons.", "answered"),
        ("How many winches did Berg oil?", "Berg was born in 1921 and oiled the first 400 winches.", "answered"),
        ("How many times did Berg oil the winch?", "Berg did oil the winch twice.", "answered"),
        ("How many employees has the quay?", "The quay has a phone number, 30 555 0199.", "closest"),
        ("How long does it take to oil the winch?", "Oil the winch every 2 months.", "closest"),
        ("How long does it take to oil the winch?", "Oil the winch for ten minutes every 2 months.", "answered"),
        ("How deep is the pool of the quay?", "The pool of the quay is 25 m long.", "closest"),
        ("How deep is the pool of the quay?", "The pool of the quay is 25 m long and 2 m deep.", "answered"),
        ("How deep is the pool of the quay?", "The pool of the quay has 2 m of water.", "answered"),
        ("Who stole the cup?", "The cup of the quay was stolen in 1994 and was found in a locker in Lund.", "closest"),
        ("Who stole the cup?", "The cup of the quay was stolen in 1994 by Anna Berg.", "answered"),
    ],
)
def test_another_number_than_the_one_that_is_asked_for_only_comes_closest(
    question: str, text: str, verdict: str
) -> None:
    assert _verdict(question, text, 0.7) == verdict


@pytest.mark.parametrize(
    ("question", "text", "verdict"),
    [
        ("What is the phone number of Ana Lund?", "The guard is Ana Lund. Her number is 01632 960 125.", "answered"),
        ("What is the phone number of Ana Lund?", "The guard is Ana Lund. Her room has the number 12.", "closest"),
        ("How much does the course cost?", "The course has twelve lessons and costs 900 kr.", "answered"),
        ("What is the phone number of Ana Lund?", "Ana Lund opens the gate; her extension is 27.", "answered"),
        ("What does the flag of the quay look like?", "The flag of the quay is a large one.", "answered"),
        ("When was Albert Foss born?", "Albert Foss led it. Foss was born in 1921 and went to sea.", "answered"),
        ("When was Albert Foss born?", "Albert Foss led it. Foss was born in Lund and went to sea.", "closest"),
    ],
)
def test_a_birth_a_number_or_a_look_needs_no_more_than_the_words_near(question: str, text: str, verdict: str) -> None:
    assert _verdict(question, text, 0.2) == verdict


@pytest.mark.parametrize(
    ("question", "text", "verdict"),
    [
        ("How long was Lund the seat of the quay?", "Lund was the seat of the quay until 1796.", "answered"),
        ("How long does it take to oil the winch?", "Oil the winch daily. Press until oil comes out.", "closest"),
        ("Did the women of the quay have loud winches?", "A woman had a winch, and heard its noise.", "answered"),
    ],
)
def test_an_end_is_how_long_it_was_and_a_plural_or_a_verb_for_it_is_the_same_word(
    question: str, text: str, verdict: str
) -> None:
    assert _verdict(question, text, 0.5) == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("The population of Lund is mostly (88.2%) Danish.", "closest"),
        ("The population of Lund was growing by 3.1 percent in 1990.", "closest"),
        ("The population of Lund is 88% Danish.", "closest"),
        ("The population of Lund is estimated at 85,458.", "answered"),
        ("The population of Lund: 1.5 million.", "answered"),
        ("The population of Lund was 312.", "answered"),
    ],
)
def test_a_population_is_a_number_and_no_share(text: str, verdict: str) -> None:
    assert _verdict("What is the population of Lund?", text, 0.7) == verdict


@pytest.mark.parametrize(
    ("question", "text", "verdict"),
    [
        ("Who is the president of Lund?", "The president of Lund is Anna Berg.", "answered"),
        ("Who is the president of Lund?", "Lund President Anna Berg sold it.", "answered"),
        ("Who is the president of Lund?", "The smith Berg, president of Lund, sold it.", "answered"),
        ("Who is the president of Lund?", "The president of Lund is elected by all for four years.", "closest"),
        ("Who is the president of Lund?", "The president of Lund opens the National Assembly.", "closest"),
        ("Who is the president of Lund?", "Bo Lind came to Lund as the first German president.", "closest"),
        ("Who is the president of Lund?", "The former president of Lund was Bo Lind.", "closest"),
        ("Who was the president of Lund?", "The former president of Lund was Bo Lind.", "answered"),
        ("Who was Anna Berg's teacher?", "Anna Berg was called the teacher of all by the smiths of Lund.", "closest"),
        ("Who was Anna Berg's teacher?", "Anna Berg had Bo Lind as a teacher.", "answered"),
    ],
)
def test_an_office_is_answered_by_the_name_of_its_holder(question: str, text: str, verdict: str) -> None:
    assert _verdict(question, text, 0.7) == verdict


@pytest.mark.parametrize(
    ("question", "text", "verdict"),
    [
        ("Who designed C#?", "Anna Berg designed C in Lund.", "closest"),
        ("Who designed C#?", "Anna Berg designed C# in Lund.", "answered"),
        ("Who designed C++?", "Anna Berg designed C# in Lund.", "closest"),
        ("Who designed A* in Lund?", "Anna Berg designed a lamp in Lund.", "closest"),
        ("Who designed A* in Lund?", "Anna Berg designed A* in Lund.", "answered"),
        ("Who designed *a* lamp in Lund?", "Anna Berg designed one lamp in Lund.", "answered"),
    ],
)
def test_a_letter_with_a_sign_is_another_name_than_the_letter(question: str, text: str, verdict: str) -> None:
    assert _verdict(question, text, 0.7) == verdict


def test_what_a_population_is_said_to_be_is_no_definition_without_a_number() -> None:
    text = "The population of Lund is a mixed one. The old population of Lund rose to 900 people."
    node = NodeWithScore(node=TextNode(id_="n", text=text), score=1.0)
    idf = dict.fromkeys(question_stems("population of Lund"), 2.0)
    best, other = sentences_of(Retrieval("What is the population of Lund?", (node,), {}, idf))
    assert best.text == "The old population of Lund rose to 900 people."
    assert not other.defining


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who sold the LUX 2?", "The LUX2 was sold by Anna Berg of Oslo. Ropes were long."),
        ("Who sold the Luxor 12?", "The Luxor12 was sold by Anna Berg of Oslo. Ropes were long."),
        ("Who sold the LUX2?", "The LUX 2 was sold by Anna Berg of Oslo. Ropes were long."),
    ],
)
def test_a_name_with_a_number_is_the_same_with_and_without_a_space(tmp_path: Path, question: str, text: str) -> None:
    with open_host(tmp_path) as host:
        corpus = host.corpus("lamps", kind="article")
        corpus.ingest([Document(id_="one", text=text), Document(id_="two", text="Two lamps were sold by Bo Lind.")])
        found = HybridRetriever(corpus, top_k=2).search(question)
    assert sentences_of(found)[0].text == text.partition(". ")[0] + "."
    assert judge(weigh_evidence(found), found) == "answered"


def test_another_number_or_a_part_of_one_is_not_the_name_with_a_number(tmp_path: Path) -> None:
    with open_host(tmp_path) as host:
        corpus = host.corpus("lamps", kind="article")
        corpus.ingest([Document(id_="one", text="The LUX1 was sold by Anna Berg of Oslo. Ropes were long.")])
        for question in ("Who sold the LUX 12?", "Who sold the LUX 1.5?", "Who sold the LUX12?"):
            found = HybridRetriever(corpus, top_k=2).search(question)
            assert "lux1" not in found.idf
            assert found.question == question
            assert judge(weigh_evidence(found), found) != "answered"


def test_a_decade_with_an_apostrophe_is_that_decade() -> None:
    assert question_stems("Who sailed in the 1950's?") == ["sail", "1950s"]


def test_a_misspelt_name_is_the_one_of_the_chunks_that_were_found(tmp_path: Path) -> None:
    with open_host(tmp_path) as host:
        corpus = host.corpus("crew", kind="article")
        corpus.ingest([Document(id_="one", text="The captain of the ship was Anna Jonson of Oslo. Ropes were long.")])
        search = HybridRetriever(corpus, top_k=3).search
        found = search("Which ship had captain Jonsen?")
        assert found.question == "Which ship had captain Jonson?"
        assert found.spelling.corrections == {"jonsen": "jonson"}
        assert not found.spelling.unknown
        for question in ("Which ship had captain Monson?", "Which ship had a jonsen?", "Which ship had Osla?"):
            assert search(question).question == question


def test_a_name_of_its_own_is_no_misspelt_one(tmp_path: Path, model_cache: Path) -> None:
    with Host(Settings(data_dir=tmp_path, cache_dir=model_cache)) as host:
        corpus = host.corpus("crew", kind="article")
        corpus.ingest([Document(id_="one", text="The captain of the ship was Maria Berg of Oslo.")])
        found = HybridRetriever(corpus, top_k=3).search("Which ship had captain Marie Berg?")
    assert found.question == "Which ship had captain Marie Berg?"


@pytest.mark.parametrize(
    ("question", "text", "heading", "verdict"),
    [
        ("Why did the keel rot?", "Ana: Why did the keel rot?\n\nBo: It had too little tar.", "", "answered"),
        ("Why did the keel rot?", "It had too little tar.", "Why did the keel rot?", "answered"),
        ("Why did the mast rot?", "Ana: Why did the keel rot?\n\nBo: It had too little tar.", "", "closest"),
        ("Why did the mast rot?", "It had too little tar.", "Why did the keel rot?", "closest"),
        ("How many new ropes need we?", "Ana: How many do we need then?\n\nBo: Half as many as boats.", "", "closest"),
        ("How many ropes are needed?", "Ana: How many do we need then?\n\nBo: Half as many as boats.", "", "closest"),
        (
            "How many new ropes need we?",
            "Ana: How many ropes do we need?\n\nBo: Half as many as boats.",
            "",
            "answered",
        ),
        (
            "Which rope has the Ada?",
            "Use the Ada. Its ropes are new. Bo: Which rope?\n\nA: The red one.",
            "",
            "answered",
        ),
        ("Which rope has Osla?", "Use the Ada. Its ropes are new. Bo: Which rope?\n\nA: The red one.", "", "closest"),
        ("When did the keel rot?", "Ana: Why did the keel rot?\n\nBo: It had too little tar.", "", "closest"),
        ("Why did the keel rot?", "Ana: Why did the keel not rot?\n\nBo: It had much tar.", "", "closest"),
    ],
)
def test_what_replies_to_the_same_question_answers_it(question: str, text: str, heading: str, verdict: str) -> None:
    assert _verdict(question, text, 0.2, heading) == verdict


@pytest.mark.parametrize(
    ("question", "verdict"),
    [("What does the second pump cost?", "answered"), ("What does the first pump cost?", "closest")],
)
def test_the_second_thing_is_not_the_first(question: str, verdict: str) -> None:
    assert _verdict(question, "The second pump costs 480 euros.", 0.7) == verdict


def test_a_line_of_a_log_names_no_version() -> None:
    question = "How many mussels did we harvest on the pier?"
    assert _verdict(question, "17:05 Harvested 1.2 kg of mussels on the pier.", 0.6) == "answered"


@pytest.mark.parametrize(
    ("question", "text", "verdict"),
    [
        ("Who paints the hull on Sunday?", "I will paint the hull on Sunday.", "answered"),
        ("Who has a key to the shed?", "Has a key to the shed.", "answered"),
        ("Who paints the hull on Sunday?", "I hope they paint the hull on Sunday.", "closest"),
        ("Who paints the hull on Sunday?", "The hull is painted on Sunday.", "closest"),
        ("Who paints the hull on Sunday?", "Paint the hull on Sunday.", "closest"),
        ("Who can paint the hull on Sunday?", "Paint the hull on Sunday.", "closest"),
    ],
)
def test_a_writer_who_is_shown_is_the_one_who_does_it(question: str, text: str, verdict: str) -> None:
    assert _verdict(question, text, 0.5) == "closest"
    assert _verdict(question, text, 0.5, setting="4 May, Ana Berg") == verdict


@pytest.mark.parametrize(("day", "verdict"), [("4 May", "answered"), ("May 5th", "closest")])
def test_what_was_so_on_another_day_only_comes_closest(day: str, verdict: str) -> None:
    text = "On 4 May the pump of the barge failed. The winch was sold on May 5th."
    assert _verdict(f"Did the pump of the barge fail on {day}?", text, 0.7) == verdict


@pytest.mark.parametrize(
    ("question", "sentence", "heading", "is_other"),
    [
        ("Did it fail on 4 May?", "2026-05-04 10:00 It failed", "", False),
        ("Did it fail on 4 May?", "2026-05-05 10:00 It failed", "", True),
        ("Did it fail on May 4?", "It failed.", "Log of 5 May 2026", True),
        ("Did it fail on 2026-05-04?", "It failed on May 4th.", "Log of 5 May 2026", False),
        ("Did it fail before 4 May?", "It failed on 3 May.", "", False),
        ("Did it fail?", "It failed on 3 May.", "", False),
    ],
)
def test_days_are_compared_however_they_are_written(
    question: str, sentence: str, heading: str, *, is_other: bool
) -> None:
    assert is_of_other_day(question, sentence, heading) is is_other


@pytest.mark.parametrize(
    ("question", "text", "verdict"),
    [
        ("Are pets allowed?", "No pets. The pool opens at eight.", "answered"),
        ("Can I bring pets?", "- No pets\n- No smoking in the rooms\n- The pool opens at eight", "answered"),
        ("Do we use pesticides?", "2026-05-04: No pesticides. We ordered ladybirds.", "answered"),
        ("Are pets allowed in the sauna?", "No pets. The pool opens at eight.", "closest"),
        ("Is parking free?", "No parking fees for trucks.", "closest"),
        ("Is smoking harmful?", "No smoking.", "closest"),
    ],
)
def test_no_with_a_thing_denies_that_it_is_allowed_or_used(question: str, text: str, verdict: str) -> None:
    assert _verdict(question, text, 0.4, heading="Rules") == verdict


@pytest.mark.parametrize(
    ("question", "text", "verdict"),
    [
        ("How long does a drum last?", "A winch is of steel. In summer it lasts ten years.", "closest"),
        ("How long does a winch last?", "A winch is of steel. In summer it lasts ten years.", "answered"),
        ("Which oil does the drum need?", "The winch needs a thin oil.", "closest"),
        ("Which oil does the winch need?", "The winch needs a thin oil.", "answered"),
        ("How much oil do ropes need?", "A winch needs two litres of oil.", "closest"),
        ("How much grease does a winch need?", "A winch needs two litres of oil.", "closest"),
        ("How much oil does a winch need?", "A winch needs two litres of oil.", "answered"),
        ("How many winches broke in the storm?", "The frost was hard. Four winches broke.", "closest"),
        ("How many winches broke in the frost?", "The frost was hard. Four winches broke.", "answered"),
        ("How many winches broke in total?", "The frost was hard. Four winches broke.", "answered"),
        ("How long does the winch run at night?", "The winch runs for two hours.", "closest"),
        ("Who brought the first pump to the quay?", "Ada Reed brought the first winch to the quay.", "closest"),
        ("Who brought the first winch to the quay?", "Ada Reed brought the first winch to the quay.", "answered"),
    ],
)
def test_what_does_it_and_the_case_that_is_asked_for_are_said(question: str, text: str, verdict: str) -> None:
    assert _verdict(question, text, 0.7) == verdict


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("How often must a steam winch be oiled?", "steam"),
        ("How deep should I sink the anchor of a yacht?", "yacht"),
        ("What should I do when a silk rope is wet?", "silk"),
    ],
)
def test_a_thing_that_no_text_has_is_not_what_advice_is_about(question: str, unknown: str) -> None:
    text = "A winch must be oiled every ten days. Sink the anchor two metres deep. When a rope is wet, dry it."
    found = _found(question, text, 0.7)
    assert judge(weigh_evidence(found), found) == "answered"
    found = replace(found, spelling=Spelling(unknown=frozenset({unknown})))
    assert judge(weigh_evidence(found), found) == "closest"


@pytest.mark.parametrize(
    ("question", "text", "verdict"),
    [
        ("Who founded the yard?", "Ada Reed was a smith. She founded the yard in 1850.", "answered"),
        ("Who sold the yard?", "Ada Reed was a smith. In 1850 she sold the yard.", "answered"),
        ("Who sold the yard?", "The smith was old. In 1850 she sold the yard.", "closest"),
        ("Who sold the yard?", "Ada Reed was a smith.\n\nIn 1850 she sold the yard.", "closest"),
        ("What was Ada Reed paid?", "Ada Reed drew the quay. She was paid 60 pounds.", "answered"),
        ("What was Ada Reed paid?", "Ada Reed drew the quay. She was paid late.", "closest"),
    ],
)
def test_who_did_it_may_be_named_in_the_sentence_before(question: str, text: str, verdict: str) -> None:
    assert _verdict(question, text, 0.35) == verdict


@pytest.mark.parametrize(
    ("question", "text", "verdict"),
    [
        ("When did Ada Reed marry?", "Ada Reed joined the yard in 1907.", "closest"),
        ("When did Ada Reed marry?", "Ada Reed and Bo Berg were married in 1907.", "answered"),
        ("How much does a winch weigh?", "A winch costs forty euros.", "closest"),
        ("How much does a winch weigh?", "A winch has forty kilograms.", "answered"),
        ("What if I have no rope?", "Put the rope on a drum.", "closest"),
    ],
)
def test_a_marriage_or_a_weight_is_said(question: str, text: str, verdict: str) -> None:
    assert _verdict(question, text, 0.6 if "if" not in question else 0.4) == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [("Coal was always the chief cargo.", "answered"), ("Coal was not the only cargo.", "closest")],
)
def test_a_word_that_no_passage_has_may_be_said_by_one_for_the_same(tmp_path: Path, text: str, verdict: str) -> None:
    with open_host(tmp_path) as host:
        corpus = host.corpus("yard", kind="article")
        corpus.ingest([Document(text=text), Document(text="The crane is new.")])
        found = HybridRetriever(corpus, top_k=2).search("What was the main cargo?")
    assert judge(weigh_evidence(found), found) == verdict


@pytest.mark.parametrize(("other", "meant"), [("The crane is new.", "decay"), ("A drop of oil helps.", None)])
def test_a_synonym_stands_for_a_word_where_all_there_are_mean_the_same(
    tmp_path: Path, other: str, meant: str | None
) -> None:
    with open_host(tmp_path) as host:
        corpus = host.corpus("yard", kind="article")
        corpus.ingest([Document(text="The owner let the yard decay."), Document(text=other)])
        found = HybridRetriever(corpus).search("Why did the yard decline?")
    assert found.spelling.corrections.get("declin") == meant
    assert sentences_of(found)[0].text == "The owner let the yard decay."


def test_no_synonym_stands_for_a_name(tmp_path: Path) -> None:
    with open_host(tmp_path) as host:
        corpus = host.corpus("yard", kind="article")
        corpus.ingest([Document(text="The cost of the winch was nine pounds.")])
        found = [HybridRetriever(corpus).search(f"What was the {word} of the winch?") for word in ("price", "Price")]
    assert [each.spelling.corrections.get("price") for each in found] == ["cost", None]


def test_a_synonym_counts_less_than_the_word() -> None:
    idf = {"begin": 1.0, "yard": 1.0}
    shares = [idf_coverage(idf, set(stem_hashes(text))) for text in ("The yard began.", "A yard starts.", "A yard.")]
    assert shares == [1.0, 0.75, 0.5]


def test_she_is_the_one_that_the_sentence_before_names() -> None:
    text = "The plans were kept by Ada Reed. She is thought to be the first diver of such a depth."
    assert _verdict("Who was the first diver of such a depth?", text, 0.4) == "answered"


@pytest.mark.parametrize(
    ("question", "verdict"), [("Who bought the canal?", "closest"), ("How hot is the canal outside?", "answered")]
)
def test_a_word_that_is_everywhere_does_not_answer(question: str, verdict: str) -> None:
    found = _found(question, "Ada Reed saw the canal, whose wall reaches 90 °C.", 0.7)
    found = replace(found, idf={stem: 0.1 if stem == "canal" else 2.9 for stem in found.idf})
    assert judge(weigh_evidence(found), found) == verdict


@pytest.mark.parametrize(
    ("question", "text", "verdict"),
    [
        ("What does Ada prefer?", "Bo prefers ropes of hemp.", "closest"),
        ("What does Ada prefer?", "Ada prefers ropes of hemp.", "answered"),
        ("What does Ada prefer?", "Ada is old. She prefers ropes of hemp.", "answered"),
        ("What do I prefer?", "Bo prefers ropes of hemp.", "closest"),
        ("What do I prefer?", "I prefer ropes of hemp.", "answered"),
        ("How high is the grant?", "The grant is 15 percent.", "answered"),
        ("How much is the wax?", "The wax is for 12 boats.", "closest"),
        ("How much is the wax?", "The wax is 12 EUR.", "answered"),
        ("How large is the hut?", "No smoking in the hut.", "closest"),
        ("Where is the drill?", "The drill is loud.", "closest"),
        ("Where is the drill?", "The drill is loud on Tuesdays.", "closest"),
        ("Where is the drill?", "The drill is behind the door.", "answered"),
        ("Where is the drill?", "Drill 7, B 1.03, oiled.", "answered"),
        ("What is wrong with the dredger of the harbour?", "The dredger of the harbour has a crack.", "answered"),
        ("Who has the watch on 27 June?", "Ada Reed has the watch on 27 and 28 June.", "answered"),
        ("Who has the watch on 9 June?", "Ada Reed has the watch from 7 to 11 June.", "answered"),
        ("Who has the watch on 12 June?", "Ada Reed has the watch from 7 to 11 June.", "closest"),
    ],
)
def test_of_another_one_another_day_or_no_amount(question: str, text: str, verdict: str) -> None:
    assert _verdict(question, text, 0.7) == verdict


@pytest.mark.parametrize(
    ("question", "text", "verdict"),
    [
        ("How much funding does the harbour have?", "Funding: ERC, 1.5 million EUR, until 2030.", "answered"),
        ("When is the harbour open on Saturdays?", "Open on Saturday: 9:00 to 12:00", "answered"),
        ("When was the harbour open on Saturdays?", "Open on Saturday: by boat alone, and on foot.", "closest"),
        ("When was the harbour funded?", "Fund: by boat alone, and on foot.", "closest"),
        ("Which fund does the harbour have?", "Fund: the one of the sea", "answered"),
        ("Which boat has the fund?", "Fund: what the members of a boat pay", "closest"),
        ("What did Ada want from the harbour?", "Ada: the harbour is closed at this hour, as always.", "closest"),
    ],
)
def test_a_label_of_words_of_the_question_answers_with_what_is_asked_for(
    question: str, text: str, verdict: str
) -> None:
    assert _verdict(question, text, heading="The harbour") == verdict
