"""LlamaIndex's node parser of articles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, Self

from llama_index.core.schema import BaseNode, MetadataMode, TextNode
from pydantic import Field

from ragstone.core import Encoder, SlicingNodeParser

from .chunker import CHUNKING_VERSION, LONGEST, SHORTEST, Chunker

#: Metadata key of a document: ``[start, path of headings, anchor]`` of each section.
SECTIONS = "sections"
#: Characters that are counted at once: an article may be one paragraph of megabytes.
_AT_ONCE = 200_000
#: A token stands for so many characters at most: word pieces take a word of more than a hundred for one.
_CHARACTERS_A_TOKEN = 16


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
    count_tokens: Callable[[Sequence[str]], list[int]] = Field(exclude=True, description="Tokens of each text.")

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
        chunker = Chunker(self.count_tokens, shortest=self.min_tokens, longest=self.max_tokens)
        sections = [(int(start), heading, anchor) for start, heading, anchor in document.metadata.get(SECTIONS) or ()]
        for number, chunk in enumerate(chunker.chunks(text, sections)):
            url = str(document.metadata.get("url") or "")
            metadata = {"url": f"{url}#{chunk.anchor}" if url and chunk.anchor else url}
            if chunk.heading:
                metadata["heading"] = chunk.heading
            yield TextNode(
                id_=f"{document.node_id}#{number}",
                text=text[chunk.start : chunk.end],
                metadata={name: value for name, value in metadata.items() if value},
                metadata_template="{value}",
                start_char_idx=chunk.start,
                end_char_idx=chunk.end,
            )


def token_counter(encoder: Encoder) -> Callable[[Sequence[str]], list[int]]:
    """Counts the tokens of texts as the encoder does, but for words of any length."""

    def count(text: str) -> int:
        tokens = sum(encoder.count_tokens(text[at : at + _AT_ONCE]) for at in range(0, len(text), _AT_ONCE))
        return max(tokens, -(-len(text) // _CHARACTERS_A_TOKEN))

    return lambda texts: [count(text) for text in texts]
