"""Which file is of which kind."""

from __future__ import annotations

import pytest

from ragstone.plugins.iris_memory.indexing.file_types import DEFAULT_EXCLUDE, DEFAULT_MAP, Kind, Kinds, Rule

KINDS = Kinds(DEFAULT_MAP, DEFAULT_EXCLUDE)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("prompts/system.md", Kind("prompt", "markdown")),
        ("prompts/docs/email-etiquette.md", Kind("prompt", "markdown")),
        ("prompts/workers/writer.md", Kind("prompt", "markdown")),
        ("explorations/owls.md", Kind("exploration", "exploration")),
        ("docs/architecture.md", Kind("note", "markdown")),
        ("docs/operations/email-loop.md", Kind("procedure", "markdown")),
        ("docs/services/digitalocean.md", Kind("procedure", "markdown")),
        ("memory-legacy/notes/joshua-preferences.md", Kind("note", "markdown")),
        ("memory-legacy/procedures/email.md", Kind("procedure", "markdown")),
        ("logs/session_log.md", Kind("log", "log")),
        ("logs/hobby_chess.md", Kind("log", "log")),
        ("creative/owl.md", Kind("note", "markdown")),
        ("writing/flash.md", Kind("note", "markdown")),
        ("state.json", Kind("state", "state")),
        ("docs/emails/2026-02-18.txt", Kind("email", "mail")),
        ("docs/emails/2026/02/18.eml", Kind("email", "mail")),
        ("mail/inbox.mbox", Kind("email", "mail")),
        ("DESIGN_NOTES.md", Kind("note", "markdown")),
        ("OPERATIONS_MANUAL.md", Kind("procedure", "markdown")),
        ("elsewhere/deep/note.md", Kind("note", "markdown")),
        ("elsewhere/state.json", None),
        ("scripts/rag/indexer.py", None),
    ],
)
def test_the_survey_of_the_specification(path: str, kind: Kind | None) -> None:
    assert KINDS.of(path) == kind


@pytest.mark.parametrize(
    "path", [".git", "a/.git", "venv", "x/venv", "a.db", "a/b.db", "x.pyc", "state.json.tmp", "a.md~"]
)
def test_what_nobody_wants_to_remember(path: str) -> None:
    assert KINDS.excluded(path)


@pytest.mark.parametrize("path", ["git", "a.dbx/y", "inventory", "notes/venv.md"])
def test_what_only_looks_like_it(path: str) -> None:
    assert not KINDS.excluded(path)


def test_the_first_rule_decides_and_letters_are_no_patterns() -> None:
    rules = (Rule(pattern="a[1].md", type="log"), Rule(pattern="./*/b?.md", type="note", strategy="log"))
    kinds = Kinds(rules, ())
    assert kinds.of("a[1].md") == Kind("log", "log")
    assert kinds.of("a1.md") is None
    assert kinds.of("x/b1.md") == Kind("note", "log")
    assert kinds.of("x/y/b1.md") is None
    assert Kinds((), ()).of("a.md") is None
    assert not Kinds((), ()).excluded("")
