"""Which file is of which type."""

from __future__ import annotations

import pytest

from ragstone.plugins.iris_memory.indexing.scan import FileType, FileTypes
from ragstone.plugins.iris_memory.settings import DEFAULT_EXCLUDE, DEFAULT_MAP, Rule

TYPES = FileTypes(DEFAULT_MAP, DEFAULT_EXCLUDE)


@pytest.mark.parametrize(
    ("path", "file_type"),
    [
        ("prompts/system.md", FileType("prompt", "markdown")),
        ("prompts/docs/email-etiquette.md", FileType("prompt", "markdown")),
        ("prompts/workers/writer.md", FileType("prompt", "markdown")),
        ("explorations/owls.md", FileType("exploration", "exploration")),
        ("docs/architecture.md", FileType("note", "markdown")),
        ("docs/operations/email-loop.md", FileType("procedure", "markdown")),
        ("docs/services/digitalocean.md", FileType("procedure", "markdown")),
        ("memory-legacy/notes/joshua-preferences.md", FileType("note", "markdown")),
        ("memory-legacy/procedures/email.md", FileType("procedure", "markdown")),
        ("logs/session_log.md", FileType("log", "log")),
        ("logs/hobby_chess.md", FileType("log", "log")),
        ("creative/owl.md", FileType("note", "markdown")),
        ("writing/flash.md", FileType("note", "markdown")),
        ("state.json", FileType("state", "state")),
        ("docs/emails/2026-02-18.txt", FileType("email", "mail")),
        ("docs/emails/2026/02/18.eml", FileType("email", "mail")),
        ("mail/inbox.mbox", FileType("email", "mail")),
        ("DESIGN_NOTES.md", FileType("note", "markdown")),
        ("OPERATIONS_MANUAL.md", FileType("procedure", "markdown")),
        ("elsewhere/deep/note.md", FileType("note", "markdown")),
        ("elsewhere/state.json", None),
        ("scripts/rag/indexer.py", None),
    ],
)
def test_the_survey_of_the_specification(path: str, file_type: FileType | None) -> None:
    assert TYPES.of(path) == file_type


@pytest.mark.parametrize(
    "path", [".git", "a/.git", "venv", "x/venv", "a.db", "a/b.db", "x.pyc", "state.json.tmp", "a.md~"]
)
def test_what_nobody_wants_to_remember(path: str) -> None:
    assert TYPES.excluded(path)


@pytest.mark.parametrize("path", ["git", "a.dbx/y", "inventory", "notes/venv.md"])
def test_what_only_looks_like_it(path: str) -> None:
    assert not TYPES.excluded(path)


def test_the_first_rule_decides_and_letters_are_no_patterns() -> None:
    rules = (Rule(pattern="a[1].md", type="log"), Rule(pattern="./*/b?.md", type="note", strategy="log"))
    types = FileTypes(rules, ())
    assert types.of("a[1].md") == FileType("log", "log")
    assert types.of("a1.md") is None
    assert types.of("x/b1.md") == FileType("note", "log")
    assert types.of("x/y/b1.md") is None
    assert FileTypes((), ()).of("a.md") is None
    assert not FileTypes((), ()).excluded("")
