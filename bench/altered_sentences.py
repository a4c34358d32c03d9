"""Alters real sentences so that their chunk no longer supports them, as a model's wrong word order does.

Each rule changes one real sentence, or joins pieces of two. None of the rules uses the product's own lists.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

AUXILIARY = re.compile(r"\b(is|are|was|were|has|have|had|can|could|will|would|should|must|may)\b")
_NOUN = re.compile(r"\b(?:[Tt]he|[Aa]n?|[Tt]heir|[Ii]ts) ([a-z]{4,})\b")
_WORD = re.compile(r"\b[a-z]{4,}\b")
_CONDITION = re.compile(
    r"(?P<first>^(?:If|When|Unless|While|Until|Once|After|Before|As long as|Provided|Although|In case)\b[^,]+,\s)"
    r"|(?P<last>,? (?:if|when|unless|until|once|after|before|as long as|provided|only|except|even if)\b[^,.;]+)(?=\.$)"
)
_ANTONYMS = """
    client/server teacher/student buyer/seller cause/effect host/guest parent/child predator/prey employer/employee
    doctor/patient increase/decrease increases/decreases increased/reduced higher/lower large/small larger/smaller
    first/last before/after early/late above/below inside/outside input/output positive/negative strong/weak
    north/south east/west northern/southern eastern/western left/right upper/lower internal/external male/female
    old/new young/old high/low hot/cold fast/slow long/short rich/poor public/private true/false success/failure
    begin/end began/ended start/stop opened/closed won/lost gained/lost added/removed accepted/rejected
    allowed/banned attacked/defended supported/opposed simple/complex easy/hard common/rare major/minor
    dominant/recessive donor/acceptor sender/receiver source/destination master/slave leader/follower
    publisher/subscriber father/son mother/daughter king/subject plant/animal army/navy winner/loser author/reader
    good/bad best/worst more/less maximum/minimum import/export gain/loss birth/death war/peace day/night
    oxygen/nitrogen cells/tissues bacteria/viruses acid/base protein/lipid absorb/release absorbs/releases
    reactants/products liquid/solid city/village church/state robot/human hardware/software global/local
"""
_TURNED = ("because", "before", "after", "leads to", "led to", "causes", "caused", "results in", "resulted in",
           "followed by", "due to", "since", "so that", "produces", "depends on", "until")  # fmt: skip
_SAID = re.compile(
    r"^[A-Z][^,.;]{3,80}\b(?:said|says|argued?s?|claim(?:s|ed)?|believed?s?|suggest(?:s|ed)?|think|thought|stated?s?"
    r"|reported|proposed|hypothesi[sz]ed|alleged|estimated) that (?P<rest>.+)$"
)
_COMPARISON = re.compile(
    r"^(?P<one>[A-Z][^,;]{3,60}?) "
    r"(?P<verb>(?:is|are|was|were|has|have|had)\b.{0,60}?\b(?:more|less|fewer|\w+er)\b.{0,40}?) than "
    r"(?P<other>[^,;.]+)\.$"
)


def again(sentence: str) -> str:
    sentence = " ".join(sentence.split())
    return sentence[:1].upper() + sentence[1:]


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]


def replaced(sentence: str, table: dict[str, str], rng: random.Random) -> str | None:
    words = "|".join(sorted(map(re.escape, table), key=len, reverse=True))
    found = list(re.finditer(rf"(?<![\w-])(?:{words})(?![\w-])", sentence))
    if not found:
        return None
    match = rng.choice(found)
    return sentence[: match.start()] + table[match.group()] + sentence[match.end() :]


def recombined(sentence: str, own: Sequence[str], rng: random.Random) -> str | None:
    """Its words are replaced by others of the chunk, or reordered."""
    mine = list(_WORD.finditer(sentence))
    words = [match.group() for one in own for match in _WORD.finditer(one)]
    if len(mine) < 5 or len(set(words)) < 10:
        return None
    chosen = rng.sample(words, len(mine)) if rng.random() < 0.5 and len(words) > len(mine) else []
    if not chosen:
        chosen = [match.group() for match in mine]
        rng.shuffle(chosen)
    if chosen == [match.group() for match in mine]:
        return None
    pieces, at = [], 0
    for match, word in zip(mine, chosen, strict=True):
        pieces += [sentence[at : match.start()], word]
        at = match.end()
    return "".join([*pieces, sentence[at:]])


def nouns_swapped(sentence: str, rng: random.Random) -> str | None:
    """Two nouns are swapped."""
    found = [match for match in _NOUN.finditer(sentence) if not match.group(1).endswith(("ly", "ed"))]
    pairs = [
        (a, b)
        for i, a in enumerate(found)
        for b in found[i + 1 :]
        if a.group(1) != b.group(1) and not re.fullmatch(r" (?:and|or) \w+ ?", sentence[a.end() : b.start(1)])
    ]
    if not pairs:
        return None
    a, b = rng.choice(pairs)
    middle = sentence[a.end(1) : b.start(1)]
    return sentence[: a.start(1)] + b.group(1) + middle + a.group(1) + sentence[b.end(1) :]


def spliced(sentence: str, other: str, rng: random.Random) -> str | None:
    """The first half of one and the second half of the other, at a comma, a verb or in the middle."""
    at = rng.choice(("comma", "verb", "middle", "and"))
    if at == "comma" and ", " in sentence and ", " in other:
        return f"{sentence.partition(', ')[0]}, {other.rsplit(', ', 1)[1]}"
    if at == "and" and " and " in sentence and " and " in other:
        return f"{sentence.partition(' and ')[0]} and {other.rsplit(' and ', 1)[1]}"
    if at == "verb":
        mine, theirs = AUXILIARY.search(sentence), AUXILIARY.search(other)
        if mine and theirs and mine.start() > 3:
            return sentence[: mine.start()] + other[theirs.start() :]
    mine_words, their_words = sentence.split(), other.split()
    if len(mine_words) < 8 or len(their_words) < 8:
        return None
    return " ".join([*mine_words[: len(mine_words) // 2], *their_words[len(their_words) // 2 :]])


def condition_dropped(sentence: str, rng: random.Random) -> str | None:
    """Without the clause under which it holds."""
    match = _CONDITION.search(sentence)
    if match is None or match.end() - match.start() > len(sentence) - 30:
        return None
    return again(sentence[: match.start()] + sentence[match.end() :])


def turned(sentence: str, rng: random.Random) -> str | None:
    """Cause and effect, or before and after, in each other's place."""
    for link in _TURNED:
        first, found, second = sentence[:-1].partition(f" {link} ")
        if found and len(first) > 12 and len(second) > 8 and "," not in first:
            return f"{again(second)} {link} {_lowered(first)}."
    return None


def comparison_turned(sentence: str, rng: random.Random) -> str | None:
    """Both sides of "than" in each other's place."""
    match = _COMPARISON.match(sentence)
    return f"{again(match['other'])} {match['verb']} than {_lowered(match['one'])}." if match else None


def antonym(sentence: str, rng: random.Random) -> str | None:
    """One word is its opposite, or the other one of two roles."""
    table: dict[str, str] = {}
    for pair in _ANTONYMS.split():
        one, other = pair.split("/")
        table |= {one: other, other: one}
    return replaced(sentence, table, rng)


def attribution_dropped(sentence: str, rng: random.Random) -> str | None:
    """A quotation without its attribution."""
    match = _SAID.match(sentence)
    return again(match["rest"]) if match and len(match["rest"]) > 40 else None


def subject_of_another(sentence: str, other: str, rng: random.Random) -> str | None:
    """The subject of another sentence before this one's verb."""
    mine, theirs = AUXILIARY.search(sentence), AUXILIARY.search(other)
    if not mine or not theirs or mine.start() < 4 or not 4 < theirs.start() < 60:
        return None
    subject, own = other[: theirs.start()].strip(), sentence[: mine.start()].strip()
    if subject.casefold() == own.casefold() or re.match(r"(?:It|They|He|She|This|These|There)\b", subject):
        return None
    return f"{subject} {sentence[mine.start() :]}"


def cause_added(sentence: str, other: str, rng: random.Random) -> str | None:
    """Two sentences of which one is made the other's cause."""
    if not re.match(r"(?:The|A|An|In|This|These|There|When|If|At|On|Most|Many)\b", other):
        return None
    link = rng.choice((" because ", ", so ", ", therefore ", ", which is why ", " although "))
    return f"{sentence[:-1]}{link}{_lowered(other)}"
