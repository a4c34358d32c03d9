"""What the sources say to a learner: of a concept before its first question, and of an answered question's options."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..plans.records import SourceChunk
from .reading.groups import series_in
from .reading.sentences import Sentence, sentences_of, stands_alone
from .reading.spelling import stem_set, topic_key
from .records import Question, QuestionSource

#: Words that are read in a minute, and of an explanation at most.
_A_MINUTE = 160
_MOST_WORDS = 2 * _A_MINUTE
#: Sentences of the first chunk, and of each other one, that come also if no question is made of them.
_OPENING, _MORE = 4, 2
_FEWEST_WORDS = 5
_GAP = " … "
#: Openings that point to a sentence before.
_BACKWARDS = re.compile(
    r"(?:It|Its|He|His|She|Her|They|Their|This|These|That|Those|Such|However|But|And|Also|Both|Here|Then|Thus)\b"
)
#: What a chunk begins with that says what something is: its subject, before the verb.
_DEFINES = re.compile(r"((?:An?\s|The\s)?[^.!?]{2,80}?)\s(?:is|are|was|were)\s(?:an?|the|any|one|that|those)\b")
#: Speaks of what is seen beside the text, which is not shown.
_PICTURE = r"(?:diagram|figure|image|picture|photo(?:graph)?|illustration|drawing|chart|map|table)s?"
_PICTURED = re.compile(
    rf"^the {_PICTURE} (?:shows?|lists?|illustrates?)\b|\b(?:this|these) {_PICTURE}\b"
    r"|\b(?:shown|seen|illustrated|depicted|listed|pictured) "
    rf"(?:(?:here|above|below)\b|(?:in|by|on) (?:the|this) {_PICTURE}\b)",
    re.IGNORECASE,
)
_FOOTNOTE = re.compile(r"\s?\[\s?(?:\d{1,4}|[a-z]|citation needed|note \d+)\s?\]")
_LONGEST_QUOTE = 45
#: Headings that name no subject.
_SUMMARY = re.compile(r"(?:(?:chapter|section) )?(?:summary|overview|introduction|review)|in (?:brief|summary)", re.I)


@dataclass(frozen=True)
class Part:
    """Sentences of one chunk in their order; ``text`` ends with the number of its source, ``[N]``."""

    heading: str
    text: str


@dataclass(frozen=True)
class Explanation:
    """What there is to read; without parts there is nothing."""

    parts: tuple[Part, ...]
    sources: tuple[QuestionSource, ...]
    words: int

    @property
    def minutes(self) -> int:
        """About how long it takes to read."""
        return max(1, round(self.words / _A_MINUTE))


def explain(name: str, chunks: Sequence[SourceChunk], questions: Sequence[Question]) -> Explanation:
    """Of the concept of that name, made of these chunks: how each begins, and the sentences that prove the questions.

    Pages of that title come first, and of them what stands before all headings, and then what begins with a definition.
    Of the others nothing is taken that does not name the concept.
    """
    asked = [(one.support.chunk_id, one.support.start) for one in questions]
    chosen, used = dict[int, set[int]](), 0
    words = stem_set(name)
    chunks = sorted(chunks, key=lambda chunk: _order(chunk, words))  # stable: otherwise by relevance
    listed = [_readable(chunk, words, asked) for chunk in chunks]
    for number, index in _in_turn(chunks, listed, asked, words):
        length = len(listed[number][index].text.split())
        if index in chosen.get(number, ()) or used + length > _MOST_WORDS:
            continue
        chosen.setdefault(number, set()).add(index)
        used += length
    parts, sources, before = list[Part](), list[QuestionSource](), ""
    for number in sorted(chosen):
        chunk = chunks[number]
        sources.append(QuestionSource.of(chunk, len(sources) + 1))
        heading = _heading(chunk, name, is_first=not number)
        text = _joined([listed[number][index] for index in sorted(chosen[number])])
        parts.append(Part("" if heading == before else heading, f"{text} [{len(sources)}]"))
        before = heading
    return Explanation(tuple(parts), tuple(sources), used)


def _heading(chunk: SourceChunk, name: str, *, is_first: bool) -> str:
    """What stands above the chunk's sentences: nothing that the reader has read above all, and no "Summary"."""
    heading = chunk.section.rpartition(" › ")[2] or ("" if is_first else chunk.page_title)
    return "" if topic_key(heading) == topic_key(name) or _SUMMARY.fullmatch(heading) else heading


def _in_turn(
    chunks: Sequence[SourceChunk],
    listed: Sequence[Sequence[Sentence]],
    asked: Sequence[tuple[str, int]],
    words: frozenset[str],
) -> list[tuple[int, int]]:
    """Chunks and sentences of them by their numbers, what is needed most first."""
    first = listed[0] if listed else ()
    # A chunk may begin with a picture's caption, or in the middle of a thought: "It is also …".
    begins = [index for index, one in enumerate(first) if _defines(one.text, words)]
    begins += [index for index, one in enumerate(first) if not _BACKWARDS.match(one.text)]
    start = begins[0] if begins else 0
    wanted = [(0, index) for index in range(start, min(start + _OPENING, len(first)))]
    number_of = {chunk.chunk_id: number for number, chunk in enumerate(chunks)}
    for chunk_id, start in asked:
        number = number_of.get(chunk_id)
        index = next((i for i, one in enumerate(listed[number or 0]) if one.start <= start < one.end), None)
        if number is None or index is None:
            continue
        if index and not stands_alone(listed[number][index]):  # what it points back to comes first
            wanted.append((number, index - 1))
        wanted.append((number, index))
    for number, sentences in enumerate(listed[1:], start=1):
        # a chunk that begins in the middle of a thought is opened only by a question's sentence
        if sentences and stands_alone(sentences[0]):
            wanted += [(number, index) for index in range(min(_MORE, len(sentences)))]
    return wanted


def _order(chunk: SourceChunk, words: frozenset[str]) -> tuple[int, bool, bool]:
    distance = _distance(chunk, words)
    if distance is None:
        return 2, True, True
    defines = _defines(chunk.content, words)
    return min(distance, 1), bool(chunk.section) and not defines, bool(chunk.section)


def _defines(text: str, words: frozenset[str]) -> bool:
    """Whether it begins with what says what the concept is."""
    subject = _DEFINES.match(text)
    return subject is not None and words <= stem_set(subject[1])


def _distance(chunk: SourceChunk, words: frozenset[str]) -> int | None:
    """How many of the concept's words its page's title has not; ``None`` for a page on something else.

    "Ammonia" is about ammonia, "Mean (statistics)" about the sample mean.
    """
    title = stem_set(chunk.page_title.partition("(")[0])
    return len(words - title) if title and title <= words else None


def _readable(chunk: SourceChunk, words: frozenset[str], asked: Sequence[tuple[str, int]]) -> list[Sentence]:
    """The chunk's whole sentences; of a page on something else those that name the concept or prove a question.

    What points to a picture is left out unless it proves one.
    """
    proved = {start for chunk_id, start in asked if chunk_id == chunk.chunk_id}
    titled = _distance(chunk, words) is not None
    return [
        each
        for each in sentences_of(chunk)
        if _is_whole(each.text.strip())
        and (
            any(each.start <= start < each.end for start in proved)
            or ((titled or words <= stem_set(each.text)) and not _PICTURED.search(each.text))
        )
    ]


def _is_whole(text: str) -> bool:
    return len(text.split()) >= _FEWEST_WORDS and text.endswith((".", "!", "?", ".”", '."', ".)")) and text[0].isupper()


def _joined(sentences: Sequence[Sentence]) -> str:
    """The sentences of one chunk; where something between two is left out, it shows."""
    text, before = "", None
    for one in sentences:
        words = " ".join(_FOOTNOTE.sub("", one.text).split())
        is_next = before is not None and not one.chunk.content[before.end : one.start].strip()
        text += words if before is None else f"{' ' if is_next else _GAP}{words}"
        before = one
    return text


@dataclass(frozen=True)
class OptionNote:
    """``quote`` is a sentence of a source, and ``source`` its number; both are missing where no source names it."""

    option: str
    is_right: bool
    quote: str = ""
    source: int | None = None


def option_notes(
    question: Question, chunks: Mapping[str, Sequence[SourceChunk]]
) -> tuple[tuple[OptionNote, ...], tuple[QuestionSource, ...]]:
    """A note for each option in their order, and all sources that they name, the question's own first.

    ``chunks``: the plan's chunks by concept.
    """
    sources = list(question.sources)
    unique = {one.chunk_id: one for each in chunks.values() for one in each}
    own = {one.chunk_id for one in chunks.get(question.concept, ())}
    asked = unique.get(question.support.chunk_id)
    labelled = {} if asked is None else {each.label: each.sentence for run in series_in(asked) for each in run}
    notes = []
    for option in question.options:
        if option == question.key:
            notes.append(OptionNote(option, True, question.support.text, question.source.index))
            continue
        found = labelled.get(option)
        if found is None and question.asked != "year":  # what else happened in another year is not asked for
            found = _best(option, question, unique.values(), own)
        notes.append(
            OptionNote(option, False) if found is None
            else OptionNote(option, False, " ".join(found.text.split()), _number(found.chunk, sources))
        )  # fmt: skip
    return tuple(notes), tuple(sources)


def _best(option: str, question: Question, chunks: Iterable[SourceChunk], own: set[str]) -> Sentence | None:
    words = r"\s+".join(map(re.escape, option.split()))
    named = re.compile(rf"(?<!\w){words}(?:e?s)?(?!\w)", re.IGNORECASE)
    verb = r"(?:\s\([^()]*\))?,?\s(?:is|are|was|were|means|refers)\b"
    opens = re.compile(rf"(?:(?:An?|The)\s)?{words}{verb}", re.IGNORECASE)
    best, highest = None, 0.0
    for chunk in chunks:
        if not named.search(chunk.content):
            continue
        for sentence in sentences_of(chunk):
            if sentence.text == question.support.text or not named.search(sentence.text):
                continue
            if (length := len(sentence.text.split())) > _LONGEST_QUOTE:
                continue
            score = 4.0 * bool(opens.match(sentence.text)) + stands_alone(sentence) + 0.5 * (chunk.chunk_id in own)
            score += 1 - length / (2 * _LONGEST_QUOTE)
            if score > highest:
                best, highest = sentence, score
    return best


def _number(chunk: SourceChunk, sources: list[QuestionSource]) -> int:
    """The number of the chunk among the sources, to which it is added if it is new."""
    for one in sources:
        if one.chunk_id == chunk.chunk_id:
            return one.index
    number = max((one.index for one in sources), default=0) + 1
    sources.append(QuestionSource.of(chunk, number))
    return number
