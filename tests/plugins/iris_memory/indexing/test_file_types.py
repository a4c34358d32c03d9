"""Which file is of which type."""

from __future__ import annotations

import json
from pathlib import Path

from ragstone.plugins.iris_memory import Memory
from tests.plugins.iris_memory.memories import open_memory, write

TYPES = {
    "prompts/system.md": ("prompt", "markdown"),
    "prompts/docs/email-etiquette.md": ("prompt", "markdown"),
    "prompts/workers/writer.md": ("prompt", "markdown"),
    "explorations/owls.md": ("exploration", "exploration"),
    "docs/architecture.md": ("note", "markdown"),
    "docs/operations/email-loop.md": ("procedure", "markdown"),
    "docs/services/digitalocean.md": ("procedure", "markdown"),
    "memory-legacy/notes/joshua-preferences.md": ("note", "markdown"),
    "memory-legacy/procedures/email.md": ("procedure", "markdown"),
    "logs/session_log.md": ("log", "log"),
    "logs/hobby_chess.md": ("log", "log"),
    "creative/owl.md": ("note", "markdown"),
    "writing/flash.md": ("note", "markdown"),
    "state.json": ("state", "state"),
    "docs/emails/2026-02-18.txt": ("email", "mail"),
    "docs/emails/2026/02/18.eml": ("email", "mail"),
    "mail/inbox.mbox": ("email", "mail"),
    "DESIGN_NOTES.md": ("note", "markdown"),
    "OPERATIONS_MANUAL.md": ("procedure", "markdown"),
    "elsewhere/deep/note.md": ("note", "markdown"),
    "elsewhere/state.json": None,
    "scripts/rag/indexer.py": None,
}
MAIL = "From: ann@x.org\nDate: Sun, 1 Feb 2026 10:00:00 +0000\nSubject: Kettle\n\nIt is red.\n"
OTHERS = {".json": json.dumps({"kettle": "red"}), ".txt": MAIL, ".eml": MAIL, ".mbox": f"From a Sun Feb  1\n{MAIL}"}


def types(memory: Memory, home: Path, *paths: str) -> dict[str, tuple[str, str] | None]:
    """The type and the strategy of each of the files, as they are remembered."""
    for path in paths:
        write(home, path, OTHERS.get(path[path.rindex(".") :], f"The kettle of {path} is red."))
    memory.update()
    known = {each.doc_id: each.metadata for each in memory.corpus.contents.documents()}
    return {
        path: (known[path]["doc_type"], known[path]["indexing"]["strategy"]) if path in known else None
        for path in paths
    }


def test_the_survey_of_the_specification(memory: Memory, home: Path) -> None:
    assert types(memory, home, *TYPES) == TYPES


def test_what_nobody_wants_to_remember(memory: Memory, home: Path) -> None:
    left_out = (".git/a.md", "a/.git/b.md", "venv/a.md", "x/venv/a.md", "a.db/a.md", "a/b.db/a.md", "c.pyc/a.md")
    kept = ("git/a.md", "a.dbx/y.md", "inventory/a.md", "notes/venv.md")
    found = types(memory, home, *left_out, "state.json.tmp/a.md", "a.md~/a.md", *kept)
    assert [path for path, each in found.items() if each] == [*kept]


def test_the_first_rule_decides_and_letters_are_no_patterns(tmp_path: Path, home: Path) -> None:
    rules = [{"pattern": "a[1].md", "type": "log"}, {"pattern": "./*/b?.md", "type": "note", "strategy": "log"}]
    with open_memory(tmp_path, map=rules, exclude=[]) as memory:
        assert types(memory, home, "a[1].md", "a1.md", "x/b1.md", "x/y/b1.md") == {
            "a[1].md": ("log", "log"),
            "a1.md": None,
            "x/b1.md": ("note", "log"),
            "x/y/b1.md": None,
        }
