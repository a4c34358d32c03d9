"""The remote agent's budget: an amount is reserved before a call and settled after it.

One SQLite file, counted in micro-cents (millionths of a cent). A reservation is one conditional ``UPDATE``, committed
and synced before anything is sent: 16 processes together never exceed the cap, and what was reserved at a loss of power
is spent. Days are in UTC, and never earlier than the latest one in the ledger: a clock that is set back brings no new
budget.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ragstone.core import StorageError
from ragstone.core.runtime import enable_wal

#: Micro-cents of a cent.
CENT = 1_000_000
_BUSY_SECONDS = 20.0
_VERSION = 1
#: The largest amount; SQLite's integers end at 2**63.
_MOST = 2**60

_TABLES = """
CREATE TABLE IF NOT EXISTS day (
    day TEXT PRIMARY KEY, spent INTEGER NOT NULL CHECK (typeof(spent) = 'integer' AND spent >= 0)) STRICT;
CREATE TABLE IF NOT EXISTS call (
    id INTEGER PRIMARY KEY AUTOINCREMENT, day TEXT NOT NULL, reserved INTEGER NOT NULL, cost INTEGER) STRICT;
"""


class LedgerError(StorageError):
    """The ledger cannot be used; without it nothing is spent."""

    title = "The ledger of the remote agent cannot be used"


@dataclass(frozen=True)
class Reservation:
    """An amount taken from a day's budget. Settled it becomes the call's cost; unsettled it stays spent."""

    id: int
    day: str
    micro_cents: int


class Ledger:
    """Opened anew for every call, so that it is right in forks and threads."""

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._clock = clock

    def reserve(self, micro_cents: int, *, cap: int) -> Reservation | str:
        """Reserve the amount of today's budget of ``cap`` micro-cents, or nothing: then it is why. Raises
        ``LedgerError``."""
        if micro_cents < 0 or not 0 <= cap <= _MOST:
            raise LedgerError("the price or the cap is out of range")
        with self._writing() as connection:
            day = self._today(connection)
            connection.execute("INSERT OR IGNORE INTO day (day, spent) VALUES (?, 0)", (day,))
            taken = connection.execute(
                "UPDATE day SET spent = spent + :price WHERE day = :day AND spent + :price <= :cap",
                {"price": min(micro_cents, _MOST), "day": day, "cap": cap},
            )
            if taken.rowcount != 1:
                spent = self._spent(connection, day)
                return (
                    f"the day's budget does not cover it: {_cents(spent)} of {_cents(cap)} cents are spent on {day}, "
                    f"and the call may cost {_cents(micro_cents)}"
                )
            made = connection.execute("INSERT INTO call (day, reserved) VALUES (?, ?)", (day, micro_cents))
            return Reservation(int(made.lastrowid or 0), day, micro_cents)

    def settle(self, reservation: Reservation, micro_cents: int) -> None:
        """Replace the reservation by the call's cost, once, whether that is less or more.

        Raises ``LedgerError``; the reservation then stays spent.
        """
        cost = min(max(micro_cents, 0), _MOST)
        with self._writing() as connection:
            settled = connection.execute(
                "UPDATE call SET cost = ? WHERE id = ? AND cost IS NULL AND reserved = ? AND day = ?",
                (cost, reservation.id, reservation.micro_cents, reservation.day),
            )
            if settled.rowcount != 1:
                raise LedgerError("the reservation is settled already, or not of this ledger", where=str(self._path))
            connection.execute(
                "UPDATE day SET spent = max(spent - ? + ?, 0) WHERE day = ?",
                (reservation.micro_cents, cost, reservation.day),
            )

    def spent(self) -> int:
        """Micro-cents that are spent today. Raises ``LedgerError``."""
        with self._writing() as connection:
            return self._spent(connection, self._today(connection))

    def _today(self, connection: sqlite3.Connection) -> str:
        """The day, ``2026-01-31``, in UTC, or the latest day of the ledger where the clock was set back."""
        today = time.strftime("%Y-%m-%d", time.gmtime(max(self._clock(), 0)))
        latest = connection.execute("SELECT max(day) FROM day").fetchone()[0]
        return max(today, str(latest or ""))

    @staticmethod
    def _spent(connection: sqlite3.Connection, day: str) -> int:
        row = connection.execute("SELECT spent FROM day WHERE day = ?", (day,)).fetchone()
        return int(row[0]) if row is not None else 0

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that holds the write lock from its beginning and is on the disk at its end."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with closing(sqlite3.connect(self._path, timeout=_BUSY_SECONDS, isolation_level=None)) as connection:
                enable_wal(connection, _BUSY_SECONDS)
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("PRAGMA trusted_schema = OFF")
                with connection:
                    connection.execute("BEGIN IMMEDIATE")
                    self._check(connection)
                    yield connection
        except (sqlite3.Error, OSError) as error:
            reason = getattr(error, "strerror", None) or error
            raise LedgerError(f"cannot be used: {reason}", where=str(self._path), hint=_HINT) from error

    def _check(self, connection: sqlite3.Connection) -> None:
        """Create the tables of a new ledger; check an existing one, which is small, for damage."""
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version == 0 and connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
            for statement in _TABLES.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {_VERSION}")
        elif version != _VERSION:
            raise LedgerError("is not a ledger that this version can read", where=str(self._path), hint=_HINT)
        fault = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if fault != "ok":
            raise LedgerError(f"is damaged: {fault}", where=str(self._path), hint=_HINT)


_HINT = "the remote agent stays off until it is repaired; a new ledger begins with an unspent day"


def _cents(micro_cents: int) -> str:
    return f"{micro_cents / CENT:.4f}".rstrip("0").rstrip(".")
