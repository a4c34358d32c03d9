"""What people are told while they wait."""

from __future__ import annotations

import pytest

from ragstone.plugins.wiki_edge.commands.progress import Clock, duration, show_progress
from ragstone.plugins.wiki_edge.shards.build import BuildProgress


def test_rate_and_remaining_time_are_of_this_run_alone() -> None:
    now = [0.0]
    clock = Clock(lambda: now[0])
    now[0] = 10.0
    assert clock.words(BuildProgress(50, 1200, resumed=1000, share=0.5)) == "50 articles, 1,200 chunks, 20.0 chunks/s"
    now[0] = 20.0
    output = clock.words(BuildProgress(60, 1400, resumed=1000, share=0.6))
    assert output == "60 articles, 1,400 chunks, 20.0 chunks/s, about 40 s left"
    now[0] = 50.0
    assert clock.words(BuildProgress(100, 2000, resumed=1000, share=1.0)).endswith("20.0 chunks/s")


@pytest.mark.parametrize(("seconds", "message"), [(0, "1 s"), (59, "59 s"), (600, "10 min"), (12_000, "3 h 20 min")])
def test_durations(seconds: float, message: str) -> None:
    assert duration(seconds) == message


def test_lines_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragstone.plugins.wiki_edge.commands.progress._EVERY", 0.0)
    with show_progress("building x") as tell:
        tell(BuildProgress(5, 10, 0, 0.25))
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err == "building x: 25.0% read, 5 articles, 10 chunks\n"
