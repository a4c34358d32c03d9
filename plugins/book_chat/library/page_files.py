"""A file of Markdown or AsciiDoc: its front matter, its words and its title."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ragstone.core import SourceError
from ragstone.core.text import StatedKind

from ..markdown.asciidoc import asciidoc_to_markdown, included_files
from ..markdown.blocks import first_heading
from ..markdown.mdx import rewrite_mdx
from ..markdown.normalization import normalize_with_kinds
from .fields import one_line, split_front_matter
from .files import ASCIIDOC, MARKDOWN, read_text

_DIALECTS: dict[str, Callable[[str], str]] = {".mdx": rewrite_mdx, **dict.fromkeys(ASCIIDOC, asciidoc_to_markdown)}
#: A heading of reStructuredText: a line with signs below it, perhaps above it too.
_RST_HEADING = re.compile(r"^(\S.{0,200})\n([=\-~^\"'#*+`:.])\2{2,}[ \t]*$", re.MULTILINE)


def read_page(path: Path) -> tuple[dict[str, Any], str, list[StatedKind]]:
    """The front matter, the normalized Markdown and its stated kinds of a page. Raises ``SourceError``."""
    front, body = split_front_matter(read_text(path))
    rewrite = _DIALECTS.get(path.suffix.lower())
    return front, *normalize_with_kinds(rewrite(body) if rewrite else body)


def title_of(front: dict[str, Any], text: str) -> str | None:
    """The title in the front matter, else the first heading."""
    return one_line(front.get("title")) or first_heading(text)


def page_title(path: Path) -> str | None:
    """The title of a page that may be unreadable, which is reported when it is read for its text."""
    try:
        if path.suffix.lower() == ".rst":
            found = _RST_HEADING.search(read_text(path)[:20_000])
            return " ".join(found[1].replace("`", "").split()) if found else None
        return title_of(*read_page(path)[:2]) if path.suffix.lower() in (*MARKDOWN, *ASCIIDOC) else None
    except SourceError:
        return None


def inclusions(path: Path) -> list[str]:
    """The files that a page includes and that are not read with it, as it names them; none of an unreadable page."""
    try:
        return included_files(read_text(path)) if path.suffix.lower() in ASCIIDOC else []
    except SourceError:
        return []
