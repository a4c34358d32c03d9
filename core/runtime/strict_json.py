"""Untrusted JSON, read strictly."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any


def parse_json(text: str) -> Any:
    """The value. Raises ``ValueError`` with a reason, also for duplicate keys, NaN, and lone surrogates."""
    try:
        value = json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_no_constant, parse_float=_finite)
        if "\\u" in text:  # only an escape can bring in what UTF-8 cannot hold
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise ValueError("holds a lone surrogate, which is no character") from error
    except RecursionError as error:
        raise ValueError("is nested too deeply") from error
    return value


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        duplicate, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f"the key {duplicate[:60]!r} is there twice in one object")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"the number {digits[:40]} is too large")
    return value
