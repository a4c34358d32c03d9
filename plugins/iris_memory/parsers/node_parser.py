"""The node parser of the memory: cuts a file's text into chunks by the file's strategy."""

from __future__ import annotations

import bisect
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any, ClassVar

from llama_index.core.schema import BaseNode, MetadataMode, NodeRelationship, RelatedNodeInfo, TextNode
from pydantic import Field

from ragstone.core import SlicingNodeParser
from ragstone.core.text import KINDS, pack_kinds, section_kind

from .. import fields
from .chunk_sizes import ChunkSizer, Limits
from .kinds import TASK, asked_below, kinds_in_mail, kinds_in_text
from .sections import (
    Outline,
    Section,
    begins_with_date,
    chat_sections,
    date_in,
    exploration_sections,
    file_lines,
    lines_outside_code,
    log_sections,
    markdown_sections,
    with_turns_before,
)

#: What joins the words of a file's name, but not the numbers of a date.
_NO_DATE = re.compile(r"_|(?<!\d)-|-(?!\d)")
#: The greatest is that of a chunk.
_TASK_STATES = {" ": "open", "x": "done", "X": "done"}
#: Strategies of files whose dates and parts their reader knows.
_WITHOUT_HEADINGS = ("mail", "state", "transcript")
#: Level of the headings that notes are cut at: a chunk of several short sections is about all of them.
_SECTION = 2


class MemoryNodeParser(SlicingNodeParser):
    """Cuts the documents of the package ``readers`` by ``metadata["indexing"]["strategy"]``.

    Markdown by ``##`` (up to 500 tokens), explorations by ``##`` and ``**Key`` (up to 600, each repeating up to
    ``overlap`` of the one before), logs by date or session (up to 500), mail and state as they are (up to ``maximum``),
    chats and transcripts by turn, each embedded with the two before it.
    A section below ``minimum`` is joined to a neighbour of the same day; a file's only chunk may be shorter.
    """

    version: ClassVar[int] = 8
    embedded_keys = (fields.CONTEXT, fields.HEADING_PATH, fields.DAY)
    parser_keys = (fields.INDEXING,)

    minimum: int = Field(default=50, gt=0, description="Tokens of a chunk, at least; not of mail, state and days.")
    maximum: int = Field(default=800, gt=0, description="Tokens of a chunk, at most.")
    overlap: int = Field(default=50, ge=0, description="Tokens that a chunk of an exploration repeats, at most.")
    count_tokens: Callable[[str], int] = Field(exclude=True, description="The encoder's own count of a text's tokens.")

    @property
    def fingerprint(self) -> str:
        """What shapes the chunks; another fingerprint means another corpus."""
        return f"memory/{self.version} min={self.minimum} max={self.maximum} overlap={self.overlap}"

    def _chunks(self, document: BaseNode) -> Iterator[TextNode]:
        text = document.get_content(metadata_mode=MetadataMode.NONE)
        indexing = document.metadata.get(fields.INDEXING) or {}
        if indexing.get("left_out"):
            return
        known = self.without_parser_keys(document).metadata
        path = str(known[fields.PATH])
        forgotten, names = set(indexing.get("forgotten") or ()), (path, *(indexing.get("forgotten_as") or ()))
        newlines = [found.start() for found in re.finditer("\n", text)]
        lines = indexing.get("lines")
        seen: Counter[str] = Counter()
        mails = indexing.get("mails") or ()
        starts = [mail["start"] for mail in mails]
        outline, sections = self._sections(text, indexing.get("strategy"), path, starts)
        of_file = known
        kept = 0
        for section in sections:
            words = text[section.start : section.end]
            chunk_id, *others = (fields.chunk_id(name, words, seen[words]) for name in names)
            seen[words] += 1
            if not forgotten.isdisjoint([chunk_id, *others]):
                continue
            if mails:
                mail = mails[max(0, bisect.bisect_right(starts, section.start) - 1)]
                known = {**of_file, **{key: value for key, value in mail.items() if key != "start"}}
            title, last, headings = _headings(outline, section, words, known, path)
            about = _about(section, words, {**known, fields.HEADING_PATH: headings})
            span = [bisect.bisect_left(newlines, section.start), bisect.bisect_left(newlines, section.end - 1)]
            first_line, last_line = file_lines(span, lines)
            yield TextNode(
                id_=chunk_id,
                text=words,
                start_char_idx=section.start,
                end_char_idx=section.end,
                metadata={
                    **known,
                    **about,
                    fields.TITLE: title,
                    fields.SECTION: last,
                    fields.HEADING_PATH: headings,
                    fields.DATE: known[fields.DATE] if section.date is None else section.date,
                    fields.CHUNK_INDEX: kept,
                    fields.LINE_FIRST: first_line,
                    fields.LINE_LAST: last_line,
                },
                metadata_template="{value}",
                relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=document.node_id)},
            )
            kept += 1

    def _sections(self, text: str, strategy: str | None, path: str, starts: list[int]) -> tuple[Outline, list[Section]]:
        whole = [Section(0, len(text), 0)]
        low, hard = self.minimum, self.maximum
        outline = Outline("" if strategy in _WITHOUT_HEADINGS else text)
        match strategy:
            case "mail" | "transcript":
                found = [Section(first, last, first) for first, last in pairwise([*starts, len(text)])] or whole
                if strategy == "transcript":
                    found = with_turns_before(text, found)
                limits = Limits(0, hard, hard)
            case "state":
                # as its reader wrote it: two blank lines between top-level keys
                ends = [0, *(found.end() for found in re.finditer(r"\n\n\n(?=\S)", text)), len(text)]
                found = [Section(start, end, start) for start, end in pairwise(ends) if text[start:end].strip()]
                limits = Limits(0, hard, hard)
            case "log" | "chat":
                is_chat = strategy == "chat"
                found = (chat_sections if is_chat else log_sections)(text, outline)
                limits = Limits(0, hard, hard) if is_chat else Limits(low, min(500, hard), hard)
            case "exploration":
                found = exploration_sections(text, outline)
                limits = Limits(low, min(600, hard), hard, self.overlap)
            case _:
                found, limits = markdown_sections(text, outline), Limits(low, min(500, hard), hard)
        if strategy not in _WITHOUT_HEADINGS:
            named = date_in(PurePosixPath(path).name)
            found = [replace(one, date=one.date or named) for one in found]
        return outline, ChunkSizer(text, limits, self.count_tokens).fitted(found)


def _about(section: Section, words: str, known: dict[str, Any]) -> dict[str, str]:
    """What is known of the chunk beside its text: the turns before it, its day, a mail's header and requests."""
    is_mail = known[fields.DOC_TYPE] == "email"
    date = fields.number(known, fields.DATE) if is_mail else section.date
    kinds = (
        kinds_in_mail(words)
        if is_mail
        else kinds_in_text(words, known[fields.HEADING_PATH], is_log=known[fields.DOC_TYPE] == "log")
    )
    found = {
        fields.CONTEXT: asked_below(words, kinds) if is_mail else section.context,
        # Turns are found by the question before them; the day of each would make all of a day alike.
        fields.DAY: "" if section.context or date is None else day_in_words(date),
        KINDS: pack_kinds(kinds, 0, len(words)),
        fields.TASKS: "" if is_mail else max((_TASK_STATES[task[0][1]] for task in TASK.finditer(words)), default=""),
    }
    if not is_mail and date is None:
        days = filter(None, (begins_with_date(line) for _, line in lines_outside_code(words)))
        found[fields.MONTHS] = " ".join(sorted({f"{day:%Y-%m}" for day in days}))
    return {key: value for key, value in found.items() if value}


def day_in_words(date: float) -> str:
    """The day as people write it, "2 November 2026", in UTC."""
    day = datetime.fromtimestamp(date, UTC)
    return f"{day.day} {day:%B %Y}"


def _headings(outline: Outline, section: Section, words: str, known: dict[str, Any], path: str) -> tuple[str, str, str]:
    """The file's title, the last heading as written, and all headings joined, those of the sections in it too."""
    above = outline.above(section.at)
    given = known.get(fields.TITLE) or outline.title
    title = str(given or _NO_DATE.sub(" ", PurePosixPath(path).stem))
    names = [heading.title for heading in above if heading.title]
    if title not in names[:1]:
        names.insert(0, title)
    inside = (each for each in outline.headings if section.start <= each.start < section.end)
    others = dict.fromkeys(each.title for each in inside if each.level == _SECTION and section_kind(each.title) is None)
    names[1:1] = [each for each in others if each not in names]
    last = f"{'#' * above[-1].level} {above[-1].title}" if above else ""
    match known[fields.DOC_TYPE]:
        case "email":
            last = str(known.get(fields.SUBJECT) or "")
            names.append(str(known.get(fields.FROM) or ""))
        case "state":
            last = re.split(f"{fields.SEPARATOR}|: |:?\n", words.removeprefix("- "), maxsplit=1)[0].strip()
            names.append(last)
        case "transcript":
            last = str(known.get(fields.SPEAKER) or "")
    return title, last, fields.SEPARATOR.join(name for name in names if name)
