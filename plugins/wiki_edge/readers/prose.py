"""Plain text made readable: what removed markup leaves behind, and what is no prose at all."""

from __future__ import annotations

import re

from .articles import Block
from .sections import is_boilerplate

_SPACES = re.compile(r"[ \t\u00a0\u2002-\u200a\u202f\u3000]+")
_INVISIBLE = re.compile(r"[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u00ad\u200b\u200e\u200f\u2060\ufeff]")
#: "(; pronounced …)", "(, )": a template stood there.
_OPENED = re.compile(r"([(\[])\s*(?:[;,:/–]\s*)+")
_CLOSED = re.compile(r"(?<![\s;,:/])\s*(?:[;,:/]\s*)+([)\]])")
_EMPTY = re.compile(r"(?<!\s)\s*(?:\(\s*(?:[–—-]\s*)?\)|\[\s*\])")
_TWICE = re.compile(r"([,;:])(?:\s*[,;](?=\s))+")
_INNER = re.compile(r"([(\[])\s+|(?<!\s)\s+([)\]])")
_BEFORE_MARK = re.compile(r"(?<=\w)\s+([,.])(?=\s|$)")
_AFTER_MARK = re.compile(r"^[\s,;:.)–-]+(?=\w)")
_WORD = re.compile(r"\w")
_BLANK = re.compile(r"\n\s*\n")
_SENTENCE = re.compile(r"[.!?。؟…][\"'”’»)\]]*(?:\s|$)")
#: A line of plain text that may be a heading is at most so long, and prose is at least so long.
_LONGEST_HEADING = 80
_SHORTEST_PROSE = 120


def tidy(text: str) -> str:
    """A line of prose without the traces of removed markup; empty when nothing can be read in it."""
    line = _SPACES.sub(" ", _INVISIBLE.sub("", text))
    if not _WORD.search(line):
        return ""
    if "(" in line or "[" in line:
        line = _CLOSED.sub(r"\1", _OPENED.sub(r"\1", line))
        line = _INNER.sub(lambda found: found.group(1) or found.group(2), line)
        line = _EMPTY.sub("", line)
    line = _TWICE.sub(r"\1", line)
    return _SPACES.sub(" ", _BEFORE_MARK.sub(r"\1", line)).strip()


def opening(text: str) -> str:
    """A paragraph's first line without the marks that a removed beginning left."""
    return _AFTER_MARK.sub("", text) if text[:1] in ",;:.)" else text


def plain_blocks(text: str) -> list[Block]:
    """The paragraphs of plain text as they are."""
    paragraphs = ("\n".join(filter(None, map(tidy, part.split("\n")))) for part in _BLANK.split(text))
    return [Block(paragraph) for paragraph in paragraphs if paragraph]


def encyclopedic_blocks(text: str) -> list[Block]:
    """The paragraphs of an article whose headings are lines of their own, as in wikimedia/wikipedia.

    Nothing marks a heading there. So a line that is the usual heading of references or links ends the article, until
    a line that can only be a heading is followed by prose. A heading stays with the paragraph below it.
    """
    found: list[Block] = []
    parts = plain_blocks(text)
    dropping = headed = False
    for number, block in enumerate(parts):
        if is_boilerplate(block.text):
            dropping = True
        elif dropping and _is_heading(block.text) and number + 1 < len(parts) and _is_prose(parts[number + 1].text):
            dropping = False
        if dropping:
            continue
        if found and headed:
            block = Block(f"{found.pop().text}\n{block.text}")
        headed = _is_heading(parts[number].text)
        found.append(block)
    return found


def _is_heading(text: str) -> bool:
    return len(text) <= _LONGEST_HEADING and "\n" not in text and not _SENTENCE.search(text) and text[-1].isalnum()


def _is_prose(text: str) -> bool:
    return len(text) >= _SHORTEST_PROSE and _SENTENCE.search(text) is not None
