"""A result of a query of the memory."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parseaddr

from llama_index.core.schema import BaseNode

from ragstone.core.text import command_verb, section_kind, stems

from .. import fields
from ..parsers.sections import Outline

#: Of a mail's writer, whose name may be anything.
_NO_NAME = re.compile(r"[^\w .@'’-]+")
_LONGEST_FIELD, _LONGEST_NAME = 500, 60
#: What the text of a heading has that is no plain name: marks of Markdown or of a warning, a date, a sentence.
_MARKED = re.compile(r"[^\w .,'’()&/+-]|\d{4}|[.]$")
#: Files whose chunks are no sections under headings.
_WITHOUT_SUBJECTS = frozenset({"email", "state", "transcript"})


@dataclass(frozen=True)
class MemoryChunk:
    """A chunk of one file."""

    text: str
    #: Relative to the root, with ``/``.
    path: str
    #: The last heading above it, a state's key, a mail's subject; may be "".
    section: str
    #: One of ``settings.DOC_TYPES``.
    doc_type: str
    #: Cosine of the query and the chunk's most similar window, -1 to 1.
    relevance: float
    #: First and last line in the file, from 1, both included.
    lines: tuple[int, int] | None = None
    #: 16 hex digits; ``ragstone memory forget`` takes it, and ``/memory/source/<chunk_id>`` shows its place.
    chunk_id: str = ""
    #: In UTC: a mail's or a log entry's date, else when the file was changed.
    date: datetime | None = None
    #: Of a mail: who wrote it and to whom, as its headers read.
    sender: str = ""
    recipients: str = ""
    #: Of a transcript: who speaks.
    speaker: str = ""
    #: In UTC: when its facts hold, both included, as far as its file says so.
    valid_from: datetime | None = None
    valid_until: datetime | None = None

    @property
    def place(self) -> str:
        """``path:first-last``, as editors and people find it."""
        if self.lines is None:
            return self.path
        first, last = self.lines
        return f"{self.path}:{first}" if first == last else f"{self.path}:{first}-{last}"


def chunk_of(node: BaseNode, relevance: float) -> MemoryChunk:
    """A stored chunk as a result."""
    known = node.metadata
    first, last = fields.number(known, fields.LINE_FIRST), fields.number(known, fields.LINE_LAST)
    return MemoryChunk(
        text=node.get_content(),
        path=str(known.get(fields.PATH) or ""),
        section=str(known.get(fields.SECTION) or ""),
        doc_type=str(known.get(fields.DOC_TYPE) or ""),
        relevance=relevance,
        lines=None if first is None or last is None else (int(first), int(last)),
        chunk_id=node.node_id,
        date=_datetime(fields.number(known, fields.DATE)),
        sender=str(known.get(fields.FROM) or ""),
        recipients=", ".join(str(known[key]) for key in (fields.TO, fields.CC) if known.get(key)),
        speaker=str(known.get(fields.SPEAKER) or ""),
        valid_from=_datetime(fields.number(known, fields.VALID_FROM)),
        valid_until=_datetime(fields.number(known, fields.VALID_UNTIL)),
    )


def writer_of(mail: BaseNode) -> str:
    """The name of a mail's writer, "Berg, Ana" as Ana Berg, else the address; "" for what is no mail."""
    try:
        name, address = parseaddr(str(mail.metadata.get(fields.FROM) or "")[:_LONGEST_FIELD])
    except RecursionError:  # over hundreds of brackets
        return ""
    family, _, given = name.partition(",")
    name = f"{given} {family}" if given.strip() and "," not in given else name
    return " ".join(_NO_NAME.sub(" ", name or address).split())[:_LONGEST_NAME]


def subject_above(note: BaseNode, quote: str) -> str:
    """The last heading above the words that are quoted from a note, if it names a subject that they do not name; ""
    where there is none, or it is the file's title, a date, a kind of section, or tells a reader to do something."""
    if note.metadata.get(fields.DOC_TYPE) in _WITHOUT_SUBJECTS:
        return ""
    text = note.get_content()
    above = Outline(text).above(max(0, text.find(quote)))
    subject = above[-1].title if above else str(note.metadata.get(fields.SECTION) or "").lstrip("# ")
    is_subject = (
        len(subject) <= _LONGEST_NAME
        and subject != note.metadata.get(fields.TITLE)
        and not _MARKED.search(subject)
        and section_kind(subject) is None
        and command_verb(subject.casefold()) is None
        and set(stems(subject)).isdisjoint(stems(quote))
    )
    return subject if is_subject else ""


def has_several_sections(node: BaseNode) -> bool:
    """Whether a heading in the chunk has text above it."""
    text = node.get_content()
    last = max((heading.start for heading in Outline(text).headings), default=0)
    return any(line.strip() and not line.startswith("#") for line in text[:last].splitlines())


def _datetime(moment: float | None) -> datetime | None:
    try:
        return None if moment is None else datetime.fromtimestamp(moment, UTC)
    except (OverflowError, OSError, ValueError):  # a mail may have any date
        return None
