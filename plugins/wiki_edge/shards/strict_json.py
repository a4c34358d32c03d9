"""Untrusted JSON: what two parsers could understand differently is refused."""

from __future__ import annotations

import json
import math
from typing import Any


def parse(text: str) -> Any:
    """The value. Raises ``ValueError`` with a reason, also for duplicate keys, NaN, and lone surrogates."""
    try:
        value = json.loads(text, object_pairs_hook=_without_twins, parse_constant=_no_constant, parse_float=_finite)
    except RecursionError as error:
        raise ValueError("is nested too deeply") from error
    if "\\u" in text:  # only an escape can bring in what UTF-8 cannot hold
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise ValueError("holds a lone surrogate, which is no character") from error
        except RecursionError as error:
            raise ValueError("is nested too deeply") from error
    return value


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twin = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {twin[:60]!r} stands twice in one object")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"the number {digits[:40]} is too large")
    return value
