"""Blocks of pages as one text, with the places of its anchors, its printed pages and its stated kinds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragstone.core.text import StatedKind  # noqa: TC001 - pydantic reads it

from .inline import MARK, Marks

if TYPE_CHECKING:
    from .page import HtmlBlock


@dataclass(frozen=True)
class Text:
    """Normalized Markdown; ``pages`` holds the offset and the label of each printed page that is known."""

    text: str
    title: str | None = None
    authors: tuple[str, ...] = ()
    kinds: tuple[StatedKind, ...] = ()
    pages: tuple[tuple[int, str], ...] = ()


def assembled(
    blocks: Iterable[HtmlBlock], marks: Marks, title: str | None = None, authors: tuple[str, ...] = ()
) -> Text:
    """The blocks as a text without marks."""
    parts: list[str] = []
    kinds: list[StatedKind] = []
    pages: list[tuple[int, str]] = []
    length = 0
    for block in blocks:
        text = ("#" * min(block.level, 6) + " " if block.level else "") + block.text
        bare = MARK.sub("", text)
        for number, found in enumerate(MARK.finditer(text)):
            if label := marks.pages.get(found[0]):
                pages.append((length + found.start() - number, label))
        if block.kind and bare:
            begins = kinds[-1][0] if kinds and kinds[-1][1:] == (length, block.kind) else length
            kinds[-1:] = [*(kinds[-1:] if begins == length else []), (begins, length + len(bare) + 2, block.kind)]
        parts.append(bare)
        length += len(bare) + 2
    whole = "\n\n".join(parts)
    whole = f"{whole}\n" if whole.strip() else ""
    clipped = ((start, min(end, len(whole)), kind) for start, end, kind in kinds)
    return Text(whole, title, authors, tuple(clipped), tuple(pages))
