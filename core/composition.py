"""Sentences put together to a text with markers, and the citations that the markers stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .answers import Citation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llama_index.core.schema import BaseNode

    from .assistants import Profile
    from .drafts import Sentence
    from .guards import CitedWarning

#: Letters of a word that tell it again in another form.
_ROOT = 7


class Composition:
    """Numbers the passages as they are first cited. What ``add`` and ``warn`` return, joined, is ``text``."""

    def __init__(self, nodes: Sequence[BaseNode], profile: Profile) -> None:
        self._nodes = nodes
        self._profile = profile
        self._numbers: dict[str, int] = {}
        self._setting: str | None = None
        self.text = ""
        #: Whether it holds no sentence: warnings alone are no answer.
        self.is_empty = True
        self.citations: list[Citation] = []

    def warn(self, warning: CitedWarning) -> str:
        """The piece of text that a warning adds: a paragraph of its own."""
        marker = f"[{self._number(warning.node, warning.text)}]"
        return self._append("\n\n", f"WARNING: {warning.text} {marker}")

    def add(self, sentence: Sentence) -> str:
        """The piece of text that the sentence adds."""
        cited = [self._nodes[passage] for passage in sentence.passages]
        markers = "".join(f"[{self._number(*each)}]" for each in zip(cited, sentence.quotes, strict=True))
        setting = self._profile.setting(cited[0])
        changes = setting != self._setting
        self._setting = setting
        # Where it is about something else than what stands before it, a reader is told so.
        label = f"{setting}: " if changes and setting and not _says(sentence.text, setting) else ""
        opens = sentence.opens_paragraph or self.is_empty or changes
        # Behind several lines (a list, code) the marker has a line of its own.
        joint = "\n" if "\n" in sentence.text else " "
        self.is_empty = False
        return self._append("\n\n" if opens else " ", f"{label}{sentence.text}{joint}{markers}")

    def _append(self, gap: str, words: str) -> str:
        piece = f"{gap if self.text else ''}{words}"
        self.text += piece
        return piece

    def _number(self, node: BaseNode, quote: str) -> int:
        if node.node_id not in self._numbers:
            self._numbers[node.node_id] = len(self._numbers) + 1
            self.citations.append(
                Citation(
                    n=self._numbers[node.node_id],
                    chunk_id=node.node_id,
                    quote=quote,
                    url=self._profile.url(node),
                    fields={name: node.metadata.get(name) for name in self._profile.fields},
                )
            )
        return self._numbers[node.node_id]


def _says(text: str, setting: str) -> bool:
    """Whether the text says so itself: "In simulation" stands before no sentence on "the simulator"."""
    return setting.rsplit(maxsplit=1)[-1].casefold()[:_ROOT] in text.casefold()
