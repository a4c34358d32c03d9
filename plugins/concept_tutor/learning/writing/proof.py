"""The checks that every question must pass, of the built-in writer and of a language model."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ragstone.core.citations import read_markers

from ...plans.records import SourceChunk
from ..reading.material import Material
from ..reading.spelling import gives_all_away, gives_away, normal, same_thing, stem_set
from ..records import BLANK, Question

_LONGEST = {"text": 700, "key": 400, "option": 200, "explanation": 1200}
_FEWEST, _MOST = 3, 6
#: Of the stems of a key in other words, so many must be in its span.
_BORNE = 0.8
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_STRANGE = re.compile(r"https?:|www\.|<|[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")


def fault_of(question: Question, chunks: Mapping[str, SourceChunk], material: Material) -> str | None:
    """Why the question may not be asked; ``None`` where it may. ``chunks``: the ones it may cite, by id."""
    return (
        _form(question)
        or _support(question, chunks)
        or _sources(question, chunks)
        or _options(question, material)
        or _gives_key_away(question)
    )


def _form(question: Question) -> str | None:
    for name, text in (("text", question.text), ("key", question.key), ("explanation", question.explanation)):
        if not text.strip() or len(text) > _LONGEST[name]:
            return f"its {name} is empty or too long"
    texts = [question.text, question.key, question.explanation, *question.options]
    if any(_STRANGE.search(text) for text in texts):
        return "it has markup or an address"
    if question.form == "blank" and BLANK not in question.text:
        return "it has no blank"
    return None


def _support(question: Question, chunks: Mapping[str, SourceChunk]) -> str | None:
    span = question.support
    chunk = chunks.get(span.chunk_id)
    if chunk is None or not span.text or chunk.content[span.start : span.end] != span.text:
        return "its span is not in a source"
    within = f" {normal(span.text)} "
    if f" {normal(question.key)} " in within:
        return None
    if question.form != "open":
        return "its key is not in its span"
    stems = stem_set(question.key)
    numbers = {number.replace(",", "") for number in _NUMBER.findall(question.key)}
    held = {number.replace(",", "") for number in _NUMBER.findall(span.text)}
    if not stems or len(stems & stem_set(span.text)) < _BORNE * len(stems) or not numbers <= held:
        return "its key is not in its span"
    return None


def _sources(question: Question, chunks: Mapping[str, SourceChunk]) -> str | None:
    known = {source.index: source for source in question.sources}
    cited = set(read_markers(question.explanation)[1])
    if not cited or not cited <= known.keys() or len(known) != len(question.sources):
        return "its explanation cites no source, or one that it has not"
    if not set(read_markers(question.text)[1]) <= known.keys():
        return "it cites a source that it has not"
    for source in question.sources:
        chunk = chunks.get(source.chunk_id)
        if chunk is None or (chunk.page_title, chunk.page_url) != (source.page_title, source.page_url):
            return "a source of it is none of the concept's"
    return None if question.support.chunk_id in {s.chunk_id for s in question.sources} else "its span is of no source"


def _options(question: Question, material: Material) -> str | None:
    options = question.options
    if question.form != "choice":
        return "it has options and is no choice" if options else None
    if not _FEWEST <= len(options) <= _MOST or any(len(option) > _LONGEST["option"] for option in options):
        return "it has too few, too many or too long options"
    if options.count(question.key) != 1 or len({normal(option) for option in options}) != len(options):
        return "its options are not distinct, or its key is none of them"
    wrong = [option for option in options if option != question.key]
    if any(same_thing(option, question.key) for option in wrong):
        return "an option may be the same as its key"
    frame = (stem_set(question.text) | stem_set(question.support.text)) - stem_set(question.key)
    if any(material.may_be_right(option, question.key, question.support.text, frame) for option in wrong):
        return "a wrong option may be right"
    return None


def _gives_key_away(question: Question) -> str | None:
    # Terms and names are typed whole; of a choice's options the one that shares a word with the question would be the
    # key.
    is_typed = question.form == "blank" and question.asked in {"term", "name"}
    gives = gives_all_away if is_typed else gives_away
    has_key = question.form != "open" and gives(read_markers(question.text)[0], question.key)
    return "it gives its key away" if has_key else None
