"""Questions from sentences that say what a thing is, or how it stands to another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..reading.frames import PRAISE, definition_of, relation_of
from ..reading.material import bare_title, is_about
from ..reading.spelling import gives_away, normal, stem_set
from ..records import BLANK
from .drafting import Draft

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..reading.frames import Definition
    from ..reading.material import Material
    from ..reading.sentences import Sentence
    from .distractors import Distractors

#: Stems that a definition must have: what is said in fewer words is true of much else.
_TELLS_MUCH, _TELLS_ENOUGH = 5, 3
_LONGEST_TERM = 4


def definitions(sentence: Sentence, material: Material, distractors: Distractors) -> Iterator[Draft]:
    """Which of these it is, or its name to be typed; and of what the page is about: what it is, in one's own words."""
    found = definition_of(sentence)
    if found is None:
        return
    topical = is_about(found.subject, sentence.chunk.page_title)
    worth = 1.0 if topical else 0.75
    told = stem_set(found.tells)
    says_what = not PRAISE.match(found.tells) and (found.be in {"is", "are"} or found.of_person)
    if says_what and _is_asked_for(found, material) and len(told) >= _TELLS_ENOUGH:
        yield Draft(
            "open", "definition", f"In your own words: {_who_or_what(found)} {found.be} {_named(found, material)}?",
            found.tells, (), sentence, worth - 0.05,
        )  # fmt: skip
    if len(told) < _TELLS_MUCH or gives_away(found.tells, found.subject) or not _is_term(found.subject):
        return
    key, title = material.lowered(found.subject), bare_title(sentence.chunk.page_title)
    wrong = distractors.terms(found) if topical else []
    also = tuple(sorted(material.other_names.get(normal(found.subject), ())))
    if wrong:
        yield Draft(
            "choice", "term", f"Which of these {found.be} {found.tells}?", key, tuple(wrong), sentence, worth, also
        )
    elif (topical or stem_set(title) & (told | stem_set(found.subject))) and (
        # of a longer name a part is no term: the "Johnston" of Albert Sidney Johnston
        not set(normal(key).split()) < set(normal(title).split())
    ):
        if any(gives_away(found.tells, other) for other in also):
            return
        determiner = "A(n) " if found.determiner in {"A", "An"} else f"{found.determiner} " if found.determiner else ""
        place = "" if gives_away(title, key) else f" From the article on {title}:"
        text = f"Fill in the blank.{place} “{determiner}{BLANK} {found.be} {found.tells}.”"
        yield Draft("blank", "term", text, key, (), sentence, worth - 0.15, also)


def relations(sentence: Sentence, material: Material) -> Iterator[Draft]:
    """What it consists of, is caused by, is used for: in one's own words."""
    found = relation_of(sentence)
    if found is None:
        return
    title = bare_title(sentence.chunk.page_title)
    subject = _lowered(found.subject, material)
    told = sentence.text[found.start : found.end]
    topical = bool(stem_set(title) & stem_set(subject))
    if (
        _points_back(found.subject, title)
        or gives_away(subject, told)
        or (not topical and len(stem_set(subject)) < 2 and not subject[0].isupper())
    ):
        return
    question = f"{found.before} {subject} {found.behind}"
    if normal(title) not in normal(subject) and not gives_away(title, told):
        question = f"According to the article on {title}: {question[0].lower()}{question[1:]}"
    yield Draft("open", "relation", question, told, (), sentence, 0.85 if topical else 0.6)


def _is_asked_for(found: Definition, material: Material) -> bool:
    """Whether the sources begin with it to say what a thing is: what comes later tells some of its traits.

    Of what is not the page's own topic, only a kind of it ("The sample variance") or a term ("A z-score").
    """
    title = found.sentence.chunk.page_title
    if found.names_a_term or is_about(found.subject, title):
        return any(topic.definition.sentence == found.sentence for topic in material.topics)
    return found.determiner == "The" and stem_set(bare_title(title)) <= stem_set(found.subject)


def _points_back(subject: str, title: str) -> bool:
    """ "Variations of the dish": of which one, the page said before."""
    inner = re.findall(r"(?<=\w )the ([a-z]+)", subject)
    return any(not stem_set(noun) <= stem_set(title) for noun in inner)


def _who_or_what(found: Definition) -> str:
    return "who" if found.of_person and not found.determiner and found.subject[0].isupper() else "what"


def _named(found: Definition, material: Material) -> str:
    """With its article, as it stands within a sentence."""
    subject = material.lowered(found.subject) if not found.determiner else found.subject
    return f"{found.determiner.lower()} {subject}" if found.determiner else subject


def _lowered(phrase: str, material: Material) -> str:
    first, _, rest = phrase.partition(" ")
    if first in {"A", "An", "The"}:
        return f"{first.lower()} {rest}"
    return material.lowered(phrase)


def _is_term(subject: str) -> bool:
    """A name of a thing, and not a description of it: "oldest text in Phoenician script"."""
    return len(subject.split()) <= _LONGEST_TERM and not re.search(
        r"\b(?:of|in|for|with|on|and|or)\b|['’]s?\s|^\w+est\b", subject
    )
