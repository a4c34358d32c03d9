"""Checks a language model's sentences one by one and in order before they enter the answer."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..citations import ITEM_MARK, CheckedSentence, Passages, is_item, read_markers
from ..runtime.budget import check_budget
from ..tracing import step
from .draft import Draft, Sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .prompting import PassagePrompt

#: A piece without markers that has fewer words is no sentence that lost them ("NOT IN THE BOOK", "Here you are.").
_LEAST_WORDS = 6
_FINISHED = re.compile(r"[.!?…][\"'”’)]*$|\]\W*$")


@dataclass
class Proofreading:
    """Reads one answer's sentences, of its first writing and of its second."""

    offer: PassagePrompt
    draft: Draft
    #: Sentences, with their reasons, that may be asked for again.
    unsupported: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._passages = Passages(self.offer.texts, self.offer.headings)
        self._said: set[str] = set()
        self._announcing: str | None = None
        self._after_item = False

    def read(self, written: str, *, unfinished: bool = False) -> list[Sentence]:
        """The sentence where it stands, with the one that announced it, else nothing.

        ``unfinished``: the model was cut short, so that the sentence may lack its end.
        """
        check_budget()
        with step("Proofreading.read", written=written) as read:
            standing = list(self._read(written, unfinished))
            read.set_result(lambda: {"stands": [each.text for each in standing], "dropped": len(self.draft.dropped)})
        return standing

    def _read(self, written: str, unfinished: bool) -> Iterator[Sentence]:
        # The model was shown the passages with their angle brackets escaped.
        written = written.replace("&lt;", "<")
        text, cited = read_markers(written)
        if unfinished and not _FINISHED.search(written):
            self.draft.drop(text, "it was not written to its end")
            return
        if not cited and text.endswith(":"):
            self._drop_announcing()
            self._announcing = text
            return
        checked = self._checked(text, cited)
        if checked.fault is not None:
            yield from self._replaced(checked, cited)
            return
        if self._announcing is not None:
            yield from self._announced(checked)
        if not self._is_new(text):
            self.draft.drop(text, "it was said already")
            return
        item = is_item(text)
        yield self._standing(checked, opens_paragraph=item or self._after_item)
        self._after_item = item

    def _replaced(self, checked: CheckedSentence, cited: tuple[int, ...]) -> Iterator[Sentence]:
        """The closest sentences of the sources in the place of one that they do not support, each given once."""
        if not checked.replacements:
            self._drop(checked, cited)
            return
        self._drop_announcing()
        self.draft.drop(checked.text, f"{checked.fault}; the source's own words stand instead")
        for support in checked.replacements:
            if self._is_new(support.text):
                yield self._standing(
                    CheckedSentence(support.text, (support.passage,), None, (support.text,)),
                    opens_paragraph=self._after_item,
                )
                self._after_item = False

    def _is_new(self, text: str) -> bool:
        return _bare(text) not in self._said

    def end(self) -> None:
        """The writing has ended: nothing more can be announced."""
        self._drop_announcing()
        self._after_item = True

    def forget(self) -> None:
        """The writing broke off before its first sentence and begins again."""
        self.draft.dropped.clear()
        self.unsupported.clear()
        self._announcing = None

    def _checked(self, text: str, cited: tuple[int, ...]) -> CheckedSentence:
        if self.offer.fence.casefold() in text.casefold():
            return CheckedSentence(text, cited, "it repeats a mark of the passages", repairable=False)
        return self._passages.check(text, cited)

    def _announced(self, checked: CheckedSentence) -> Iterator[Sentence]:
        """A line that ends in a colon cites what the first thing that it announces cites."""
        announcing, self._announcing = self._announcing, None
        if announcing is None or not self._is_new(announcing):
            return
        found = self._passages.check(announcing, checked.cited)
        if found.fault is None:
            yield self._standing(found, opens_paragraph=True)
        else:
            self.draft.drop(found.text, found.fault)

    def _standing(self, checked: CheckedSentence, *, opens_paragraph: bool) -> Sentence:
        self._said.add(_bare(checked.text))
        return Sentence(checked.text, tuple(number - 1 for number in checked.cited), checked.quotes, opens_paragraph)

    def _drop(self, checked: CheckedSentence, cited: tuple[int, ...]) -> None:
        if not checked.text:
            return
        fault = checked.fault or ""
        self.draft.drop(checked.text, fault)
        if checked.repairable and (cited or len(checked.text.split()) >= _LEAST_WORDS):
            self.unsupported.append(f"{checked.text} ({fault})")

    def _drop_announcing(self) -> None:
        if self._announcing is not None:
            self.draft.drop(self._announcing, "nothing that it announces stands")
            self._announcing = None


def _bare(text: str) -> str:
    """The sentence without the mark of an item and without its end."""
    return " ".join(ITEM_MARK.sub("", text, count=1).split()).rstrip(" .:;")
