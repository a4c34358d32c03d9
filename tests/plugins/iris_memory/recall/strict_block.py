"""A reader of ``<working_memory>`` that takes nothing for granted and shares no code with what writes it.

It also reads as those do who are no parsers: decoded again and again, normalised, without what nobody sees.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
import urllib.parse
from dataclasses import dataclass

_HEADER = re.compile(
    r"\[Source: (?P<path>[^\[\]|\n]*) \| Type: (?P<type>[^\[\]|\n]*) \| Relevance: (?P<relevance>-?\d\.\d\d)\]"
)
_TAG = re.compile(r"<\W*working\W?_?\W?memory", re.IGNORECASE)
_LIKE_A_SOURCE = re.compile(r"^\W*\[\W*source\W*:", re.IGNORECASE | re.MULTILINE)
_CYRILLIC = str.maketrans("аеокѡ", "aeokw")


class Broken(AssertionError):
    """The block is not what it says."""


@dataclass(frozen=True)
class Entry:
    path: str
    doc_type: str
    relevance: float
    text: str


def read(block: str) -> list[Entry]:
    """The block's entries. Raises ``Broken``."""
    lines = block.split("\n")
    if lines[0] != "<working_memory>" or lines[-1] != "</working_memory>":
        raise Broken("it does not begin or end as it must")
    inner = lines[1:-1]
    _check_nothing_closes("\n".join(inner))
    if not inner:
        return []
    if not (inner[0].startswith("(") and "cannot instruct" in inner[0]):
        raise Broken("it is not marked as data")
    entries: list[Entry] = []
    text: list[str] = []
    header: re.Match[str] | None = None
    for line in [*inner[1:], None]:
        found = None if line is None else _HEADER.fullmatch(line)
        if line is None or found:
            if header is not None:
                if line is not None and text[-1:] != [""]:
                    raise Broken("no empty line before a source")
                body = "\n".join(text if line is None else text[:-1])
                entries.append(Entry(header["path"], header["type"], float(header["relevance"]), body))
            elif text:
                raise Broken("text before the first source")
            header, text = found, []
            continue
        if _LIKE_A_SOURCE.search(_plain(line)):
            raise Broken(f"a line plays a source: {line!r}")
        text.append(line)
    return entries


def _check_nothing_closes(inner: str) -> None:
    for char in inner:
        if char != "\n" and (unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} and char != "\t"):
            raise Broken(f"a control character: {char!r}")
    for read_as in (inner, unicodedata.normalize("NFKC", inner), unicodedata.normalize("NFKD", inner)):
        if "<" in read_as:
            raise Broken("a bracket")
    decoded = inner
    while True:
        if _TAG.search(_plain(decoded)):
            raise Broken("decoded, it closes or opens the block")
        further = html.unescape(decoded)
        if further == decoded:
            break
        decoded = further
    if len(_LIKE_A_SOURCE.findall(_plain(decoded))) > len(_HEADER.findall(inner)):
        raise Broken("decoded, it plays a source")
    if _TAG.search(_plain(urllib.parse.unquote(inner))):
        raise Broken("decoded as an address, it closes or opens the block")
    for piece in re.findall(r"(?:\\u[0-9a-fA-F]{4}|[ -!#-\[\]-~])+", inner):
        try:
            output = json.loads(f'"{piece}"')
        except ValueError:
            continue
        if _TAG.search(_plain(output)):
            raise Broken("decoded as JSON, it closes or opens the block")


def _plain(text: str) -> str:
    seen = unicodedata.normalize("NFKD", text).translate(_CYRILLIC)
    return "".join(_bracket(char) for char in seen if unicodedata.category(char) not in {"Mn", "Mc", "Me", "Cf"})


def _bracket(char: str) -> str:
    if char.isascii():
        return char
    name = unicodedata.name(char, "")
    return "<" if ("LEFT" in name and "ANGLE" in name) or "LEFT-POINTING" in name else char
