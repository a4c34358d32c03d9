"""Reads a JSON state as lines of text: a section for each top-level key, deeper values flattened."""

from __future__ import annotations

import bisect
import json
import re
from collections.abc import Iterator
from json.decoder import scanstring  # type: ignore[attr-defined]
from pathlib import Path

from ragstone.core import SourceError
from ragstone.core.text import storable

from ..fields import SEPARATOR
from .files import FileReader, ParsedFile, utf8

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)
#: Deeper values are written as JSON.
_DEEPEST = 32
#: Characters of a list of values, and of an object in a list, that are one line.
_SHORT = 200


class StateReader(FileReader):
    """Reads a JSON file as lines ``hobbies › chess › level: beginner``; two blank lines between top-level keys."""

    def parse(self, data: bytes, path: Path, mtime: float) -> ParsedFile:  # noqa: ARG002
        """The lines, and the line of the file that each came from. Raises ``SourceError`` for what is not JSON."""
        text = utf8(data, path)
        try:
            _DECODER.decode(text)
            start = _skip(text, 0)
            entries = list(_values(text, start, (), _DECODER.raw_decode(text, start)[1]))
        except json.JSONDecodeError as error:
            reason = f"is not JSON: {error.msg} in line {error.lineno}"
            raise SourceError(reason, where=str(path)) from error
        except (RecursionError, ValueError) as error:
            raise SourceError("is not JSON that can be read: nested too deeply", where=str(path)) from error
        newlines = [found.start() for found in re.finditer("\n", text)]
        lines: list[str] = []
        places: list[int] = []
        top: tuple[str, ...] | None = None
        for names, words, at in entries:
            line = bisect.bisect_left(newlines, at) + 1
            if lines and names[:1] != top:
                lines += ["", ""]
                places += [line, line]
            top = names[:1]
            lines.append(f"- {SEPARATOR.join(names)}: {words}" if names else words)
            places.append(line)
        return ParsedFile(storable("\n".join(lines)), lines=places)


def _values(text: str, at: int, names: tuple[str, ...], end: int) -> Iterator[tuple[tuple[str, ...], str, int]]:
    """``(names, words, place)`` of every value at that place, in order."""
    if text[at] not in "{[" or len(names) >= _DEEPEST:
        value = _DECODER.raw_decode(text, at)[0]
        yield names, _words(value), at
        return
    if text[at] == "[" and end - at <= _SHORT:
        value = _DECODER.raw_decode(text, at)[0]
        if not any(isinstance(item, dict | list) for item in value):
            yield names, ", ".join(_words(item) for item in value) or "none", at
            return
    number, place = 0, _skip(text, at + 1)
    if text[place] in "}]":
        yield names, "none", at
    while text[place] not in "}]":
        number += 1
        name, begin = str(number), place
        if text[at] == "{":
            name, place = scanstring(text, place + 1, False)
            place = _skip(text, _skip(text, place) + 1)
        value, after = _DECODER.raw_decode(text, place)
        of_item = (*names, _line(name))
        is_record = text[at] == "[" and after - place <= _SHORT and isinstance(value, dict) and len(value) > 1
        if is_record and not any(isinstance(each, dict | list) for each in value.values()):
            words = "; ".join(f"{_line(key)}: {_words(each)}" for key, each in value.items())
            entries = iter([(of_item, words, place)])
        else:
            entries = _values(text, place, of_item, after)
        for entry in entries:
            yield entry if entry[2] != place else (*entry[:2], begin)
        place = _skip(text, after)
        if text[place] == ",":
            place = _skip(text, place + 1)


def _words(value: object) -> str:
    match value:
        case None:
            return "none"
        case True | False:
            return "yes" if value else "no"
        case str():
            return _line(value)
        case _:
            return json.dumps(value, ensure_ascii=False)


def _line(words: str) -> str:
    return " ".join(words.split())


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
