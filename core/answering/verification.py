"""Checks a language model's sentences one by one and in order before they enter the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..citations import ITEM_MARK, CheckedSentence, CitableChunks, is_item, read_markers
from ..runtime.request import check_budget
from ..tracing import step
from .answer import Draft, Sentence
from .prompting import ChunkPrompt

_FINISHED = re.compile(r"[.!?…][\"'”’)]*$|\]\W*$")


@dataclass
class Proofreading:
    """Checks the sentences of one answer."""

    offer: ChunkPrompt
    draft: Draft

    def __post_init__(self) -> None:
        self._chunks = CitableChunks(self.offer.texts, self.offer.headings, self.offer.by_ocr, self.offer.terms)
        self._given: set[str] = set()
        self._announcing: str | None = None
        self._after_item = False

    def read(self, written: str, *, unfinished: bool = False) -> list[Sentence]:
        """The sentence if it is supported, after the line that announces it; else what replaces it, or nothing.

        ``unfinished``: the model was cut short, so that the sentence may lack its end.
        """
        check_budget()
        with step("Proofreading.read", written=written) as read:
            passed = list(self._read(written, unfinished))
            read.set_result(lambda: {"passed": [each.text for each in passed], "dropped": len(self.draft.dropped)})
        return passed

    def _read(self, written: str, unfinished: bool) -> Iterator[Sentence]:
        # The model was shown the chunks with their angle brackets escaped.
        written = written.replace("&lt;", "<")
        text, cited = read_markers(written)
        if unfinished and not _FINISHED.search(written):
            self.draft.drop(text, "it was not written to its end")
            return
        if not cited and text.endswith(":"):
            self.drop_announcing()
            self._announcing = text
            return
        checked = self._checked(text, cited)
        if checked.fault is not None:
            yield from self._replaced(checked)
            return
        if self._announcing is not None:
            yield from self._announced(checked)
        if not self._is_new(text):
            self.draft.drop(text, "it is in the answer already")
            return
        item = is_item(text)
        yield self._passed(checked, opens_paragraph=item or self._after_item)
        self._after_item = item

    def _replaced(self, checked: CheckedSentence) -> Iterator[Sentence]:
        """The closest sentences of the sources in the place of one that they do not support, each given once."""
        if not checked.replacements:
            if checked.text:
                self.draft.drop(checked.text, checked.fault or "")
            return
        self.drop_announcing()
        self.draft.drop(checked.text, f"{checked.fault}; replaced by the source's own words")
        for support in checked.replacements:
            if self._is_new(support.text):
                yield self._passed(
                    CheckedSentence(support.text, (support.chunk,), None, (support.text,)),
                    opens_paragraph=self._after_item,
                )
                self._after_item = False

    def _is_new(self, text: str) -> bool:
        return _bare(text) not in self._given

    def drop_announcing(self) -> None:
        """Drop a line that ends in a colon where nothing that it announces is supported."""
        if self._announcing is not None:
            self.draft.drop(self._announcing, "nothing that it announces is supported")
            self._announcing = None

    def reset(self) -> None:
        """Begin again: the connection broke before the first supported sentence."""
        self.draft.dropped.clear()
        self._announcing = None

    def _checked(self, text: str, cited: tuple[int, ...]) -> CheckedSentence:
        if self.offer.fence.casefold() in text.casefold():
            return CheckedSentence(text, cited, "it repeats a mark of the passages")
        return self._chunks.check(text, cited)

    def _announced(self, checked: CheckedSentence) -> Iterator[Sentence]:
        """A line that ends in a colon cites what the first thing that it announces cites."""
        announcing, self._announcing = self._announcing, None
        if announcing is None or not self._is_new(announcing):
            return
        found = self._chunks.check(announcing, checked.cited)
        if found.fault is None:
            yield self._passed(found, opens_paragraph=True)
        else:
            self.draft.drop(found.text, found.fault)

    def _passed(self, checked: CheckedSentence, *, opens_paragraph: bool) -> Sentence:
        self._given.add(_bare(checked.text))
        return Sentence(checked.text, tuple(number - 1 for number in checked.cited), checked.quotes, opens_paragraph)


def _bare(text: str) -> str:
    """The sentence without the mark of an item and without its end."""
    return " ".join(ITEM_MARK.sub("", text, count=1).split()).rstrip(" .:;")
