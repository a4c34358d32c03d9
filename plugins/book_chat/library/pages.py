"""A page of a book: its front matter, its words and its title."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragstone.core import SourceError

from ..markdown.blocks import first_heading
from ..markdown.mdx import rewrite_mdx
from ..markdown.normalization import normalize_with_kinds
from .fields import front_title, split_front_matter
from .files import read_text

if TYPE_CHECKING:
    from pathlib import Path

    from ragstone.core.text import StatedKind


def read_page(path: Path) -> tuple[dict[str, Any], str, list[StatedKind]]:
    """The front matter, the normalized Markdown and its stated kinds of a page. Raises ``SourceError``."""
    front, body = split_front_matter(read_text(path))
    return front, *normalize_with_kinds(rewrite_mdx(body) if path.suffix.lower() == ".mdx" else body)


def title_of(front: dict[str, Any], text: str) -> str | None:
    """The title in the front matter, else the first heading."""
    return front_title(front) or first_heading(text)


def page_title(path: Path) -> str | None:
    """The title of a page that may be unreadable, which is reported when it is read for its text."""
    try:
        return title_of(*read_page(path)[:2])
    except SourceError:
        return None
