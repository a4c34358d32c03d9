"""Putting books on the shelf, bringing them up to date, taking them off."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragstone.core import BadRequest, Host, NotFound, SourceError, StorageBusy
from ragstone.core.runtime import file_lock, limited_to
from ragstone.core.testing import open_host
from ragstone.plugins.book_chat import AddReport, Shelf
from tests.support.third_party_fakes import add_book


def test_only_what_changed_is_embedded_again(shelf: Shelf, small_book: Path) -> None:
    first = shelf.add(shelf.plan(small_book), title="Parts")
    assert (first.added, first.chunks) == (["01-wheels.md", "02-arms.md"], 4)
    (small_book / "03-legs.md").write_text("# Legs\n\nLegs walk.\n", "utf-8")
    (small_book / "01-wheels.md").unlink()
    arms = small_book / "02-arms.md"
    arms.write_text(arms.read_text("utf-8").replace("40 newtons", "45 newtons"), "utf-8")
    second = shelf.add(shelf.plan(small_book), title="Parts")
    assert (second.added, second.updated, second.unchanged, second.removed) == (
        ["03-legs.md"],
        ["02-arms.md"],
        [],
        ["01-wheels.md"],
    )
    assert [(book.slug, book.files) for book in shelf.counted()] == [("parts", 2)]


def test_a_chunk_keeps_its_id_while_its_text_stays(shelf: Shelf, small_book: Path) -> None:
    shelf.add(shelf.plan(small_book), title="Parts")
    before = {node.text: node.node_id for node in shelf.corpus.contents.document_nodes("parts:02-arms.md")}
    arms = small_book / "02-arms.md"
    arms.write_text("# Arms\n\n## New\n\nNew text first.\n\n" + arms.read_text("utf-8"), "utf-8")
    shelf.add(shelf.plan(small_book), title="Parts")
    after = {node.text: node.node_id for node in shelf.corpus.contents.document_nodes("parts:02-arms.md")}
    assert before.items() <= after.items()
    assert len(after) == len(before) + 1


def test_editions_stand_side_by_side(shelf: Shelf, small_book: Path) -> None:
    shelf.add(shelf.plan(small_book), title="Parts")
    shelf.add(shelf.plan(small_book), title="Parts", edition="Second Edition")
    assert [book.slug for book in shelf.books()] == ["parts", "parts-second-edition"]
    shelf.remove("parts")
    assert [book.slug for book in shelf.books()] == ["parts-second-edition"]
    with pytest.raises(NotFound, match="there are: parts-second-edition"):
        shelf.remove("parts")


def test_two_new_titles_with_one_short_name_at_the_same_moment(shelf: Shelf, fast_host: Host, small_book: Path) -> None:
    other = Shelf(fast_host)  # as another process has it
    layout = shelf.plan(small_book)
    first, second = shelf.identified(layout, title="Learn C++"), other.identified(layout, title="Learn C#")
    again = other.identified(layout, title="Learn C++")
    assert first.about["book"] == second.about["book"] == "learn-c"
    assert (shelf.store(first).book, other.store(again).book) == ("learn-c", "learn-c")
    report = other.store(second)
    assert report.book.startswith("learn-c-")
    assert [(book.slug, book.title) for book in shelf.books()] == [(report.book, "Learn C#"), ("learn-c", "Learn C++")]


def test_a_slug_whose_book_another_process_stores(
    shelf: Shelf, fast_host: Host, small_book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragstone.plugins.book_chat.library.books._PATIENCE", 0)
    reading = shelf.identified(shelf.plan(small_book), title="Parts")
    locks = fast_host.settings.data_dir / "slugs"
    locks.mkdir()
    with file_lock(locks / "parts.lock", ""), pytest.raises(StorageBusy, match="stores the book 'parts'"):
        shelf.store(reading)
    assert shelf.store(reading).book == "parts"


def test_books_on_simulation_are_those_of_the_shelf_as_it_is(shelf: Shelf, small_book: Path, tmp_path: Path) -> None:
    both = "# Arms\n\n## Gazebo\n\nThe joints have damping.\n\n## Real hardware\n\nThe motors have brakes.\n"
    (tmp_path / "arms.md").write_text(both, "utf-8")
    shelf.add(shelf.plan(small_book), title="Parts")
    assert shelf.books_on_simulation() == frozenset()
    shelf.add(shelf.plan(tmp_path / "arms.md"), title="Arms")
    assert shelf.books_on_simulation() == shelf.books_on_simulation() == {"arms"}
    shelf.remove("arms")
    assert shelf.books_on_simulation() == frozenset()


def test_an_unreadable_file_is_named_and_its_old_text_stays(shelf: Shelf, small_book: Path) -> None:
    shelf.add(shelf.plan(small_book), title="Parts")
    (small_book / "01-wheels.md").write_bytes(b"# Wheels\n\n\xff\xfe broken")
    report = shelf.add(shelf.plan(small_book), title="Parts")
    assert [left.relative for left in report.left_out] == ["01-wheels.md"]
    assert "UTF-8" in report.left_out[0].reason
    assert report.removed == []
    assert shelf.corpus.contents.document_nodes("parts:01-wheels.md")


def test_a_file_that_vanishes_while_the_book_is_read(shelf: Shelf, small_book: Path) -> None:
    layout = shelf.plan(small_book)
    (small_book / "02-arms.md").unlink()
    report = shelf.add(layout, title="Parts")
    assert report.added == ["01-wheels.md"]
    assert [left.relative for left in report.left_out] == ["02-arms.md"]


def test_a_book_of_which_nothing_can_be_read_changes_nothing(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "bad.md").write_bytes(b"\xff\xff\xff")
    with pytest.raises(SourceError, match="is not UTF-8"):
        shelf.add(shelf.plan(tmp_path / "bad.md"))
    assert shelf.books() == ()


def test_a_single_file_is_divided_by_its_headings(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "one.md").write_text("# One Book\n\n## First\n\nAlpha.\n\n## Second\n\n### Deep\n\nBeta.\n", "utf-8")
    report = shelf.add(shelf.plan(tmp_path / "one.md"))
    assert report.title == "One Book"
    places = [
        (node.metadata["chapter"], node.metadata["section"])
        for node in shelf.corpus.contents.document_nodes("one-book:one.md")
    ]
    assert places == [("First", "First"), ("Second", "Deep")]


@pytest.mark.parametrize("title", ["", "  ", "x" * 256, "bell\x07"])
def test_a_title_that_cannot_be_one(shelf: Shelf, small_book: Path, title: str) -> None:
    with pytest.raises((BadRequest, SourceError)):
        shelf.add(shelf.plan(small_book), title=title or " ")


@pytest.mark.parametrize("title", ["کتاب می\u200cخواهم", "Co\u00adoperation\u200b"])
def test_a_title_with_signs_that_are_not_displayed(shelf: Shelf, tmp_path: Path, title: str) -> None:
    (tmp_path / "one.md").write_text(f"# {title}\n\nA caster is a wheel that swivels.\n", "utf-8")
    report = shelf.add(shelf.plan(tmp_path / "one.md"))
    assert report.title == title.replace("\u00ad", "").replace("\u200b", "")  # and joiners are spelling
    assert shelf.add(shelf.plan(tmp_path / "one.md"), title=report.title).book == report.book


@pytest.mark.parametrize(("first", "second"), [("Learn C++", "Learn C#"), ("Физика 1", "Химия 1")])
def test_books_of_one_short_name_stand_side_by_side(shelf: Shelf, tmp_path: Path, first: str, second: str) -> None:
    def add(name: str, title: str) -> AddReport:
        (tmp_path / name).write_text(f"# {title}\n\nThe book {name} says that a class is a type.\n", "utf-8")
        return shelf.add(shelf.plan(tmp_path / name))

    slugs = [add(name, title).book for name, title in [("a.md", first), ("b.md", second)]]
    assert slugs[0] != slugs[1]
    assert add("b.md", f"{second}!").book == slugs[1]
    assert add("b.md", second).book == slugs[1]
    assert {book.title for book in shelf.books()} == {first, second}
    shelf.remove(slugs[0])
    assert add("b.md", second).book == slugs[1]


def test_slugs_tell_books_apart(shelf: Shelf, small_book: Path) -> None:
    def slug(title: str, edition: str = "First Edition") -> str:
        return shelf.identified(shelf.plan(small_book), title=title, edition=edition).about["book"]

    assert slug("Physical AI & Humanoid Robotics") == "physical-ai-humanoid-robotics"
    assert slug("机器人学") != slug("控制论")
    assert slug("a" * 100) != slug("a" * 101)
    assert len(slug("a" * 200, "Second Edition")) <= 60


def test_the_sample_comes_to_an_empty_shelf_once(tmp_path: Path) -> None:
    with open_host(tmp_path) as host:
        host.serve()
        (book,) = Shelf(host).books()
        assert book.title == "Physical AI & Humanoid Robotics: A Primer"
        assert len(host.assistant("book_chat").examples) == 4
        Shelf(host).remove(book.slug)
    with open_host(tmp_path) as host:
        host.serve()
        assert Shelf(host).books() == ()


def test_a_single_book_offers_questions_on_its_longest_chapters(fast_host: Host, tmp_path: Path) -> None:
    book = tmp_path / "moor"
    book.mkdir()
    for number, (title, sentences) in enumerate(
        [
            ("Preface", 9),
            ("1 Peat", 5),
            ("Chapter 2: Soil of the hills", 7),
            ("Frost", 3),
            ("Exercises", 8),
            ("Rain", 1),
        ]
    ):
        said = (
            f"{title} has the property {at}, which gardeners of the moor know well." for at in range(40 * sentences)
        )
        (book / f"{number}.md").write_text(f"# {title}\n\n{' '.join(said)}\n", "utf-8")
    shelf, assistant = Shelf(fast_host), fast_host.assistant("book_chat")
    shelf.add(shelf.plan(book), title="The moor")
    assert list(assistant.examples) == [
        "What is this book about?",
        "What does the book say about “Soil of the hills”?",
        "What does the book say about “Peat”?",
        "What does the book say about “Frost”?",
    ]
    assert not any(assistant.ask(question).refused for question in assistant.examples)
    shelf.add(shelf.plan(book), title="Another moor")
    assert list(assistant.examples) == ["What is this book about?"]
    for slug in ("the-moor", "another-moor"):
        with limited_to({"book": frozenset({slug})}):
            assert len(assistant.examples) == 4
    with limited_to({"book": frozenset({"none"})}):
        assert list(assistant.examples) == []


def test_the_sample_can_be_left_out(tmp_path: Path) -> None:
    with open_host(tmp_path, options={"book_chat": {"sample": False}}) as host:
        host.serve()
        assert Shelf(host).books() == ()


def test_a_citation_opens_its_chunk_in_its_section(shelf: Shelf, small_book: Path) -> None:
    shelf.add(shelf.plan(small_book), title="Parts")
    grippers, safety = shelf.corpus.contents.document_nodes("parts:02-arms.md")
    page = shelf.source_page(safety.node_id)
    assert (page.book_title, page.chapter, page.section) == ("Parts", "Arms", "Safety")
    assert (page.previous, page.next) == (grippers.node_id, None)
    assert [(block.kind, block.in_chunk) for block in page.blocks] == [
        ("heading", False),
        ("admonition", True),
        ("paragraph", True),
    ]
    with pytest.raises(NotFound):
        shelf.source_page("no-such-passage")


def test_an_assistant_of_an_emptied_shelf_answers_how_to_add_a_book(fast_host: Host, small_book: Path) -> None:
    shelf = add_book(fast_host, small_book, "Parts")
    shelf.remove("parts")
    for question in ("What is a caster wheel?", "What is this book about?"):
        answer = fast_host.assistant("book_chat").ask(question)
        assert answer.refused
        assert answer.text.startswith("There is no book on the shelf yet.")
        assert "ragstone book add" in answer.text
