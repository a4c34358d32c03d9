"""One mail: its header's fields, its text without signature and with little of what it quotes, its attachments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from email import message_from_bytes
from email.message import Message
from html import unescape
from typing import Any

from ragstone.core.text import storable

from .. import fields
from .forwards import split_forwards
from .headers import addresses, decoded, decoded_words, header, sent_at
from .replies import split_reply

#: Characters of the quoted mail that are kept below an answer, so that "Yes, do it." is found.
_QUOTED = 600
_DEEPEST = 8
_PARTS = 200


def parse_message(data: bytes, mtime: float) -> list[tuple[str, dict[str, Any]]]:
    """The text, which begins with lines of the header, and the metadata of one mail, and of each mail that it forwards.

    The text of an empty mail is "". ``mtime``: its file's, for a mail without a date. Raises ``RecursionError``.
    """
    message = message_from_bytes(data)
    assert isinstance(message, Message)  # noqa: S101
    known, body = _header(message, mtime), _Body()
    body.add(message)
    known[fields.ATTACHMENTS] = ", ".join(body.attached)[:1000]
    own, forwarded = split_forwards(body.text(), known[fields.SUBJECT])
    mails = [_mail(own, known, header(message, "Date") or header(message, "Sent"))]
    for head, text in forwarded:
        mails.append(_mail(text, _forwarded_header(head, known[fields.DATE]), head.get("Date", "")))
    return mails


def _mail(body: str, known: dict[str, Any], date: str) -> tuple[str, dict[str, Any]]:
    """``date``: as it is written."""
    own, quoted = split_reply(body)
    shown = {
        "From": known[fields.FROM],
        "To": known[fields.TO],
        "Cc": known[fields.CC],
        "Date": date,
        "Subject": known[fields.SUBJECT],
        "Attached": known[fields.ATTACHMENTS],
    }
    head = [f"{name}: {words}" for name, words in shown.items() if words]
    quoted = quoted if len(quoted) <= _QUOTED else f"{quoted[:_QUOTED]} …"
    marked = "\n".join(f"> {line}".rstrip() for line in quoted.split("\n")) if quoted else ""
    known[fields.TITLE] = known[fields.SUBJECT]
    if not (own or marked or known[fields.SUBJECT] or known[fields.ATTACHMENTS]):
        return "", known
    text = "\n\n".join(part for part in ("\n".join(head), own, marked) if part)
    return storable(text), {key: storable(value) if isinstance(value, str) else value for key, value in known.items()}


def _forwarded_header(head: Mapping[str, str], forwarded: float) -> dict[str, Any]:
    """``forwarded``: when, for a mail without a date."""
    names = {fields.FROM: "From", fields.TO: "To", fields.CC: "Cc", fields.SUBJECT: "Subject"}
    known: dict[str, Any] = {key: decoded_words(head.get(name, "")) for key, name in names.items()}
    known |= {fields.MESSAGE_ID: "", fields.IN_REPLY_TO: "", fields.ATTACHMENTS: ""}
    known[fields.SENDER] = addresses(known[fields.FROM])
    known[fields.RECIPIENTS] = addresses(known[fields.TO], known[fields.CC])
    known[fields.DATE] = sent_at(head.get("Date", ""), forwarded)
    return known


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


class _Body:
    """The text of a mail's parts, and the names of what is attached."""

    def __init__(self) -> None:
        self.plain: list[str] = []
        self.html: list[str] = []
        self.attached: list[str] = []
        self._parts = 0

    def text(self) -> str:
        """The plain text, else the text of the HTML."""
        plain = "\n\n".join(part for part in self.plain if part.strip())
        if not plain.strip():
            plain = "\n\n".join(text_of_html(part) for part in self.html)
        return plain.replace("\r\n", "\n").replace("\r", "\n").strip()

    def add(self, part: Message, depth: int = 0) -> None:
        self._parts += 1
        if depth > _DEEPEST or self._parts > _PARTS:
            return
        # a text's payload is decoded here by its charset, and some of Python's codecs ("idna") are none for a text
        kind, payload = part.get_content_type(), part.get_payload() if part.is_multipart() else None
        if kind == "message/rfc822" and isinstance(payload, list):
            for inner in _messages(payload[:1]):
                subject = header(inner, "Subject")
                self.attached.append(f"mail: {subject}" if subject else "mail")
                self.plain.append(f"Attached mail from {header(inner, 'From') or 'nobody'}: {subject}")
                self.add(inner, depth + 1)
        elif isinstance(payload, list):
            for inner in _messages(payload):
                self.add(inner, depth + 1)
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
    """The name of an attached file, "" if it has none; ``None`` for a part to read."""
    try:
        disposition = part.get_content_disposition()
        name = part.get_filename()
    except Exception:  # the parser raises many things over broken parameters
        disposition, name = "attachment", None
    if name:
        name = decoded_words(name).replace("\\", "/").rsplit("/", 1)[-1]
    if disposition == "attachment" or name:
        return name or ""
    return None


def _words(part: Message) -> str:
    try:
        data = part.get_payload(decode=True)
        charset = part.get_content_charset()
    except Exception:  # broken transfer encodings raise many things
        part.del_param("charset")
        data, charset = str(part.get_payload()).encode("utf-8", "surrogateescape"), None
    if not isinstance(data, bytes):
        return ""
    return "".join(char for char in decoded(data, charset) if char in "\n\t\r" or ord(char) >= 32)


# Python's own parser takes quadratic time on input made for that, and raises AssertionError on other input.
# These expressions take linear time.
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_SILENT = re.compile(
    r"<(script|style|head|title|template|noscript|svg|object|iframe)\b[^<>]*>.*?(?:</\1\s*>|(?=<body\b)|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*+)[^<>]*>|<[!?/][^<>]*>")
_BLOCKS = frozenset({"article", "br", "center", "dd", "div", "dl", "dt", "footer", "header", "hr", "ol", "p", "pre"})
_BLOCKS |= {"section", "table", "tr", "ul", "h1", "h2", "h3", "h4", "h5", "h6"}
_DEEPEST_QUOTE = 5


def text_of_html(html: str) -> str:
    """The words of the page, a line for each block, quoted blocks with ``> `` as in a plain mail."""
    html = _SILENT.sub(" ", _COMMENT.sub("", html))
    parts: list[str] = []
    quoted, at = 0, 0
    for tag in _TAG.finditer(html):
        parts.append(_unescaped(html[at : tag.start()]))
        at, name = tag.end(), (tag[2] or "").lower()
        if name == "blockquote":
            quoted = max(0, quoted + (-1 if tag[1] else 1))
        if name == "blockquote" or name in _BLOCKS or (name == "li" and not tag[1]):
            parts.append("\n" + "> " * min(quoted, _DEEPEST_QUOTE) + ("- " if name == "li" else ""))
        elif name in ("td", "th"):
            parts.append(" ")
    parts.append(_unescaped(html[at:]))
    lines = [" ".join(line.split()) for line in "".join(parts).split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join("" if line.strip("> ") == "" else line for line in lines)).strip()


def _unescaped(text: str) -> str:
    return re.sub(r"\s+", " ", unescape(text))
