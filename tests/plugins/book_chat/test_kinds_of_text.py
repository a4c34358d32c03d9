"""Answers are made of what explains: exercises, objectives, references and labels seen quoted in real books."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragstone.core import Answer, Host, Settings
from ragstone.core.retrieval.sentences import sentences_of
from ragstone.core.text.chunk_terms import terms_of
from ragstone.plugins.book_chat import Shelf
from ragstone.web import create_app
from tests.support.third_party_fakes import add_book

ROBOTS = """# Robots that learn

## Physical AI

### Learning objectives

- Explain how physical AI differs from traditional AI systems
- Describe what a body adds

### What it is

Physical AI acts in the world through a body with sensors and motors. Traditional AI works on data alone, so that a
mistake costs nothing but time.

## Simulation

**The key innovation: Domain Randomization**

Domain randomization trains a policy in many simulations whose friction, masses and light are drawn at random. The
policy then takes the real world for one more variation.

System identification measures a robot's real parameters, such as friction, and fits the simulation to them. Every
parameter is changed until both move alike.

## Transfer

A policy is moved to a real robot in small steps. Domain randomization trains a policy in many simulations whose masses,
light and friction are drawn at random.

## Review questions

1. Which require system identification?
2. What is domain randomization?
3. How does physical AI differ from traditional AI?

## Plastics

PET ([\\[link\\]](#sec-pet))

[\\[link\\]](#chart), is a chart of how PET is collected. PET is a polyester that is light, clear and easily recycled.

## Food

| Food | Protein (g) | Fat (g) |
| --- | --- | --- |
| Lentils | 9 | 0.4 |
| Beef | 26 | 15 |

## Changing a wheel

A worn wheel is changed at once.

1. Loosen the nuts.
2. Lift the car with the jack:

   ```
   jack --up
   ```
3. Take the wheel off.

## References

[29] J. Tobin et al., Domain randomization for transferring deep neural networks to the real world, 2017.

[30] L. Ljung, System Identification: Theory for the User, 1999.
"""
AARDVARK = """# Aardvark

The aardvark (Orycteropus afer) is a medium-sized burrowing mammal that feeds on ants and termites. It lives in Africa
south of the Sahara and is active at night.

## In culture

The Ant and the Aardvark is a cartoon of 1969. The aardvark is the antagonist of the cartoon, a blue animal that never
catches its ant. What is an aardvark without an ant?
"""
ELEMENTS = """# Pumps

<div class="chapter-objectives">

A reader of this knows how a pump moves water.

</div>

A pump moves water with a wheel that turns in a housing.

<div data-type="exercise"><div data-type="problem">

A pump moves water from a well of nine metres, and its wheel turns once a second.

</div></div>

<dl><dt>Impeller</dt><dd>The wheel of a pump, with vanes that throw the water outwards.</dd></dl>

<figure><img src="p.png"><figcaption>A pump. Its wheel turns in the housing.</figcaption></figure>

### Try it at home

A pump moves water out of a bath in a minute.
"""


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory, model_cache: Path) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp("kinds")
    with Host(Settings(data_dir=folder / "data", cache_dir=model_cache, index={"store": "none"})) as host:
        shelf = Shelf(host)
        for name, text in (("robots", ROBOTS), ("aardvark", AARDVARK)):
            (folder / f"{name}.md").write_text(text)
            shelf.add(shelf.plan(folder / f"{name}.md"), title=name.capitalize())
        yield host


def _ask(host: Host, question: str) -> Answer:
    answer: Answer = host.assistant("book_chat").ask(question)
    assert not answer.refused
    return answer


@pytest.mark.parametrize(
    ("question", "begins", "never"),
    [
        ("How does physical AI differ from traditional AI?", ("Physical AI acts", "Traditional AI works"), "Explain"),
        ("What is domain randomization?", ("Domain randomization trains a policy",), "Tobin"),
        ("What is domain randomization?", ("Domain randomization trains a policy",), "key innovation"),
        ("How does system identification work?", ("System identification measures",), "?"),
        ("What is PET?", ("PET is a polyester",), "PET ["),
        ("What is PET?", ("PET is a polyester",), "is a chart"),
        ("What is an aardvark?", ("The aardvark (Orycteropus afer) is a medium-sized",), "?"),
    ],
)
def test_what_explains_is_quoted(host: Host, question: str, begins: tuple[str, ...], never: str) -> None:
    answer = _ask(host, question)
    assert answer.text.startswith(begins)
    assert never not in answer.text


def test_the_kinds_of_a_book_are_counted_when_it_is_stored(host: Host) -> None:
    shelf = Shelf(host)
    of_chunks: dict[str, Counter[str]] = {}
    for document in shelf.corpus.contents.documents():
        for node in shelf.corpus.contents.document_nodes(document.doc_id):
            of_chunks.setdefault(node.metadata["book"], Counter()).update(terms_of(node).kinds)
    assert {book.slug: book.kinds for book in shelf.counted()} == of_chunks
    assert of_chunks["robots"]["objective"] >= 2
    assert shelf.kinds("robots") == of_chunks["robots"]
    page = create_app(host).test_client().get("/book_chat/books/robots/").get_data(as_text=True)
    assert f"<dt>objective</dt><dd>{of_chunks['robots']['objective']}</dd>" in page


def test_what_two_chapters_say_alike_is_said_once(host: Host) -> None:
    assert _ask(host, "What is domain randomization?").text.count("Domain randomization trains a policy") == 1


def test_a_row_is_quoted_with_the_header_of_its_table(host: Host) -> None:
    answer = _ask(host, "How much protein does beef have?")
    assert answer.text.startswith("| Food | Protein (g) | Fat (g) |\n| --- | --- | --- |\n| Beef | 26 | 15 |")
    assert "Beef | 26 | 15" in answer.citations[0].quote


def test_a_procedure_is_quoted_whole_where_one_is_asked_for(host: Host) -> None:
    answer = _ask(host, "How do I change a wheel?")
    steps = (
        "1. Loosen the nuts.\n2. Lift the car with the jack:\n\n   ```\n   jack --up\n   ```\n3. Take the wheel off."
    )
    assert answer.text.startswith(steps)


def test_exercises_are_quoted_where_the_question_asks_for_them(host: Host) -> None:
    assert "Which require system identification?" in _ask(host, "Which review questions on system identification?").text


@pytest.fixture
def pumps(tmp_path: Path) -> Path:
    folder = tmp_path / "pumps"
    folder.mkdir()
    (folder / "pumps.md").write_text(ELEMENTS)
    (folder / "book.toml").write_text('[ragstone.kinds]\n"Try it*" = "question"\n')
    return folder


def test_elements_and_the_owner_state_kinds(pumps: Path, tmp_path: Path, model_cache: Path) -> None:
    with Host(Settings(data_dir=tmp_path / "data", cache_dir=model_cache, index={"store": "none"})) as host:
        add_book(host, pumps, "Pumps")
        assert _ask(host, "How does a pump move water?").text.startswith("A pump moves water with a wheel")
        definition = _ask(host, "What is an impeller?")
        assert definition.text.startswith("Impeller: The wheel of a pump, with vanes that throw the water outwards.")
        found, _ = host.assistant("book_chat").retrieve_for("Which exercises are on how a pump moves water?")
    # Prose is prose: only elements, and the owner, can say what these sentences are.
    assert {each.text: each.kind for each in sentences_of(found) if each.kind != "explanation"} == {
        "A reader of this knows how a pump moves water.": "objective",
        "A pump moves water from a well of nine metres, and its wheel turns once a second.": "question",
        "Impeller: The wheel of a pump, with vanes that throw the water outwards.": "definition",
        "Its wheel turns in the housing.": "caption",
        "A pump moves water out of a bath in a minute.": "question",
    }
