from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from ragstone.web import lanes
from tests.support.patience import until

from .conftest import Speaker, SpeakingHost


def test_a_busy_server_says_it_once_and_answers_everybody(
    host: SpeakingHost, speaker: Speaker, served: Callable[[], Any], caplog: pytest.LogCaptureFixture
) -> None:
    host.settings = host.settings.model_copy(update={"threads": 1, "queue_seconds": 60})
    speaker.pause = 0.02

    def ask(url: str) -> int:
        accept = {"Accept": "text/event-stream"}
        return httpx.post(f"{url}query", json={"question": "What is a node?"}, headers=accept, timeout=60).status_code

    with served() as url, ThreadPoolExecutor(8) as clients:
        assert [*clients.map(ask, [url] * 16)] == [200] * 16
    (result,) = (record.getMessage() for record in caplog.records if record.name == lanes.__name__)
    assert "[plugins.web] threads" in result


def test_it_says_it_again_after_a_while(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    clock, held = SimpleNamespace(now=1.0), threading.Event()
    monkeypatch.setattr(lanes, "time", SimpleNamespace(monotonic=lambda: clock.now))
    lane = lanes.Lane(1, warns=True)
    until(lambda: lane.active_count == 0)
    task = SimpleNamespace(service=held.wait, cancel=lambda: None)
    lane.add_task(task)
    until(lambda: not lane.queue)
    for clock.now in (1.0, 2.0, 60.0, 62.0, 101.0, 131.0):
        lane.add_task(task)
    held.set()
    lane.shutdown()
    said = [record.getMessage() for record in caplog.records if record.name == lanes.__name__]
    assert [message.rpartition(" ")[2] for message in said] == ["1", "4", "6"]
