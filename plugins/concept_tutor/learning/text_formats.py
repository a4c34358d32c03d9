"""A plan's questions as text: GIFT, which Moodle imports, and what ``text2qti`` makes a quiz for Canvas of."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from string import ascii_lowercase

from .qti import valid_text
from .records import BLANK, Question

_SHOWN_BLANK = "_____"
#: Moodle takes a star alone for any letters.
_LITERAL_STAR = r"\*"
_GIFT_SPECIAL = re.compile(r"([\\~=#{}:])")
#: What is Markdown, mathematics or HTML to text2qti: in a line, at its beginning, and the point of a numbered item.
_MARKUP = re.compile(r"[\\`*_{}\[\]<>&$]|^[^\w\s]|(?<=\d)[.)](?=\s)")


def gift(title: str, names: Mapping[str, str], questions: Sequence[Question]) -> bytes:
    """The questions, those of each concept in a category; ``names``: of the concepts, by key.

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
    """The same questions as a quiz; the concept is a question's title, which Canvas shows to teachers alone."""
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
