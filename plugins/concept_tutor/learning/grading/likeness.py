"""How like a key an answer is, word by word, as a fitted model reads it: how likely a teacher calls it right."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .polarity import is_denied
from .wording import Word, are_opposite, is_light

if TYPE_CHECKING:
    from ragstone.core import Encoder

    from ..records import Question
    from .comparison import Comparison

#: From this cosine on a word of the answer says what a word of the key says.
_ALIKE = 0.6
#: From this number on more words that the key has not change nothing.
_MANY = 4
_WEIGHTS: dict[str, float] = json.loads(Path(__file__).with_name("weights.json").read_text("utf-8"))


@dataclass(frozen=True)
class Likeness:
    """What the model reads, by name, and the places of the key's words that the answer has in other words."""

    features: dict[str, float]
    alike: frozenset[int]

    @property
    def chance(self) -> float:
        """Of being right, 0 to 1, by the weights that ``python -m bench.grading --fit`` has found."""
        worth = _WEIGHTS["intercept"] + sum(_WEIGHTS[name] * value for name, value in self.features.items())
        return float(1 / (1 + np.exp(-worth)))


def likeness(question: Question, answer: str, found: Comparison, encoder: Encoder) -> Likeness:
    """Compare key and answer by their vectors and by those of their words, each within its text."""
    places = [_places(question.key, found.key), _places(answer, found.answer)]
    matched = set(found.matches.values())
    lows = {word.low for word in found.key}
    added = [at for at, word in enumerate(found.answer) if word.stem and at not in matched and word.low not in lows]
    texts = [question.key, answer, f"{question.text} {question.key}", f"{question.text} {answer}"]
    (key, _answer, *stated), (mine, theirs, *_) = encoder.embed_parts(texts, [*places, [], []])
    wanted = [at for at, weight in found.weights.items() if weight == 1]
    asserting = [place for place, word in enumerate(found.answer) if word.stem and not is_light(word)]
    foreign = [place for place in found.foreign if place in asserting]
    near = mine @ theirs.T
    best = {at: float(near[at, asserting].max(initial=0)) for at in wanted}
    reached = [1.0 if at in found.matches else best[at] for at in wanted]
    frame, exchanged = found.exchanged
    asserted = [word for word in found.key if not is_denied(found.key, word.low)]
    features = {
        # What key and answer say of the question; alone the two have too little context.
        "stated": float(stated[0] @ stated[1]),
        # Words of the key: how near the answer comes to them, those that make up its meaning first, and how much those
        # that it has stand among the same ones.
        "reached": float(np.average(reached, weights=[max(0.01, mine[at] @ key) for at in wanted])) if wanted else 1.0,
        "least_context": min((float(near[at, found.matches[at]]) for at in wanted if at in found.matches), default=1.0),
        # Words of the answer: how near the key comes to them, how many it has not, and whether one says the opposite.
        "least_near": min((1.0 if at in matched else float(near[:, at].max()) for at in asserting), default=0.0),
        "added": float(min(_MANY, len(added))),
        "opposite": float(any(are_opposite(word.low, found.answer[at].low) for at in foreign for word in asserted)),
        # Who copies the source but for a word has changed it; who says it otherwise may leave one out.
        "exchanged": frame**2 * max((1 - float(near[np.ix_(*each)].max()) for each in exchanged), default=0.0),
    }
    return Likeness(features, frozenset(at for at in wanted if at not in found.matches and best[at] >= _ALIKE))


def _places(text: str, words: Sequence[Word]) -> list[tuple[int, int]]:
    """Where the words stand, in characters; nowhere for one that is written otherwise ("southeastern")."""
    found, done = list[tuple[int, int]](), 0
    for word in words:
        start = text.find(word.text, done)
        found.append((start, start + len(word.text)) if start >= 0 else (0, 0))
        done = max(done, found[-1][1])
    return found
