"""What kind of text a sentence, list item or table row is: an answer is made of what explains."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from .imperatives import command_verb
from .segmentation import kind_behind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .segmentation import Unit

Kind = Literal[
    "explanation",
    "definition",  # an entry of a glossary
    "procedure",  # a numbered step of what the reader can do
    "question",  # a question or an exercise
    "objective",  # what a reader will be able to do, or what a chapter is about
    "caption",
    "reference",  # an entry of a bibliography
    "navigation",  # links to go on, tasks to tick off
    "label",  # a few words that are no sentence
    "row",
    "code",
    "metadata",  # of the text: who wrote it, to whom, when
    "request",  # of a mail's writer, put as a question
]
#: Kinds that answer nothing, unless the question asks for them.
NO_ANSWER: frozenset[Kind] = frozenset({"question", "objective", "reference", "navigation", "label", "metadata"})
#: A chunk of nothing else is of little use; labels alone may be a table, and a mail may be its subject.
_BESIDE_THE_TEXT: frozenset[Kind] = frozenset({"question", "objective", "reference", "navigation", "label", "caption"})

#: What a heading says about the text below it. "Discussion" or "Goals" alone may be a chapter's own words.
_SECTION_PATTERNS: dict[Kind, str] = {
    "question": (
        r"(?:review|assessment|discussion|test|study|practice|self[- ]?test|self[- ]?assessment|critical thinking"
        r"|multiple[- ]choice|free response|comprehension|quiz) (?:questions?|exercises?|problems?)"
        r"|(?:practical |practice |interactive |hands-on |coding )?(?:exercises?|quiz(?:zes)?)|problems|homework"
        r"|questions|exercises? \d+\b.*|(?:exercises?|homework|assignment|quiz)\s?[:–—]\s.*"
        r"|self[- ]?check|check your (?:understanding|progress|knowledge)|knowledge check"
        r"|free response|multiple choice|art connections?|test yourself"
    ),
    "objective": (
        r"(?:learning |chapter )?(?:objectives|outcomes)|learning goals|what you(?:'ll|’ll| will) learn|in this chapter"
        r"|(?:chapter |course )?outline|(?:table of )?contents"
    ),
    "reference": (
        r"references(?: and further reading)?|bibliography|(?:further|suggested|recommended|additional) readings?"
        r"|works cited|citations|footnotes|endnotes|external links|see also|further resources"
        r"|(?:\w+ )?(?:literature|reading|reference) list"
    ),
    "definition": r"(?:[\w-]+ ){0,2}glossary|key terms?|terminology|vocabulary|definitions",
    "navigation": (
        r"next steps?|what(?:'s|’s| is) next|navigation|up next|related pages|check ?list"
        r"|(?:notes and )?to[- ]?do(?: list)?(?: for .*)?"
    ),
    "procedure": r"(?:the )?steps|procedures?|instructions|installation|step[- ]by[- ]step.*|how (?:do you|do i|to) .*",
}
_SECTIONS = {
    kind: re.compile(rf"(?:(?:chapter|section|unit|part|appendix)(?: \w{{1,4}}[.:])? )?(?:{pattern})", re.IGNORECASE)
    for kind, pattern in _SECTION_PATTERNS.items()
}
_NUMBERING = re.compile(r"^[\W\d]*(?:[A-Z]\.)?[\d.)\s]*|[\s:.]+$")
_MARKER = re.compile(r"\s*(\d{1,9})[.)]\s+")
_OBJECTIVES_FOLLOW = re.compile(
    r"\byou (?:will|should) (?:be able to|learn|know|understand)\b"
    r"|\b(?:learners|students|readers) (?:will|should) be able to\b"
    r"|\bafter (?:completing|reading|studying|finishing) this (?:chapter|section|module|unit|lesson)\b",
    re.IGNORECASE,
)
#: Commands to a learner. No manual tells its reader to "discuss"; it may tell him to "identify", in a full sentence.
_TASK = re.compile(
    r"(?:\(?(?:\d+|[a-z])[.)]\s*)?(?:describe|explain|discuss|compare|contrast|summari[sz]e|distinguish|differentiate"
    r"|recogni[sz]e|outline|interpret)\s(?!(?:is|are|was|were|of|by|that)\b)\w",
    re.IGNORECASE,
)
_TASK_ITEM = re.compile(
    r"(?:evaluate|define|list|state|identify|understand|analy[sz]e|critique|justify|chart|trace|implement|design)\s[^.!]*$",
    re.IGNORECASE,
)
_CAPTION = re.compile(
    r"\(?(?:photo |image )?credits?[: ]"
    r"|(?:figure|fig\.|table|listing|image|photo|diagram|plate|box)\s?(?:\w{0,3}\d[\d.\-–a-z]*)?\s?[:.]\s"
    r"|(?:an?|this) (?:image|picture|screenshot|photo(?:graph)?|diagram|drawing) (?:of|shows|showing)\b",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"\[\w{1,8}\]\s+[A-Z]|.{0,400}\b(?:doi:|doi\.org|arXiv:|ISBN|pp\.\s?\d(?![^\[\]()]*[\])]))"
    r"|\d{1,3}[.)]?\s(?:Adapted from )?[A-Z](?![^.,]{0,80}\b(?:is|are|was|were|has|have|had)\b)"
    r"[^.]{2,80}[,.].{0,300}\b(?:19|20)\d\d\b"
    r"|[A-Z][\w’'-]+, (?:[A-Z]\.[ ,-]?)+(?:,|&|and|\().{0,300}\b(?:19|20)\d\d\b"
)
_NAVIGATION = re.compile(
    r"[^\n]{1,120}?(?:\s?\.){5,}\s*[\divxlc, –-]*$"
    # a picture or a link alone, the link with its date
    r"|!\[[^\[\]]{0,200}\]\(\S{1,500}\)$|<(?:img|video|audio|iframe)\b[^<>]*>(?:\s*</\w+>)?$"
    r"|\[[^\[\]]{1,200}\]\(\S{1,500}\)(?:\W{0,3}\d{4}-\d\d-\d\d\)?)?\W*$"
    r"|\[[ xX]\]\s|https?://\S+$|(?:(?:next|previous)(?=:| chapter| page| section)|up next|back to|click|visit|go to"
    r"|continue (?:to|with|reading)|let(?:'s|’s) (?:begin|start|get started|dive)|watch (?:this|the|a)|read more"
    r"|view (?:this|the|an?)|see also|return to|learn more|download)"
    r"\b(?=.{0,90}(?:$|https?:|website|page|video|animation|link|chapter|section|:))",
    re.IGNORECASE,
)
_FORMS: dict[Kind, re.Pattern[str]] = {"caption": _CAPTION, "reference": _REFERENCE, "navigation": _NAVIGATION}
#: What is left of "shown in Figure 3" without its link.
_FRAGMENT = re.compile(r"^[,;]|\((?:see|in|and|e\.g\.,?)\s*\)|\b(?:in|see|by|at)\s+[,.;](?:\s|$)|\bin , ")
#: "The key innovation: Domain Randomization", where "Melting point: 250 °C" and "Author: A. Smith" say something.
_HEADLINE = re.compile(
    r"[*_]*(?:The|An?|Our|This|These|Its|Your)\s[^:.!?]{1,60}:[*_]*\s(?:[*_]*[A-Z][\w’'-]*[*_]*\s?){1,6}"
)
_ANNOUNCING_WORDS = 16  # what announces in more words says something itself
_LABEL_WORDS, _ITEM_LABEL_WORDS = 8, 5
_SENTENCE_WITHIN = re.compile(r"[a-z\d)][.!?]\s+[A-Z]")
#: Words that only a whole sentence has, or that may be its verb.
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|can|could|will|would|may|might|must|should|do|does|did|[a-z]{3,}(?:s|ed))\b"
)
#: Signs of program text, which a chunk that begins within a block of code has without its marks.
_CODE = re.compile(
    r"[\w\])]\s(?:[-+*/|&]?=|==|!=|->|=>|:=|&&|\|\|)\s|\w\((?:[^()\n]{0,80})\)\s*(?:[:;{]|$)|\b\w+\.\w+\(|[;{}]\s*$"
    r"|^\s*(?:#|//|/\*|@\w)|^\s*(?:def|class|import|from|return|self\.|elif|else:|try:|except|print\(|for \w+ in"
    r"|if .{1,80}:$|const|let|var|public|private|void|int|sudo|\$ )\b|\b[a-z]+(?:_[a-z0-9]+)+\b|\[[\w'\"]+\]\s*=",
    re.MULTILINE,
)
#: Such a sign is enough.
_CODE_ALONE = re.compile(
    r"^\s*(?:print\(|def \w+\(|import \w+$|from \w+ import|return \w+$|self\.\w|#include|\w+ = \S|[)}\]])"
    r"|\{\w+(?::[^}\s]{1,8})?\}[^\s.,;]{0,20}[\"')]"
)
_CODE_SHARE = 0.15  # signs for each word from which a piece is program text
_SENTENCE_END = re.compile(r"[.!?:;…][\"'”’)\]*_]*(?:\[[^\]]{1,40}\])*$")
_ANNOUNCES = re.compile(r":[\"'”’)\]*_]*$")


def section_kind(heading: str) -> Kind | None:
    """What the heading says about the text below it: ``"Review Questions"`` → ``"question"``; ``None``: nothing."""
    plain = _NUMBERING.sub("", heading.strip())
    return next((kind for kind, pattern in _SECTIONS.items() if pattern.fullmatch(plain)), None)


def holds_no_answer(kinds: Sequence[Kind]) -> bool:
    """Whether a chunk with units of these kinds has only exercises, objectives, references, navigation, captions."""
    return bool(kinds) and _BESIDE_THE_TEXT.issuperset(kinds) and set(kinds) != {"label"}


def kinds(
    headings: str, text: str, units: Sequence[Unit], stated: Callable[[int], Kind | None] = lambda _: None
) -> Iterator[Kind]:
    """The kind of each unit of a chunk: what is ``stated`` for its first character, else from its headings, else from
    its form; what is stated to explain is no label."""
    parts = [part for line in headings.splitlines() for part in line.split(" › ")]
    section = next((kind for part in reversed(parts) if (kind := section_kind(part))), None)
    objectives_follow, of_reference = False, -1
    steps = _steps(text, units, section)
    for number, unit in enumerate(units):
        words, own = text[unit.start : unit.end], stated(unit.start)
        leads = bool(_OBJECTIVES_FOLLOW.search(words))
        objectives_follow = leads or (objectives_follow and unit.kind == "item")
        following = kind_behind(text, units, number)
        outer = own or section
        if unit.kind == "code":
            yield "code"
        elif outer is not None and outer in NO_ANSWER:
            yield outer
        elif unit.kind in {"header", "row"}:
            yield "row"
        elif own is not None and own != "explanation":
            yield own
        elif number in steps and not objectives_follow:
            yield "procedure"
        elif objectives_follow and (leads or unit.kind == "item"):
            yield "objective"
        else:
            # The full stops of "Szeliski, R. (2010). Computer Vision." end no sentence.
            kind = "reference" if unit.block == of_reference else _by_form(words, unit, following, section, own)
            begins_block = number == 0 or units[number - 1].block != unit.block
            of_reference = unit.block if kind == "reference" and (begins_block or unit.block == of_reference) else -1
            yield kind


def _steps(text: str, units: Sequence[Unit], section: Kind | None) -> set[int]:
    """The units that are steps: of numbered lists of which half are commands, or all where the heading says so."""
    found: set[int] = set()
    listed: list[int] = []
    last = 0
    for index, unit in [*enumerate(units), (0, None)]:
        if unit is not None and unit.kind != "item":
            continue  # what stands between two steps, such as code
        number = 0 if unit is None else _number(text, unit)
        # A list goes on with the next number, or with 1 at each item as Markdown allows.
        if listed and number not in {last + 1, last}:
            if _is_procedure([text[units[each].start : units[each].end] for each in listed], section):
                found.update(listed)
            listed = []
        if number:
            listed.append(index)
        last = number
    return found


def _number(text: str, item: Unit) -> int:
    """The number of a list item; 0 without one."""
    marker = _MARKER.fullmatch(text, text.rfind("\n", 0, item.start) + 1, item.start)
    return int(marker[1]) if marker else 0


def _is_procedure(items: Sequence[str], section: Kind | None) -> bool:
    tasks = sum(bool(_TASK.match(item)) for item in items)
    commands = sum(command_verb(item.lower()) is not None for item in items)
    return len(items) > 1 and 2 * tasks < len(items) and (section == "procedure" or 2 * commands >= len(items))


def _by_form(words: str, unit: Unit, following: str, section: Kind | None, own: Kind | None) -> Kind:
    if unit.kind == "sentence" and _is_code(words):
        return "code"
    if words.rstrip("\"'”’)]*_ ").endswith("?"):
        return "question"
    if section == "definition" and ": " in words:
        return "definition"
    for kind, pattern in _FORMS.items():
        if pattern.match(words):
            return kind
    if (_TASK.match(words) or (unit.kind == "item" and _TASK_ITEM.match(words))) and not _ANNOUNCES.search(words):
        return "objective"
    if own is None and _is_label(words, unit, following):
        return "label"
    return "explanation"


def _is_code(words: str) -> bool:
    signs = len(_CODE.findall(words))
    return signs >= max(2, _CODE_SHARE * len(words.split())) or bool(_CODE_ALONE.search(words))


def _is_label(words: str, unit: Unit, following: str) -> bool:
    """Whether it is no sentence: announces what does not follow, or has a few words without a full stop."""
    if _FRAGMENT.search(words):
        return len(words.split()) <= _LABEL_WORDS or words.startswith((",", ";"))
    if _ANNOUNCES.search(words):
        says_more = len(words.split()) > _ANNOUNCING_WORDS or _SENTENCE_WITHIN.search(words)
        return following == "sentence" and not says_more
    if _HEADLINE.fullmatch(words):
        return unit.kind == "sentence"
    if _SENTENCE_END.search(words) or ": " in words or words.startswith("No "):
        return False
    few = 0 if following == "code" else _LABEL_WORDS if unit.kind == "sentence" else _ITEM_LABEL_WORDS
    return len(words.split()) <= few or not _VERB.search(words)
