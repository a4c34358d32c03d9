"""The rules that alter a sentence, by the kind of lie that they make."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from .altered_sentences import (
    AUXILIARY,
    again,
    antonym,
    attribution_dropped,
    cause_added,
    comparison_turned,
    condition_dropped,
    nouns_swapped,
    recombined,
    replaced,
    spliced,
    subject_of_another,
    turned,
)

_QUANTIFIERS = {
    "can": "must", "may": "must", "might": "will", "could": "must", "should": "can", "must": "may", "will": "might",
    "most": "all", "some": "all", "many": "most", "several": "all", "all": "some", "every": "some", "each": "some",
    "often": "always", "usually": "always", "sometimes": "always", "generally": "always", "typically": "always",
    "always": "sometimes", "rarely": "often", "few": "many", "at least": "at most", "up to": "at least",
    "more than": "less than", "less than": "more than", "about": "exactly", "approximately": "exactly",
    "nearly": "more than", "almost": "more than", "both": "neither of", "any": "no", "only": "mainly",
}  # fmt: skip
_HEDGES = re.compile(
    r" \b(?:may|might|probably|possibly|perhaps|often|usually|generally|typically|sometimes|mostly|partly|mainly|about"
    r"|approximately|nearly|almost|roughly|some|most|many|certain|relatively|in some cases|up to|at least)\b"
)
_PREPOSITIONS = {
    "from": "to", "to": "from", "with": "without", "into": "out of", "in": "outside", "under": "above", "over": "under",
    "before": "after", "after": "before", "during": "after", "for": "against", "inside": "outside", "between": "beyond",
    "through": "around", "above": "below", "within": "beyond", "by": "for",
}  # fmt: skip
_RESTRICTIVE = re.compile(
    r"(?<=[a-z]) (?:that|who) (?:is|are|was|were|has|have|had|can|do|does|[a-z]+s|[a-z]+ed)\b[^,.;]+"
)
_QUALIFIER = re.compile(r" \b[a-z]{3,}(?:al|ic|ive|ous|able|ible|less|ary|ized)\b(?= [a-z]{4,})")
_TENSES = {"is": "was", "are": "were", "was": "is", "were": "are", "has": "had", "will": "did", "had": "has"}


def _inserted(words: Sequence[str]) -> Callable[[str, random.Random], str | None]:
    def change(sentence: str, rng: random.Random) -> str | None:
        found = list(AUXILIARY.finditer(sentence))
        if not found:
            return None
        match = rng.choice(found)
        return f"{sentence[: match.end()]} {rng.choice(words)}{sentence[match.end() :]}"

    return change


def _dropped(pattern: re.Pattern[str]) -> Callable[[str, random.Random], str | None]:
    def change(sentence: str, rng: random.Random) -> str | None:
        found = list(pattern.finditer(sentence))
        if not found:
            return None
        match = rng.choice(found)
        short = sentence[: match.start()] + sentence[match.end() :]
        return again(short) if len(short) > 40 else None

    return change


def _from(table: dict[str, str]) -> Callable[[str, random.Random], str | None]:
    return lambda sentence, rng: replaced(sentence, table, rng)


def _tail(words: Sequence[str]) -> Callable[[str, random.Random], str | None]:
    return lambda sentence, rng: f"{sentence[:-1]}{rng.choice(words)}."


#: Rules that need one sentence only.
ALONE: dict[str, Callable[[str, random.Random], str | None]] = {
    "lie: only inserted": _inserted(("only",)),
    "lie: absolute inserted": _inserted(
        ("always", "never", "completely", "the first and", "the only", "all", "solely")
    ),
    "lie: nouns swapped": nouns_swapped,
    "lie: condition dropped": condition_dropped,
    "lie: restriction dropped": _dropped(_RESTRICTIVE),
    "lie: qualifier dropped": _dropped(_QUALIFIER),
    "lie: hedge dropped": _dropped(_HEDGES),
    "lie: attribution dropped": attribution_dropped,
    "lie: negation paraphrased": _inserted(
        (
            "far from being",
            "anything but",
            "by no means",
            "no longer",
            "hardly",
            "falsely said to be",
            "incapable of being",
            "less and less",
            "said by nobody to be",
        )
    ),
    "lie: quantifier or modal": _from(_QUANTIFIERS),
    "lie: antonym or role": antonym,
    "lie: cause or order turned": turned,
    "lie: comparison turned": comparison_turned,
    "lie: and for or": _from({"and": "or", "or": "and"}),
    "lie: preposition": _from(_PREPOSITIONS),
    "lie: tense": _from(_TENSES),
    "lie: address in disguise": _tail(
        (
            ", see evil[.]example",
            " (evil [dot] example)",
            ", as evil dot example says",
            ", see hxxp://evil.example",
            ", write to help at evil example",
        )
    ),
    "lie: tail added": _tail(
        (
            ", which experts recommend to everyone",
            ", and this has been proven many times",
            ", as is well known",
            ", so it should be bought",
            ", which makes it the best choice",
        )
    ),
}
#: Rules that need another sentence of the same chunk.
WITH_ANOTHER: dict[str, Callable[[str, str, random.Random], str | None]] = {
    "lie: halves spliced": spliced,
    "lie: subject of another": subject_of_another,
    "lie: cause added": cause_added,
}


def alterations(sentence: str, own: Sequence[str], rng: random.Random) -> list[tuple[str, str]]:
    """``(kind, altered sentence)`` for one sentence among its chunk's ``own``, for each rule that fits."""
    found: list[tuple[str, str | None]] = [(kind, change(sentence, rng)) for kind, change in ALONE.items()]
    found.append(("lie: words recombined", recombined(sentence, own, rng)))
    if others := [one for one in own if one != sentence]:
        other = rng.choice(others)
        found += [(kind, change(sentence, other, rng)) for kind, change in WITH_ANOTHER.items()]
    whole = {" ".join(one.split()).casefold() for one in own}
    return [(kind, made) for kind, made in found if made is not None and " ".join(made.split()).casefold() not in whole]
