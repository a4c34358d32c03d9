"""A plan's questions in GIFT, the text format from which Moodle and others import questions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .records import BLANK

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .records import Question

_SPECIAL = re.compile(r"([\\~=#{}:])")


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
            path = "/".join(_plain(name).replace("/", "//") for name in (title, names.get(concept, concept)))
            parts.append(f"$CATEGORY: {path}")
        parts.append(_question(question))
    return ("\n\n".join(parts) + "\n").encode()


def _question(question: Question) -> str:
    sources = (" ".join(filter(None, (source.page_title, source.page_url))) for source in question.sources)
    feedback = " ".join([question.explanation, *(f"[{at}] {text}" for at, text in enumerate(sources, start=1))])
    lines: list[str] = []
    if question.form == "choice":
        lines = [f"{'=' if option == question.key else '~'}{_escaped(option)}" for option in question.options]
    elif question.form == "blank":
        lines = [f"={_escaped(answer)}" for answer in dict.fromkeys((question.key, *question.also))]
    else:
        feedback = f"{question.key} — {feedback}"
    answers = "\n".join([*lines, f"####{_escaped(feedback)}"])
    # What stands in angle brackets is markup to Moodle unless the text is said to be plain.
    return f"::{question.question_id}::[plain]{_escaped(question.text.replace(BLANK, '_____'))} {{\n{answers}\n}}"


def _plain(text: str) -> str:
    return " ".join(text.split())


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", _plain(text)).replace("->", "-\u200b>")
