"""Plans and questions of one's own books: by the host's corpus, whatever plugin made it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.schema import Document
from lxml import html

from ragstone.core import BadRequest, Host, NotFound
from ragstone.core.ingestion import IngestProgress
from ragstone.core.testing import open_host
from ragstone.plugins.book_chat import Shelf
from ragstone.plugins.concept_tutor import Lessons, NewPlan, Plan, PlanStore, plan_from_corpus
from ragstone.web import create_app
from tests.plugins.concept_tutor.material import run

PROSE = (
    "{name} is explained in this chapter of the book, step by step and with many examples from daily life in a lab. "
    "Whoever reads it to its end will know how {name} goes on in a living cell, and which parts of the cell it needs."
)
CHAPTERS = {
    "Osmosis": "osmosis: movement of water through a membrane towards a higher concentration of dissolved matter\n\n"
    "diffusion: movement of particles from a higher concentration to a lower one without any energy\n\n"
    "filtration: movement of a liquid through a sieve under pressure",
    "Mitosis": "mitosis: division of a nucleus into two equal nuclei\n\n"
    "cytokinesis: division of the cytoplasm after the nuclei have formed",
}


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp("host")
    book = write_book(folder / "cells")
    with open_host(folder, options={"concept_tutor": {"sample": False}}) as opened:
        shelf = opened.once(Shelf)
        shelf.add(shelf.plan(book))
        yield opened


def write_book(folder: Path, title: str = "Cells") -> Path:
    """An mdBook with a glossary and exercises in each chapter."""
    (folder / "src").mkdir(parents=True)
    (folder / "book.toml").write_text(f'[book]\ntitle = "{title}"\n')
    (folder / "src" / "SUMMARY.md").write_text("".join(f"- [{name}]({name.lower()}.md)\n" for name in CHAPTERS))
    for name, terms in CHAPTERS.items():
        entries = terms.replace("\n\n", "\n\n- ")
        (folder / "src" / f"{name.lower()}.md").write_text(
            f"# {name}\n\n{PROSE.format(name=name)}\n\n## Review questions\n\n{PROSE.format(name='Nothing')}\n\n"
            f"## Glossary\n\n- {entries}\n"
        )
    return folder


def test_a_plan_has_the_books_chapters_with_their_chunks(host: Host) -> None:
    made = plan_from_corpus(host, "books")
    assert [concept.name for concept in made.plan.concepts] == list(CHAPTERS)
    (prose, glossary) = made.sources["osmosis"]
    assert prose.content.startswith("Osmosis is explained")
    assert glossary.section.endswith("Glossary")
    assert (prose.page_title, prose.source, prose.licence) == ("Osmosis", "book Cells", "")
    assert not any("Nothing" in chunk.content for chunks in made.sources.values() for chunk in chunks)


def test_its_questions_are_of_the_glossary_with_its_terms_as_options(host: Host) -> None:
    slug = json.loads(run(host, "plan", "add", "--corpus", "books", "--title", "Cells", "--json"))["slug"]
    assert host.once(PlanStore).plan(slug).origin == "from “Cells”"
    made = {question.key: question for question in host.once(Lessons).questions(slug, "osmosis")}
    text = "movement of particles from a higher concentration to a lower one without any energy"
    asked = next(one for one in made.values() if text in (one.text, one.key) or text in one.text)
    assert asked.support.text in CHAPTERS["Osmosis"]
    named = "the chapter “Osmosis” of the book “Cells”"
    assert asked.explanation.startswith(f"As {named} says [")
    wrong = host.once(Lessons).answer(asked.question_id, None).feedback
    assert f"As {named} says [" in wrong
    assert wrong.count(named) == 1
    assert wrong.endswith("”.")  # a glossary has no more of it
    assert "the article on" not in wrong


def test_the_page_of_plans_makes_one_of_a_book_and_of_a_chapter(host: Host) -> None:
    client = create_app(host).test_client()
    page = html.fromstring(client.get("/concept_tutor/").text)
    (option,) = page.cssselect("#book option")
    assert (option.get("value"), option.text_content()) == ("books/cells", "Cells")
    for chapter, slug, concepts in (("", "cells", list(CHAPTERS)), (" mitosis ", "mitosis", ["Mitosis"])):
        made = client.post("/concept_tutor/plans/book", data={"book": "books/cells", "chapter": chapter})
        assert made.status_code == 303, made.text
        plan = made.location.split("/")[-2]
        assert plan.startswith(slug)
        assert [one.name for one in host.once(PlanStore).concepts(plan)] == concepts
        host.once(PlanStore).remove(plan)
    none = client.post("/concept_tutor/plans/book", data={"book": "books/cells", "chapter": "Meiosis"})
    assert none.status_code == 400
    assert html.fromstring(none.text).cssselect("[role=alert]")


def test_the_page_shows_how_many_chunks_of_the_book_are_stored(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    app, seen, add = create_app(host), list[dict[str, int]](), PlanStore.add
    (form,) = html.fromstring(app.test_client().get("/concept_tutor/").text).cssselect("form[action$=book]")
    (bar,), token = form.cssselect("progress"), form.fields["token"]

    def watched(store: PlanStore, new: NewPlan, sources: Any, on_embedded: Callable[[IngestProgress], None]) -> Plan:
        def report(progress: IngestProgress) -> None:
            on_embedded(progress)
            seen.append(app.test_client().get(bar.get("data-from")).get_json())

        return add(store, new, sources, report)

    monkeypatch.setattr(PlanStore, "add", watched)
    made = app.test_client().post("/concept_tutor/plans/book", data={"book": "books/cells", "token": token})
    assert made.status_code == 303
    host.once(PlanStore).remove(made.location.split("/")[-2])
    assert seen[-1] == {"done": 4, "of": 4}
    assert app.test_client().get(bar.get("data-from")).get_json() == {"done": 0, "of": 0}


def test_a_part_is_named_by_its_title_and_what_is_not_there_says_so(host: Host) -> None:
    made = plan_from_corpus(host, "books", part="mitosis", title="One")
    assert ([concept.name for concept in made.plan.concepts], made.plan.slug) == (["Mitosis"], "one")
    with pytest.raises(BadRequest, match="nothing to learn under 'Meiosis'"):
        plan_from_corpus(host, "books", part="Meiosis")
    host.corpus("short", kind="book").ingest([Document(text="# Mulch\n\nMulch keeps water.\n")])
    with pytest.raises(BadRequest, match="'short' has no passage of at least 30 words that explains something "):
        plan_from_corpus(host, "short")
    with pytest.raises(BadRequest, match="more than 1 documents"):
        plan_from_corpus(host, "books", most=1)
    with pytest.raises(NotFound):
        plan_from_corpus(host, "letters")


def test_what_is_learned_has_no_chapters_number_and_practice_is_no_concept(tmp_path: Path) -> None:
    code = "```python\n" + "value = 1  # A value is a number that stays\n" * 40 + "```\n"
    telling = "\n\n".join(
        f"A {name} is a part of the arm that moves it by an angle." for name in ("joint", "link", "motor")
    )
    folder = tmp_path / "arms"
    folder.mkdir()
    for number, title in enumerate(
        (
            "Chapter 1: Joints",
            "Chapter 2 - Grippers",
            "Hands of Part 2: Palms",
            "Chapter 2 Exercises: Grippers",
            "Preface",
            "Answers",
            "Review questions",
        )
    ):
        sections = f"## Story\n\n{PROSE.format(name='It')}\n\n" * 9
        (folder / f"0{number}.md").write_text(
            f"# {title}\n\n{PROSE.format(name=title)}\n\n{sections}## Listing\n\n{code}\n## Parts\n\n"
            f"{telling} {PROSE.format(name='This')}\n"
        )
    with open_host(tmp_path, options={"book_chat": {"chunk_tokens": 60, "min_chunk_tokens": 20}}) as host:
        shelf = host.once(Shelf)
        shelf.add(shelf.plan(folder), title="Arms")
        made = plan_from_corpus(host, "books")
    assert [concept.name for concept in made.plan.concepts] == ["Joints", "Grippers", "Hands of Part 2: Palms"]
    opening, first, *others = made.sources["joints"]
    assert (opening.page_title, opening.content[:10]) == ("Chapter 1: Joints", "Chapter 1:")
    assert "is a part of the arm" in first.content
    assert not any("value = 1" in chunk.content for chunk in others)


def test_a_book_of_one_file_is_learned_by_its_chapters_sections(tmp_path: Path) -> None:
    """A PDF, an EPUB and a DOCX are one document with several chapters."""
    names = {"Chapter 1. Wheels": ("", "1.1 Castors", "Hubs", "Review questions"), "Chapter 2. Legs": ("", "Knees")}
    text = "".join(
        (f"## {section}\n\n" if section else f"# {chapter}\n\n") + PROSE.format(name=section or chapter) + "\n\n"
        for chapter, sections in names.items()
        for section in sections
    )
    (tmp_path / "robots.md").write_text(f"---\ntitle: Robots\n---\n\n{text}")
    with open_host(tmp_path, options={"concept_tutor": {"sample": False}}) as host:
        shelf = host.once(Shelf)
        shelf.add(shelf.plan(tmp_path / "robots.md"))
        made = plan_from_corpus(host, "books", part="robots")
        assert made.plan.title == "Robots"
        assert [concept.name for concept in made.plan.concepts] == ["Wheels", "Castors", "Hubs", "Legs", "Knees"]
        assert made.sources["castors"][0].content.startswith("1.1 Castors is explained")
        chapters = plan_from_corpus(host, "books", part="Robots", most=3).plan.concepts
        assert [concept.name for concept in chapters] == ["Wheels", "Legs"]
        one = plan_from_corpus(host, "books", part="Robots: Chapter 2. Legs", title="Legs").plan.concepts
        assert [concept.name for concept in one] == ["Legs", "Knees"]
        with pytest.raises(BadRequest, match="nothing to learn under 'Arms'"):
            plan_from_corpus(host, "books", part="Arms")


def test_a_chapter_is_named_without_its_number(tmp_path: Path) -> None:
    names = ("Chapter 1. Wheels", "2 Legs", "Chapter 3 Arms", "4. Arms")
    text = "".join(f"# {name}\n\n{PROSE.format(name=name)}\n\n" for name in names)
    (tmp_path / "robots.md").write_text(f"---\ntitle: Robots\n---\n\n{text}")
    with open_host(tmp_path, options={"concept_tutor": {"sample": False}}) as host:
        shelf = host.once(Shelf)
        shelf.add(shelf.plan(tmp_path / "robots.md"))
        for part, name in {
            "wheels": "Wheels",
            "Chapter 1: Wheels": "Wheels",
            "robots: legs": "Legs",
            "Chapter 2. Legs": "Legs",
            "4. Arms": "Arms",
        }.items():
            made = plan_from_corpus(host, "books", part=part, title="One")
            assert [concept.name for concept in made.plan.concepts] == [name]
        with pytest.raises(BadRequest, match=r"'Arms' may be one of Chapter 3 Arms, 4\. Arms"):
            plan_from_corpus(host, "books", part="Arms")


def test_a_chapter_that_is_a_glossary_asks_for_its_terms(tmp_path: Path) -> None:
    terms = "\n\n".join(CHAPTERS.values())
    text = f"# Chapter 1. Cells\n\n{PROSE.format(name='A cell')}\n\n# Chapter 2. Cell Glossary\n\n## Terms\n\n{terms}\n"
    (tmp_path / "cells.md").write_text(f"---\ntitle: Cells\n---\n\n{text}")
    with open_host(tmp_path, options={"concept_tutor": {"sample": False}}) as host:
        shelf = host.once(Shelf)
        shelf.add(shelf.plan(tmp_path / "cells.md"))
        made = plan_from_corpus(host, "books", part="Cells")
        plan = host.once(PlanStore).add(made.plan, made.sources)
        keys = [concept.key for concept in made.plan.concepts]
        asked = " ".join(one.text for key in keys for one in host.once(Lessons).questions(plan.slug, key))
    assert "diffusion" in asked or "movement of particles" in asked


def test_a_part_that_two_books_have_is_named_with_its_book(tmp_path: Path) -> None:
    with open_host(tmp_path, options={"concept_tutor": {"sample": False}}) as host:
        shelf = host.once(Shelf)
        long = f"The {'very ' * 12}long book"
        for title in ("Cells", "Tissues", long):
            shelf.add(shelf.plan(write_book(tmp_path / title.lower(), title)))
        with pytest.raises(BadRequest, match=f"several books have a part 'Osmosis': Cells, {long}, Tissues") as error:
            plan_from_corpus(host, "books", part="Osmosis")
        assert error.value.hint == 'name it with its book: --part "Cells: Osmosis"'
        for title in ("Tissues", long):
            made = plan_from_corpus(host, "books", part=f"{title.lower()}: osmosis", title="One")
            assert {chunk.source for chunks in made.sources.values() for chunk in chunks} == {f"book {title}"}
        assert [concept.name for concept in plan_from_corpus(host, "books", part="Cells").plan.concepts] == list(
            CHAPTERS
        )
        both = plan_from_corpus(host, "books").plan
        names = [f"{title}: Osmosis" for title in ("Cells", long, "Tissues")]
        assert [concept.name for concept in both.concepts][::2] == names
        assert both.origin == f"from “Cells” and “{long}” and “Tissues”"
