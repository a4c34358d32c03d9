"""The header of a mail, as it was meant: decoded, on one line, of a bearable length."""

from __future__ import annotations

import binascii
import re
from datetime import UTC, datetime
from email.header import Header
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from ..parsers.logs import date_in
from ..readers.files import without_surrogates

if TYPE_CHECKING:
    from email.message import Message

_LONGEST = 500
#: Characters of a header that are looked at: some have ten thousand addresses.
_READ = 20_000
_ENCODED = re.compile(r"=\?([^?\s*]+)(?:\*[^?\s]*)?\?([bBqQ])\?([^?]*)\?=")
_ADDRESSES = 50
_ADDRESS = re.compile(r"""[^\s<>@,;:"'()\[\]]{1,80}@[^\s<>@,;:"'()\[\]]{1,200}""")
#: A mail cannot be much newer than the file that holds it, or older than mail.
_AHEAD = 2 * 86_400
_FIRST_MAIL = datetime(1971, 1, 1, tzinfo=UTC).timestamp()


def header(message: Message, name: str) -> str:
    """All headers of that name on one line, "" without any."""
    try:
        found = message.get_all(name) or []
    except Exception:  # the parser raises many things over broken headers
        found = []
    return _shortened(", ".join(words for value in found if (words := _decoded(value))))


def addresses(*values: str) -> str:
    """The bare addresses, lower case, joined by a space. What stands around them in a header is too often broken."""
    found = [address.lower().rstrip(".") for value in values for address in _ADDRESS.findall(value)]
    return " ".join(list(dict.fromkeys(found))[:_ADDRESSES])


def sent_at(words: str, mtime: float) -> float:
    """When the mail says it was sent, seconds since 1970; ``mtime`` where it says nothing that can be true."""
    try:
        told = parsedate_to_datetime(words)
        found: float | None = (told if told.tzinfo else told.replace(tzinfo=UTC)).timestamp()
    except Exception:  # it raises many things over broken dates
        found = date_in(words)
    return found if found is not None and _FIRST_MAIL <= found <= mtime + _AHEAD else mtime


def decoded(data: bytes, charset: str | None) -> str:
    """The bytes as text: by their charset, else UTF-8, else Windows-1252 with what it does not know replaced."""
    for name in (charset, "utf-8"):
        if name:
            try:
                return data.decode(name.strip().strip("\"'"))
            except (LookupError, ValueError):
                continue
    try:
        if charset and charset.lower() not in ("us-ascii", "unknown-8bit"):
            return data.decode(charset, "replace")
    except (LookupError, ValueError):
        pass
    return data.decode("cp1252", "replace")


def _decoded(value: str | Header) -> str:
    """A header's words; its encoded ones (RFC 2047) decoded, broken ones as far as they go."""
    raw = (_raw(value) if isinstance(value, Header) else str(value))[:_READ]
    said: list[str] = []
    held, charset, at = b"", "", 0
    for word in _ENCODED.finditer(raw):
        between = raw[at : word.start()]
        if between.strip() or not charset:
            said += [decoded(held, charset), _plain(between)]
            held = b""
        elif word[1].lower() != charset:
            said.append(decoded(held, charset))
            held = b""
        # A character may begin in one encoded word and end in the next: bytes are joined before they are decoded.
        held, charset, at = held + _bytes(word[2], word[3]), word[1].lower(), word.end()
    return " ".join("".join([*said, decoded(held, charset), _plain(raw[at:])]).split())


def _bytes(how: str, words: str) -> bytes:
    if how in "qQ":
        return binascii.a2b_qp(words.encode("utf-8", "replace"), header=True)
    letters = re.sub(r"[^A-Za-z0-9+/]", "", words)
    letters = letters[: len(letters) - (len(letters) % 4 == 1)]
    return binascii.a2b_base64(letters + "=" * (-len(letters) % 4))


def _raw(value: Header) -> str:
    """What the parser keeps of a header with bytes that it does not know."""
    return "".join(str(text) for text, _ in value._chunks)  # type: ignore[attr-defined]  # noqa: SLF001


def _plain(raw: str) -> str:
    return decoded(raw.encode("utf-8", "surrogateescape"), None)


def _shortened(words: str) -> str:
    clean = without_surrogates("".join(char if char.isprintable() else " " for char in words))
    return clean if len(clean) <= _LONGEST else f"{clean[: _LONGEST - 2]} …"
