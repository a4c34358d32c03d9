"""One mail as one document: who, to whom, when, about what, and what was said."""

from __future__ import annotations

import re
from email import message_from_bytes
from email.message import Message
from typing import TYPE_CHECKING, Any

from ragstone.core import SourceError

from ..indexing import fields
from ..mail.headers import addresses, decoded, header, sent_at
from ..mail.html import text_of_html
from ..mail.mbox import mail_of, messages_of
from ..mail.replies import tell_apart
from ..parsers.node_parser import OWN
from .files import FileReader, without_surrogates

if TYPE_CHECKING:
    from pathlib import Path

#: Characters of the quoted mail that are kept below an answer, so that "Yes, do it." is found.
_QUOTED = 600
_DEEPEST = 8
_PARTS = 200
#: Lines that could part it: the standard library makes an object of each part, ten microseconds each.
_BOUNDARIES = 20_000
_FIRST_LINE = re.compile(rb"\s*(?:From [^\n]*\n)?[!-9;-~]+[ \t]*:")
_MESSAGES = 10_000


class MailReader(FileReader):
    """Reads ``.eml``, mails in text files and mbox files. The text of a mail begins with its header's lines.

    Quoted mail is cut to its beginning and marked ``> ``; a signature is left out. Several mails of one file stand one
    after the other, and ``metadata["indexing"]["mails"]`` has of each where it begins and what is known of it.
    """

    def understand(self, data: bytes, path: Path, mtime: float) -> tuple[str, dict[str, Any], Any]:
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
        mails = [(line, *_understood(message, path, mtime)) for line, message in messages]
        if len(mails) == 1:
            return *mails[0][1:], lines
        return _joined(mails, lines)


def _joined(mails: list[tuple[int, str, dict[str, Any]]], lines: int) -> tuple[str, dict[str, Any], list[int]]:
    """The mails' texts as one, what is known of them, and the line of the file for each line of the text."""
    texts: list[str] = []
    parts: list[dict[str, Any]] = []
    places: list[int] = []
    at = 0
    ends = [line - 1 for line, _, _ in mails[1:]] + [lines]
    for (line, text, known), end in zip(mails, ends, strict=True):
        if text:
            parts.append({"start": at, **known})
        texts.append(text)
        at += len(text) + 2
        places += [line] * text.count("\n") + [end, end]
    newest = max((known for _, _, known in mails), key=lambda known: float(known[fields.DATE]))
    return "\n\n".join(texts), {**newest, fields.TITLE: "", OWN: {"mails": parts}}, places


def _understood(data: bytes, path: Path, mtime: float) -> tuple[str, dict[str, Any]]:
    """One mail's text and header; no text without any words."""
    try:
        message = message_from_bytes(data)
        assert isinstance(message, Message)  # noqa: S101
        known, body = _header(message, mtime), _Body()
        body.read(message)
    except (RecursionError, MemoryError) as error:
        raise SourceError("cannot be read as mail: nested too deeply", where=str(path)) from error
    known[fields.ATTACHMENTS] = ", ".join(body.attached)[:1000]
    reply = tell_apart(body.text())
    said = [f"{name}: {words}" for name, words in _shown(message, known) if words]
    quoted = reply.quoted if len(reply.quoted) <= _QUOTED else f"{reply.quoted[:_QUOTED]} …"
    marked = "\n".join(f"> {line}".rstrip() for line in quoted.split("\n")) if quoted else ""
    if not (reply.own or marked or known[fields.SUBJECT] or known[fields.ATTACHMENTS]):
        return "", known
    text = "\n\n".join(part for part in ("\n".join(said), reply.own, marked) if part)
    known[fields.TITLE] = known[fields.SUBJECT]
    return without_surrogates(text), {key: _clean(value) for key, value in known.items()}


def _header(message: Message, mtime: float) -> dict[str, Any]:
    names = {fields.FROM: "From", fields.TO: "To", fields.CC: "Cc", fields.SUBJECT: "Subject"}
    names |= {fields.MESSAGE_ID: "Message-ID", fields.IN_REPLY_TO: "In-Reply-To"}
    known: dict[str, Any] = {key: header(message, name) for key, name in names.items()}
    # An mbox file's line before the mail: "From", who sent it, and when.
    _, sender, sent, *_ = [*(message.get_unixfrom() or "").split(maxsplit=2), "", "", ""]
    known[fields.FROM] = known[fields.FROM] or (sender if "@" in sender else "")
    known[fields.SENDER] = addresses(known[fields.FROM])
    known[fields.RECIPIENTS] = addresses(known[fields.TO], known[fields.CC])
    known[fields.DATE] = sent_at(header(message, "Date") or header(message, "Sent") or sent, mtime)
    return known


def _shown(message: Message, known: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        ("From", known[fields.FROM]),
        ("To", known[fields.TO]),
        ("Cc", known[fields.CC]),
        ("Date", header(message, "Date") or header(message, "Sent")),
        ("Subject", known[fields.SUBJECT]),
        ("Attached", known[fields.ATTACHMENTS]),
    ]


class _Body:
    """What is said in the parts of a mail, and what is attached."""

    def __init__(self) -> None:
        self.plain: list[str] = []
        self.html: list[str] = []
        self.attached: list[str] = []
        self._parts = 0

    def text(self) -> str:
        """The best of it: plain words, else those of the HTML."""
        plain = "\n\n".join(part for part in self.plain if part.strip())
        if not plain.strip():
            plain = "\n\n".join(text_of_html(part) for part in self.html)
        return plain.replace("\r\n", "\n").replace("\r", "\n").strip()

    def read(self, part: Message, depth: int = 0) -> None:
        self._parts += 1
        if depth > _DEEPEST or self._parts > _PARTS:
            return
        kind, payload = part.get_content_type(), part.get_payload()
        if kind == "message/rfc822" and isinstance(payload, list):
            for inner in _messages(payload[:1]):
                subject = header(inner, "Subject")
                self.attached.append(f"mail: {subject}" if subject else "mail")
                self.plain.append(f"Attached mail from {header(inner, 'From') or 'nobody'}: {subject}")
                self.read(inner, depth + 1)
        elif isinstance(payload, list):
            for inner in _messages(payload):
                self.read(inner, depth + 1)
                if kind == "message/delivery-status":
                    self.plain.append("\n".join(f"{name}: {header(inner, name)}" for name in inner.keys()))  # noqa: SIM118
        elif (name := _name_of(part)) is not None:
            self.attached.append(name or f"a file of type {kind}")
        elif kind == "text/html":
            self.html.append(_words(part))
        elif kind.startswith(("text/", "message/")) or depth == 0:
            self.plain.append(_words(part))
        else:
            self.attached.append(f"a file of type {kind}")


def _messages(payload: list[Any]) -> list[Message]:
    return [part for part in payload if isinstance(part, Message)]


def _name_of(part: Message) -> str | None:
    """The name of an attached file, "" if it has none; ``None`` for what is to be read."""
    try:
        disposition = part.get_content_disposition()
        name = part.get_filename()
    except Exception:  # the parser raises many things over broken parameters
        disposition, name = "attachment", None
    if name:
        holder = Message()
        holder["name"] = "".join(char if char.isprintable() else " " for char in name)
        name = header(holder, "name").replace("\\", "/").rsplit("/", 1)[-1]
    if disposition == "attachment" or name:
        return name or ""
    return None


def _words(part: Message) -> str:
    try:
        data = part.get_payload(decode=True)
        charset = part.get_content_charset()
    except Exception:  # broken transfer encodings raise many things
        data, charset = str(part.get_payload()).encode("utf-8", "surrogateescape"), None
    if not isinstance(data, bytes):
        return ""
    return "".join(char for char in decoded(data, charset) if char in "\n\t\r" or ord(char) >= 32)


def _clean(value: Any) -> Any:
    return without_surrogates(value) if isinstance(value, str) else value
