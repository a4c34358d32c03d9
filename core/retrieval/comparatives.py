"""Questions that compare two things by degree, count things, ask for a default, a mean or a limit, or say what does
something or in which case, and what can answer them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from ..citations.polarity import opposites_of
from ..text.irregular_verbs import form_hashes, with_forms
from ..text.quantities import asks_for_quantity, things_counted
from ..text.question_kinds import asks_for_steps
from ..text.stemming import stem_hashes, stems, words
from ..text.terms import sides_of
from ..text.times import asks_for_time
from .answerability import names_in, stems_near, stems_near_any
from .models import Retrieval
from .quotes import paragraph_up_to
from .sentence_scores import ScoredSentence

_COMPARATIVE = r"\b(?:(more|less|fewer|easier to|harder to) (\w+)|(\w{2,}er|worse)\b)"
#: "Is A warmer than B?", "Does A have more offspring than B?"; overlapping, as "a computer is faster than" has two.
_THAN = re.compile(rf"(?={_COMPARATIVE}(?: [\w'’-]+){{0,5}}? than (?!wh)([^?.!;,]{{1,80}}))", re.IGNORECASE)
#: "Which is warmer, A or B?".
_WHICH = re.compile(
    rf"^\W*(?:which|what|who)\b[^?,]{{0,40}}{_COMPARATIVE}[^?,]{{0,30}}, [^?]{{1,60}} or ([^?]{{1,60}})", re.IGNORECASE
)
#: What ends in "er" and compares nothing.
_NO_COMPARATIVES = frozenset(words("other rather whether either number after ever never over under however"))
#: Words of any degree.
_DEGREES = frozenset(
    words(
        "more most less least fewer few many much high higher highest low lower lowest large larger largest small"
        " smaller smallest great greater greatest little exceed exceeds equal equally same whereas while unlike than"
    )
)
#: What says which of two is the better one, beside "better" and "worse".
_QUALITY = frozenset(
    words(
        "good better best bad worse worst superior inferior prefer preferred preferable outperform outperforms suited"
        " advantage advantages disadvantage disadvantages improve improves improved benefit benefits drawback drawbacks"
        " recommended instead"
    )
)
_MODIFIERS = {
    "default": r"\bdefaults?\b|\bunless\b|\breset\b|\binitial",
    "average": r"\baverag|\bmean\b|\btypical|\busual|\babout\b|\bapprox|\broughly\b|\bmedian\b",
    "mean": r"\baverag|\bmean\b",
    "typical": r"\btypical|\busual|\bcommon|\bnormal|\bgeneral|\boften\b|\bmost\b|\baverag|\babout\b|\bapprox",
    "recommended": r"\brecommend|\bshould\b|\bsuggest|\badvis|\bprefer|\bmust\b|\bneeds?\b|\brequire|\bbest\b|\bideal",
    "maximum": r"\bmax|\b(?:at )?most\b|\bup to\b|\blimit|est\b|\bexceed|\bmore than\b|\bceiling\b|\bpeak",
    "minimum": r"\bmin|\b(?:at )?least\b|\blimit|est\b|\bbelow\b|\bless than\b|\brequire|\bneeds?\b|\bmust\b|\bfew",
    "optimal": r"\boptim|\bbest\b|\bideal|\bminimi|\bmaximi",
}
_ASKS_MODIFIED = re.compile(
    rf"^\W*(?:and |but |so )?(?:what|which)(?: is| are|['’]s| was| were)? (?:the )?((?a:{'|'.join(_MODIFIERS)})) ",
    re.IGNORECASE,
)
#: Letters of a stem that related words share.
_ROOT = 5

#: Characters among which a sentence names what it is about.
_HEAD = 40
#: Not "how populous it is compared to others".
_ASKS_DIFFERENCE = re.compile(r"\bdiffer|\bdistin(?:ct|guish)", re.IGNORECASE)
_ASKS_OF_EACH = re.compile(r"^\W*what(?: is| are|['’]s) the ([\w-]+(?: [\w-]+)?) of (?:each|every)\b", re.IGNORECASE)
_ALL = re.compile(r"\b(?:each|every|all|both|respectively)\b", re.IGNORECASE)
#: Rows of a table that is given whole.
MOST_ROWS = 10
#: Behind the verb, where the question may go on.
_BEHIND_VERB = r"(?= (?:in|at|on|for|after|before|during|with|from|to|by|when|if)\b|\W*$)"
#: The one word for what does something: "does the relay use", "do wasps eat".
_DOES = re.compile(
    r"\b(?:(?:do|does|did|can|may|must|should|will) (?:an?|the) ([a-z][\w-]{2,})"
    rf"|(?:do|did|can|may|must|should|will) ([a-z][\w-]+(?<![sui])s)) (?!(?:of|be|have)\b)[a-z]+{_BEHIND_VERB}"
)
#: "At night", "during the war" at the end of a question, not "in total", nor "in a year".
_CASE = re.compile(
    r" (?:in|at|during|after|before) (?:(?:the|an?) )?"
    r"(?![\w ]*\b(?:total|general|all|use|end|practice|what|which|this|times?|(?:year|month|week|day|hour|minute)s?)\b)"
    r"(?:[a-z][\w-]+ )?([a-z][\w-]{2,})\W*$"
)
#: A thing behind "a": "a snake bite".
_A_THING = re.compile(r"\ban? (?:[a-z][\w-]+ ){0,2}[a-z][\w-]+")
#: "Who built the first bridge?".
_ASKS_WHO = re.compile(r"(?:and |but |so )?who\b", re.IGNORECASE)
_WHO_DID_FIRST = re.compile(rf"{_ASKS_WHO.pattern} \w+ the (?:first|last|only) ([a-z][\w-]+)", re.IGNORECASE)
_ASKS_ADVICE = re.compile(r"\b(?:should|must|may|can|do) (?:I|we|you|one)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Degree:
    """The scale on which a question compares, and its second side."""

    #: Words of which a sentence has one that says where something stands on the scale; empty: any sentence does.
    scale: frozenset[str]
    #: The stem that the sentence must have as well: "offspring" of "more offspring".
    measured: str | None
    #: Stems of what is compared with.
    side: frozenset[str]

    def is_in(self, sentence: str) -> bool:
        """Whether the sentence says anything on the scale."""
        found = words(sentence)
        if self.scale and self.scale.isdisjoint({*found, *map(_positive, found)}):
            return False
        # "more stable" is said by "greater stability", whose stem is another, "easier to read" by "unreadable".
        return self.measured is None or any(self.measured[:_ROOT] in word for word in found)


def degree_of(question: str) -> Degree | None:
    """What "Is A warmer than B?", "Has A more wheels than B?" and "Which is warmer, A or B?" compare by; ``None`` for
    other questions."""
    found = [*_THAN.findall(question), *_WHICH.findall(question)]
    found = [each for each in found if each[2].casefold() not in _NO_COMPARATIVES]
    if not found:
        return None
    how, counted, adjective, side = next((each for each in found if each[0]), found[-1])
    # What tells the second side from the first: "animal" of "Are plant cells larger than animal cells?"
    against = frozenset(stems(side)) - frozenset(stems(question.partition(side)[0])) or frozenset(stems(side))
    if counted:
        return Degree(
            frozenset() if how.casefold().endswith("to") else _DEGREES, next(iter(stems(counted)), None), against
        )
    word = adjective.casefold()
    if word in {"better", "worse"}:
        return Degree(_QUALITY, None, against)
    same = {word, _positive(word)}
    opposite = {each for one in same for each in opposites_of(one)}
    return Degree(frozenset({*same, *opposite, *map(_positive, opposite)}), None, against)


def lacks_modifier(question: str, sentences: list[str]) -> bool:
    """Whether a default, a mean, a limit or a recommendation is asked for, and no sentence speaks of one."""
    found = _ASKS_MODIFIED.match(question)
    if found is None:
        return False
    said = re.compile(_MODIFIERS[found[1].casefold()], re.IGNORECASE)
    return not any(map(said.search, sentences))


def lacks_side(retrieval: Retrieval, asked: str, _: Sequence[ScoredSentence]) -> bool:
    """Whether the question asks for the difference of two things, and no chunk is about one of them: none has it in its
    headings or at the beginning of a sentence, and no sentence has both."""
    sides = sides_of(asked) if _ASKS_DIFFERENCE.search(asked) else None
    if sides is None:
        return False
    one, other = (retrieval.spelling.hashes(set(own) - set(against)) for own, against in permutations(sides, 2))
    return not any(_has_unit(retrieval, one | other, None)) and not all(
        any(_has_unit(retrieval, side, _HEAD)) for side in (one, other)
    )


def _has_unit(retrieval: Retrieval, side: frozenset[int] | set[int], head: int | None) -> Iterator[bool]:
    """For each sentence whether it has all the stems, among its first ``head`` characters or those of its headings."""
    for number, chunk in enumerate(retrieval.nodes):
        known, text = retrieval.terms(number), chunk.node.get_content()
        yield head is not None and side <= known.heading_stems
        for unit, stems_of_unit in zip(known.units, known.unit_stems, strict=True):
            is_held = side <= stems_of_unit
            yield is_held and (head is None or side <= frozenset(stem_hashes(text[unit.start : unit.start + head])))


def lacks_counted(retrieval: Retrieval, asked: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether the question asks how many things of a kind there are, and the best sentence is near no word for them:
    "he collected 400 tools" does not say how many children he had.

    Of two sets of SQuAD's questions that ask so it is for 7 of 271 with the answer in that sentence, and for 11 of 93
    without.
    """
    things = frozenset[str]().union(*map(with_forms, things_counted(asked)))
    return bool(things) and stems_near(retrieval, sentences[0]).isdisjoint(retrieval.spelling.hashes(things))


def lacks_comparison(retrieval: Retrieval, asked: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether the question compares two things by degree, and no sentence near the second one has that degree; or
    it asks for something of each thing of a kind, and the best sentence is neither of all of them nor of a short table
    with a column for it."""
    best, known = sentences[0], retrieval.terms(sentences[0].chunk)
    if (of_each := _ASKS_OF_EACH.match(asked)) and not _ALL.search(best.text):
        has_column = all(not form_hashes(stem).isdisjoint(known.header_stems(best.unit)) for stem in stems(of_each[1]))
        return "\n" not in best.text and not (has_column and known.kinds.count("row") <= MOST_ROWS)
    degree = degree_of(asked)
    side = retrieval.spelling.hashes(degree.side if degree else ())
    return degree is not None and not any(
        degree.is_in(each.text) and (not side or side.intersection(stems_near(retrieval, each, behind=0)))
        for each in sentences
    )


def lacks_argument(retrieval: Retrieval, asked: str, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether what does it, as in "How long does a drone live?", is not in the best sentence's paragraph; or whether a
    value, a person or advice is asked for, and the "night" of "at night", at the end of a question without a name, is
    not in its chunk, a word behind "a" is in no searched chunk, or what someone did first is near no sentence.

    Of SQuAD's 5,563 answerable questions that are answered it is so for five, of which four are answered wrongly.
    """
    best, known = sentences[0], retrieval.terms(sentences[0].chunk)

    def is_away(word: str, where: frozenset[int]) -> bool:
        return any(form_hashes(retrieval.spelling.correct(stem)).isdisjoint(where) for stem in stems(word))

    if does := _DOES.search(asked):
        paragraph = frozenset(stem_hashes(paragraph_up_to(retrieval.nodes[best.chunk].node, known, best.unit)))
        if is_away(does[1] or does[2], stems_near(retrieval, best) | paragraph):
            return True
    is_value = asks_for_quantity(asked) or asks_for_time(asked)
    case = _CASE.search(asked) if (is_value or _ASKS_WHO.match(asked)) and not names_in(asked) else None
    if case and is_away(case[1], known.all_stems):
        return True
    if (is_value or asks_for_steps(asked) or _ASKS_ADVICE.search(asked)) and any(
        not retrieval.spelling.unknown.isdisjoint(stems(found)) for found in _A_THING.findall(asked)
    ):
        return True
    first = _WHO_DID_FIRST.match(asked)
    return first is not None and is_away(first[1], stems_near_any(retrieval, sentences))


def _positive(word: str) -> str:
    """The positive form of a comparative or superlative: "warmer" is "warm", "larger" "larg" as "large" is."""
    bare = re.sub(r"(?:er|est|e)$", "", word) if len(word) > 4 else word.removesuffix("e")
    bare = re.sub(r"i$", "y", bare)
    return bare[:-1] if len(bare) > 3 and bare[-1] == bare[-2] and bare[-1] not in "lse" else bare
