"""Questions about a book or a part of it as a whole: what they ask for, and of which part."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ragstone.core.text import WORKS, place_asked, topic_of

from .library.front_matter import ASKS_AUTHORS
from .library.headings import ASKS_EXERCISES, NUMBER_WORD, PARTS, ROMAN, numeral

#: What a question asks for: a summary, the titles of the parts, the title of the part itself, for whom the book is, how
#: it is arranged, what its readers should know or will learn, who wrote it, a chapter's exercises, where it treats a
#: topic, what it says about one.
Wanted = Literal[
    "summary", "parts", "title", "audience", "plan", "prerequisites", "goals", "authors", "exercises", "places", "topic"
]
_WHOLE = rf"(?:this|the|that|these|your)(?: (?:whole|entire|present))?(?: \w+)? {WORKS}"
_READ = r"(?:reading|read|starting|start|beginning|begin|using|use)"
#: What is asked of the whole, whichever words stand around it.
_WHOLE_PATTERNS: dict[Wanted, str] = {
    "audience": (
        rf"\b(?:who(?:m)? (?:is|are|should(?: \w+)? read|can read|would read) {_WHOLE}"
        rf"(?: (?:written|meant|intended|made|aimed|for|at))*|for whom (?:is|are) {_WHOLE}(?: \w+)?"
        rf"|(?:(?:who is )?(?:the )?(?:target |intended )?(?:audience|readers(?:hip)?))(?: (?:of|for) {_WHOLE})?"
        rf"|is (?:{_WHOLE}|this) (?:(?:meant|intended|written|suitable|good|right) )?for [\w -]{{2,40}})\W*$"
    ),
    "plan": (
        rf"\bhow (?:is|are|was) {_WHOLE} (?:organi[sz]ed|structured|arranged|divided|laid out)\W*$"
        rf"|\bhow (?:should|do|can|must) (?:i|we|one|you) (?:use|read|study|work through) {_WHOLE}\W*$"
        rf"|\b(?:organi[sz]ation|structure) of {_WHOLE}\W*$"
    ),
    "prerequisites": (
        rf"^\W*(?:what are |are there |does {_WHOLE} have |list )?(?:the |any )?prerequisites"
        rf"(?: (?:for|of) (?:{_READ} )?{_WHOLE})?\W*$"
        r"|\bwhat (?:should|must|do|need) (?:i|we|one|you) (?:already )?(?:have to |need to )?know"
        rf" (?:before|to|in order to) (?:(?:i|we|you) )?{_READ}(?: (?:with )?(?:{_WHOLE}|this))?\W*$"
    ),
    "goals": (
        r"^\W*what (?:will|can|do|would|should) (?:i|we|you|one) (?:be able to )?learn"
        rf"(?: (?:from|in|by) (?:{_READ} )?{_WHOLE})?\W*$"
        rf"|\bwhat (?:does|do|will|can) {_WHOLE} teach(?: me| us)?\W*$"
        rf"|^\W*what are the (?:learning )?(?:objectives|outcomes|goals|aims) of {_WHOLE}\W*$"
    ),
    "parts": (
        r"\btable of contents\b"
        r"|^\W*(?:what|which|(?:please )?(?:list|name|show|give)(?: me)?(?: all)?)(?: are)? the"
        r" chapters\b(?!.*\bchapter \d)|^\W*(?:what|which) chapters\b"
        r"|^\W*how many chapters (?:are there|(?:does|has) it(?: have| contain)?)\W*$"
    ),
    "summary": (
        r"\b(?:what|which|list the) topics\b|^\W*(?:what are |list |give me )?(?:the )?(?:main|key)"
        rf" (?:points|ideas|takeaways)(?: (?:of|in) {_WHOLE})?\W*$"
        r"|^\W*(?:(?:an? )?(?:summary|overview)|what is this)\W*$"
    ),
}
_OF_WHOLE = {wanted: re.compile(pattern, re.IGNORECASE) for wanted, pattern in _WHOLE_PATTERNS.items()}
#: Words around a book or a part of it in a question that asks for nothing else than what it is about.
_FRAME = (
    r"a|about|abstract|again|aims?|back|go|let|now|see|then|all|am|an|and|are|brief|briefly|can|central|contain(?:s|ed)?|contents?|core|could"
    r"|cover(?:s|ed)?|covering|deals?|describe[sd]?|discuss(?:es|ed)?|do|does|explain(?:s|ed)?|find|for|from|gist|give|goals?"
    r"|happen(?:s|ed)?|has|have|i|ideas?|important|in|included?|includes|is|it|key|kind|know|learn|list|main|me|mean"
    r"|messages?|most|of|on|one|out|outline|overview|please|points?|present(?:s|ed)?|purpose|quick|read|says?|short|show|so"
    r"|sort|subjects?|sum|summari[sz]e[sd]?|summary|summaries|takeaways?|talks?|teach|teaches|tell|tells|the|themes?|there"
    r"|this|to|topics?|treat(?:s|ed)?|understand|up|us|was|we|what|why|will|with|would|write|written|you"
)
#: What a question asks for by the words that it has beside these, all of which match.
_BESIDE_FRAME: dict[Wanted, re.Pattern[str]] = {
    "summary": re.compile("(?!)"),
    "title": re.compile("called|named|titled?|name|heading"),
    "parts": re.compile("how|many|chapters|(?:sub)?sections?|parts|which|names"),
}
_WORD = re.compile(r"[^\W_]+")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_LAST = frozenset({"last", "final"})
#: "chapter 3", "chapter three", "chapter iii", "section 3.2", "appendix B"; "the third chapter", "the last section".
_NUMBERED = re.compile(
    rf"\b(?:the )?(?P<part>{PARTS}) (?P<number>\d{{1,3}}(?:\.\d{{1,3}})*|(?-i:[A-Z](?:\.\d{{1,3}})*)"
    rf"|{NUMBER_WORD}|{ROMAN})\b(?!\.\d)"
    rf"|\b(?:the )?(?P<ordinal>(?a:{'|'.join((*_ORDINALS, *sorted(_LAST)))})) (?P<of>{PARTS})\b",
    re.IGNORECASE,
)
#: A part by the one that was spoken of before: "the next chapter", "the section before it", "that chapter".
_RELATIVE = re.compile(
    rf"\b(?:the )?(?P<way>next|following|previous|preceding|this|that|same) (?P<part>{PARTS})\b"
    rf"|\b(?:the )?(?P<of>{PARTS})(?: (?:comes?|came|is|was))? (?P<side>before|after)"
    r"(?: (?:it|that|this)(?: (?:one|text|chapter|section))?)?\b",
    re.IGNORECASE,
)
_STEPS = {"next": 1, "following": 1, "after": 1, "previous": -1, "preceding": -1, "before": -1}
_WRITTEN_OUT = re.compile(rf"{NUMBER_WORD}|{ROMAN}", re.IGNORECASE)
#: Parts that are named without their kind.
_FRONT_OR_END = re.compile(
    r"\b(?:the )?(introduction|preface|foreword|prologue|abstract|conclusions?|epilogue|afterword)\b", re.IGNORECASE
)
_MENTION = re.compile(rf"\b{_WHOLE}\b", re.IGNORECASE)
_ON = r"(?:(?:on|about|called|titled|named) (?:the )?)"
_SAYS = r"(?: is)?(?: all)? (?:about|covers?|contains?|teach|describes?|discuss|explain|say)\W*$"
#: The part by its title: "the chapter on wheels", "the wheels chapter".
_NAMED = re.compile(
    r"\b(?:(?:summari[sz]e|summary of|overview of|outline of|explain) (?:the )?"
    rf"(?:{PARTS} {_ON}?(?P<a>.{{1,120}}?)|(?P<b>.{{1,120}}?) {PARTS})\W*$"
    rf"|what(?:'s|’s| is| does| do)? (?:the )?(?:{PARTS} {_ON}?(?P<c>.{{1,120}}?)|(?P<d>.{{1,120}}?) {PARTS}){_SAYS})",
    re.IGNORECASE,
)
#: "Tell me about X" asks for the definition of X first, which a section's opening seldom is.
_TELL = re.compile(r"\W*(?:please |what can you )?tell\b", re.IGNORECASE)


@dataclass(frozen=True)
class OverviewQuestion:
    """What a question wants to know of a book, or of one part of it."""

    wanted: Wanted
    #: "chapter", "section" …; empty for the book.
    part: str = ""
    #: Of the part: "3", "3.2", "B"; "last" for the last one.
    number: str = ""
    #: How many parts it is behind the one that was spoken of before.
    step: int = 0
    #: Words of the part's title, or the topic.
    name: str = ""

    @property
    def is_of_whole(self) -> bool:
        """Whether it asks about the book as a whole."""
        return not (self.part or self.name)


def overview_question(question: str) -> OverviewQuestion | None:
    """What the question asks for; ``None`` where it asks for something that the book's sentences may answer."""
    if ASKS_AUTHORS.search(question):
        return OverviewQuestion("authors")
    if tasks := ASKS_EXERCISES.search(question):
        return OverviewQuestion("exercises", "chapter", tasks[1])
    if place := place_asked(question):
        return OverviewQuestion("places", name=place)
    if of_whole := next((wanted for wanted, pattern in _OF_WHOLE.items() if pattern.search(question)), None):
        return OverviewQuestion(of_whole)
    if mentioned := _NUMBERED.search(question):
        return _of_part(question, mentioned)
    if (mentioned := _MENTION.search(question)) and (wanted := _wanted(question, mentioned)):
        return OverviewQuestion(wanted)
    if (mentioned := _FRONT_OR_END.search(question)) and (wanted := _wanted(question, mentioned)):
        return OverviewQuestion(wanted, "chapter", name=mentioned[1])
    if named := _NAMED.search(question):
        part = "chapter" if re.search(r"\bchapter\b", question, re.IGNORECASE) else "section"
        return OverviewQuestion("summary", part, name=next(filter(None, named.groups())))
    topic = None if _TELL.match(question) else topic_of(question)
    return OverviewQuestion("topic", name=topic) if topic else None


def relative_part(question: str) -> OverviewQuestion | None:
    """What the question asks for of a part that it names by the one that was spoken of before, or of a section of that
    one by its place; ``None`` where it does not."""
    if (counted := _NUMBERED.search(question)) and (counted["of"] or "").casefold() == "section":
        return _of_part(question, counted)
    mentioned = _RELATIVE.search(question)
    wanted = _wanted(question, mentioned) if mentioned else None
    if mentioned is None or wanted is None:
        return None
    step = _STEPS.get((mentioned["way"] or mentioned["side"]).casefold(), 0)
    return OverviewQuestion(wanted, (mentioned["part"] or mentioned["of"]).casefold(), step=step)


def _of_part(question: str, mentioned: re.Match[str]) -> OverviewQuestion | None:
    wanted = _wanted(question, mentioned)
    if wanted is None:
        return None
    if mentioned["part"]:
        part, number = mentioned["part"], mentioned["number"]
        number = str(numeral(number)) if _WRITTEN_OUT.fullmatch(number) else number
    else:
        part, ordinal = mentioned["of"], mentioned["ordinal"].casefold()
        number = "last" if ordinal in _LAST else str(_ORDINALS.index(ordinal) + 1)
    return OverviewQuestion(wanted, part.casefold(), number)


def _wanted(question: str, mentioned: re.Match[str]) -> Wanted | None:
    """What is asked of the book or part that is mentioned, by the other words; ``None`` where one of them asks for
    something else."""
    around = f"{question[: mentioned.start()]} {question[mentioned.end() :]}".casefold().replace("’", "'")
    words = " ".join(_WORD.findall(around.replace("'s", "")))
    own = re.sub(rf"\b(?:{_FRAME})\b", "", words).split()
    for wanted, known in _BESIDE_FRAME.items():
        if all(map(known.fullmatch, own)) and (own or wanted == "summary"):
            return wanted
    return None
