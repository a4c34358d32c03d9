"""Which of the defined things are of one kind: by the words of their definitions, and by what these name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from difflib import SequenceMatcher
from functools import cached_property
from itertools import takewhile

from .definitions import Definition
from .spelling import normal, stem_set, topic_key, without_parentheses

#: Words of a name at most that a definition says a thing to be: "ground tissue".
_LONGEST_NAME = 3
#: Of the longer one of two definitions that are contrasted, so many words are the same.
_ALIKE = 0.5


class Kinds:
    """What definitions say of one another."""

    def __init__(self, topics: Mapping[str, Definition]) -> None:
        """``topics``: each defined thing by its ``topic_key``."""
        self._topics = topics

    def is_shared(self, definition: Definition) -> bool:
        """Whether a thing of another name is defined by these words, or by more: an "activator" is a protein "that
        binds to operators to increase transcription", and what "increases transcription" may be one."""
        meaning, name = stem_set(definition.meaning), stem_set(definition.subject)
        fewest = min((self._by_stem[stem] for stem in meaning), key=len, default=[])
        return any(meaning <= stem_set(each.meaning) and not name <= stem_set(each.subject) for each in fewest)

    def parent_of(self, definition: Definition) -> str:
        """The ``topic_key`` of what it is said to be, where the sources define that too; "" otherwise."""
        words = normal(definition.meaning).split()
        if definition.genus not in words:
            return ""
        until = words.index(definition.genus) + 1
        phrases = (topic_key(" ".join(words[at:until])) for at in range(max(0, until - _LONGEST_NAME), until))
        own = topic_key(definition.subject)
        return next((key for key in phrases if key != own and key in self._topics), "")

    def shared_beginning(self, one: str, other: str) -> frozenset[str]:
        """The stems of the words with which the definitions of both begin: what sort of thing both are."""
        words = [normal(meaning).split() for meaning in self._meanings_of(one, other)]
        same = takewhile(lambda pair: pair[0] == pair[1], zip(*words, strict=False))
        return stem_set(" ".join(word for word, _ in same))

    def are_contrasted(self, one: str, other: str) -> bool:
        """Whether the definitions of both are alike but for what stands in the same places: "the root tip", "the shoot
        tip". What one is, the other is not.
        """
        meanings = self._meanings_of(one, other)
        if not meanings:
            return False
        a, b = (normal(without_parentheses(meaning)).split() for meaning in meanings)
        steps = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
        changed = [
            (step, stem_set(" ".join(a[i:j])), stem_set(" ".join(b[k:n])))
            for step, i, j, k, n in steps
            if step != "equal"
        ]
        same = sum(j - i for step, i, j, _k, _n in steps if step == "equal")
        # Small words may be added: "the shoot tip", "the tip of the root".
        is_other = all(step == "replace" or not one | another for step, one, another in changed)
        is_other &= any(one and another for _step, one, another in changed)
        return is_other and same >= _ALIKE * max(len(a), len(b))

    def _meanings_of(self, one: str, other: str) -> tuple[str, str] | tuple[()]:
        mine, theirs = (self._topics.get(topic_key(name)) for name in (one, other))
        return () if mine is None or theirs is None else (mine.meaning, theirs.meaning)

    @cached_property
    def _by_stem(self) -> Mapping[str, list[Definition]]:
        """The definitions that have a word in them, by its stem."""
        found: dict[str, list[Definition]] = defaultdict(list)
        for each in self._topics.values():
            for stem in stem_set(each.meaning):
                found[stem].append(each)
        return found
