"""The writer that needs no language model: questions out of the sources' own sentences. It knows English only."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from typing import TYPE_CHECKING

from ..reading.material import bare_title
from ..reading.numbers import WORD_VALUES
from ..reading.sentences import sentences_of, stands_alone
from ..reading.spelling import normal, stem_set
from ..records import Question, QuestionSource, Support, Written
from .blanks import blanks
from .defining import definitions, relations
from .distractors import Distractors
from .proof import fault_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ...plans.records import SourceChunk
    from ..reading.material import Material
    from ..records import Asked, Form
    from .drafting import Draft

#: Of one concept, so many questions at most that ask for the same kind of thing.
_MOST_OF_A_KIND: dict[Asked, int] = {"year": 1, "number": 1, "place": 1, "name": 1, "person": 2, "relation": 2}
_BY_RANK = 0.04


class BuiltIn:
    """Writes for one plan; ``material``: all that its sources say, for wrong options and for what is right as well."""

    def __init__(self, material: Material, *, seed: int = 0, names: Iterable[str] = ()) -> None:
        """``names``: of the plan's concepts."""
        self._material = material
        self._seed = seed
        self._distractors = Distractors(material, seed)
        titles = (bare_title(chunk.page_title) for chunk in material.chunks)
        known = {*map(bare_title, names), *titles, *(topic.name for topic in material.topics)}
        #: Common nouns among them; proper names are found as names.
        self._terms = frozenset(
            low
            for name in known
            if (low := material.lowered(name)) and low[0].islower() and len(low) > 3 and " and " not in low
        )

    def write(self, plan: str, concept: str, name: str, chunks: Sequence[SourceChunk], most: int) -> Written:
        """At most ``most`` questions out of the chunks, which are numbered from 1 in their order.

        ``name``: the concept's, in words.
        """
        offered = {chunk.chunk_id: chunk for chunk in chunks}
        left_out: Counter[str] = Counter()
        kept: list[Question] = []
        of_kind: Counter[Asked] = Counter()
        used: set[tuple[str, int, Form]] = set()
        keys: set[tuple[str, Form]] = set()
        for draft in self._drafts(chunks, name):
            if len(kept) == most:
                break
            place = (draft.sentence.chunk.chunk_id, draft.sentence.start)
            form: Form = "open" if draft.form == "open" else "choice"
            if (*place, form) in used or of_kind[draft.asked] >= _MOST_OF_A_KIND.get(draft.asked, most):
                continue
            if (
                draft.asked != "definition"
                and any((*place, other) in used for other in ("open", "choice"))
                and draft.asked != "term"
            ):
                continue
            if (normal(draft.key), draft.form) in keys:
                continue
            question = self._question(plan, concept, draft, chunks)
            fault = fault_of(question, offered, self._material)
            if fault is not None:
                left_out[fault] += 1
                continue
            kept.append(question)
            used.add((*place, form))
            keys.add((normal(draft.key), draft.form))
            of_kind[draft.asked] += 1
        return Written(tuple(kept), dict(left_out))

    def _drafts(self, chunks: Sequence[SourceChunk], name: str) -> list[Draft]:
        """The best ones first; where two are worth the same, in the sources' order."""
        found = [
            (draft.worth - _BY_RANK * rank, draft)
            for rank, chunk in enumerate(chunks)
            for draft in self._of(chunk, name)
        ]
        return [draft for _worth, draft in sorted(found, key=lambda each: -each[0])]

    def _of(self, chunk: SourceChunk, name: str) -> Iterator[Draft]:
        if not chunk.language.casefold().startswith(("en", "simple")) and chunk.language:
            return
        title = bare_title(chunk.page_title)
        known = frozenset(normal(f"{title} {name}").split()) | {normal(title), normal(name)}
        for sentence in sentences_of(chunk):
            if not stands_alone(sentence, known):
                continue
            yield from definitions(sentence, self._material, self._distractors)
            yield from relations(sentence, self._material)
            own = {term for term in self._terms if stem_set(term) <= stem_set(f"{title}")}
            yield from blanks(sentence, self._material, self._distractors, self._terms - own)

    def _question(self, plan: str, concept: str, draft: Draft, chunks: Sequence[SourceChunk]) -> Question:
        sentence, chunk = draft.sentence, draft.sentence.chunk
        number = next(at for at, one in enumerate(chunks, start=1) if one.chunk_id == chunk.chunk_id)
        question_id = id_of(plan, concept, draft.text, draft.key)
        options = [draft.key, *draft.wrong] if draft.form == "choice" else []
        random.Random(f"{self._seed}\n{question_id}").shuffle(options)  # noqa: S311 - an order, no secret
        options = sorted(options, key=_value) if draft.asked in {"year", "number"} else options
        return Question(
            question_id=question_id,
            plan=plan,
            concept=concept,
            form=draft.form,
            asked=draft.asked,
            text=draft.text,
            key=draft.key,
            options=tuple(options),
            also=draft.also,
            explanation=f"As the article on {chunk.page_title} says [{number}]: “{sentence.text}”",
            support=Support(chunk.chunk_id, sentence.start, sentence.end, sentence.text),
            sources=(source_of(number, chunk),),
        )


def source_of(number: int, chunk: SourceChunk) -> QuestionSource:
    """The chunk as a question names it."""
    return QuestionSource(number, chunk.page_title, chunk.page_url, chunk.section, chunk.licence, chunk.chunk_id)


def id_of(plan: str, concept: str, text: str, key: str) -> str:
    """A question's id."""
    return hashlib.sha256(f"{plan}\n{concept}\n{text}\n{key}".encode()).hexdigest()[:20]


def _value(option: str) -> float:
    try:
        return float(option.replace(",", ""))
    except ValueError:
        return float(WORD_VALUES.get(option, 0))
