"""What a learner reads beside a question: three hints before the solution, and feedback to an answer."""

from __future__ import annotations

import re
from zlib import crc32

from ragstone.core.citations import read_markers
from ragstone.core.text import section_kind, sentence_spans

from ...plans.records import SourceChunk
from ..reading.spelling import gives_away, stem_set, word_set
from ..records import BLANK, Finding, Hint, Question

STEPS = 3
_OPENINGS = {"right": "Right.", "partly": "Partly right", "wrong": "Not right"}
_WORD = re.compile(r"[^\W_]+")
_SMALL = word_set("a an the of to in on at by for from and or with as is are was were that which who its")


def hint(question: Question, step: int, chunk: SourceChunk | None) -> Hint:
    """The ``step``-th help, 1 to 3: where to look, the place with the key left out, its beginnings.

    ``chunk``: the one that has its span, where it is still there.
    """
    source = question.source
    if step == 1:
        section = f", section “{source.section}”" if source.section else ", its beginning"
        named = source.named
        if is_secret(named, question):  # an article may have the title that is asked for
            named = "the source" if source.place else "the article"
        text = f"Look it up in {named}{section} [{source.index}]."
    elif step == 2:
        text = f"There it says [{source.index}]: “{_place(question, chunk)}”"
    else:
        text = _beginnings(question)
    return Hint(step, STEPS, text, (source,))


def is_secret(name: str, question: Question) -> bool:
    """Whether a name beside the question would give its key away; one in one's own words has the name itself."""
    return question.form != "open" and gives_away(name, question.key)


def _place(question: Question, chunk: SourceChunk | None) -> str:
    """The sentence with its key left out; where the question shows it already, the one beside it as well."""
    bare = without_key(question.support.text, question.key)
    shown = stem_set(bare) <= stem_set(question.text) or question.asked == "term"
    if chunk is None or not shown:
        return bare
    spans = list(sentence_spans(chunk.content))
    at = next((i for i, (start, end) in enumerate(spans) if start <= question.support.start < end), None)
    if at is None:
        return bare
    beside = spans[at - 1] if at else spans[at + 1] if at + 1 < len(spans) else None
    if beside is None:
        return bare
    near = without_key(chunk.content[slice(*beside)], question.key)
    return f"{near} {bare}" if at else f"{bare} {near}"


def without_key(text: str, key: str) -> str:
    """The text with a blank wherever the key stands."""
    spaced = r"\s+".join(re.escape(word) for word in key.split())
    return re.sub(rf"(?<!\w){spaced}(?!\w)", BLANK, text, flags=re.IGNORECASE)


def _beginnings(question: Question) -> str:
    key = question.key
    if question.form == "choice":
        wrong = [option for option in question.options if option != key]
        # The one whose place is the same every time, and that tells nothing of where the key stands.
        other = wrong[crc32(question.question_id.encode()) % len(wrong)]
        one, two = sorted((key, other))
        return f"It is either “{one}” or “{two}”."
    if question.form == "blank":
        words = key.split()
        return f"It has {len(words)} word{'s' if len(words) > 1 else ''}: {' '.join(map(_begun, words))}"
    shown = " ".join(word if word.casefold() in _SMALL else _begun(word) for word in key.split())
    return f"Its words begin like this: {shown}"


def _begun(word: str) -> str:
    """ "m____" for a word; a number keeps its length only."""
    return _WORD.sub(
        lambda match: match[0][0] + "_" * (len(match[0]) - 1) if match[0].isalpha() else "#" * len(match[0]), word
    )


def feedback(question: Question, finding: Finding) -> str:
    """In sentences that end with the numbers of their sources, ``[N]``."""
    source = question.source
    end = "" if question.support.text.endswith((".", "!", "?")) else "."  # a glossary's entry has none
    quote = f"As {source.named} says [{source.index}]: “{question.support.text}”{end}"
    if finding.verdict == "right":
        noted = f" ({finding.because})" if finding.because else ""
        return f"Right{noted}. {quote}"
    opening = _OPENINGS[finding.verdict] + (f": {finding.because}." if finding.because else ".")
    solution = f" The answer is “{question.key}”." if question.form != "open" else ""
    if section_kind(source.section.rpartition(" › ")[2]) == "definition":
        return f"{opening}{solution} {quote}"  # a glossary has no more of it
    section = f", in the section “{source.section}”" if source.section else ""
    return f"{opening}{solution} {quote} Read on there{section} [{source.index}]."


def cited(text: str, question: Question) -> tuple[int, ...]:
    """The numbers of the question's sources that a text names, each once, in their order."""
    known = {source.index for source in question.sources}
    return tuple(number for number in read_markers(text)[1] if number in known)
