"""Facts that hold for a time: ``valid_from`` and ``valid_until`` in front matter, and queries as of a day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ragstone.core import BadRequest, Question
from ragstone.plugins.iris_memory import Memory, query_memory
from tests.plugins.iris_memory.memories import open_memory, write

QUESTION = "What does the vinegar cost?"


def note(price: str, **facts: str) -> str:
    stated = "".join(f"{name}: {value}\n" for name, value in facts.items())
    return f"---\ntitle: Vinegar\n{stated}---\n\n# Vinegar\n\nThe vinegar costs {price} euros a bottle.\n"


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with open_memory(tmp_path_factory.mktemp("validity"), same_share=2) as made:
        write(made.root, "old.md", note("two", valid_until="2025-06-30"))
        write(made.root, "now.md", note("three", valid_from="2025-07-01", valid_until="2999-12-31"))
        write(made.root, "next.md", note("nine", valid_from="2999-12-31T12:00:00+02:00"))
        write(made.root, "always.md", "# Cellar\n\nVinegar stands in the cellar, behind the red door.\n")
        made.update()
        yield made


def prices(memory: Memory, as_of: datetime | None = None) -> set[str]:
    found = query_memory(QUESTION, 9, None, -1, as_of=as_of, host=memory.host)
    return {chunk.path.removesuffix(".md") for chunk in found}


@pytest.mark.parametrize(
    ("as_of", "expected"),
    [
        (None, {"now", "always"}),
        (datetime(2020, 1, 1, tzinfo=UTC), {"old", "always"}),
        (datetime(2025, 6, 30, 23, 59, tzinfo=UTC), {"old", "always"}),
        (datetime(2025, 7, 1, tzinfo=UTC), {"now", "always"}),
        (datetime(2999, 12, 31, 11, tzinfo=UTC), {"now", "next", "always"}),
        (datetime(3000, 1, 1, tzinfo=UTC), {"next", "always"}),
    ],
)
def test_only_what_holds_is_recalled(memory: Memory, as_of: datetime | None, expected: set[str]) -> None:
    assert prices(memory, as_of) == expected


def test_a_result_says_from_when_until_when(memory: Memory) -> None:
    found = query_memory(QUESTION, 9, None, -1, as_of=datetime(2025, 7, 1, tzinfo=UTC), host=memory.host)
    by_path = {chunk.path: (chunk.valid_from, chunk.valid_until) for chunk in found}
    assert by_path == {
        "now.md": (datetime(2025, 7, 1, tzinfo=UTC), datetime(2999, 12, 31, 23, 59, 59, tzinfo=UTC)),
        "always.md": (None, None),
    }


def test_the_assistant_answers_as_of_now_or_of_a_day(memory: Memory) -> None:
    assistant = memory.host.assistant("memory")
    assert "two" not in assistant.ask(QUESTION).text
    assert "three" not in assistant.ask(Question(QUESTION, filters={"as_of": "2024-01-01"})).text
    assert "two" in assistant.ask(Question(QUESTION, filters={"as_of": "2024-01-01"})).text
    with pytest.raises(BadRequest, match="is no time"):
        assistant.ask(Question(QUESTION, filters={"as_of": "soon"}))


def test_the_tool_takes_a_day(memory: Memory) -> None:
    tool: Any = memory.host.hooks.tools["working_memory"][1]
    assert "two euros" in str(tool(about=QUESTION, as_of="2024-01-01").raw_output)
    assert "two euros" not in str(tool(about=QUESTION).raw_output)


FRONT_MATTER = [
    ("valid_from: 2026-01-01\n", {}),
    ("---\nvalid_from: 1970-01-02\n---\n", {"valid_from": 86400.0}),
    ("---\nvalid_until: '1970-01-01'  # end of it\n...\n", {"valid_until": 86399.0}),
    ("---\nvalid_until: 1970-01-01T00:01:00Z\n---\n", {"valid_until": 60.0}),
    ("---\nvalid_from: soon\nvalid_until:\n---\nvalid_until: 1970-01-01\n", {}),
    ("---\nvalid_until: 9999-12-31\n", {}),
    ("---\nnested:\n  valid_from: 1970-01-02\n---\n", {}),
    ("---\nvalid_until: 9999-12-31\n---\n", {"valid_until": 253402300799.0}),
]


def test_dates_of_the_front_matter(tmp_path: Path) -> None:
    with open_memory(tmp_path, same_share=2) as memory:
        for number, (text, _) in enumerate(FRONT_MATTER):
            write(memory.root, f"{number}.md", f"{text}\nWords of {number}.\n")
        memory.update()
        known = {each.doc_id: each.metadata for each in memory.corpus.contents.documents()}
    names = ("valid_from", "valid_until")
    for number, (text, expected) in enumerate(FRONT_MATTER):
        found = known[f"{number}.md"]
        assert {name: found[name] for name in names if found.get(name) is not None} == expected, text


def test_a_file_whose_validity_changes_is_found_accordingly(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        file = write(memory.root, "price.md", note("two"))
        memory.update()
        assert prices(memory) == {"price"}
        file.write_text(note("two", valid_until="2020-01-01"), "utf-8")
        memory.update()
        assert prices(memory) == set()
        assert prices(memory, datetime(2019, 1, 1, tzinfo=UTC)) == {"price"}
