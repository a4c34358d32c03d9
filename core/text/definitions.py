"""Definitions: what a question wants defined, and whether a sentence defines it."""

from __future__ import annotations

import re
from collections.abc import Collection

from .stemming import STOP_WORDS, question_stems, stems
from .terms import asks_for_term, spells_out

_SUBJECT = re.compile(
    r"^\W*(?:(?:what|who)(?:'s|’s| is| are| was| were)|(?:define|what does|what do|what is meant by|explain))\s+"
    r"(?:(?:the (?:term|word|(?:meaning|concept|idea|notion|definition|full form|expansion) of)|an?|the)\s+)?(.{2,80}?)"
    r"(?:\s+(?:mean|stand for|short for|do))?\s*[?.!]*\s*$",
    re.IGNORECASE,
)
#: Asks what a term of several words is, or is about: "What is domain randomization?"
_COMPOUND = re.compile(
    r"^\W*(?:what(?:'s|’s| is| are| was| were)|define|explain|what is meant by)\s+(?:(?:an?|the)\s+)?"
    r"([\w-]+(?: [\w-]+){1,3})\s*[?.!]*\s*$",
    re.IGNORECASE,
)
#: Of whom, where or for what, behind what is asked for: "What is a winch for ships?", "What is the price of a rope?"
#: Up to three words, as a longer one is seldom said with the same ones.
_QUALIFIER = re.compile(
    r"^\W*(?:what(?:'s|’s| is| are)|define|explain|what is meant by)\s+(?:[\w'’/-]+ ){1,5}?"
    r"(?:for|in|on|at|of|with|from|by|among|under|inside|between)\s+(?:(?:an?|the)\s+)?"
    r"((?:[\w'’-]+\.? ){0,2}[\w'’-]+)\W*$",
    re.IGNORECASE,
)
#: The same of "How do I sail over the bay?", "What did she say about the bay?".
_HOW_QUALIFIER = re.compile(
    r"^\W*(?:how (?:do|does|did|can|could|to)\b.{1,150}\s(?:over|with|for|from|to|into|in|on|at|by|of|under|without)"
    r"|what (?:do|does|did)\b.{1,150}\sabout)\s+"
    r"(?:(?:an?|the|my|his|her|its|their)\s+)?((?:[\w'’-]+\.? )?[\w'’-]+)\W*$",
    re.IGNORECASE,
)
_ASKS_ATTRIBUTE = re.compile(
    r"^\W*what(?: is|['’]s| are| was| were) (?:the ((?:\w+ )?\w+) (?:of|for|in)\b"
    r"|(?:[\w.’'-]+ ){0,4}[\w.-]+(?:['’]s|(?<=s)['’]) (\w+)\W*$)",
    re.IGNORECASE,
)
_DERIVED = re.compile(r"\b[^\W\d_]{3,}is[mt](?=s?\b)", re.IGNORECASE)
_CALLED = re.compile(r"\s(?:(?:often|also|sometimes) )?(?:called|named|known as)\W*$|\ssometimes\b", re.IGNORECASE)
#: A question of nothing but a term: "keystone species".
_TERM = re.compile(r"^\W*([\w-]+(?: [\w-]+){0,2})\W*$")
_ASIDES = re.compile(
    r"\((?:[^()]|\([^()]{0,60}\)){0,200}\)"
    r"|,\s(?:however|therefore|thus|then|in turn|(?:on the other|by|in) (?:hand|contrast|general|fact)),"
    r"|,\s(?:(?:also|often|sometimes|better|(?:more )?\w+ly) )?(?:known as|called|named|referred to as|termed"
    r"|(?:shortened|abbreviated) (?:to|as)|(?:offici|form|origin|historic)ally|formerly) [^,]{2,60},"
    # Where it is: "The Lund Museum, Sweden, is".
    r"|(?<=[\w)]),\s(?:[A-Z]\w+[, ]\s?){0,3}[A-Z]\w+,(?=\s(?:is|are|was|were)\s)"
    # Another name and its origin: "an alkane, or paraffin, is a", "albedo or reflectance, derived from Latin, is the".
    r"|(?:,\sor\s[^,()]{2,50}(?:\([^()]{0,80}\))?\s?,|\sor\s[\w-]+(?:\s[\w-]+)?(?=,\s|\sis\s))"
    r"|,\s(?:derived|abbreviated|short|from)\s[^,]{2,120},"
    # "LVM, the Logical Volume Manager, is an".
    r"|(?<=\w),\s(?:the|an?)\s[^,.;:()]{2,60},(?=\s(?:is|are|was|were|means?|refers?)\s)"
)
#: Another name, behind the first one.
_ALSO = re.compile(
    r"[,(]\s?(?:\w+ )?(?:known as|called|named|referred to as|or) (?:the )?[\"“'‘]?([^,()\"”]{2,60})(?=[,)\"”’'])"
)
#: What precedes a definition: "In mathematics and physics, a field is …", "For sailors, …", "As mentioned above, …"
_FIELD = re.compile(
    r"^\W*(?:in|within|for|to|according to|as (?:we \w+|mentioned|noted|said|stated|explained|described|discussed))"
    r" [^,.:;]{3,50},\s+(?=\w)",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"\W*(?:(?:an?|the)\s+)?", re.IGNORECASE)
#: "Ada B. Reed (1805 – 1877) was": a whole name where a part of it is asked for.
_PERSON = re.compile(r"\W*(?:[A-Z][\w.’'-]{0,30} ){1,4}\([^()]{0,120}\d{3,4}\b")
#: What a sentence says its subject is: "X is a …", "X are …", "X: …"; not "X is running", "X was made possible by".
_DEFINES = re.compile(
    r"\s(?:is|are|was|were)(?:,? (?:however|therefore|thus|then|simply|just|basically|essentially|also|usually|often"
    r"|typically|generally|normally)"
    r",?)?\s(?!(?:not|no|when|where|how|why|if|by|to|in|on|at|of|for|from|with|as|made possible|very|so|only|still|now"
    r"|active|thought|said|found|held|kept|brought|sent|born)\b|(?!something\b)\w+ing\b"
    r"|(?!called|named|known|defined|made|composed|formed|based|used|designed|described)\w+(?:ed|en)\b)"
    r"|\s(?:refers? to|means?|describes?|denotes?|stands? for|(?:acts?|serves?|works?) as)\s|:\s|\s[–—]\s"
    # not the title of a cited work
    r"|\s-\s(?-i:(?=[a-z]|An?\s|The\s))"
    r"|\s(?:can|may|could|might) (?:\w+ly |also |best )?be (?:considered(?: as)?"
    r"|(?:thought of|regarded|seen|viewed|defined|described|understood) as)\s"
    # A table's row: a term in the first cell, words in the second.
    r"|\s\|\s(?!(?i:does|do|did|is|are|was|were|has|have|had|can|cannot|may|must|should|will|no|not|only|see)\b)"
    r"(?=(?:[^|\s]+\s+){4})"
)
#: After "X is": a noun with its article, and what can only be a quality: "X is able to", "X are visible."
_NOUN = re.compile(r"(?:an?|one|any|some|something|someone)\s|(?:kind|type|form|set|group|part)s? of\s", re.IGNORECASE)
_QUALITY = re.compile(
    r"\w+(?:able|ible|ous|ful|ive|less|ent|ant|ic|al|ary)"
    r"(?:[.,;]|\s(?:and|or|for|to|if|in|on|of|with|from|by|at|as|when|that|than)\b)",
    re.IGNORECASE,
)
#: What it is among others, and not what it is: "X is a special case of Y", "X is one of the most used Y".
_RELATION = re.compile(
    r"(?:an? (?:\w+ )?(?:case|example|instance|result|consequence) of|one of (?:the |its |\w+['’]s )(?:most|\w+est))\b",
    re.IGNORECASE,
)
#: How much it matters, and not what it is: "X is an important subject in the world of Y".
_VALUE = re.compile(
    r"an? (?:\w+ly )?(?:important|major|key|central|crucial|essential|vital|significant|interesting|complex)\s"
    r"(?:and \w+ )?(?:subject|topic|issue|matter|question|aspect|part|factor|concern|consideration|problem|concept)\b",
    re.IGNORECASE,
)
#: "…, which is called X", "The simplest one is X, which …".
_NAMED = re.compile(
    r"\b(?:called|known as|termed|referred to as)\s+(?:an?\s+|the\s+)?[\"“'*_]*([\w-]+(?: [\w-]+){0,3})"
    r"|\bis\s+(?:an?\s+|the\s+)?([\w-]+(?: [\w-]+){0,2}),\s(?:which|where)\b"
    # "narrow alleys or “chares”", "displacement loop (D-loop)", not "Oslo (Norway)"
    r"|\bor\s[\"“'‘*_]+([\w-]+(?: [\w-]+){0,2})[\"”'’*_]|\w\s\(((?-i:[a-z]|[A-Z]-)[\w-]*(?: [\w-]+){0,2})\)",
    re.IGNORECASE,
)
#: Behind X in "… uses a numeric X, which is an ordered set of …", "X, which is oil that", "… have four X, a kind of …",
#: "X—signals from …", "X (a sworn brother)"; not in "a ship, a house and a dog" or "(X and Y, respectively)".
_EXPLAINED = re.compile(
    r"[\"”'’*_]{0,4}(?:,\s(?:(?:which|that)\s(?:is|are|means?|refers? to)\s(?:an?\b|one\b|any\b|\w+\s(?:that|which)\b)"
    r"|(?:or\s)?(?:an?|the)(?!\s(?:same|other|latter|former)\b|[^.;]{0,40}\bof (?:which|whom)\b)"
    r"(?![^.;]{0,60}\b(?:and|or)\s(?:an?|the)\s))\s"
    r"|\s?[—–]\s?(?=[a-z])"
    r"|\s\((?:or\s)?(?!(?:see|not|e|in|from|to|such|for|with|by|also|and|including|about|at|on"
    r"|especially|particularly|mainly|mostly|those|these|if|when|where)\b|[^()]{0,80}\brespectively\))"
    r"(?=[a-z]{1,12}[\s-][a-z]))"
)
#: "In branched alkanes, the chain is …" says what is in them.
_FRONTED = re.compile(r"\W*(?:in|for|with|within|by|on|at|of|among|from|under|through|like|unlike)\b", re.IGNORECASE)
#: "The definition of X is …", and "The X of a ship is the …", which says what X is of any ship.
_DEFINITION_OF = re.compile(
    r"\W*(?:the|one|an?) (?:\w+ )?(?:definition|meaning) of (?:(?:an?|the) )?(.{2,60}?) (?:is|was)\b", re.IGNORECASE
)
_OF_ANY = re.compile(r"(.{2,60}?) of (?:an?|any|each|every|some) (?:\w+ ){0,2}\w+$", re.IGNORECASE)
#: An option of a program is no term.
_OPTION = re.compile(r"[\s\"'`*_(\[]*--?\w")

#: Such a beginning is no subject.
_CLAUSE = re.compile(
    r"\W*(?:if|how|when|where|why|while|what|although|because|since|whether|unless|once|as|after|before)\b",
    re.IGNORECASE,
)
#: "The Ant and the Aardvark" is not the aardvark, nor "the number of an element" the element.
_SEVERAL = re.compile(r"\b(?:and|or|of|in|with|for)\b|,")
_HEAD = 110
#: Characters before an explanation in which the subject is looked for.
_NEAR = 80


def subject_of(question: str) -> tuple[str, ...]:
    """The stems of X in "What is X?" or of a question that is X alone, in order; empty for another question."""
    question = " ".join(question.split())  # long runs of white space would take time squared, and more
    found = None if asks_for_term(question) else _SUBJECT.match(question) or _TERM.match(question)
    return tuple(stems(found[1])) if found else ()


def derived_finder(question: str) -> re.Pattern[str] | None:
    """A pattern of the word in "-ism" or "-ist" whose definition is asked for: its stem is that of another
    word, "socialism" that of "social"; ``None`` where the question has none."""
    found = _DERIVED.search(question) if subject_of(question) else None
    return re.compile(rf"\b{found[0]}", re.IGNORECASE) if found else None


def attribute_finder(question: str) -> re.Pattern[str] | None:
    """A pattern of "your aim is" for "What is the aim of the game?" or "What is Go's aim?"; ``None`` for another."""
    found = _ASKS_ATTRIBUTE.match(question)
    before, behind = r"\b(?:the|its|your|our|their|his|her|my|this) (?:\w+ )?", r"s? (?:is|are|was|were)\b"
    return re.compile(before + (found[1] or found[2]) + behind, re.IGNORECASE) if found else None


def compound_of(question: str) -> tuple[str, ...]:
    """The stems of X in "What is X?" where X is two to four words without an "of" or its like; empty otherwise."""
    found = _COMPOUND.match(" ".join(question.split()))
    if found is None or not STOP_WORDS.isdisjoint(found[1].lower().split()):
        return ()
    asked = question_stems(question)  # without the number of "the three laws"
    return tuple(stem for stem in stems(found[1]) if stem in asked)


def qualifier_of(question: str) -> tuple[str, ...]:
    """The stems of Y in "What is X for Y?", "What is the X of Y?", "How does Z get to Y?"; none where it is long."""
    found = _QUALIFIER.match(_CALLED.sub("", question)) or _HOW_QUALIFIER.match(question)
    return tuple(stem for stem in stems(found[1]) if stem in question_stems(question)) if found else ()


def defines(sentence: str, subject: Collection[str]) -> float:
    """How well the sentence says what the subject is, 0 to 1.

    "X (…) is a …", "X: …" and a table's row of X 1; "X is the …" less, as that may be one of many things about it;
    "X is also a …", "X are …", "…, called X" and "the X library is …" less still; "X is visible." 0.
    """
    if not subject or _OPTION.match(sentence):
        return 0.0
    subject, lower = frozenset(subject), sentence.lower()
    if lower.isascii() and not all(stem[:2] in lower for stem in subject):
        return 0.0  # soon: an ending may change, and "y" to "i"
    if defined := _DEFINITION_OF.match(sentence):
        return float(frozenset(stems(defined[1])) == subject)
    plain = _FIELD.sub("", _ASIDES.sub("", sentence[: 3 * _HEAD]), count=1)[:_HEAD]
    verb = _DEFINES.search(plain)
    head = plain[_ARTICLE.match(plain).end() : verb.start()].split() if verb else []  # type: ignore[union-attr]
    if verb is None or not head or _CLAUSE.match(plain):
        return _names(sentence, subject)
    named = frozenset(stems(" ".join(head)))
    if any(frozenset(stems(other)) == subject for other in _ALSO.findall(sentence[: sentence.find(verb[0])])):
        named = subject  # "Kerr Harbour, better known as Kerr, is a" port
    is_other = named != subject and _names_another(plain[: verb.start()], subject)  # not "Kerr and Lund is a" shop
    if is_other or not STOP_WORDS.isdisjoint((head[0].lower(), head[-1].lower())):
        return _names(sentence, subject)
    is_noun = bool(_NOUN.match(plain, verb.end()))
    of_any = _OF_ANY.match(" ".join(head))
    if of_any and frozenset(stems(of_any[1])) == subject and (is_noun or plain.startswith("the ", verb.end())):
        return 0.9
    if named != subject:
        # "The X library is a …", but neither "x_utils: …" nor "X tools: …", nor "X 2 is a …".
        is_wider = verb[0].strip()[:1] not in ":–—-|" and subject < named and len(named) == len(subject) + 1
        is_wider &= not any(map(str.isdigit, named - subject))
        if subject < named and _PERSON.match(sentence):
            return 0.9
        return (0.6 if is_noun else 0.4) if is_wider else _names(sentence, subject)
    if _RELATION.match(plain, verb.end()) or " be " in verb[0]:
        return 0.8
    if _VALUE.match(plain, verb.end()):
        return 0.5
    if verb[0].split()[0].lower() not in ("is", "are", "was", "were") or is_noun:
        return 0.8 if " also " in verb[0] else 1.0  # "X is also a …" adds to what it is
    if plain.startswith("the ", verb.end()):
        return 0.9
    if _QUALITY.match(plain, verb.end()):
        return 0.0
    return 0.7 if verb[0].split()[0].lower() in ("are", "were") else max(0.5, _names(sentence, subject))


def _names_another(head: str, subject: frozenset[str]) -> bool:
    """Whether what is before the verb names something beside the subject, or a thing of it."""
    joined = _SEVERAL.search(head)
    if joined is None:
        return False
    before = stems(head[: joined.start()])
    is_of_subject = joined[0] == "of" and bool(before) and subject.issuperset(before)
    return not is_of_subject or bool(_SEVERAL.search(head, joined.end()))


def _names(sentence: str, subject: frozenset[str]) -> float:
    """The same for a sentence that names the subject at its end, or says what it is short for."""
    size = len(subject)
    if size == 1 and spells_out(sentence, subject):
        return 0.6
    named = [next(filter(None, each.groups())).split()[:size] for each in _NAMED.finditer(sentence)]
    before = (sentence[max(0, each.start() - _NEAR) : each.start()] for each in _EXPLAINED.finditer(sentence))
    named += [each.split()[-size:] for each in before if not _FRONTED.match(each.rpartition(",")[2])]
    return 0.6 * any(frozenset(stems(" ".join(words))) == subject for words in named)
