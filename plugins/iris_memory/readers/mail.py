"""Reads mail: one mail or several of an mbox file, as one document."""

from __future__ import annotations

import re
from pathlib import Path

from ragstone.core import SourceError

from .. import fields
from ..mail.mbox import mail_of, messages_of
from ..mail.message import parse_message
from .files import FileReader, ParsedFile, join_parts

#: Lines that could separate parts: the standard library makes an object of each part, which takes ten microseconds.
_BOUNDARIES = 20_000
_FIRST_LINE = re.compile(rb"\s*(?:From [^\n]*\n)?[!-9;-~]+[ \t]*:")
_MESSAGES = 10_000


class MailReader(FileReader):
    """Reads ``.eml``, mails in text files and mbox files. The text of a mail begins with its header's lines.

    Quoted mail is cut to its beginning and marked ``> ``; a signature is left out. Several mails of one file, and
    those that a mail forwards, stand one after the other, and ``metadata["indexing"]["mails"]`` has of each where it
    begins and what is known of it.
    """

    def parse(self, data: bytes, path: Path, mtime: float) -> ParsedFile:
        """The text of the mail or mails, and the header of the newest. Raises ``SourceError`` for what is no mail."""
        lines = data.count(b"\n") + (not data.endswith(b"\n"))
        if not data.strip():
            raise SourceError("holds no words", where=str(path))
        mail = mail_of(data)
        if mail is None and path.suffix.lower() == ".eml":
            mail = data.lstrip() if _FIRST_LINE.match(data) else None
        if mail is None and b"\0" in data:
            raise SourceError("is binary", where=str(path))
        if data.count(b"\n--") > _BOUNDARIES:
            raise SourceError("cannot be read as mail: too many parts", where=str(path))
        messages = [(1, b"\n" + data)] if mail is None else list(messages_of(mail))
        if len(messages) > _MESSAGES:
            raise SourceError(f"cannot be read as mail: more than {_MESSAGES:,} mails", where=str(path))
        ends = [line - 1 for line, _ in messages[1:]] + [lines]
        try:
            parts = [
                (text, known, [line] * text.count("\n") + [end, end])
                for (line, message), end in zip(messages, ends, strict=True)
                for text, known in parse_message(message, mtime)
            ]
        except (RecursionError, MemoryError) as error:
            raise SourceError("cannot be read as mail: nested too deeply", where=str(path)) from error
        if len(parts) == 1:
            return ParsedFile(*parts[0][:2], lines)
        newest = max((known for _, known, _ in parts), key=lambda known: float(known[fields.DATE]))
        return join_parts(parts, {**newest, fields.TITLE: newest[fields.TITLE] if len(messages) == 1 else ""})
