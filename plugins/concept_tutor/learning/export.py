"""A plan's questions for other programs: Anki, Moodle, Canvas, and what imports QTI 2.1.

Anki's package (``.apkg``) is written with ``genanki`` (MIT). Its last release is of 2023, but what it writes is Anki's
exchange format of schema 11, which is frozen and which every Anki since 2.1 reads; the text format that Anki imports as
well has neither note types nor ids by which a second import brings cards up to date instead of doubling them.
"""

from __future__ import annotations

import hashlib
import html
import re
import tempfile
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from string import ascii_lowercase
from typing import Literal, get_args

from ragstone.core import BadRequest, Host, require_extra
from ragstone.core.answering import check_type

from ..plans.store import PlanStore
from .lessons import Lessons
from .qti import qti, valid_text
from .reading.spelling import gives_away
from .records import BLANK, Question, QuestionSource

#: Of the note type; another number would make it another one in a learner's collection.
_MODEL = 1_607_392_319
_FIELDS = ("Question", "Options", "Answer", "Explanation", "Sources", "Concept")
_FRONT = '<div class="concept">{{Concept}}</div><p>{{Question}}</p>{{Options}}'
_BACK = '{{FrontSide}}<hr id="answer"><p><b>{{Answer}}</b></p><p>{{Explanation}}</p><p class="sources">{{Sources}}</p>'
_STYLE = (
    ".card { font-family: sans-serif; font-size: 18px; text-align: left; max-width: 40em; margin: auto }"
    " .concept, .sources { font-size: 13px; opacity: .75 } li { margin: .3em 0 }"
)
#: Begins what Anki plays, reads out, or gives to LaTeX on the learner's machine.
_ANKI_MARK = re.compile(r"\[(?=sound:|anki:|latex\]|\$)", re.IGNORECASE)
_NO_TAG = re.compile(r"[^\w-]+")
_SHOWN_BLANK = "_____"
#: Moodle takes a star alone for any letters.
_LITERAL_STAR = r"\*"
_GIFT_SPECIAL = re.compile(r"([\\~=#{}:])")
#: What is Markdown, mathematics or HTML to text2qti: in a line, at its beginning, and the point of a numbered item.
_MARKUP = re.compile(r"[\\`*_{}\[\]<>&$]|^[^\w\s]|(?<=\d)[.)](?=\s)")
QuestionFormat = Literal["anki", "gift", "text2qti", "qti"]
#: The ending and the media type of a file in each format.
FILES: dict[QuestionFormat, tuple[str, str]] = {
    "anki": (".apkg", "application/octet-stream"),
    "gift": (".gift", "text/plain"),
    "text2qti": (".txt", "text/plain"),
    "qti": (".zip", "application/zip"),
}


def anki(title: str, slug: str, names: Mapping[str, str], questions: Sequence[Question], at: datetime) -> bytes:
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
    deck = genanki.Deck(2**31 + number % 2**31, _html(title))
    for question in questions:
        concept = names.get(question.concept, question.concept)
        deck.add_note(
            genanki.Note(
                model=model,
                # Shown above the question: not where it is the answer.
                fields=[*_fields(question), _html("" if gives_away(concept, question.key) else concept)],
                guid=f"ragstone-{question.question_id}",
                tags=[_tag(slug), _tag(concept)],
            )
        )
    with tempfile.TemporaryDirectory(prefix="ragstone-anki-") as folder:
        path = Path(folder) / "plan.apkg"
        genanki.Package(deck).write_to_file(path, timestamp=at.timestamp())
        return path.read_bytes()


def _fields(question: Question) -> list[str]:
    options = "".join(f"<li>{_html(option)}</li>" for option in question.options)
    sources = "<br>".join(
        " · ".join([f"[{source.index}] {_link(source)}", *map(_html, filter(None, (source.section, source.licence)))])
        for source in question.sources
    )
    return [
        _html(question.text),
        f'<ol type="A">{options}</ol>' if options else "",
        _html(question.key),
        _html(question.explanation),
        sources,
    ]


def _link(source: QuestionSource) -> str:
    """What opens the page, where it has an address of its own; Anki knows nothing of ours."""
    title = _html(source.page_title)
    return f'<a href="{_html(source.public_url)}">{title}</a>' if source.public_url else title


def _html(text: str) -> str:
    """As HTML that shows the text and nothing else; Anki's own marks are taken apart too."""
    plain = html.escape(valid_text(text)).replace("{{", "{&#8203;{").replace("\n", "<br>")
    return _ANKI_MARK.sub("[&#8203;", plain)


def _tag(text: str) -> str:
    return _NO_TAG.sub("-", text).strip("-") or "-"


def gift(title: str, names: Mapping[str, str], questions: Sequence[Question]) -> bytes:
    """The questions in GIFT, which Moodle imports; each concept has a category. ``names``: of the concepts, by key.

    A blank and its other spellings are short answers, what is asked for in one's own words is an essay whose feedback
    has the answer. An explanation and the sources' addresses are the feedback.
    """
    parts: list[str] = []
    concept = None
    for question in questions:
        if question.concept != concept:
            concept = question.concept
            path = "/".join(_one_line(name).replace("/", "//") for name in (title, names.get(concept, concept)))
            parts.append(f"$CATEGORY: {path}")
        if question.form == "choice":
            answers = [f"{'=' if option == question.key else '~'}{_gift(option)}" for option in question.options]
        else:
            literal = (answer.replace("*", _LITERAL_STAR) for answer in _short_answers(question))
            answers = [f"={_gift(answer)}" for answer in literal]
        lines = "\n".join([*answers, f"####{_gift(_feedback(question))}"])
        asked = _gift(question.text.replace(BLANK, _SHOWN_BLANK))
        parts.append(f"::{question.question_id}::{asked} {{\n{lines}\n}}")
    return ("\n\n".join(parts) + "\n").encode()


def text2qti(title: str, names: Mapping[str, str], questions: Sequence[Question]) -> bytes:
    """What ``text2qti`` makes a quiz for Canvas of; a question's title, for teachers alone, is its concept."""
    parts = [f"Quiz title: {_one_line(title)}"]
    for number, question in enumerate(questions, start=1):
        lines = [
            f"Title: {_one_line(names.get(question.concept, question.concept))}",
            f"{number}. {_markdown(question.text.replace(BLANK, _SHOWN_BLANK))}",
            f"... {_markdown(_feedback(question))}",
        ]
        if question.form == "choice":
            for letter, option in zip(ascii_lowercase, question.options, strict=False):
                lines.append(f"{'*' if option == question.key else ''}{letter}) {_markdown(option)}")
        elif question.form == "blank":
            lines += [f"* {_one_line(answer)}" for answer in _short_answers(question)]
        else:
            lines.append("____")
        parts.append("\n".join(lines))
    return ("\n\n".join(parts) + "\n").encode()


def _short_answers(question: Question) -> list[str]:
    return list(dict.fromkeys((question.key, *question.also))) if question.form == "blank" else []


def _feedback(question: Question) -> str:
    key = f"{question.key} — " if question.form == "open" else ""
    sources = [f"[{each.index}] {each.page_title} {each.public_url}".rstrip() for each in question.sources]
    return " ".join([key + question.explanation, *sources])


def _one_line(text: str) -> str:
    return valid_text(" ".join(text.split()))


def _gift(text: str) -> str:
    """As plain text: else the words themselves could name another format, or begin with the share of a right answer."""
    return "[plain]" + _GIFT_SPECIAL.sub(r"\\\1", _one_line(text)).replace("->", "-\u200b>")


def _markdown(text: str) -> str:
    """As Markdown that shows the text and nothing else: an image in it would be read from the teacher's disk."""
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};", _one_line(text))


def export_questions(host: Host, plan: str, format: QuestionFormat) -> bytes:  # noqa: A002 - as users call it
    """All questions of the plan as a file of this format; those not yet written are written.

    Raises ``BadRequest``, so for no questions, ``NotFound``, and ``MissingExtra`` for Anki without ``genanki``.
    """
    check_type(host, "host", Host, "an open Host")
    check_type(plan, "plan", str, "a string")
    if format not in get_args(QuestionFormat):
        raise BadRequest(f"format must be one of {', '.join(get_args(QuestionFormat))}")
    lessons, store = host.once(Lessons), host.once(PlanStore)
    names, title = {concept.key: concept.name for concept in store.concepts(plan)}, store.plan(plan).title
    questions = [question for key in names for question in lessons.questions(plan, key)]
    if not questions:
        raise BadRequest(f"the plan {plan!r} has no question yet", hint=f"ragstone tutor sources {plan}")
    if write_text := {"gift": gift, "text2qti": text2qti}.get(format):
        return write_text(title, names, questions)
    write = anki if format == "anki" else qti
    return write(title, plan, names, questions, lessons.clock())
