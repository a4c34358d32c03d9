"""What the clauses are said with."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Thing = TypeVar("Thing")

#: Seconds after which something waits for what never comes, however busy the machine is.
PATIENCE = 180.0


def hold(true: object, otherwise: str) -> None:
    """Raise ``AssertionError`` with these words unless it is true."""
    if not true:
        raise AssertionError(otherwise)


def must_raise(kind: type[Exception], work: Callable[[], Any], when: str) -> None:
    """Hold that the work raises this kind of error and no other."""
    try:
        given = work()
    except kind:
        return
    except Exception as error:
        raise AssertionError(f"{when} is a {_told(error)}, not a {kind.__name__}") from error
    raise AssertionError(f"{when} is no {kind.__name__}: it gives {repr(given)[:200]}")


def must_work(work: Callable[[], Thing], what: str) -> Thing:
    """What the work gives; any error of it is told with what was done."""
    try:
        return work()
    except AssertionError:
        raise
    except Exception as error:
        raise AssertionError(f"{what} raised {_told(error)}") from error


def in_another_thread(work: Callable[[], Thing], *, seconds: float = PATIENCE) -> Thing:
    """What the work gives in a thread that made none of its things; its error is raised here.

    Raises ``AssertionError`` where it does not come back.
    """
    given: list[Thing] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            given.append(work())
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    hold(not thread.is_alive(), f"it did not come back within {seconds:g} seconds")
    if raised:
        raise raised[0]
    return given[0]


def must_be_storable(text: str, metadata: dict[str, Any], whose: str) -> None:
    """Hold that the catalog can keep both, in any database."""
    _must_be_text(text, f"{whose} words")
    for key, value in metadata.items():
        hold(isinstance(key, str), f"{whose} metadata have a key that is no string: {key!r}")
        try:
            kept = json.loads(json.dumps(value, allow_nan=False))
        except (TypeError, ValueError) as error:
            raise AssertionError(f"{whose} metadata {key!r} cannot be written as JSON: {error}") from error
        hold(kept == value, f"{whose} metadata {key!r} comes back from JSON as {kept!r}, not as {value!r}")
        for words in _strings(value):
            _must_be_text(words, f"{whose} metadata {key!r}")


def _must_be_text(words: str, what: str) -> None:
    hold("\0" not in words, f"{what} hold a NUL character, which no database takes")
    halves = any("\ud800" <= character <= "\udfff" for character in words)
    hold(not halves, f"{what} hold half of a character (a surrogate), which no database takes")


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in (*value, *value.values()):
            yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
