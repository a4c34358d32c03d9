"""The writer that needs no language model: questions out of the sources' own sentences. It knows English only."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice

from ...plans.records import SourceChunk
from ..reading.definitions import definitions_of
from ..reading.groups import series_in
from ..reading.material import Material, is_about
from ..reading.sentences import Sentence, sentences_of
from ..reading.spelling import normal, topic_key
from ..records import Asked, Question, QuestionSource, Support
from .clozes import SPARE_WORTH, Draft
from .distractors import Distractors
from .drafts import Drafting
from .proof import fault_of

#: What is worth less is not asked: few good questions are better than many.
_LEAST_WORTH = 0.6
#: Of one concept, so many questions at most that ask for the same kind of thing.
_MOST_OF_A_KIND: dict[Asked, int] = {"year": 1, "name": 2, "definition": 3}
_BY_RANK = 0.03
#: Questions with the same labels as options.
_MOST_OF_A_SERIES = 3


class BuiltIn:
    """Writes for one plan. No sentence and no term is asked about for two of its concepts."""

    def __init__(
        self,
        material: Material,
        *,
        names: Mapping[str, str],
        near: Mapping[str, Collection[str]] | None = None,
        seed: int = 0,
    ) -> None:
        """``material``: all that the plan's sources say. ``names``: of its concepts; ``near``: their prerequisites and
        siblings."""
        self.material = material
        self._seed = seed
        self._owners = _owners(material, names)
        self._first: dict[str, str] = {}
        for sentence in material.sentences:
            self._first.setdefault(normal(sentence.text), sentence.chunk.chunk_id)

        def is_near(one: SourceChunk, other: SourceChunk) -> bool:
            mine, theirs = (self._owners[each.chunk_id] for each in (one, other))
            return mine == theirs or theirs in (near or {}).get(mine, ())

        distractors = Distractors(material, is_near, seed)
        self._drafting = Drafting(material, distractors, frozenset(map(topic_key, names.values())))

    def owned(self, concept: str, chunks: Sequence[SourceChunk]) -> list[SourceChunk]:
        """Those of the chunks that this concept asks about, and no other one of the plan."""
        return [chunk for chunk in chunks if self._owners.get(chunk.chunk_id) == concept]

    def write(
        self, plan: str, concept: str, name: str, chunks: Sequence[SourceChunk], most: int
    ) -> tuple[Question, ...]:
        """At most ``most`` questions out of the chunks, which are numbered from 1 in their order, the best ones first;
        one of several is to fill in or to choose, where there is such a draft.

        ``name``: the concept's, in words.
        """
        found = [
            (draft.worth - _BY_RANK * rank, draft)
            for rank, chunk in enumerate(self.owned(concept, chunks))
            for draft in self._of(chunk, name)
            if draft.worth >= SPARE_WORTH
        ]
        # stable: in the sources' order
        by_worth = [draft for _worth, draft in sorted(found, key=lambda each: -each[0])]
        drafts = [draft for draft in by_worth if draft.worth >= _LEAST_WORTH]
        kept = self._kept(plan, concept, drafts, chunks, most)
        # Rather of another sentence, and not what is asked for in one's own words.
        said, keys = {one.support.text for one in kept}, {normal(one.key) for one in kept}
        others = (one for one in by_worth if one.form != "open" and normal(one.key) not in keys)
        typed = min(others, key=lambda one: one.sentence.text in said, default=None)
        if typed and kept and all(one.form == "open" for one in kept):
            drafts = [typed, *(one for one in drafts if one is not typed)]
            kept = sorted(self._kept(plan, concept, drafts, chunks, most), key=lambda one: one.form != "open")
        return tuple(kept)

    def _kept(
        self, plan: str, concept: str, drafts: Sequence[Draft], chunks: Sequence[SourceChunk], most: int
    ) -> list[Question]:
        """The first ones of the drafts, as questions: each that passes its proof, and asks nothing twice."""
        offered = {chunk.chunk_id: chunk for chunk in chunks}
        kept: list[Question] = []
        of_kind: Counter[Asked] = Counter()
        used: set[object] = set()
        sentence_of: dict[str, Sentence] = {}
        for draft in drafts:
            if len(kept) == most:
                break
            # A sentence is asked about once, or once in each direction; nothing is asked, or is a key, twice.
            is_open = draft.form == "open"
            own, *others = ((draft.sentence.chunk.chunk_id, draft.sentence.end, way) for way in (is_open, not is_open))
            now = {own, (normal(draft.key), is_open), draft.text}
            is_asked = bool(now.union(others if draft.once else ()) & used)
            if is_asked or of_kind[draft.asked] >= _MOST_OF_A_KIND.get(draft.asked, most):
                continue
            if any(sentence_of.get(topic, draft.sentence) != draft.sentence for topic in draft.about):
                continue
            question = self._question(plan, concept, draft, chunks)
            if fault_of(question, offered, self.material) is not None:
                continue
            kept.append(question)
            used |= now
            sentence_of |= dict.fromkeys(draft.about, draft.sentence)
            of_kind[draft.asked] += 1
        return kept

    def _of(self, chunk: SourceChunk, name: str) -> Iterator[Draft]:
        if not chunk.language.casefold().startswith(("en", "simple")) and chunk.language:
            return
        for entry in definitions_of(chunk):
            if self.material.topics[topic_key(entry.subject)].sentence == entry.sentence:
                yield from self._drafting.of_definition(entry, name)
        for sentence in sentences_of(chunk):
            if self._first[normal(sentence.text)] == chunk.chunk_id:
                yield from self._drafting.of(sentence, name)
        for series in series_in(chunk):
            drafts = (draft for label in series for draft in self._drafting.of_label(label))
            yield from islice(drafts, _MOST_OF_A_SERIES)

    def _question(self, plan: str, concept: str, draft: Draft, chunks: Sequence[SourceChunk]) -> Question:
        sentence, chunk = draft.sentence, draft.sentence.chunk
        number = next(at for at, one in enumerate(chunks, start=1) if one.chunk_id == chunk.chunk_id)
        question_id = id_of(plan, concept, draft.text, draft.key)
        options = [draft.key, *draft.wrong] if draft.form == "choice" else []
        source = QuestionSource.of(chunk, number)
        random.Random(f"{self._seed}\n{question_id}").shuffle(options)  # noqa: S311 - an order, no secret
        return Question(
            question_id=question_id,
            plan=plan,
            concept=concept,
            form=draft.form,
            asked=draft.asked,
            text=draft.text,
            key=draft.key,
            options=tuple(sorted(options) if draft.asked == "year" else options),
            also=draft.also,
            explanation=f"As {source.named} says [{number}]: “{sentence.text}”",
            support=Support(chunk.chunk_id, sentence.start, sentence.end, sentence.text),
            sources=(source,),
        )


def _owners(material: Material, names: Mapping[str, str]) -> dict[str, str]:
    """For each chunk the concept that asks about it: the one that its page is named after, else the first one."""
    of_page: dict[str, str] = {}
    for chunk in material.chunks:
        if is_about(names.get(chunk.concept, ""), chunk.page_title):
            of_page.setdefault(chunk.page_title, chunk.concept)
    return {chunk.chunk_id: of_page.get(chunk.page_title, chunk.concept) for chunk in material.chunks}


def id_of(plan: str, concept: str, text: str, key: str) -> str:
    """A question's id."""
    return hashlib.sha256(f"{plan}\n{concept}\n{text}\n{key}".encode()).hexdigest()[:20]
