"""What a query is narrowed to, and the times that people write."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ragstone.core import BadRequest
from ragstone.plugins.iris_memory.recall.filters import MemoryFilters, parse_time

NOW = datetime(2026, 2, 18, 10, 40, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("30d", timedelta(days=30)),
        (" 12H ", timedelta(hours=12)),
        ("2 w", timedelta(weeks=2)),
        ("1y", timedelta(days=365)),
        ("0d", timedelta()),
    ],
)
def test_so_long_ago_in_whole_hours(written: str, meant: timedelta) -> None:
    assert parse_time(written, NOW) == (NOW.replace(minute=0, second=0) - meant).timestamp()
    assert parse_time(written, NOW) == parse_time(written, NOW + timedelta(minutes=5))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2026-02-01", datetime(2026, 2, 1, tzinfo=UTC)),
        ("2026-02-01T10:30", datetime(2026, 2, 1, 10, 30, tzinfo=UTC)),
        ("2026-02-01T10:30+02:00", datetime(2026, 2, 1, 8, 30, tzinfo=UTC)),
    ],
)
def test_days_begin_in_utc(written: str, meant: datetime) -> None:
    assert parse_time(written, NOW) == meant.timestamp()


@pytest.mark.parametrize("written", ["", "yesterday", "-3d", "3", "3m", "2026-02-30", "9" * 400, "\x00", "d"])
def test_what_is_no_time(written: str) -> None:
    with pytest.raises(BadRequest, match="is no time"):
        parse_time(written, NOW)


def test_longer_ago_than_there_are_days() -> None:
    assert parse_time("99999y", NOW) == 0


def test_it_tells_what_it_is() -> None:
    assert str(MemoryFilters()) == ""
    result = MemoryFilters(("email", "log"), since=NOW.timestamp(), until=None, sender="ana", subject="the tank")
    assert str(result) == "type email or log, since 2026-02-18T10:40+00:00, from 'ana', subject 'the tank'"


@pytest.mark.parametrize("doc_types", [("mail",), ("note", ""), ("NOTE",), ("\ud800",)])
def test_a_type_that_there_is_not(doc_types: tuple[str, ...]) -> None:
    with pytest.raises(BadRequest, match="there is no document type"):
        MemoryFilters(doc_types)
