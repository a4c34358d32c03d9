from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import httpx

from ragstone.web.queue_warnings import LOGGER, RareWarnings, rare_warnings

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from .conftest import Speaker, SpeakingHost


def test_a_busy_server_says_it_once_and_answers_everybody(
    host: SpeakingHost, speaker: Speaker, served: Callable[[], Any], caplog: pytest.LogCaptureFixture
) -> None:
    host.settings = host.settings.model_copy(update={"threads": 1, "queue_seconds": 60})
    speaker.pause = 0.02

    def ask(url: str) -> int:
        accept = {"Accept": "text/event-stream"}
        return httpx.post(f"{url}query", json={"question": "What is a node?"}, headers=accept, timeout=60).status_code

    with rare_warnings(), served() as url, ThreadPoolExecutor(8) as clients:
        assert [*clients.map(ask, [url] * 16)] == [200] * 16
    (result,) = (record.getMessage() for record in caplog.records if record.name == LOGGER)
    assert "[plugins.web] threads" in result
    assert not logging.getLogger(LOGGER).filters


def test_it_says_it_again_after_a_while() -> None:
    now = 0.0
    seldom = RareWarnings(lambda: now)
    result = []
    for now in (0.0, 1.0, 59.0, 61.0, 100.0, 130.0):
        record = logging.LogRecord(LOGGER, logging.WARNING, "", 0, "Task queue depth is %d", (3,), None)
        if seldom.filter(record):
            result.append((now, record.getMessage()))
    assert [when for when, _ in result] == [0.0, 61.0, 130.0]
    assert all(message.endswith("Task queue depth is 3") for _, message in result)
