"""Messages and slots that the processes of a catalog in PostgreSQL share."""

from __future__ import annotations

from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from faults.actors import Actor
from ragstone.core.catalog import Catalog, SharedSlots
from tests.support.patience import until
from tests.support.postgresql import Server


@pytest.fixture
def two(url: str, tmp_path: Path) -> Iterator[tuple[Catalog, Catalog]]:
    """As two processes have them: what they share goes through the server."""
    one, other = Catalog(url, tmp_path), Catalog(url, tmp_path)
    yield one, other
    one.close()
    other.close()


def test_the_other_process_hears_a_message_and_the_sender_does_not(two: tuple[Catalog, Catalog]) -> None:
    heard: list[Any] = []
    own: list[Any] = []
    one, other = (catalog.shared.notices for catalog in two)
    one.subscribe("weather", own.append)
    other.subscribe("weather", heard.append)

    def sent() -> bool:
        one.send("weather", {"rain": 3})
        return bool(heard)

    until(sent, "a message that is heard")
    assert heard[0] == {"rain": 3}
    assert not own
    one.send("other", "x" * 10_000)  # too long for PostgreSQL: dropped, and nothing else with it
    heard.clear()
    until(sent, "a message after one that was too long")


def test_messages_come_again_after_a_restart_and_a_broken_listener_stops_none(
    two: tuple[Catalog, Catalog], postgresql: Server, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[Any] = []

    def listen(message: Any) -> None:
        heard.append(message)
        raise ValueError("broken")

    one, other = (catalog.shared.notices for catalog in two)
    other.subscribe("weather", listen)

    def sent() -> bool:
        one.send("weather", len(heard))
        return bool(heard)

    until(sent, "a message")
    postgresql.stop()
    one.send("weather", "while it is away")
    postgresql.start()
    heard.clear()
    until(sent, "a message after the restart")
    assert "could not be used" in caplog.text


def test_a_catalog_in_a_file_has_nobody_to_tell(tmp_path: Path) -> None:
    catalog = Catalog(None, tmp_path)
    catalog.shared.notices.subscribe("weather", pytest.fail)
    catalog.shared.notices.send("weather", 1)
    slots = catalog.shared.slots("wikis", 2)
    assert [slots.acquire(0), slots.acquire(0), slots.acquire(0)] == [0, 1, None]
    catalog.close()


def test_two_processes_share_the_slots(two: tuple[Catalog, Catalog]) -> None:
    one, other = (catalog.shared.slots("wikis", 2) for catalog in two)
    first, second = one.acquire(0), other.acquire(0)
    assert (first, second) == (0, 1)
    assert one.acquire(0) is None
    assert other.acquire(0.1) is None
    assert two[0].shared.slots("others", 1).acquire(0) == 0
    assert second is not None
    other.release(second)
    assert one.acquire(5) == 1


def _hold(line: Connection, url: str, folder: Path) -> None:
    slots = Catalog(url, folder).shared.slots("wikis", 1)
    line.send(slots.acquire(5))
    line.recv()
    slots.release(0)


@pytest.mark.slow
def test_the_slot_of_a_killed_process_is_free(two: tuple[Catalog, Catalog], url: str, tmp_path: Path) -> None:
    slots = two[0].shared.slots("wikis", 1)
    with Actor(_hold, url, tmp_path) as holder:
        assert holder.hear() == 0
        assert slots.acquire(0) is None
    assert slots.acquire(20) == 0


def test_while_the_server_is_away_slots_are_the_processs_own(url: str, tmp_path: Path, postgresql: Server) -> None:
    catalog = Catalog(url, tmp_path)
    slots = catalog.shared.slots("wikis", 1)
    held = slots.acquire(0)
    postgresql.stop()
    try:
        assert held is not None
        slots.release(held)
        assert slots.acquire(0) == 0
    finally:
        postgresql.start()
    catalog.close()


def test_slots_without_a_server_are_given_back() -> None:
    slots = SharedSlots(None, "wikis", 1)
    assert slots.acquire(0) == 0
    assert slots.acquire(0.01) is None
    slots.release(0)
    assert slots.acquire(0) == 0
