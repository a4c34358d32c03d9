"""Recognises mail in a text file: one mail as sent or archived, or several in an mbox file (RFC 4155)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

_BY_DAY = rb"From \S+ +(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? [^\n]*\b(?:19|20)\d\d\b[^\n]*"
#: The line before a mail of an mbox file; without a day of the week only with an address.
_LINE = rb"(?:" + _BY_DAY + rb"|From [^\s@]+@[^\n]*)"
_SEPARATOR = re.compile(_LINE + rb"(?:\n|\Z)")
_SEPARATOR_ALONE = re.compile(_BY_DAY + rb"(?:\n\n|\n?\Z)")
_NEXT = re.compile(rb"\n\n(?=" + _LINE + rb"\n[!-9;-~]+:)")
_QUOTED_SEPARATOR = re.compile(rb"^>(?=>*From )", re.MULTILINE)
#: What people put above and around an archived header: a rule, stars.
_RULE = re.compile(rb"[ \t]*[-=_*#]{3}[^\n]*\n\s*(?=\**[A-Za-z-]+\**:)")
_STARRED = re.compile(rb"^[ \t]*\*+([A-Za-z-]+)(?::\*+|\*+:)[ \t]*", re.MULTILINE)

_FIELD = re.compile(rb"([!-9;-~]+)[ \t]*:")
#: Header fields of RFC 5322, 2045, 2369, 3834, 7208, 8601, 8617 and usual ones, without names that notes use too
#: (Comments, Keywords, Organization, Priority).
_KNOWN = re.compile(
    rb"from|sender|reply-to|to|cc|bcc|date|sent|subject|message-id|in-reply-to|references|return-path|received"
    rb"|delivered-to|envelope-to|apparently-to|delivery-date|mime-version|content-[a-z-]+|list-[a-z-]+|resent-[a-z-]+"
    rb"|arc-[a-z-]+|x-[!-~]+|dkim-signature|domainkey-signature|authentication-results|received-spf|auto-submitted"
    rb"|precedence|importance|thread-topic|thread-index|user-agent|errors-to|newsgroups|autocrypt|feedback-id"
    rb"|return-receipt-to|disposition-notification-to",
    re.IGNORECASE,
)
#: A field that needs no second one beside it: no sentence of a note looks like it.
_SURE = re.compile(
    rb"(?:(?:from|sender|reply-to|to|cc|bcc|return-path|delivered-to|envelope-to|x-original-to)[ \t]*:"
    rb"[^\n]*[^\s@]@[^\s@]|return-path:[ \t]*<>|message-id:[ \t]*<|mime-version:[ \t]*\d|content-type:[ \t]*[a-z]+/"
    rb"|received:[ \t]*(?:from|by)\b[^;]*;|date:[ \t]*[a-z]{3}, [^\n]*\d\d:\d\d|subject:[ \t]*=\?)",
    re.IGNORECASE,
)


def mail_of(data: bytes) -> bytes | None:
    """The mail that a text file is, from its mbox separator or its header on; ``None`` if it is other text.

    A header is a block of fields that ends with an empty line or the file. Most of their names are known, and more than
    one; a single one, or one after a name that is not known, has a value as no sentence has it.
    """
    text = data.replace(b"\r\n", b"\n").removeprefix(b"\xef\xbb\xbf").lstrip()
    if _SEPARATOR_ALONE.match(text):
        return text
    separator = _SEPARATOR.match(text)
    begin = separator.end() if separator else 0
    top, gap, rest = text[begin:].partition(b"\n\n")
    if not separator:
        rule = _RULE.match(top)
        top = _STARRED.sub(rb"\1: ", top[rule.end() :] if rule else top)
    return text[:begin] + top + gap + rest if _is_header(top, least=1 if separator else 2) else None


def messages_of(mail: bytes) -> Iterator[tuple[int, bytes]]:
    """The messages of an mbox file, each with the line of the file that it begins in, from 1; else the mail itself."""
    if not _SEPARATOR.match(mail):
        yield 1, mail
        return
    starts = [0, *(found.end() for found in _NEXT.finditer(mail)), len(mail)]
    line = 1
    for start, end in pairwise(starts):
        message = mail[start:end]
        yield line, _QUOTED_SEPARATOR.sub(b"", message)
        line += message.count(b"\n")


def _is_header(block: bytes, least: int) -> bool:
    """Whether the lines are fields, and enough of their names are known."""
    names: list[bytes] = []
    broken = 0
    for line in block.rstrip().split(b"\n"):
        field = _FIELD.match(line)
        if field is not None:
            names.append(field[1].lower())
        elif not names:
            return False
        else:
            broken += not line.startswith((b" ", b"\t", b">From "))
    known = {name for name in names if _KNOWN.fullmatch(name)}
    if 2 * sum(name in known for name in names) < len(names) or (
        broken and (len(known) < 3 or 4 * broken > len(names))
    ):
        return False
    if names[0] in known and len(known) >= least:
        return True
    return any(_SURE.match(line) for line in block.split(b"\n"))
