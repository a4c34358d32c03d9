"""An answer that needs no retrieval: what a source is about as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from llama_index.core.schema import BaseNode

from ..retrieval.quotes import LONGEST_SENTENCE
from ..text.chunk_terms import terms_of
from ..text.formulas import has_formula
from ..text.imperatives import as_between_people
from ..text.instructions import instructions_of, is_addressed
from ..text.segmentation import quote_end
from ..text.sentence_kinds import Kind
from .answer import Sentence

_WELCOME = re.compile(r"\W*(?:welcome|congratulations)\b[^.!?]*[.!?]", re.IGNORECASE)
_RIGHTS = re.compile(r"\W*copyright\b|.{0,40}©|.{0,40}\ball rights reserved\b", re.IGNORECASE)
#: Other parts that have a notice.
_MANY = 2


@dataclass(frozen=True)
class Overview:
    """What tells of a source, or a part of it, as a whole."""

    #: A sentence about its parts, made of what the catalog says, such as the titles of the chapters.
    introduction: str
    #: The chunks whose first sentences are quoted.
    nodes: Sequence[BaseNode]
    #: Sentences of this pattern are quoted; of a chunk that has none its first ones.
    preferred: re.Pattern[str] | None = None
    #: Kinds of the sentences that are quoted.
    kinds: frozenset[Kind] = frozenset({"explanation"})
    #: Sentences that are quoted from each chunk, at most; and whether sentences alone or items of lists too.
    most: int = 2
    units: frozenset[str] = frozenset({"sentence"})
    #: Texts of other parts: a sentence that several of them have is a notice, and not quoted.
    others: Sequence[str] = ()
    #: Whether commands are quoted too, as what a mail asks for; not of a chunk that addresses an assistant.
    quotes_requests: bool = False

    #: What was answered before: its sentences are not quoted again.
    known: str = ""

    def after(self, answered: str) -> Overview:
        """What else the chunks say, behind what was answered."""
        return replace(self, introduction="", preferred=None, known=" ".join(answered.split()))

    def sentences(self) -> Iterator[Sentence]:
        """The first explaining sentences of each chunk, of one document each once; a lead-in with its list, whose items
        are not quoted again."""
        given: set[tuple[str | None, str]] = set()
        for number, node in enumerate(self.nodes):
            known, text, instructing = terms_of(node), node.get_content(), instructions_of(node)
            pieces = (as_between_people(text[unit.start : unit.end]) for unit in known.units)
            if self.quotes_requests and not any(map(is_addressed, pieces)):
                instructing = frozenset()
            # By what is quoted: whether it is a list's item, which is a paragraph of its own.
            found = {
                text[unit.start : end]: unit.kind == "item"
                for index, unit in enumerate(known.units)
                if known.kinds[index] in self.kinds
                and unit.kind in self.units
                and not _WELCOME.fullmatch(text, unit.start, unit.end)
                and not _RIGHTS.match(text, unit.start, unit.end)
                and (end := quote_end(text, known.units, index, LONGEST_SENTENCE))
                and not any(unit.start <= known.units[each].start < end for each in instructing)
            }
            quotes = [
                quote
                for quote in found
                if not (quote.endswith(":") or has_formula(quote) or (node.ref_doc_id, quote) in given)
                and sum(quote in other for other in self.others) < _MANY
                and " ".join(quote.split()) not in self.known
            ]
            wanted = [quote for quote in quotes if self.preferred and self.preferred.search(quote)]
            shown: list[str] = []
            for quote in wanted or quotes:
                # What introduces a list is quoted with it.
                if not any(quote in each for each in shown if not found[each]):
                    shown.append(quote)
            for index, quote in enumerate(shown[: self.most]):
                given.add((node.ref_doc_id, quote))
                opens = number > 0 if index == 0 else found[quote]
                yield Sentence(quote, (number,), (quote,), opens_paragraph=opens)


@dataclass(frozen=True)
class OverviewInParts(Overview):
    """What tells of several things that one question asks for, one after the other."""

    parts: Sequence[Overview] = ()

    @classmethod
    def of(cls, parts: Sequence[Overview]) -> OverviewInParts:
        introductions = [part.introduction for part in parts if part.introduction]
        return cls("\n\n".join(introductions), [node for part in parts for node in part.nodes], parts=parts)

    def after(self, answered: str) -> Overview:
        return self.of([part.after(answered) for part in self.parts])

    def sentences(self) -> Iterator[Sentence]:
        given: set[str] = set()
        first = 0
        for part in self.parts:
            others = [sentence for sentence in part.sentences() if sentence.text not in given]
            given.update(sentence.text for sentence in others)
            yield from (
                replace(sentence, chunks=tuple(first + number for number in sentence.chunks)) for sentence in others
            )
            first += len(part.nodes)
