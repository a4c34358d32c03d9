"""The shards of a deployment: one searcher for each host, for as long as the host is there."""

from __future__ import annotations

import gc
from pathlib import Path
from threading import Event
from typing import Any
from weakref import ref

import pytest

from ragstone.core.retrieval import DEFAULT_THRESHOLD, calibrate
from ragstone.core.testing import open_host
from ragstone.plugins.wiki_edge import retrievers, searcher_of
from tests.plugins.wiki_edge.search.tools import write


def test_the_librarian_does_not_keep_its_host(tmp_path: Path) -> None:
    with open_host(tmp_path) as host:
        assert searcher_of(host) is searcher_of(host)
        assert "wiki_edge" in host.hooks.assistants
        host.checks()
        left = ref(host)
    del host
    gc.collect()
    assert left() is None


def test_a_question_does_not_wait_for_the_whole_calibration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    is_over = Event()

    def slow(*given: Any) -> Any:
        is_over.wait(60)
        return calibrate(*given)

    monkeypatch.setattr(retrievers, "calibrate", slow)
    monkeypatch.setattr(retrievers, "_WAITED", 0.1)
    with open_host(tmp_path, options={"wiki_edge": {"wiki": str(tmp_path / "wiki")}}) as host:
        write(host, tmp_path / "wiki", texts={f"Winch {n}": f"Winch {n} pulls a rope of {n} m." for n in range(60)})
        assert not host.assistant("wiki_edge").ask("How long is the rope of winch 7?").refused
        assert retrievers.threshold_of(host, 0.0) == DEFAULT_THRESHOLD
        is_over.set()
        assert retrievers.threshold_of(host) >= DEFAULT_THRESHOLD
        (kept,) = (host.settings.cache_dir / "wiki_edge").glob("calibration-*.json")
        assert kept.stat().st_size
