"""What tests read of a document of ours: its sections, and its blocks of Python."""

from __future__ import annotations

import ast
import re

#: The modules whose names an author may use.
PUBLIC_MODULES = {"ragstone.core", "ragstone.core.pages"} | {
    f"ragstone.core.{name}"
    for name in [
        *("answering", "catalog", "citations", "cli", "errors", "host", "ingestion", "llm", "parsoid"),
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


def check_names(example: str) -> None:
    """That the example uses all that it imports, and of Ragstone what an author may use."""
    tree = ast.parse(example)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "ragstone":
            assert node.module in PUBLIC_MODULES
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    imported = [
        (alias.asname or alias.name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    ]
    assert set(imported) <= names
