"""The answers that ``python -m bench.grading`` grades."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from bench.grading import learner_answers


@pytest.mark.data
def test_every_span_is_where_it_was_and_in_one_half(data: Path) -> None:
    halves = learner_answers(data)
    assert {name: len(rows) for name, rows in halves.items()} == {"tune": 2016, "check": 479, "later": 451}
    unread = {row["span"] for name in ("check", "later") for row in halves[name]}
    assert not unread & {row["span"] for row in halves["tune"]}
    for rows in halves.values():
        assert all(row["key"] and row["key"] in row["span"] for row in rows)
        assert Counter(row["grade"] for row in rows).keys() == {"right", "partly", "wrong"}


@pytest.mark.data
def test_a_text_that_has_changed_is_named(data: Path, tmp_path: Path) -> None:
    for name in ("wikipedia/squad13/corpus.jsonl", "tutor/metacademy.jsonl"):
        (tmp_path / name).parent.mkdir(parents=True)
        shutil.copy(data / name, tmp_path / name)
    shutil.copytree(data / "books", tmp_path / "books", ignore=shutil.ignore_patterns("*.pdf", "multirobot"))
    changed = tmp_path / "tutor/metacademy.jsonl"
    changed.write_text(changed.read_text("utf-8").replace("successes", "failures"), "utf-8")
    with pytest.raises(ValueError, match=r"tutor/metacademy\.jsonl has another text"):
        learner_answers(tmp_path)
