"""What the processes of one catalog share besides its rows: queues, messages and slots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .notices import Notices
from .slots import SharedSlots

if TYPE_CHECKING:
    from ..database import Database
    from ..plugin_tables import PluginTables
    from .queue import SharedQueue


class Shared:
    """Got from ``Catalog.shared``. Safe to use from several threads."""

    def __init__(self, tables: PluginTables, database: Database) -> None:
        self._tables = tables
        self._database = database
        self._slots: list[SharedSlots] = []
        #: Messages to the other processes; with SQLite nobody hears them.
        self.notices = Notices(database.server())

    def queue(self, name: str) -> SharedQueue:
        """The queue of that name, whose jobs are done by the processes of several machines.

        Raises ``SettingsError`` for a catalog in SQLite, ``MissingExtra`` without procrastinate.
        """
        from .queue import SharedQueue

        return SharedQueue(self._tables, self._database, name)

    def slots(self, name: str, count: int) -> SharedSlots:
        """So many slots of that name for all processes; with SQLite for this process."""
        slots = SharedSlots(self._database.server(), name, count)
        self._slots.append(slots)
        return slots

    def close(self) -> None:
        for slots in self._slots:
            slots.close()
        self.notices.close()
