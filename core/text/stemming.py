"""Stems and words of English text, for full-text search, the evidence gate and extractive answers.

The full-text index stores these stems, so that every database counts the same words.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from zlib import crc32

import Stemmer

#: Increased whenever the same text would give other stems: the full-text index is then rebuilt.
ANALYSIS_VERSION = 1

_WORD = re.compile(r"[^\W_]+")
#: What of a question has no topic: "didn't", the "'s" of "Tesla's", "the role of …", "Explain …", "… vs …", "How
#: long …", nor the number in "What are the three …".
_NO_TOPIC = re.compile(
    r"\b\w+n[’']t\b|(?<=\w)[’'](?:s|re|ve|ll|d|m)\b|\b(?:vs|versus|differences? between)\b"
    r"|^\W*(?:what(?:['’]s| is| are| was| were)|explain|describe|define|discuss) (?:an? |the )?"
    r"(?:(?:basic|main|general) )?"
    r"(?:role|function|purpose|importance|significance|concept|idea|notion|meaning|definition)s?"
    r"(?= (?:of|behind)\b)"
    r"|\bhow (?:long|often|frequently|far)\b(?: (?:do|does|did|will|would) it take\b)?"
    r"|^\W*what (?:happens|happened|(?:would|will) happen)(?= (?:when|if|to|after|before|during|between|on|in|at)\b)"
    r"|^\W*who (?:wrote|sent|mailed)(?: (?:me|us))?"
    r"(?: (?:the |an? |this )?(?:e-?)?(?:mail|message|letter)s?\b|(?= about\b))"
    r"|^\W*(?:what|which) (?:are|were) the (?:two|three|four|five|six|seven|eight|nine|ten|main|key|basic|different"
    r"|various)\b"
    r"|^\W*(?:please )?(?:(?:give|describe|explain|tell|summari[sz]e|compare|define|discuss|outline)\b"
    r"|(?:list|name|show|state)(?= (?:me|all|the|some|an?|two|three|four|five|how|what|which)\b))"
    # An address is found by its "@", what something is called by the rest: no text that has them has these words.
    r"|(?:(?<=['’]s)|(?<=s['’])) (?:e-?mail(?: address)?|mail address)(?=\W*$)"
    r"|\b(?:e-?)?mail address(?= (?:of|for)\b)"
    r"|^\W*what (?:do|does|would) \w+ call\b"
    r"|\b(?:called|known as|termed|referred to as)(?=(?: an?| the)?(?: what)?\W*$)"
    r"|\b(?:what|which)(?:['’]s| is| are| was)?(?: the)? (?:term|word|name)s? (?:for|given to|describes?|applies to)\b",
    re.IGNORECASE,
)
_ACCENT = re.compile("[\u0300-\u036f]")
_LONGEST_WORD = 64

#: Words without a topic: pronouns, auxiliaries, prepositions and the like.
STOP_WORDS = frozenset(
    """a about above after again against all also am an and any are as at be because been before being below between
    both but by can could did do does doing done down during each else ever few for from further get gets got had has
    have having he her here hers herself him himself his how i if in into is it its itself just let like many may me
    might more most much must my myself no nor not of off on once only or other ought our ours ourselves out over own
    please same shall she should so some such tell than that the their theirs them themselves then there these they
    this those through to too under until up upon us very was we were what when where which while who whom whose why
    will with within without would yes you your yours yourself yourselves""".split()  # noqa: SIM905 - a list of quoted words is harder to read
)

#: Words with which a question asks, and auxiliary verbs, which an answer repeats only by chance.
_ASKING = frozenset(
    """what who whom whose when where why how which do does did is are was were be been has have had can could will
    would should may might must am being having doing done""".split()  # noqa: SIM905 - as above
)

#: The verb asks, and no text has it: "How does X work?", "What does X mean?", "What does X look like?".
_ASKING_VERB = re.compile(
    r"(\W*(?:how (?:do|does|did)\b[^?]{1,200}\b(?=work\W*$)"
    r"|what (?:do|does|did)\b[^?]{1,200}\b(?=(?:mean|cover|entail|stand for|look like)\W*$)))",
    re.IGNORECASE,
)

#: "Is the gate still open?" is answered by "The gate is open.", and "What is still open?" by what is open.
_STILL = re.compile(
    r"(\W*(?:(?:what|who|(?:which|how many) \w+(?: \w+)?) (?=(?:is|are|do|does|has|have)\b))?"
    r"(?:is|are|do|does|has|have|can)\b(?: (?!(?:it|they|this|that)\b)[^?]{2,100}?)??)(?<!\ba)(?<!\bthe)"
    r" (?:still(?= )|(?:(?:right )?now|currently|at the moment)(?=\W*$))",
    re.IGNORECASE,
)
_WHY_NEED = re.compile(r"(\bwhy (?:do|does|did)\b[^?]{1,100}?) need\b(?! to\b)", re.IGNORECASE)

#: "What did Anna write about X?", and X is what she writes about.
_REPORTING = re.compile(
    r"(\bwhat (?:do|does|did|has|have|had)\b[^?]{1,100}?) (?:say|said|write|written|report|reported|mention|mentioned"
    r"|tell|told|think)\b",
    re.IGNORECASE,
)

#: "The 1950's" are "the 1950s".
_DECADE = re.compile(r"(\d0)[’'](?=s\b)")

#: A word with a capital behind the first one of a question.
_CAPITALIZED = re.compile(r"(?<=\s)[A-Z]\w*")

_local = threading.local()


def stems(text: str) -> list[str]:
    """The English stems of the text's words in order: lower case, without accents and stop words.

    The stemmer is Porter2 (snowballstem.org) by PyStemmer, the one maintained binding in C: stemmers in pure Python
    take most of the ingestion's time.
    """
    return [stem for word in words(text) if (stem := _stem(word))]


def stem_hashes(text: str) -> list[int]:
    """The hashes of the text's stems in order."""
    return [stem_hash(stem) for stem in stems(text)]


def name_stems(question: str) -> frozenset[str]:
    """The stems of the question's words with a capital, its first word excepted."""
    return frozenset(stems(" ".join(_CAPITALIZED.findall(question))))


@lru_cache(maxsize=8192)
def stem_hash(stem: str) -> int:
    """The CRC-32 of a stem: in this form stems are stored with a chunk and compared."""
    return crc32(stem.encode())


def words(text: str) -> list[str]:
    """The text's words in order, lower case and without accents, stop words included."""
    plain = text.casefold()
    if not plain.isascii():
        plain = _ACCENT.sub("", unicodedata.normalize("NFKD", plain))
    return [word[:_LONGEST_WORD] for word in _WORD.findall(plain)]


def wording_scorer(question: str) -> Callable[[str], float]:
    """A function that scores texts, 0 to 1: the share of the question's words that a text has as they are, small words
    included, those that only ask excepted. "Before the war" is answered rather by these words than by "wars"."""
    asked = frozenset(words(question)) - _ASKING
    return lambda text: len(asked.intersection(words(text))) / len(asked) if asked else 0.0


def ordered_share(asked: Sequence[str], found: Sequence[str]) -> float:
    """The share of the stems of a question that a text has in their order, of those ``found`` in it: 0 to 1."""
    places = {stem: place for place, stem in reversed(list(enumerate(found)))}
    rising: list[int] = []  # the length of the longest rise up to each place
    known = [places[stem] for stem in asked if stem in places]
    for number, place in enumerate(known):
        rising.append(1 + max((rising[other] for other in range(number) if known[other] < place), default=0))
    return max(rising, default=0) / max(1, len(asked))


@lru_cache(maxsize=16384)  # about the common words of one language; bounded, because questions bring new ones
def _stem(word: str) -> str:
    if word in STOP_WORDS:
        return ""
    stemmer = getattr(_local, "stemmer", None)
    if stemmer is None:  # a stemmer must not be shared between threads
        stemmer = _local.stemmer = Stemmer.Stemmer("english", 0)  # 0: without its own cache
    stem: str = stemmer.stemWord(word)
    return stem


#: Words that find an answer, which need not have them: a price, a size, a colour, a phone number and an address are
#: known by their form, what comes next by its time.
_OF_FORM = re.compile(
    r"\b(?:how much|what) (?:do|does|did) (?!(?:it|they|this|that|these|those)\b)[^?]{1,200} (cost)\W*$"
    r"|(?:['’]s|[sxz]['’]) ((?:tele)?phone number|IP(?: address)?)\W*$"
    r"|\b((?:tele)?phone number|IP address) (?:of|for)\b"
    r"|^\W*how (high|tall|deep|wide|large|big|heavy|expensive) (?:is|are|was|were)\b"
    r"|^\W*(?:what|which) (colou?r)s? (?:is|are|was|were)\b"
    r"|^\W*when (?:is|are|does|do|will) (?:the|our|my|your) (next)\b"
    r"|^\W*what(?:['’]s| is| was) (wrong) with\b",
    re.IGNORECASE,
)


def form_stems(question: str) -> frozenset[str]:
    """The stems of the question's words that help to find its answer, which need not have them."""
    return (
        frozenset(stems(" ".join(filter(None, found.groups()))))
        if (found := _OF_FORM.search(question))
        else frozenset()
    )


def question_stems(question: str) -> list[str]:
    """The question's distinct stems in order; its words if all of them are stop words.

    "How does X work?" and "What does X mean?" ask about X, and no text says that it works or means; "Why do we need X?"
    is answered by what X does, "What did she say about X?" by what she says.
    """
    question = _DECADE.sub(r"\1", question)
    now = _STILL.match(question)
    question = now[1] + question[now.end() :] if now else question
    question = _REPORTING.sub(r"\1", _WHY_NEED.sub(r"\1", question))
    asked = _ASKING_VERB.match(question)
    question = asked[1] if asked and stems(asked[1]) else question
    found = list(dict.fromkeys(stems(_NO_TOPIC.sub(" ", question))))
    return found or list(dict.fromkeys(words(question)))


#: Stems of words that a question can do without where its text has none of them: "Is it really possible to …?".
LIGHT_STEMS = frozenset(
    stems(
        "possible able allowed necessary true correct ok okay worth really actually truly ever always usually generally"
        " typically normally called named known considered written made make used use based kind type sort thing"
        " something anything someone anyone need"
    )
)
#: Stems of words that ask for an age or a price: "eleven" answers "How old is she?", "312 euros" "What did it cost?".
MEASURE_STEMS = frozenset(stems("old age cost"))
