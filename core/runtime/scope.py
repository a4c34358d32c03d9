"""The scope of a request: the documents that it may read, by the values of their metadata."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

#: The values that are allowed, by metadata key. A document without the key is not concerned.
Scope = Mapping[str, frozenset[str]]

_current: ContextVar[Scope | None] = ContextVar("ragstone_scope", default=None)


def set_scope(scope: Scope | None) -> None:
    """Let the current context, and copies of it, read only what is in the scope; ``None``: everything."""
    _current.set(scope)


def current_scope() -> Scope:
    """The scope of the current context; empty where everything may be read."""
    return _current.get() or {}


def in_scope(metadata: Mapping[str, Any]) -> bool:
    """Whether a document or a chunk with these metadata may be read in the current context."""
    return all(metadata.get(key) is None or metadata[key] in allowed for key, allowed in current_scope().items())


@contextmanager
def limited_to(scope: Scope | None) -> Iterator[None]:
    """Set the scope for the duration of the context."""
    token = _current.set(scope)
    try:
        yield
    finally:
        _current.reset(token)
