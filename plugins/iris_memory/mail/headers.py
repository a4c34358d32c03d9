"""The header fields of a mail: decoded, on one line, of limited length."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.utils import parsedate_to_datetime

from ragstone.core.text import decode, storable

from ..fields import timestamp
from ..parsers.sections import date_in

_LONGEST = 500
#: Characters of a header that are read: some have ten thousand addresses.
_READ = 20_000
_ADDRESSES = 50
_ADDRESS = re.compile(r"""[^\s<>@,;:"'()\[\]]{1,80}@[^\s<>@,;:"'()\[\]]{1,200}""")
#: A mail cannot be much newer than the file that holds it, or older than mail.
_AHEAD = 2 * 86_400
_FIRST_MAIL = datetime(1971, 1, 1, tzinfo=UTC).timestamp()


def header(message: Message, name: str) -> str:
    """All headers of that name on one line, "" without any."""
    found = (str(value) for key, value in message.raw_items() if key.lower() == name.lower())
    return decoded_words(*found)


def decoded_words(*values: str) -> str:
    """The raw values of a header on one line, decoded."""
    words = ", ".join(words for value in values if (words := _decoded(value[:_READ])))
    clean = storable("".join(char if char.isprintable() else " " for char in words))
    return clean if len(clean) <= _LONGEST else f"{clean[: _LONGEST - 2]} …"


def addresses(*values: str) -> str:
    """The bare addresses, lower case, joined by a space. Names around them are often malformed."""
    found = [address.lower().rstrip(".") for value in values for address in _ADDRESS.findall(value)]
    return " ".join(list(dict.fromkeys(found))[:_ADDRESSES])


def sent_at(words: str, mtime: float) -> float:
    """The mail's date, seconds since 1970; ``mtime`` where it has none that can be true."""
    try:
        found: float | None = timestamp(parsedate_to_datetime(words))
    except Exception:  # it raises many things over broken dates
        found = date_in(words)
    return found if found is not None and _FIRST_MAIL <= found <= mtime + _AHEAD else mtime


def decoded(data: bytes, charset: str | None) -> str:
    """The bytes as text: by their charset, else UTF-8, else Windows-1252 with what it does not know replaced."""
    is_known = bool(charset) and str(charset).lower() not in ("us-ascii", "unknown-8bit")
    for name, errors in ((charset, "strict"), ("utf-8", "strict"), (charset if is_known else None, "replace")):
        if name:
            with suppress(LookupError, ValueError):
                return decode(data, name.strip().strip("\"'"), errors)
    return data.decode("cp1252", "replace")


def _decoded(raw: str) -> str:
    """A header's words; its encoded ones (RFC 2047) decoded, broken ones as far as they go."""
    # As Latin-1 every byte survives; folded lines are joined, or ``decode_header`` would lose the space between them.
    unfolded = " ".join(raw.split()).encode("utf-8", "surrogateescape").decode("latin-1")
    try:
        parts = decode_header(unfolded)
    except HeaderParseError:  # one broken word must not hide the others
        if " " in unfolded:
            return " ".join(map(_decoded, raw.split()))
        parts = [(unfolded, None)]
    words = (decoded(part.encode("latin-1") if isinstance(part, str) else part, charset) for part, charset in parts)
    return " ".join("".join(words).split())
