"""Markdown files: their text, their front matter, and the title that they give themselves."""

from __future__ import annotations

import re
import stat
from typing import TYPE_CHECKING, Any

from ragstone.core import SourceError

from .blocks import block_parser
from .characters import without_controls
from .fields import read_yaml

if TYPE_CHECKING:
    from pathlib import Path

#: The largest file that is read, in bytes.
MAX_BYTES = 20_000_000

_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?)(?:^|\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)


def read_text(path: Path) -> str:
    """The file's text; ``SourceError`` says why there is none."""
    try:
        found = path.stat()
        size = found.st_size
        if not stat.S_ISREG(found.st_mode):  # opening a pipe would wait for somebody to write into it
            raise SourceError("is not a file", where=str(path))
        if size > MAX_BYTES:
            raise SourceError(
                f"has {size:,} bytes, more than {MAX_BYTES:,}", where=str(path), hint="split it into chapters"
            )
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise SourceError(f"cannot be read: {error.strerror or error}", where=str(path)) from error
    if b"\0" in data:
        raise SourceError(
            f"is not text: a NUL byte at offset {data.index(0)}",
            where=str(path),
            hint="save it as UTF-8 text",
        )
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise SourceError(
            f"is not UTF-8: byte {data[error.start]:#04x} at offset {error.start}",
            where=str(path),
            hint="save it as UTF-8",
        ) from error


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """The YAML between the leading ``---`` lines, and the rest; broken YAML is cut off and counts as none."""
    text = re.sub(r"\r\n?", "\n", text)
    found = _FRONT_MATTER.match(text)
    if found is None:
        return {}, text
    return read_yaml(found[1]), text[found.end() :]


def front_title(front: dict[str, Any]) -> str | None:
    """The front matter's title as one line, if it has one."""
    title = front.get("title")
    if not isinstance(title, str | int | float):
        return None
    return " ".join(without_controls(str(title)).split()) or None


def first_heading(clean: str) -> str | None:
    """The first H1 of clean Markdown."""
    tokens = block_parser("html_block", "reference", "lheading", "hr").parse(clean)
    for at, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h1":
            return " ".join(tokens[at + 1].content.split()) or None
    return None
