"""Kinds of text that a document's structure states: by classes, elements and directives, stored with a chunk."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from operator import itemgetter

from .sentence_kinds import Kind

#: Start, end and kind of a part of a text.
StatedKind = tuple[int, int, Kind]
#: The metadata key of a chunk's stated kinds.
KINDS = "kinds"
#: The metadata key of a chunk whose text was read by OCR; it is then true.
BY_OCR = "is_ocr"
#: Kinds that a structure, or a book's owner, can state: the others are found from the text's form.
STATABLE: tuple[Kind, ...] = (
    "explanation",
    "definition",
    "procedure",
    "question",
    "objective",
    "caption",
    "reference",
    "navigation",
    "metadata",
    "request",
)
#: Words of classes, roles and directives, and names of elements. "note" and "abstract" say nothing: they may explain.
_NAMES: dict[Kind, str] = {
    "definition": "glossary glossaries definition definitions dl key-term key-terms",
    "procedure": "procedure procedures steps step-by-step instructions howto",
    "question": "exercise exercises problem problems question questions quiz homework assignment"
    " assignments self-check free-response multiple-choice review-question review-questions art-exercise"
    " exr qna-question",
    "objective": "objective objectives learning-objective learning-objectives chapter-objectives learning-outcomes"
    " outcomes chapter-outline",
    "caption": "figcaption caption captions credit attribution wp-caption-text",
    "reference": "references bibliography citations footnote footnotes footnote-refs endnotes reflist further-reading"
    " suggested-reading doc-bibliography doc-endnotes doc-footnote",
    "navigation": "nav navigation navbar toc breadcrumb breadcrumbs pagination pager prev-next next-steps doc-toc"
    " seealso todo checklist task-list contains-task-list",
}
_BY_NAME = {name: kind for kind, names in _NAMES.items() for name in names.split()}
_STATED = re.compile(rf"({'|'.join(STATABLE)}):(\d{{1,9}})-(\d{{1,9}})")


def kind_of_names(names: str) -> Kind | None:
    """The kind that a class, a directive or an element's name states: ``"os-exercise wide"`` → ``"question"``."""
    found = (_BY_NAME.get(re.sub(r"^(?:os|section|ui)-", "", name)) for name in names.lower().replace("_", "-").split())
    return next((kind for kind in found if kind), None)


def pack_kinds(stated: Sequence[StatedKind], start: int, end: int) -> str:
    """The kinds of ``text[start:end]``, as they are stored: ``"question:0-120 caption:130-200"``.

    ``stated``: ascending, none within another.
    """
    found = []
    for at in range(max(0, bisect_right(stated, start, key=itemgetter(0)) - 1), len(stated)):
        first, last, kind = stated[at]
        if first >= end:
            break
        if last > start:
            found.append(f"{kind}:{max(first, start) - start}-{min(last, end) - start}")
    return " ".join(found)


def unpack_kinds(packed: str) -> list[StatedKind]:
    """What ``pack_kinds`` packed."""
    return [(int(start), int(end), kind) for kind, start, end in _STATED.findall(packed)]


def packed_in(metadata: Mapping[str, object]) -> str:
    """The packed kinds of a document or a chunk."""
    found = metadata.get(KINDS)
    return found if isinstance(found, str) else ""


def stated_kind(stated: Sequence[StatedKind], at: int) -> Kind | None:
    """The kind that is stated for the character."""
    return next((kind for start, end, kind in stated if start <= at < end), None)
