"""A page of a book: its front matter, its words and its title."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragstone.core import SourceError

from ..markdown.blocks import first_heading
from ..markdown.mdx import rewrite_mdx
from ..markdown.normalization import normalize_markdown
from .fields import front_title, split_front_matter
from .files import read_text

if TYPE_CHECKING:
    from pathlib import Path


def read_page(path: Path) -> tuple[dict[str, Any], str]:
    """The front matter and the normalized Markdown of a page. Raises ``SourceError``."""
    front, body = split_front_matter(read_text(path))
    return front, normalize_markdown(rewrite_mdx(body) if path.suffix.lower() == ".mdx" else body)


def title_of(front: dict[str, Any], text: str) -> str | None:
    """The title in the front matter, else the first heading."""
    return front_title(front) or first_heading(text)


def page_title(path: Path) -> str | None:
    """The title of a page that may be unreadable, which is reported when it is read for its text."""
    try:
        return title_of(*read_page(path))
    except SourceError:
        return None
