"""What plugins' pages share with the web front."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from ragstone.core.pages import EventStream, ViewOptions, event
from ragstone.core.runtime import Slots


def test_a_view_has_the_options_that_it_declares() -> None:
    @ViewOptions(reach="listed", assistant="notes")
    def view() -> None: ...

    assert ViewOptions.of(view) == ViewOptions(reach="listed", assistant="notes")
    assert ViewOptions.of(print) == ViewOptions.of(None) == ViewOptions()


def test_an_unknown_reach_is_refused() -> None:
    given: Any = "everyone"
    with pytest.raises(ValueError, match="own, listed, any"):
        ViewOptions(reach=given)


@pytest.mark.parametrize("read", [0, 1])
def test_a_stream_that_is_closed_early_ends_its_events(read: int) -> None:
    ended: list[str] = []

    def events() -> Generator[str, None, None]:
        try:
            yield event({"text": "Straße"}, "delta")
            yield event([])
        finally:
            ended.append("events")

    slots = Slots(1, LookupError)
    stream = EventStream(events(), lambda: ended.append("on_close"), slots.acquire())
    with pytest.raises(LookupError):
        EventStream(events(), slot=slots.acquire())
    assert [next(stream) for _ in range(read)] == ['event: delta\ndata: {"text": "Straße"}\n\n'][:read]
    stream.close()
    assert ended == ["events", "on_close"][1 - read :]
    assert not list(stream)
    stream.close()
    EventStream(events(), slot=slots.acquire()).close()
