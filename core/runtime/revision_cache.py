"""A cache of what one revision of a corpus holds."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

#: Bytes that an entry takes besides its value, and that a word takes with its number in a ``dict``.
_ENTRY_BYTES = 200
_WORD_BYTES = 140


class RevisionCache:
    """Values of one revision, dropped when another revision is asked about. Safe to use from several threads.

    Where there are too many, those go that were not asked for the longest.
    """

    def __init__(self, most_bytes: int) -> None:
        """``most_bytes``: of arrays (``nbytes``), bytes, ``dict`` of words and the entries themselves; other values
        count as nothing."""
        self._most = most_bytes
        self._lock = threading.Lock()
        self._revision: Hashable = None
        self._values: OrderedDict[Hashable, Any] = OrderedDict()
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
                self._revision, self._values, self._bytes = revision, OrderedDict(), 0
            found = {key: self._values[key] for key in keys if key in self._values}
            for key in found:
                self._values.move_to_end(key)
        missing = [key for key in keys if key not in found]
        if missing:
            fresh = compute(missing)
            found |= fresh
            with self._lock:
                if revision == self._revision:  # else it has changed meanwhile
                    for key, value in fresh.items():
                        if key in self._values:  # another thread has computed it as well
                            self._bytes -= _size(self._values.pop(key))
                        self._values[key] = value
                        self._bytes += _size(value)
                    while self._bytes > self._most:
                        self._bytes -= _size(self._values.popitem(last=False)[1])
        return found


def _size(value: Any) -> int:
    if isinstance(value, dict):
        return _ENTRY_BYTES + _WORD_BYTES * len(value)
    return _ENTRY_BYTES + (len(value) if isinstance(value, bytes) else getattr(value, "nbytes", 0))
