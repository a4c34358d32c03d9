"""Of logs and mails that are equally similar, the later."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragstone.core.testing import open_host
from ragstone.plugins.iris_memory import query_memory
from tests.plugins.iris_memory.memories import remembering
from tests.plugins.iris_memory.stored_files import File, store

WORDS = [f"word{number}" for number in range(60)]
TEXT = " ".join(WORDS)


def found(folder: Path, *files: File, **options: float) -> list[str]:
    with open_host(folder, options={"iris_memory": options}) as host:
        store(host, *files)
        return [chunk.path for chunk in query_memory(TEXT, min_relevance=-1, host=host)]


@pytest.mark.parametrize("doc_type", ["log", "email"])
def test_of_two_that_are_as_near_the_later_comes_first(doc_type: str, tmp_path: Path) -> None:
    files = File("early", TEXT, doc_type, days=50), File("late", TEXT, doc_type, days=1)
    assert found(tmp_path, *files, date_weight=0.1) == ["late", "early"]
    assert found(tmp_path, *reversed(files), date_weight=0.1) == ["late", "early"]


def test_a_note_is_as_right_as_on_its_first_day(tmp_path: Path) -> None:
    files = File("a.md", TEXT, days=300), File("b.md", " ".join(WORDS[:40]), days=1)
    assert found(tmp_path, *files, date_weight=2)[0] == "a.md"


def test_of_two_notes_of_a_day_the_later_comes_first(tmp_path: Path) -> None:
    day = {"day": "2 November 2026"}
    files = File("early", TEXT, days=50, more=day), File("late", " ".join(WORDS[:50]), days=1, more=day)
    assert found(tmp_path, *files, date_weight=2, same_share=2)[0] == "late"


def test_who_writes_from_the_future_gains_nothing(tmp_path: Path) -> None:
    files = File("future", " ".join(WORDS[:40]), "log", days=-400), File("now", TEXT, "log")
    assert found(tmp_path, *files, date_weight=2)[0] == "now"


FIRST, SECOND = (
    "We get our rope from Tidewell, because they are cheap.",
    "We get our rope from Marlow & Sons from now on.",
)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Where do we get our rope?", SECOND),
        ("Who do we get our rope from?", SECOND),
        ("Where did we get our rope?", FIRST),  # not what is so now
    ],
)
def test_what_replaces_an_earlier_text_is_quoted_first(question: str, first: str, tmp_path: Path) -> None:
    days = (("2025-03-04", FIRST), ("2025-05-11", SECOND))
    with remembering(tmp_path, {f"logs/{day}.md": f"# {day}\n\n{text}\n" for day, text in days}) as host:
        answer = host.assistant("memory").ask(question)
    assert not answer.closest
    assert answer.citations[0].quote == first


@pytest.mark.parametrize(
    ("question", "early", "late"),
    [
        ("How high is the mast?", "The mast is 14 metres high.", "The mast was painted."),
        (
            "When does the fair in the harbour end?",
            "The fair in the harbour ends on the 3rd.",
            "The end of the fair in the harbour is merry.",
        ),
    ],
)
def test_a_later_text_on_something_else_does_not_come_first(
    question: str, early: str, late: str, tmp_path: Path
) -> None:
    days = (("2025-03-04", early), ("2025-05-11", late))
    with remembering(tmp_path, {f"logs/{day}.md": f"# {day}\n\n{text}\n" for day, text in days}) as host:
        assert early in host.assistant("memory").ask(question).citations[0].quote


def test_a_later_date_moves_no_chunk_away_that_says_who_someone_is(tmp_path: Path) -> None:
    turns = "[{0} 10:00] Ana: Who is Kenji?\n[{0} 10:01] Bo: Kenji is in.\n"
    chats = {f"chats/{day}.txt": turns.format(day) for day in (f"2026-05-0{number}" for number in range(1, 9))}
    people = (
        "# Crew of 3 May 2019\n\n| Name | Role | Days |\n|---|---|---|\n| Kenji Mori | since May on trial | Friday |\n"
    )
    with remembering(tmp_path, {**chats, "crew/2019-05-03.md": people}) as host:
        answer = host.assistant("memory").ask("Who is Kenji?")
    assert "| Kenji Mori | since May on trial | Friday |" in answer.text
    assert not answer.closest
