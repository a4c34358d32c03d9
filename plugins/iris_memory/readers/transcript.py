"""Reads the transcript of a coding agent: JSON lines, one record each."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragstone.core import SourceError
from ragstone.core.text import Redactor, storable, strip_hidden

from .. import fields
from .files import FileReader, ParsedFile, join_parts, utf8
from .transcript_records import Event, events_of, named_title, time_of

#: Characters of a tool's call and of its result that are kept, and those of a session's title.
_LONGEST_CALL, _LONGEST_RESULT, _LONGEST_TITLE = 200, 200, 80
#: Characters of a call or a result that are searched for secrets, before it is shortened.
_SEARCHED = 8_000
#: Before 1971, and after the file was written, no record was made; clocks differ by a day at most.
_EARLIEST, _DAY = 31_536_000.0, 86_400.0

#: Names of a call's argument that says most, best first.
_TELLING = ("command", "cmd", "file_path", "path", "pattern", "query", "url", "description", "prompt", "input", "text")


class TranscriptReader(FileReader):
    """Reads the sessions of Claude Code, Codex, Pi, Gemini and lines of ``role`` and ``content``.

    Each turn is a section: a line with its speaker and time, its words, and a line for each call of a tool and for each
    result, shortened. Secrets are removed. ``metadata["indexing"]["mails"]`` has of each turn where it begins, its
    speaker and its date. Records and parts of an unknown kind are left out.
    """

    def __init__(self, max_bytes: int = 10_000_000) -> None:
        super().__init__(max_bytes)
        self._redactor = Redactor()

    def parse(self, data: bytes, path: Path, mtime: float) -> ParsedFile:
        """The turns. Raises ``SourceError`` where no line holds one."""
        title, turns = "", list[_Turn]()
        date: float | None = None
        seen: set[str] = set()
        for number, line in enumerate(utf8(data, path).split("\n"), start=1):
            record = _record(line)
            if record is None or _is_repeated(record, seen):
                continue
            title = named_title(record) or title
            when = time_of(record)
            date = when if when is not None and _EARLIEST <= when <= mtime + _DAY else date
            for event in events_of(record):
                words = self._words(event)
                if not words.strip():
                    continue
                if event.kind == "text" or not turns:
                    turns.append(_Turn(event.speaker, mtime if date is None else date, number))
                turns[-1].lines += [(each, number) for each in words.split("\n")]
        if not turns:
            raise SourceError("holds no turn of an agent's session", where=str(path))
        first = next((turn.lines[0][0] for turn in turns if turn.speaker == "user"), turns[0].lines[0][0])
        shown = self._redactor.text(_one_line(title or first))[:_LONGEST_TITLE].strip()
        return join_parts((turn.part() for turn in turns), {fields.TITLE: shown, fields.DATE: turns[-1].date})

    def _words(self, event: Event) -> str:
        """The event's text without secrets, on one line and shortened where it is of a tool."""
        if event.kind == "text":
            return self._redactor.text(storable(event.text)).strip()
        name = _one_line(event.name)[:60]
        value = event.text if event.kind == "result" else self._argument(event.arguments)
        clean = _one_line(self._redactor.text(storable(value[:_SEARCHED])))
        if event.kind == "call":
            return f"[{name}] {_shortened(clean, _LONGEST_CALL)}"
        label = "failed" if event.failed else "result"
        return f"[{label}] {_shortened(clean, _LONGEST_RESULT)}" if clean else ""

    def _argument(self, arguments: Any) -> str:
        """What a tool was called with: its main argument, else all as JSON, without the fields of secrets."""
        if isinstance(arguments, dict):
            arguments = next((arguments[name] for name in _TELLING if arguments.get(name)), arguments)
        if isinstance(arguments, list) and all(isinstance(word, str) for word in arguments):
            return " ".join(arguments)
        if isinstance(arguments, str):
            return arguments
        try:
            return json.dumps(self._redactor.within(arguments), ensure_ascii=False, default=str)
        except RecursionError:
            return ""


@dataclass
class _Turn:
    """What one speaker says before the next one, with the calls of tools that follow."""

    speaker: str
    date: float
    line: int
    #: Lines of text, each with the line of the file that it is from.
    lines: list[tuple[str, int]] = field(default_factory=list)

    def part(self) -> tuple[str, dict[str, Any], list[int]]:
        """As ``join_parts`` wants it."""
        text = "\n".join([f"{self.speaker}:", "", *(line for line, _ in self.lines)])
        places = [self.line, self.line, *(line for _, line in self.lines), self.lines[-1][1]]
        return text, {fields.SPEAKER: self.speaker, fields.DATE: self.date}, places


def _record(line: str) -> dict[str, Any] | None:
    """The line's record; ``None`` for what is none, such as a line that is still being written."""
    try:
        found = json.loads(line) if line.strip() else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _is_repeated(record: dict[str, Any], seen: set[str]) -> bool:
    """Whether the file has this record already: a session that is resumed begins with the former one's."""
    name = record.get("uuid")
    if not isinstance(name, str):
        return False
    repeated = name in seen
    seen.add(name)
    return repeated


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most].rstrip()} …"


def _one_line(text: str) -> str:
    return " ".join(strip_hidden(text).split())
