"""The sentences of a source, and which of them can be understood without those around them."""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Iterator
from dataclasses import dataclass

from ragstone.core.text import sentence_spans

from ...plans.records import SourceChunk
from .spelling import word_set

_SHORTEST, _LONGEST = 6, 36
#: What is longer is no sentence; the patterns would take long on untrusted input.
_MOST_CHARACTERS = 800
_NOT_PROSE = re.compile(
    r"\s*(?:[-*•+]\s|\d{1,3}[.)]\s|\||#|(?:Figure|Table|Listing|Algorithm)(?:\s[A-Z]?[\d.–-]+)?:\s)|.*\s\|\s.*\|"
)
#: Formulas, markup, addresses, footnote marks: nothing to ask in words about.
_MARKUP = re.compile(r"[\\{}<>|=^~\[\]_]|\$[^$\d]|https?:|www\.|\.\.\.|…|\w\.\w{2,}\(")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
#: A sentence that begins with one of these needs the sentence before it.
_LEANING = word_set("""
    he she it they we you i his her its their our your my this that these those such here there thus hence therefore
    however moreover furthermore nevertheless nonetheless consequently accordingly meanwhile otherwise instead besides
    likewise similarly conversely also additionally alternatively then and but or nor so yet still another others both
    either neither later earlier afterwards afterward eventually finally subsequently previously formerly next first
    second third firstly secondly thirdly lastly again indeed rather even only just although though while whereas
    because since if unless what which who whom whose where when why how perhaps maybe for some many most few several
    all none one two three four five each every more less much note see according no not to compare contrast like
    unlike especially particularly specifically namely overall ultimately currently today now recently nowadays
    traditionally presumably apparently soon once ever never further two-thirds half nearly almost today's
    officially originally initially often sometimes usually generally typically recall remember
""")
#: "For example, …" and its like, and openings of several words that point back.
_LEANING_PHRASE = re.compile(
    r"(?:in|on|at|by|from|with|after|before|during|since|under|as|despite|because of|due to|among|within|of|through)\s+"
    r"(?:this|that|these|those|such|it|its|his|her|their|them|him|the same|addition|contrast|fact|particular|general|"
    r"turn|response|other words|the latter|the former|the process|the case|the end|a result|a consequence|one|both|each"
    r"|most cases|some cases|many cases|some|many|all|another|other|which|whom|what)\b"
    r"|for (?:example|instance|this|that|these|those|his|her|its|their)\b|on the (?:other|one) hand\b"
    r"|as (?:such|well)\b",
    re.IGNORECASE,
)
#: Points out of the sentence wherever it stands.
_POINTING = re.compile(
    r"\b(?:this|these|those|such|the (?:former|latter|above|following|same|aforementioned|said)|above|below|following"
    r"|aforementioned|herein|thereof|respectively|the other|the others|others|another|the two|the three"
    r"|all three|the second|the third|latter|former|i|we|our|us|you|your|my|me|see|note|note that|do so|did so|does so"
    r"|doing so|here"
    r"|(?:that|the) (?:year|day|time|period|era|decade|century|point|month|date|moment|case|same|next|previous)"
    r"(?! of| when| that)|the first (?:time|year))\b",
    re.IGNORECASE,
)
_THAT_NOUN = re.compile(r"\b(?:of|in|on|by|with|to|for|from|at|after|before|during|since|until) that\b", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:he|she|it|they|him|them|his|her|hers|its|their|theirs|himself|herself)\b", re.IGNORECASE)
#: Dates an article and not a fact: what was so "as of 2014" may not be so when it is asked.
_PASSING = re.compile(
    r"\b(?:as of|currently|recently|recent|nowadays|today|now|to date|at present|present-day|so far|is expected to"
    r"|estimated|plans to|upcoming|in the coming|last year|next year)\b",
    re.IGNORECASE,
)
#: "in 1859", "in March 1861", "on 4 July 1776". Of "before 1860" every earlier one is right as well.
_YEAR = re.compile(
    r"\b(?:[Ii]n|[Oo]n)\s+(?:(?:early|late|mid)\s+)?(?:\d{1,2}\s+)?"
    rf"(?:(?:{'|'.join(month_name[1:])})\s+(?:\d{{1,2}},\s+)?)?"
    r"(?P<year>1[0-9]{3}|20[0-4][0-9])(?=[,.;)]|\s+(?!(?:to|and|or|until|B\.?C|A\.?D|people|men|soldiers)\b)[a-z])"
    r"(?!,\d|\.\d)"
)
_DEFINITE = re.compile(r"The ((?:[^\W_]+(?:['’-][^\W_]+)*\s+){1,3})")
_ASIDE = re.compile(r"\s*\([^()]*\)\s*$")
#: A name with another one in the midst of it: 'Bennie Ross "Hank" Crawford'.
NICKNAMED = re.compile(r"(?:[A-ZÀ-Þ][\w.-]*\s){1,3}[“\"][^“”\"]{2,20}[”\"](?:\s[A-ZÀ-Þ][\w’'-]*){1,3}")
#: Letters of words that may be small in a work's title.
_LONGEST_SMALL = 3


@dataclass(frozen=True)
class Sentence:
    """``text`` is ``chunk.content[start:end]``; its own full stop included."""

    chunk: SourceChunk
    start: int
    end: int
    text: str


def sentences_of(chunk: SourceChunk) -> Iterator[Sentence]:
    """Its running text's sentences in their order, without lists, tables, captions and formulas on their own lines."""
    at = 0
    for line in chunk.content.splitlines(keepends=True):
        begin, at = at, at + len(line)
        if _NOT_PROSE.match(line):
            continue
        for start, end in sentence_spans(chunk.content, begin, begin + len(line.rstrip())):
            if end - start <= _MOST_CHARACTERS:
                yield Sentence(chunk, start, end, chunk.content[start:end])


def stands_alone(sentence: Sentence, known: frozenset[str] = frozenset()) -> bool:
    """Whether a reader who has only this sentence, and the title above it, knows what it speaks of.

    ``known``: words in small letters that name what the page is about: "The aardvark" needs no sentence before it.
    """
    text = sentence.text
    words = _WORD.findall(text)
    if not _SHORTEST <= len(words) <= _LONGEST or not is_whole(text):
        return False
    if words[0].casefold() in _LEANING or _LEANING_PHRASE.match(text):
        return False
    if _POINTING.search(text) or _THAT_NOUN.search(text) or _PASSING.search(text):
        return False
    return not _dangles(text, known) and not _leans_on_the(text, known)


def name_before(text: str, title: str) -> str:
    """What a sentence begins with, with its article, where that is what the page is about; else empty."""
    within = title[0].lower() + title[1:]
    names = "|".join(re.escape(name) for name in (title, within, title.rsplit(maxsplit=1)[-1]))
    match = re.match(rf"(?:(?:In|On)\s[^,]+,\s)?((?:The\s)?(?:{names}))\b(?!['’]s\b)", text)
    return match[1] if match else ""


def name_at_beginning(text: str, title: str) -> tuple[int, str]:
    """Where the name of a work or a person begins that may look like a clause, and the name; empty if there is none.

    It is the page's title in quotation marks, or spelled as titles are ("Dedicated to You", not "To the north"), or has
    another name within it.
    """
    start = int(text.startswith(("“", '"')))
    long = [word for word in title.split() if len(word) > _LONGEST_SMALL]
    is_work = start or (" " in title and all(word[0].isupper() for word in long))
    if is_work and text.startswith(title, start):
        return start, title
    found = NICKNAMED.match(text)
    return start, found[0] if found else ""


def owner_before(sentence: Sentence, title: str) -> str:
    """What "its" at a sentence's beginning stands for: what the page is about, where the sentence before begins with
    it; else empty."""
    paragraph = sentence.chunk.content.rfind("\n", 0, sentence.start) + 1
    *_, (start, end) = ((0, 0), *sentence_spans(sentence.chunk.content, paragraph, sentence.start))
    name = name_before(sentence.chunk.content[start:end], title)
    return f"the{name[3:]}" if name.startswith("The ") else name


def continued(first: Sentence, sentence: Sentence, pronouns: tuple[str, ...]) -> tuple[Sentence, str] | None:
    """Both sentences as one, and what the second one says behind a pronoun that stands for the first one's subject;
    ``None`` where it does not follow it, or does not begin with one of the pronouns."""
    text = first.chunk.content
    pronoun, space, rest = sentence.text.partition(" ")
    between = text[first.end : sentence.start]
    if first.chunk != sentence.chunk or pronoun not in pronouns or not between or between.strip(" "):
        return None
    return Sentence(first.chunk, first.start, sentence.end, text[first.start : sentence.end]), f"{space}{rest}"


def years_in(text: str) -> Iterator[tuple[int, int, str]]:
    """``(start, end, year)`` of the years in which, by the sentence, something happened."""
    for match in _YEAR.finditer(text):
        yield match.start("year"), match.end("year"), match["year"]


def is_whole(text: str) -> bool:
    """Whether it is one sentence of plain words that was cut at its own ends."""
    if not text[0].isupper() or not text.endswith(".") or _MARKUP.search(text):
        return False
    letters = sum(c.isascii() and (c.isalpha() or c in " ,.-'") for c in text)
    return letters > 0.85 * len(text) and text.count(":") + text.count(";") <= 1


def _dangles(text: str, known: frozenset[str]) -> bool:
    """A pronoun before anything that it could stand for."""
    found = _PRONOUN.search(text)
    if found is None:
        return False
    before = text[: found.start()].replace(", because", " because")
    words = _WORD.findall(before)
    if {word.casefold() for word in words} & known:
        return False
    # What comes before it must be more than "In 1859," or "When": a subject with its verb, or a name.
    named = any(word[0].isupper() for word in words[1:]) or (len(words) > 1 and "," not in before)
    return len(words) < 4 or not named


def _leans_on_the(text: str, known: frozenset[str]) -> bool:
    """ "The committee decided …": which one, only the sentence before says, unless the page is about it."""
    found = _DEFINITE.match(text)
    if found is None:
        return False
    near = found[1].split()
    if any(word.casefold().removesuffix("'s").removesuffix("’s") in known or word[0].isupper() for word in near):
        return False
    # "The process of …" says itself which one.
    return not re.match(
        r"The (?:[^\W_-]+\s){0,2}(?!\w+(?:ed|sts)\s)[^\W_-]+\s(?:of|that|which|who|between|for)\s", text
    )


def bare_title(title: str) -> str:
    """A page's title without its disambiguation: "Animalia (book)" is "Animalia"."""
    return _ASIDE.sub("", title) or title
