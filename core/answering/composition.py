"""Composes sentences to a text with markers, and the citations of the markers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from llama_index.core.schema import BaseNode

from ..text.chunk_terms import ChunkTerms
from ..text.instructions import instruction_note
from ..tracing import step
from .answer import Citation, Draft, Sentence
from .guard import CitedWarning, Verdict
from .profile import Profile

#: Letters by which a word is recognized in another form.
_ROOT = 7


class Composition:
    """Numbers the chunks in the order of their first citation, and applies the assistant's guard."""

    def __init__(self, nodes: Sequence[BaseNode], profile: Profile, stored: Mapping[str, ChunkTerms]) -> None:
        """``stored``: terms by node id, as far as they are stored."""
        self._nodes = nodes
        self._stored = stored
        self._profile = profile
        self._numbers: dict[str, int] = {}
        self._setting: str | None = None
        self._top: list[str] = []
        self._body = ""
        self._introduced = False
        self.citations: list[Citation] = []
        #: Words of the sources that are shown at the top.
        self.warnings: list[str] = []
        #: A sentence of our own that stands before all others.
        self.introduction = ""
        #: The guard's refusal, where it withheld a sentence.
        self.refusal: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether it holds no sentence: warnings alone are no answer."""
        return not self._body

    @property
    def text(self) -> str:
        """The answer: warnings at its top, wherever in the stream they were given out."""
        return "\n\n".join(part for part in (self.introduction, *self._top, self._body) if part)

    def add(self, sentences: Sequence[Sentence], draft: Draft) -> list[str]:
        """The pieces of text that the sentences add, their warnings first; what is withheld goes into the draft."""
        with step("Composition.add", sentences=[sentence.text for sentence in sentences]) as added:
            pieces = list(self._added(sentences, draft))
            if pieces and self.introduction and not self._introduced:
                self._introduced = True
                pieces.insert(0, f"{self.introduction}\n\n")
            added.set_result(lambda: pieces)
        return pieces

    def _added(self, sentences: Sequence[Sentence], draft: Draft) -> Iterator[str]:
        shown = []
        for sentence in sentences:
            verdict = self._profile.guard.review(sentence, self._nodes) if self._profile.guard else Verdict()
            if verdict.withheld is not None:
                draft.drop(sentence.text, verdict.withheld)
                self.refusal = self.refusal or verdict.refusal
                continue
            yield from (self._warn(warning) for warning in verdict.warnings if warning.text not in self.warnings)
            shown.append(sentence)
        for sentence in shown:
            # A sentence that a warning contains is not repeated.
            if not any(_bare(sentence.text) in _bare(warning) for warning in self.warnings):
                yield self._add(sentence)

    def _warn(self, warning: CitedWarning) -> str:
        self.warnings.append(warning.text)
        words = f"WARNING: {warning.text} [{self._number(warning.node, warning.text)}]"
        gap = "\n\n" if self._top or self._body else ""
        self._top.append(words)
        return f"{gap}{words}"

    def _add(self, sentence: Sentence) -> str:
        cited = [self._nodes[chunk] for chunk in sentence.chunks]
        markers = "".join(f"[{self._number(*each)}]" for each in zip(cited, sentence.quotes, strict=True))
        setting = self._profile.setting(cited[0], sentence.quotes[0])
        changes = setting != self._setting
        self._setting = setting
        # A change of the setting is named.
        label = f"{setting}: " if changes and setting and not _names(sentence.text, setting) else ""
        # Behind several lines (a list, code) the marker has a line of its own.
        joint = "\n" if "\n" in sentence.text else " "
        words = f"{label}{sentence.text}{joint}{markers}"
        if not self._body:
            self._body = words
            return f"\n\n{words}" if self._top else words
        gap = "\n\n" if sentence.opens_paragraph or changes else " "
        piece = f"{gap}{words}"
        self._body += piece
        return piece

    def _number(self, node: BaseNode, quote: str) -> int:
        if node.node_id not in self._numbers:
            form = self._profile.citations
            fields = form.fields_of(node)
            self._numbers[node.node_id] = len(self._numbers) + 1
            self.citations.append(
                Citation(
                    n=self._numbers[node.node_id],
                    chunk_id=node.node_id,
                    quote=quote,
                    url=form.url(node),
                    fields=fields,
                    note=instruction_note(node, self._stored.get(node.node_id)),
                    place=form.place(fields),
                )
            )
        return self._numbers[node.node_id]


def _bare(text: str) -> str:
    return " ".join(text.split())


def _names(text: str, setting: str) -> bool:
    """Whether the text names the setting itself, as "the simulator" does for "In simulation"."""
    return setting.rsplit(maxsplit=1)[-1].casefold()[:_ROOT] in text.casefold()
