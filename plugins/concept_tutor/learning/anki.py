"""A plan's questions as a package for Anki (``.apkg``).

With ``genanki`` (MIT). Its last release is of 2023, but what it writes is Anki's exchange format of schema 11, which is
frozen and which every Anki since 2.1 reads; the text format that Anki imports as well has neither note types nor ids by
which a second import brings cards up to date instead of doubling them.
"""

from __future__ import annotations

import hashlib
import html
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.core import require_extra

from .reading.spelling import gives_away

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from .records import Question, QuestionSource

#: Of the note type; another number would make it another one in a learner's collection.
_MODEL = 1_607_392_319
_FIELDS = ("Question", "Options", "Answer", "Explanation", "Sources", "Concept")
_FRONT = '<div class="concept">{{Concept}}</div><p>{{Question}}</p>{{Options}}'
_BACK = '{{FrontSide}}<hr id="answer"><p><b>{{Answer}}</b></p><p>{{Explanation}}</p><p class="sources">{{Sources}}</p>'
_STYLE = (
    ".card { font-family: sans-serif; font-size: 18px; text-align: left; max-width: 40em; margin: auto }"
    " .concept, .sources { font-size: 13px; opacity: .75 } li { margin: .3em 0 }"
)
_NO_TAG = re.compile(r"[^\w-]+")


def package(title: str, slug: str, names: Mapping[str, str], questions: Sequence[Question], at: datetime) -> bytes:
    """The package. A question keeps its id: importing again brings its card up to date. Raises ``MissingExtra``.

    ``names``: of the concepts, by key. ``at``: when it is made; of two packages Anki keeps what the later one says.
    """
    require_extra("tutor", "genanki")
    import genanki

    model = genanki.Model(
        _MODEL,
        "Ragstone question",
        fields=[{"name": name} for name in _FIELDS],
        templates=[{"name": "Card", "qfmt": _FRONT, "afmt": _BACK}],
        css=_STYLE,
    )
    number = int.from_bytes(hashlib.sha256(slug.encode()).digest()[:4], "big")
    deck = genanki.Deck(2**31 + number % 2**31, _plain(title))
    for question in questions:
        concept = names.get(question.concept, question.concept)
        deck.add_note(
            genanki.Note(
                model=model,
                # Shown above the question: not where it is the answer.
                fields=[*_fields(question), _plain("" if gives_away(concept, question.key) else concept)],
                guid=f"ragstone-{question.question_id}",
                tags=[_tag(slug), _tag(concept)],
            )
        )
    with tempfile.TemporaryDirectory(prefix="ragstone-anki-") as folder:
        path = Path(folder) / "plan.apkg"
        genanki.Package(deck).write_to_file(path, timestamp=at.timestamp())
        return path.read_bytes()


def _fields(question: Question) -> list[str]:
    options = "".join(f"<li>{_plain(option)}</li>" for option in question.options)
    sources = "<br>".join(
        " · ".join([f"[{source.index}] {_link(source)}", *map(_plain, filter(None, (source.section, source.licence)))])
        for source in question.sources
    )
    return [
        _plain(question.text),
        f'<ol type="A">{options}</ol>' if options else "",
        _plain(question.key),
        _plain(question.explanation),
        sources,
    ]


def _link(source: QuestionSource) -> str:
    """What opens the page, where it has an address of its own; Anki knows nothing of ours."""
    title = _plain(source.page_title)
    if not source.page_url.startswith(("https://", "http://")):
        return title
    return f'<a href="{html.escape(source.page_url)}">{title}</a>'


def _plain(text: str) -> str:
    """As HTML that shows the text and nothing else; Anki's own marks are taken apart too."""
    return html.escape(text).replace("{{", "{&#8203;{").replace("[sound:", "[&#8203;sound:").replace("\n", "<br>")


def _tag(text: str) -> str:
    return _NO_TAG.sub("-", text).strip("-") or "-"
