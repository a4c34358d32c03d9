"""Blocks as normalized Markdown, with the place in the text at which each page begins."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from ..markdown.characters import escape_block, without_controls

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .model import Block

_HYPHENATED = re.compile(r"([^\W\d_]+(?:-[^\W\d_]+)*)[-\xad]\n([^\W\d_]+)")
_TERMINAL = re.compile(r"[.!?:;][\"')\]”’]*$")
_FIGURE = re.compile(r"(?:figure|fig\.)\s+(?=\S*\d)", re.IGNORECASE)


def to_markdown(blocks: Sequence[Block], first_page: int = 1) -> tuple[str, list[tuple[int, int]]]:
    """The text, and (page, offset) for each page that has text, in order of offsets."""
    known = _vocabulary(blocks)
    out: list[str] = []
    starts: list[tuple[int, int]] = []
    length, seen = 0, first_page - 1
    for block in _joined(blocks):
        prefix, suffix = "", "\n\n"
        if block.kind == "heading":
            prefix = "#" * max(1, min(block.level, 6)) + " "
        elif block.kind == "item":
            suffix = "\n" if block.level else "\n\n"
        pieces = _pieces(block, known)
        if not any(re.search(r"\w", text) for _, text in pieces):
            continue  # strokes of a figure that are set in a font
        if block.kind == "code":
            fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", pieces[0][1])), default=0))
            prefix, suffix = f"{fence}\n", f"\n{fence}\n\n"
        for at, (page, text) in enumerate(pieces):
            if page > seen:
                starts.append((page, length))
                seen = page
            chunk = (prefix if at == 0 else "") + text + (suffix if at == len(pieces) - 1 else "")
            out.append(chunk)
            length += len(chunk)
    text = "".join(out)
    return text.rstrip("\n") + "\n" if text.strip() else "", starts


def _joined(blocks: Sequence[Block]) -> list[Block]:
    """Paragraphs split by the end of a page or a column, joined."""
    out: list[Block] = []
    for block in blocks:
        last = out[-1] if out else None
        if (
            last is not None
            and block.kind == "paragraph"
            and last.kind in ("paragraph", "item")
            and last.last
            and block.first
            and not _TERMINAL.search(last.pieces[-1][1].rstrip())
            and block.pieces[0][1][:1].islower()
        ):
            page, text = last.pieces[-1]
            last.pieces = [*last.pieces[:-1], (page, text + "\n"), *block.pieces]
            last.last = block.last
        else:
            out.append(block)
    return out


def _pieces(block: Block, known: Counter[str]) -> list[tuple[int, str]]:
    if block.kind == "code":
        text = "\n".join(without_controls(line).rstrip() for line in block.pieces[0][1].split("\n"))
        return [(block.pieces[0][0], text.strip("\n"))]
    if block.kind == "table":
        rows = block.pieces[0][1].split("\n")
        return [(block.pieces[0][0], "\n".join(without_controls(row) for row in rows))]
    whole = _without_hyphenation(block.pieces, known)
    spoken = [(page, without_controls(re.sub(r"[ \t\n]+", " ", text.replace("\xad", "")))) for page, text in whole]
    first_page, first = spoken[0]
    if block.kind == "caption":
        first = "Figure: " + _FIGURE.sub("", first.lstrip(), count=1)
    elif block.kind == "paragraph":
        first = escape_block(first.lstrip())
    elif block.kind == "heading":
        first = first.strip()
    spoken[0] = (first_page, first)
    spoken[-1] = (spoken[-1][0], spoken[-1][1].rstrip())
    return spoken


def _without_hyphenation(pieces: Iterable[tuple[int, str]], known: Counter[str]) -> list[tuple[int, str]]:
    """Words split at a line's end, joined; a hyphen stays where the book writes the word with one elsewhere."""

    def joined(found: re.Match[str]) -> str:
        before, after = found[1], found[2]
        last = before.rpartition("-")[2]
        if "\xad" in found[0]:
            return before + after
        as_one, hyphenated = known[(last + after).casefold()], known[f"{before}-{after}".casefold()]
        if hyphenated > as_one or (not as_one and (after[:1].isupper() or last.isupper() or "-" in before)):
            return f"{before}-{after}"
        return before + after

    out: list[tuple[int, str]] = []
    for page, text in pieces:
        if out and out[-1][1].endswith("\n"):
            # The second half of a word that a page's end cut goes to the page on which the word begins.
            begun, rest = out[-1][1], text
            if re.search(r"[^\W\d_][-\xad]\n$", begun) and (half := re.match(r"[^\W\d_]+\S*", rest)):
                out[-1] = (out[-1][0], _HYPHENATED.sub(joined, begun + half[0]) + " ")
                text = rest[half.end() :].lstrip()
        out.append((page, _HYPHENATED.sub(joined, text)))
    return [(page, text) for page, text in out if text]


def _vocabulary(blocks: Iterable[Block]) -> Counter[str]:
    """The words that are not split, and how often."""
    words: Counter[str] = Counter()
    for block in blocks:
        if block.kind != "code":
            for _, text in block.pieces:
                words.update(re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*(?!-?\n)(?=\W|$)", text.casefold()))
    return words
