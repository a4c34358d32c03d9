"""Assertions of the contracts' clauses, with messages for the author of the tested part."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from typing import Any, TypeVar

from ...runtime.background import in_background

Result = TypeVar("Result")

#: Seconds after which a call hangs, however busy the machine is.
TIMEOUT = 180.0


def check(condition: object, message: str) -> None:
    """Raise ``AssertionError`` with the message unless the condition is true."""
    if not condition:
        raise AssertionError(message)


def check_raises(kind: type[Exception], work: Callable[[], Any], case: str) -> None:
    """Check that ``work`` raises this kind of error and no other; ``case`` begins the message."""
    try:
        result = work()
    except kind:
        return
    except Exception as error:
        raise AssertionError(f"{case} is a {_describe(error)}, not a {kind.__name__}") from error
    raise AssertionError(f"{case} is no {kind.__name__}: it gives {repr(result)[:200]}")


def attempt(work: Callable[[], Result], what: str) -> Result:
    """The result of ``work``. Raises ``AssertionError`` with ``what`` and the error if it fails."""
    try:
        return work()
    except AssertionError:
        raise
    except Exception as error:
        raise AssertionError(f"{what} raised {_describe(error)}") from error


def run_in_thread(work: Callable[[], Result], *, seconds: float = TIMEOUT) -> Result:
    """The result of ``work`` in a new thread; its error is raised here.

    Raises ``AssertionError`` if it does not end in time.
    """
    future = in_background(work, "ragstone-contract")
    wait([future], seconds)
    check(future.done(), f"it did not come back within {seconds:g} seconds")
    return future.result()


def check_storable(text: str, metadata: dict[str, Any], whose: str) -> None:
    """Check that any database can store the text and the metadata; ``whose`` begins the message."""
    _check_text(text, f"{whose} words")
    for key, value in metadata.items():
        check(isinstance(key, str), f"{whose} metadata have a key that is no string: {key!r}")
        try:
            decoded = json.loads(json.dumps(value, allow_nan=False))
        except (TypeError, ValueError) as error:
            raise AssertionError(f"{whose} metadata {key!r} cannot be written as JSON: {error}") from error
        check(decoded == value, f"{whose} metadata {key!r} comes back from JSON as {decoded!r}, not as {value!r}")
        for text in _strings(value):
            _check_text(text, f"{whose} metadata {key!r}")


def _check_text(text: str, what: str) -> None:
    check("\0" not in text, f"{what} hold a NUL character, which no database takes")
    surrogates = any("\ud800" <= character <= "\udfff" for character in text)
    check(not surrogates, f"{what} hold half of a character (a surrogate), which no database takes")


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in (*value, *value.values()):
            yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
