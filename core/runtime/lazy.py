"""A cached property that is computed under its owner's lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

from .forks import lock_owner

Value = TypeVar("Value")


class lazily(Generic[Value]):  # noqa: N801 - it is used as a decorator
    """Like ``functools.cached_property``, but computed under the owner's ``_lock``, a ``ForkSafeLock``.

    Until Python 3.12 the standard one uses a lock of the whole class besides the owner's: two threads can take them in
    opposite orders, which is a deadlock.
    """

    def __init__(self, make: Callable[[Any], Value]) -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> lazily[Value]: ...
    @overload
    def __get__(self, owner: object, kind: type) -> Value: ...
    def __get__(self, owner: Any, kind: type) -> lazily[Value] | Value:
        if owner is None:
            return self
        with owner._lock:  # noqa: SLF001 - the contract of this decorator
            made = owner.__dict__
            if self._name not in made:
                made[self._name] = self._compute(owner)
            value: Value = made[self._name]
            return value

    def _compute(self, owner: Any) -> Value:
        """Compute the value. Raises ``RecursionError`` if a plugin requires the value to compute it."""
        being_made = owner.__dict__.setdefault("_being_made", {})
        before, me = being_made.get(self._name), lock_owner()
        if before is not None and me.may_join(before):
            raise RecursionError(f"{self._name.strip('_')} is asked for while it is made")
        being_made[self._name] = me
        try:
            return self._make(owner)
        finally:
            being_made.pop(self._name, None)
