"""A cache of what one revision of a corpus holds."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

#: Bytes that an entry takes besides its value.
_ENTRY_BYTES = 200


class RevisionCache:
    """Values of one revision, dropped when another revision is asked about. Safe to use from several threads."""

    def __init__(self, most_bytes: int) -> None:
        """``most_bytes``: of arrays (``nbytes``), bytes and the entries themselves; other values count as nothing."""
        self._most = most_bytes
        self._lock = threading.Lock()
        self._revision: Hashable = None
        self._values: dict[Hashable, Any] = {}
        self._bytes = 0

    def get(self, revision: Hashable, key: Hashable, compute: Callable[[], Any]) -> Any:
        """The value of the key, computed when it is not there."""
        return self.get_many(revision, [key], lambda _missing: {key: compute()})[key]

    def get_many(
        self, revision: Hashable, keys: Sequence[Hashable], compute: Callable[[list[Any]], Mapping[Any, Any]]
    ) -> dict[Any, Any]:
        """The values by key; ``compute`` gets the keys that are not there and returns their values."""
        with self._lock:
            if revision != self._revision:
                self._revision, self._values, self._bytes = revision, {}, 0
            found = {key: self._values[key] for key in keys if key in self._values}
        missing = [key for key in keys if key not in found]
        if missing:
            fresh = compute(missing)
            found |= fresh
            added = sum(_ENTRY_BYTES + _size(value) for value in fresh.values())
            with self._lock:
                if revision == self._revision:  # else it has changed meanwhile
                    if self._bytes + added > self._most:
                        self._values, self._bytes = {}, 0
                    self._values |= fresh
                    self._bytes += added
        return found


def _size(value: Any) -> int:
    return len(value) if isinstance(value, bytes) else getattr(value, "nbytes", 0)
