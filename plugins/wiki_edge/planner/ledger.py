"""What the remote agent may cost in a day, and what it has cost: reserved before the call, settled after it.

One SQLite file, counted in micro-cents (millionths of a cent). A reservation is one conditional ``UPDATE``, committed
and synced before anything is sent: 16 processes together never pass the cap, and what was reserved when the power went
is spent. Time only goes on: a clock that is set back stays on the day that was reached, one that leaps forward opens no
new day sooner than the machine has been running, unless the system says that a time server set it.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragstone.core import StorageError
from ragstone.core.runtime import enable_wal

from .clock import EARLIEST, Clock, day_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: Micro-cents of a cent.
CENT = 1_000_000
_BUSY_SECONDS = 20.0
_VERSION = 1
#: Seconds that two clocks of one machine may differ without anybody having set one.
_SLACK = 120.0
#: Seconds after which the time seen is written down even if nothing is spent.
_NOTED_EVERY = 60.0
#: Beyond it, nobody's budget; SQLite's whole numbers end at 2**63.
_MOST = 2**60

_TABLES = """
CREATE TABLE IF NOT EXISTS day (
    day TEXT PRIMARY KEY, spent INTEGER NOT NULL CHECK (typeof(spent) = 'integer' AND spent >= 0)) STRICT;
CREATE TABLE IF NOT EXISTS call (
    id INTEGER PRIMARY KEY AUTOINCREMENT, day TEXT NOT NULL, reserved INTEGER NOT NULL, cost INTEGER) STRICT;
CREATE TABLE IF NOT EXISTS seen (
    one INTEGER PRIMARY KEY CHECK (one = 1), time REAL NOT NULL, boot TEXT NOT NULL, anchor REAL NOT NULL,
    anchor_since REAL NOT NULL) STRICT;
"""


class LedgerError(StorageError):
    """The ledger cannot be used; without one nothing is spent."""

    title = "The ledger of the remote agent cannot be used"


@dataclass(frozen=True)
class Reservation:
    """So much of a day's budget, taken. Settled it becomes what the call cost; unsettled it stays spent."""

    id: int
    day: str
    micro_cents: int


@dataclass(frozen=True)
class Refused:
    """Nothing was reserved, and why."""

    reason: str


class Ledger:
    """Opened anew for every call, so that it is right in forks and threads."""

    def __init__(self, path: Path, *, clock: Clock | None = None, require_clock: str = "auto") -> None:
        """``require_clock``: see ``RemoteSettings.clock``."""
        self._path = path
        self._clock = clock or Clock()
        self._require_clock = require_clock

    def reserve(self, micro_cents: int, *, cap: int) -> Reservation | Refused:
        """Take so much of today's budget of ``cap`` micro-cents, for good, or nothing. Raises ``LedgerError``."""
        if micro_cents < 0 or not 0 <= cap <= _MOST:
            raise LedgerError("a price or a cap that is none")
        doubt = self._doubt()
        if doubt is not None:
            return Refused(doubt)
        with self._writing() as connection:
            day = self._today(connection)
            connection.execute("INSERT OR IGNORE INTO day (day, spent) VALUES (?, 0)", (day,))
            taken = connection.execute(
                "UPDATE day SET spent = spent + :price WHERE day = :day AND spent + :price <= :cap",
                {"price": min(micro_cents, _MOST), "day": day, "cap": cap},
            )
            if taken.rowcount != 1:
                spent = self._spent(connection, day)
                return Refused(
                    f"the day's budget does not bear it: {_cents(spent)} of {_cents(cap)} cents are spent on {day}, "
                    f"and the call may cost {_cents(micro_cents)}"
                )
            made = connection.execute("INSERT INTO call (day, reserved) VALUES (?, ?)", (day, micro_cents))
            return Reservation(int(made.lastrowid or 0), day, micro_cents)

    def settle(self, reservation: Reservation, micro_cents: int) -> None:
        """What the call did cost, once: the rest is free again, and what it cost more is spent too.

        Raises ``LedgerError``; the reservation then stays spent.
        """
        cost = min(max(micro_cents, 0), _MOST)
        with self._writing() as connection:
            settled = connection.execute(
                "UPDATE call SET cost = ? WHERE id = ? AND cost IS NULL AND reserved = ? AND day = ?",
                (cost, reservation.id, reservation.micro_cents, reservation.day),
            )
            if settled.rowcount != 1:
                raise LedgerError("the reservation is settled already, or none of this ledger's", where=str(self._path))
            connection.execute(
                "UPDATE day SET spent = max(spent - ? + ?, 0) WHERE day = ?",
                (reservation.micro_cents, cost, reservation.day),
            )

    def spent(self) -> int:
        """Micro-cents of today's budget that are gone. Raises ``LedgerError``."""
        with self._writing() as connection:
            return self._spent(connection, self._today(connection))

    def _doubt(self) -> str | None:
        """Why the clock is not to be believed, if it is not."""
        if self._clock.now() < EARLIEST:
            return f"the clock is not set: it says {day_of(max(self._clock.now(), 0.0))}"
        if self._require_clock == "never":
            return None
        synchronised = self._clock.synchronised()
        if synchronised is False:
            return "the clock is not synchronised yet ([…remote] clock)"
        if synchronised is None and self._require_clock == "always":
            return "it is not known whether the clock is synchronised"
        return None

    def _today(self, connection: sqlite3.Connection) -> str:
        """The day to book on, never an earlier one than before; notes the time.

        While nobody vouches for the clock, it is compared with the time since the machine's start from the first look
        in that start on: a clock that leaps cannot be crept after in many small steps.
        """
        now, boot, since_boot = self._clock.now(), self._clock.boot(), self._clock.since_boot()
        anchor, anchor_since = now, since_boot
        row = connection.execute("SELECT time, boot, anchor, anchor_since FROM seen").fetchone()
        if row is not None:
            seen, seen_boot = float(row[0]), str(row[1])
            if boot and boot == seen_boot and self._clock.synchronised() is not True:
                anchor, anchor_since = float(row[2]), float(row[3])
                now = min(now, anchor + max(since_boot - anchor_since, 0.0) + _SLACK)
            if boot == seen_boot and day_of(now) <= day_of(seen) and now < seen + _NOTED_EVERY:
                return day_of(seen)
            now = max(now, seen)
            anchor = max(anchor, seen) if boot != seen_boot else anchor
        connection.execute("INSERT OR REPLACE INTO seen VALUES (1, ?, ?, ?, ?)", (now, boot, anchor, anchor_since))
        return day_of(now)

    @staticmethod
    def _spent(connection: sqlite3.Connection, day: str) -> int:
        row = connection.execute("SELECT spent FROM day WHERE day = ?", (day,)).fetchone()
        return int(row[0]) if row is not None else 0

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction that has the write lock from its beginning and is on the disk at its end."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with closing(self._connected()) as connection:
                connection.execute("BEGIN IMMEDIATE")
                try:
                    self._check(connection)
                    yield connection
                except BaseException:
                    with suppress(sqlite3.Error):  # a full disk has ended the transaction already
                        connection.execute("ROLLBACK")
                    raise
                connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise LedgerError(f"cannot be used: {error}", where=str(self._path), hint=_HINT) from error
        except OSError as error:
            raise LedgerError(f"cannot be used: {error.strerror}", where=str(self._path), hint=_HINT) from error

    def _connected(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            enable_wal(connection, _BUSY_SECONDS)
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA trusted_schema = OFF")
        except BaseException:
            connection.close()
            raise
        return connection

    def _check(self, connection: sqlite3.Connection) -> None:
        """Make a new ledger, or look whether the old one is whole: it is small."""
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version == 0 and connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
            for statement in _TABLES.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {_VERSION}")
        elif version != _VERSION:
            raise LedgerError("is no ledger that this version knows", where=str(self._path), hint=_HINT)
        fault = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if fault != "ok":
            raise LedgerError(f"is damaged: {fault}", where=str(self._path), hint=_HINT)


_HINT = "the remote agent stays off until it is mended; a new ledger begins with an unspent day"


def _cents(micro_cents: int) -> str:
    return f"{micro_cents / CENT:.4f}".rstrip("0").rstrip(".")
