"""Blocks as normalized Markdown, with the place in the text at which each page begins."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from ..markdown.blocks import LONGEST_BLOCK, captioned, fence_around, short_parts
from ..markdown.characters import escape_block, without_controls
from ..markdown.hyphenation import join_halves, vocabulary
from .model import Block

_TERMINAL = re.compile(r"[.!?:;][\"')\]”’]*$")
#: Words with which no sentence ends.
_OPEN = re.compile(
    r"\s(?:a|an|the|and|or|but|because|of|to|for|from|with|by|at|as|than|that|which|if|when|is|are|was|were)$"
)
_CHANGES = "| Revision | Date | Change |\n| --- | --- | --- |"


def to_markdown(blocks: Sequence[Block]) -> tuple[str, list[tuple[int, int]]]:
    """The text, and (page, offset) for each page that has text, in order of offsets."""
    known = vocabulary(text for block in blocks if block.kind != "code" for _, text in block.pieces)
    out: list[str] = []
    starts: list[tuple[int, int]] = []
    length = seen = 0
    for block in _joined(chain.from_iterable(map(_parts, _without_repeated_captions(blocks)))):
        prefix, suffix = "", "\n\n"
        if block.kind == "heading":
            prefix = "#" * max(1, min(block.level, 6)) + " "
        elif block.kind == "item":
            prefix = "  " * block.level
        pieces = _pieces(block, known)
        if not any(re.search(r"\w", text) for _, text in pieces):
            continue  # strokes of a figure that are set in a font
        if block.kind == "code":
            fence = fence_around("\n".join(text for _, text in pieces))
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


def _without_repeated_captions(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks; the caption of a table that goes on is there once."""
    seen: set[str] = set()
    for block in blocks:
        words = block.pieces[0][1] if block.kind == "caption" else ""
        if not words or words not in seen:
            yield block
        seen.add(words)


def _parts(block: Block) -> Iterator[Block]:
    """The block; of a long listing or table its parts."""
    ((page, text), *rest) = block.pieces
    if block.kind not in ("code", "table") or rest:
        yield block
        return
    parts = short_parts(text.split("\n"), 2 if block.kind == "table" else 0)
    for at, part in enumerate(parts):
        first, last = block.first and at == 0, block.last and at == len(parts) - 1
        yield Block(block.kind, [(page, "\n".join(part))], 0, first, last)


def _joined(blocks: Iterable[Block]) -> list[Block]:
    """Paragraphs and listings split by the end of a page or a column, joined; footnotes between stand before them."""
    out: list[Block] = []
    for block in blocks:
        at = next((at for at in reversed(range(len(out))) if out[at].kind != "note"), -1)
        last = out[at] if at >= 0 else None
        if last is not None and last.last and block.first and _goes_on(last, block):
            page, text = last.pieces[-1]
            last.pieces = [*last.pieces[:-1], (page, text + "\n"), *block.pieces]
            last.last = block.last
            out.append(out.pop(at))
        elif last is not None and last.kind == block.kind == "change" and _length(last) < LONGEST_BLOCK:
            last.pieces += block.pieces
        else:
            out.append(block)
    return out


def _length(block: Block) -> int:
    return sum(len(text) for _, text in block.pieces)


def _goes_on(last: Block, block: Block) -> bool:
    if last.kind == block.kind == "code":
        return _length(last) + _length(block) < LONGEST_BLOCK
    before = last.pieces[-1][1].rstrip()
    goes_on = block.pieces[0][1][:1].islower() or _OPEN.search(before)
    return (
        block.kind == "paragraph"
        and last.kind in ("paragraph", "item")
        and not _TERMINAL.search(before)
        and bool(goes_on)
    )


def _pieces(block: Block, known: Counter[str]) -> list[tuple[int, str]]:
    if block.kind in ("code", "table"):
        shown = [
            (page, "\n".join(without_controls(line).rstrip() for line in text.split("\n")))
            for page, text in block.pieces
        ]
        shown[0] = (shown[0][0], shown[0][1].lstrip("\n"))
        shown[-1] = (shown[-1][0], shown[-1][1].rstrip("\n"))
        return shown
    if block.kind == "change":
        rows = [(page, without_controls(text.replace("|", "\\|")).replace("\n", " | ")) for page, text in block.pieces]
        (page, first), *others = [(page, f"\n| {row} |") for page, row in rows]
        return [(page, _CHANGES + first), *others]
    whole = _without_hyphenation(block.pieces, known)
    spoken = [(page, without_controls(re.sub(r"[ \t\n]+", " ", text.replace("\xad", "")))) for page, text in whole]
    first_page, first = spoken[0]
    if block.kind == "caption":
        first = captioned(first.lstrip())
    elif block.kind in ("paragraph", "note"):
        first = escape_block(first.lstrip())
    elif block.kind == "heading":
        first = first.strip()
    spoken[0] = (first_page, first)
    spoken[-1] = (spoken[-1][0], spoken[-1][1].rstrip())
    return spoken


def _without_hyphenation(pieces: Iterable[tuple[int, str]], known: Counter[str]) -> list[tuple[int, str]]:
    """Words split at a line's end, joined; a hyphen stays where the book writes the word with one elsewhere."""
    out: list[tuple[int, str]] = []
    for page, text in pieces:
        if out and out[-1][1].endswith("\n"):
            # The second half of a word that a page's end cut goes to the page on which the word begins.
            begun, rest = out[-1][1], text
            if re.search(r"[^\W\d_][-\xad]\n$", begun) and (half := re.match(r"[^\W\d_]+\S*", rest)):
                out[-1] = (out[-1][0], join_halves(begun + half[0], known) + " ")
                text = rest[half.end() :].lstrip()
        out.append((page, join_halves(text, known)))
    return [(page, text) for page, text in out if text]
