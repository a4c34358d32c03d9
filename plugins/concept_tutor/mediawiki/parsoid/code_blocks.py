"""Code blocks in the lines in which they were written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .dropped import drop_reason

if TYPE_CHECKING:
    from collections.abc import Iterator


def fenced(element: Any) -> str:
    """The code between fences that it does not hold itself; empty where there is none."""
    code = "".join(_lines(element)).replace("\r", "").replace("\0", "").strip("\n").rstrip()
    if not code.strip():
        return ""
    fence = "`" * max(3, max((len(run) for run in re.findall(r"`+", code)), default=0) + 1)
    return f"{fence}\n{code}\n{fence}"


def _lines(element: Any) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if isinstance(child.tag, str) and drop_reason(child, child.tag) is None:
            if child.tag == "br":
                yield "\n"
            yield from _lines(child)
        yield child.tail or ""
