"""Changes that keep a source sentence's meaning: parts that may be removed or moved, passive to active.

Each is a rule of English word order, without a parser: parts are found by commas, brackets and function words. A part
that may matter is kept. The tests have for every rule one example that it accepts and one that it rejects.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..text.irregular_verbs import IRREGULAR_VERBS
from .items import Item, keys


def _keys_of(words: str) -> frozenset[str]:
    return frozenset(key for word in words.split() for key in keys(word))


#: Words of conditions and negations: a part with one is never removed.
_CONDITIONS = _keys_of(
    """if when whenever unless until till only except but provided assuming not no never neither nor none cannot without
    false falsely wrong wrongly myth untrue"""
)
#: Also words that weaken, compare or attribute a statement: a clause with one is never removed, nor what it governs.
_LIMITS = _CONDITIONS | _keys_of(
    """once before after while although though because hardly rarely seldom fail fails failed lack lacks deny denies
    denied doubt doubts doubtful may might could would should can must will said say says saying claim claims claimed
    believe believes believed think thinks thought argue argues argued suggest suggests suggested suppose supposes
    supposed supposing allege alleged reportedly according hypothesis whether or either than far instead rather unlikely
    likely perhaps maybe probably possibly"""
)
#: First words of a clause that adds something about the noun before its comma.
_ADDITIONS = frozenset({"which", "who", "whose", "whom", "where", "including"})
_EXAMPLES = frozenset({("such", "as"), ("for", "example"), ("for", "instance")})
_INTERJECTIONS = frozenset({"however", "therefore", "moreover", "indeed", "thus", "furthermore", "hence", "of course",
                            "in fact", "in turn", "for example", "for instance"})  # fmt: skip
#: First words of a sentence that do not change its meaning.
_LEAD_IN_WORDS = """
    and; but; so; yet; also; however; therefore; thus; hence; moreover; furthermore; additionally; consequently;
    accordingly; similarly; likewise; indeed; meanwhile; finally; nevertheless; nonetheless; lastly; notably;
    importantly; interestingly; overall; specifically; first; firstly; second; secondly; third; thirdly; in fact; in
    addition; in short; in summary; in conclusion; for example; for instance; of course; as a result; in other
    words; that is; in particular; for this reason; as such; as noted above; note that; here
"""
_LEAD_INS = frozenset(" ".join(words.split()) for words in _LEAD_IN_WORDS.split(";"))
#: First words of a part that may move: time, place, cause or condition, but not a subject.
MOVABLE = _keys_of(
    """in on at after when if because since during by for while although with before until under from through as to
    unless once within over between among without despite throughout upon along across"""
)
_STARTS_CLAUSE = _keys_of(
    """the a an this these it they he she we you there his her its their our some many most all each every several
    one both such"""
)
_MOST_APPOSED = 12
#: Of a longer list no part is removed: every two commas may enclose one.
_MOST_COMMAS = 16
#: The base and the past of an irregular verb, by its participle.
_FORMS = {participle: (base, past) for base, (past, participle) in IRREGULAR_VERBS.items()}


def removable_parts(items: Sequence[Item]) -> list[tuple[int, int]]:
    """Parts ``items[start:end]`` of a source sentence that may be removed, with their commas or brackets."""
    return [*lead_ins(items), *_brackets(items), *_between_commas(items), *_clauses(items), *_sentences(items)]


def lead_ins(items: Sequence[Item]) -> Iterator[tuple[int, int]]:
    """First parts that do not change the sentence's meaning."""
    words = ""
    for index, item in enumerate(items[:5]):
        if item.kind == "mark":
            break
        words = f"{words} {item.surface.casefold()}".strip()
        if words in _LEAD_INS:
            yield 0, index + 1


def _has_limit(part: Sequence[Item]) -> bool:
    return any(item.key in _LIMITS for item in part)


def _brackets(items: Sequence[Item]) -> Iterator[tuple[int, int]]:
    opened: int | None = None
    for index, item in enumerate(items):
        if item.key in {"(", "["}:
            opened = index
        elif item.key in {")", "]"} and opened is not None:
            if not any(inner.key in _CONDITIONS for inner in items[opened:index]):
                yield opened, index + 1
            opened = None


def _between_commas(items: Sequence[Item]) -> Iterator[tuple[int, int]]:
    """Clauses that add something, examples, interjections and appositions, each behind a comma."""
    commas = [index for index, item in enumerate(items) if item.key == ","]
    if len(commas) > _MOST_COMMAS:
        return
    ends = [*commas, _end_of(items)]
    for start in commas:
        if start + 2 >= len(items):
            continue
        first, second = items[start + 1], items[start + 2]
        adds = first.key in _ADDITIONS or (first.key, second.key) in _EXAMPLES
        for end in (end for end in ends if end > start + 1):
            inner = items[start + 1 : end]
            words = " ".join(item.surface.casefold() for item in inner if item.kind != "mark")
            if adds or words in _INTERJECTIONS or _is_apposition(items, start, end):
                yield start, (end if end == _end_of(items) else end + 1)
        if first.key == "with" and not _has_limit(items[start:]):
            yield start, _end_of(items)


def _is_apposition(items: Sequence[Item], start: int, end: int) -> bool:
    """Whether the part is like ", the inventor of the telegraph," behind a noun and no member of a list."""
    inner = items[start + 1 : end]
    after = items[end + 1] if end + 1 < len(items) else None
    return (
        len(inner) <= _MOST_APPOSED
        and inner[0].surface.casefold() in {"a", "an", "the"}
        and not any(item.key in {",", ";", "and"} or item.kind == "number" for item in inner)
        and not _has_limit(inner)
        and (after is None or after.key not in {"and", "or", "nor", "but"})
        and not any(item.key in {"or", "nor"} for item in items)
        and sum(item.key == "," for item in items) <= 2
    )


def _clauses(items: Sequence[Item]) -> Iterator[tuple[int, int]]:
    """The last clause after "; " or ", and", or the first one before it, where neither limits the other."""
    last = _end_of(items)
    for index, item in enumerate(items):
        if item.key not in {",", ";"} or index + 2 >= last:
            continue
        linked = items[index + 1].key == "and"
        if not linked and item.key != ";":
            continue
        begin = index + 2 if linked else index + 1
        if items[begin].key not in _STARTS_CLAUSE and not items[begin].surface[0].isupper():
            continue
        if not _has_limit(items[index:]):
            yield index, last
        if not _has_limit(items[:index]) and items[0].key not in MOVABLE:
            yield 0, begin


def _sentences(items: Sequence[Item]) -> Iterator[tuple[int, int]]:
    """The parts before and after an inner full stop: an abbreviation's, or one before a footnote mark ("so.[4]")."""
    for index, item in enumerate(items[:-1]):
        if item.key not in {".", "!", "?"}:
            continue
        begin = index + 1
        while begin < len(items) and (items[begin].kind == "number" or items[begin].key in {":", "["}):
            begin = next((at for at in range(begin, len(items)) if items[at].key == "]"), begin) + 1
        if begin == len(items):
            continue
        whole = begin > index + 1 or items[begin].key in _STARTS_CLAUSE
        if items[begin].surface[0].isupper() and (whole or not _has_limit(items[:index])):
            yield 0, begin
        if whole or not _has_limit(items[begin:]):
            yield index, len(items)


def _end_of(items: Sequence[Item]) -> int:
    """The sentence's end without its full stop and closing brackets."""
    end = len(items)
    while end and items[end - 1].key in {".", "!", "?", ")", "]"}:
        end -= 1
    return end


def move_front_part(items: Sequence[Item]) -> Iterator[list[Item]]:
    """The sentence with its first part moved to the end: "In 1990, it opened." as "it opened In 1990"."""
    if not items or items[0].key not in MOVABLE:
        return
    for index, item in enumerate(items[:20]):
        if item.key == "," and index + 2 < len(items):
            yield [*items[index + 1 : _end_of(items)], *items[:index]]


def make_active(items: Sequence[Item]) -> Iterator[list[Item]]:
    """A passive sentence as active ones: "B was built by A" as "A built B"; a later prepositional part stays last."""
    for index in range(1, len(items) - 3):
        verb = items[index + 1]
        if items[index].key not in {"is", "was"} or items[index + 2].key != "by" or verb.kind != "word":
            continue
        if _has_limit(items[: index + 1]):
            continue
        last = _end_of(items)
        subject_ends = [last, *(end for end in range(index + 4, last) if items[end].key in MOVABLE)]
        for key in _active_keys(verb.surface.casefold(), past=items[index].key == "was"):
            active_verb = replace(verb, key=key, surface=verb.surface.casefold(), begins_sentence=True)
            for end in subject_ends:
                yield [*items[index + 3 : end], active_verb, *items[:index], *items[end:last]]


def _active_keys(participle: str, *, past: bool) -> frozenset[str]:
    """The verb's possible keys in the active voice; none for a word that is no participle."""
    if participle in _FORMS:
        present, before = _FORMS[participle]
        return frozenset(keys(before if past else present))
    if not participle.endswith("ed"):
        return frozenset()
    if past:
        return frozenset(keys(participle))
    bare = participle[:-2]
    return frozenset({bare, f"{bare}e", f"{bare[:-1]}y" if bare.endswith("i") else bare[:-1]})
