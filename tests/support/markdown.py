"""What tests read of a document of ours: its sections, and its blocks of Python."""

from __future__ import annotations

import re

#: The modules whose names an author may use.
PUBLIC_MODULES = {"ragstone.core", "ragstone.core.pages"} | {
    f"ragstone.core.{name}"
    for name in [
        *("answering", "catalog", "citations", "cli", "errors", "host", "ingestion", "llm"),
        *("retrieval", "runtime", "testing", "text"),
    ]
}

_HEADING = re.compile(r"^(#{2,3}) (.+)$", re.MULTILINE)
_FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def sections(text: str) -> dict[str, str]:
    """Heading of the second or third level → the text below it, up to the next one."""
    found = list(_HEADING.finditer(text))
    ends = [*(match.start() for match in found[1:]), len(text)]
    return {match[2]: text[match.end() : end] for match, end in zip(found, ends, strict=True)}


def python_blocks(text: str) -> list[str]:
    """The text of each block that is marked as Python, in order."""
    return _FENCE.findall(text)
