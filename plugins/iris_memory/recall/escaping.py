"""Escapes a chunk for ``<working_memory>``: nothing in it closes the block, opens one, or imitates a source.

``escape_fences`` escapes the bracket that a tag begins with, which is enough for a parser. The rest is for language
models, which may read an entity, a full-width bracket or a Greek letter as what it looks like: the block's name behind
anything like a bracket is marked as quoted, and a line that imitates a source loses its bracket.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator

from ragstone.core.text import LIKE_LESS_THAN, escape_fences, strip_hidden

#: Every way to write the bracket: itself, and as HTML, URLs and JSON do.
_OPENING = r"(?:<|&(?:amp;)*(?:lt|#0*60|#x0*3c);?|%3c|\\u003c|\\x3c)"
_TAG = re.compile(rf"{_OPENING}[\W_]{{0,40}}?(?=working[\W_]{{0,8}}memory)")
_SOURCE = re.compile(r"\[(?=[\W_]{0,40}source[\W_]{0,40}:)")
_SUSPICIOUS = re.compile(r"working|memory|source", re.IGNORECASE)
#: Confusables of the characters of the block's marks: Cyrillic, Greek, Armenian, small capitals and brackets (Unicode
#: TR39; compatibility forms are decomposed before).
_LIKE = {
    "a": "\u0430\u03b1\u1d00",
    "c": "\u0441\u1d04",
    "e": "\u0435\u03b5\u1d07",
    "g": "\u0261\u0262",
    "i": "\u0456\u03b9\u0131\u01c0\u04cf\u026a",
    "k": "\u043a\u03ba\u056f\u1d0b",
    "m": "\u043c\u1d0d",
    "n": "\u043f\u03b7\u0578\u0274",
    "o": "\u043e\u03bf\u0585\u1d0f",
    "r": "\u0433\u0280",
    "s": "\u0455\u03c3\ua731",
    "u": "\u0438\u03c5\u03bc\u057d\u1d1c",
    "w": "\u051d\u0461\u03c9\u1d21",
    "y": "\u0443\u03b3\u028f",
    "<": LIKE_LESS_THAN,
    "[": "\uff3b\u2045\u3010\u3014\u3016\u2772\u27e6\u27ec\ufe5d",
    ":": "\uff1a\u2236\ua789\u02d0\u0589\ufe55",
}
_PLAIN = str.maketrans({sign: plain for plain, signs in _LIKE.items() for sign in signs})
_AMPERSANDS = re.compile(r"&(?:amp;?|#0*38;?|#x0*26;?)+", re.IGNORECASE)
_MOST_DECODINGS = 16
_LONGEST_FIELD = 400


def escaped(text: str) -> str:
    """The text without invisible characters, escaped, and without imitations of the block's marks."""
    plain = strip_hidden(text.replace("\r\n", "\n").replace("\r", "\n"))
    return escape_fences(_marked(_without_disguise(plain)))


def escaped_line(text: str) -> str:
    """The text for one field of a source's line: one line, without that line's own delimiters."""
    line = " ".join(escaped(text).split())
    line = line.replace("|", "¦").replace("[", "(").replace("]", ")")
    return f"{line[:_LONGEST_FIELD]}…" if len(line) > _LONGEST_FIELD else line


def _without_disguise(text: str) -> str:
    """The text with its entities decoded, if only that shows a mark of the block; else unchanged."""
    if "&" not in text:
        return text
    decoded = text
    for _ in range(_MOST_DECODINGS):
        further = strip_hidden(html.unescape(_AMPERSANDS.sub("&", decoded)))
        if further == decoded:
            break
        decoded = further
    else:  # only an attack is nested so deeply
        return decoded.replace("&", " ")
    return decoded if decoded != text and any(_marks(decoded)) else text


def _marked(text: str) -> str:
    """The text with the names of tags marked as quoted, and round brackets around sources."""
    parts, end = [], 0
    for start, stop, instead in sorted(_marks(text)):
        if start < end:  # two patterns found the same place
            continue
        parts += [text[end:start], instead]
        end = stop
    return "".join([*parts, text[end:]])


def _marks(text: str) -> Iterator[tuple[int, int, str]]:
    """``(start, end, replacement)`` of everything that reads like a mark of the block."""
    if text.isascii() and not _SUSPICIOUS.search(text):
        return
    seen, places = _skeleton(text)
    for found in _TAG.finditer(seen):
        place = places[found.end()]
        yield place, place, "quoted-"
    for found in _SOURCE.finditer(seen):
        place = places[found.start()]
        yield place, place + 1, "("


def _skeleton(text: str) -> tuple[str, list[int] | range]:
    """The text in lower case, without accents and confusables; and the position of each of its characters."""
    if text.isascii():
        return text.lower(), range(len(text) + 1)
    signs: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        if char.isascii():
            signs.append(char.lower())
            places.append(place)
            continue
        for sign in unicodedata.normalize("NFKD", char).casefold().translate(_PLAIN):
            if unicodedata.category(sign)[0] != "M":
                signs.append("<" if _points_left(sign) else sign)
                places.append(place)
    return "".join(signs), [*places, len(text)]


def _points_left(sign: str) -> bool:
    """Whether it is an angle or a triangle that may be read as "<": one half of French quotation marks, too."""
    name = "" if sign.isascii() else unicodedata.name(sign, "")
    return "LEFT" in name and ("ANGLE" in name or "POINTING" in name)
