"""LlamaIndex's node parser of articles."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, Self

from llama_index.core.schema import BaseNode, MetadataMode, TextNode
from pydantic import Field, model_validator

from ragstone.core import Encoder, SlicingNodeParser
from ragstone.core.ingestion import Unit, cut_at, halves, pack, sentences, split

SHORTEST, LONGEST = 512, 1024
#: Increased whenever the same article would be cut otherwise.
CHUNKING_VERSION = 2
#: Metadata key of a document: ``[start, path of headings, anchor]`` of each section.
SECTIONS = "sections"
#: Characters that are counted at once: an article may be one paragraph of megabytes.
_AT_ONCE = 200_000
#: A token stands for so many characters at most: word pieces take a word of more than a hundred for one.
_CHARACTERS_A_TOKEN = 16
#: Costs of cuts and of a chunk that is too short, in tokens more or fewer than the middle of the range.
_WITHIN_SECTION, _WITHIN_PARAGRAPH, _WITHIN_SENTENCE, _TOO_SHORT = 300, 1_000, 2_000, 1_000_000
#: Of the shortest chunk, the part below which neighbouring sentences are never cut apart.
_TINY = 32
_paragraphs = cut_at(re.compile(r"\n\n\s*"))
#: Of a sentence; one without a mark at its end has a list or a heading before it.
_CUTTERS = (cut_at(re.compile(r"\n")), halves)


class ArticleNodeParser(SlicingNodeParser):
    """Cuts an article into chunks of ``min_tokens`` to ``max_tokens`` tokens that end where sections or paragraphs do.

    A chunk is a slice of its document. Its id is the document's id and its number: ``12#0``. Metadata: those of the
    document, ``heading`` (the path of headings, ``History › Origins``), and the section's anchor in ``url``.
    """

    embedded_keys = ("title", "heading")
    parser_keys = (SECTIONS,)
    version: ClassVar[int] = CHUNKING_VERSION

    min_tokens: int = Field(default=SHORTEST, gt=0, description="Only an article that is shorter has a shorter chunk.")
    max_tokens: int = Field(default=LONGEST, gt=0, description="No chunk has more tokens.")
    count_tokens: Callable[[str], int] = Field(exclude=True, description="Tokens of a text.")

    @model_validator(mode="after")
    def _in_order(self) -> ArticleNodeParser:
        if self.min_tokens * 2 > self.max_tokens:
            raise ValueError("the longest chunk must have room for two of the shortest")
        return self

    @classmethod
    def of(cls, encoder: Encoder) -> Self:
        """The node parser that counts tokens as the encoder does."""
        return cls(count_tokens=token_counter(encoder))

    @property
    def fingerprint(self) -> str:
        """Changes whenever the same document would get other chunks."""
        return f"article/{self.version} min={self.min_tokens} max={self.max_tokens}"

    def _chunks(self, document: BaseNode) -> Iterator[TextNode]:
        text = document.get_content(metadata_mode=MetadataMode.NONE)
        sections = [(0, "", ""), *(map(tuple, document.metadata.get(SECTIONS) or ()))]
        starts = [int(section[0]) for section in sections]
        units = self._units(text, starts)
        for number, chunk in enumerate(pack(units, self.max_tokens, self._cost, self.min_tokens // _TINY)):
            start, end = chunk[0].start, chunk[-1].end
            _, heading, anchor = sections[bisect_right(starts, start) - 1]
            url = str(document.metadata.get("url") or "")
            metadata = {"url": f"{url}#{anchor}" if url and anchor else url}
            if heading:
                metadata["heading"] = heading
            yield TextNode(
                id_=f"{document.node_id}#{number}",
                text=text[start:end],
                metadata={name: value for name, value in metadata.items() if value},
                metadata_template="{value}",
                start_char_idx=start,
                end_char_idx=end,
            )

    def _units(self, text: str, starts: Sequence[int]) -> Iterator[Unit]:
        """Sentences, with the costs of a cut before them: ``starts`` are those of sections."""
        before = -1
        for start, end in _paragraphs(text, 0, len(text)):
            section = bisect_right(starts, start)
            cost = _WITHIN_SECTION if section == before else 0
            before = section
            for sentence in sentences(text, start, end):
                for first, last, tokens in split(text, sentence, _CUTTERS, self.count_tokens, self.min_tokens):
                    yield Unit(first, last, tokens, cost)
                    cost = _WITHIN_SENTENCE
                cost = _WITHIN_PARAGRAPH

    def _cost(self, tokens: int) -> float:
        return abs(tokens - (self.min_tokens + self.max_tokens) / 2) + (_TOO_SHORT if tokens < self.min_tokens else 0)


def token_counter(encoder: Encoder) -> Callable[[str], int]:
    """Counts the tokens of a text as the encoder does, but for words of any length."""

    def count(text: str) -> int:
        tokens = sum(encoder.count_tokens(text[at : at + _AT_ONCE]) for at in range(0, len(text), _AT_ONCE))
        return max(tokens, -(-len(text) // _CHARACTERS_A_TOKEN))

    return count
