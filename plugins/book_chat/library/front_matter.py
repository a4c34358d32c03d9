"""What a book says of itself: for whom it is, how it is arranged, what its readers should know and will learn."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragstone.core.answering import Overview
from ragstone.core.text import WORKS, Kind

from .headings import path_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llama_index.core.schema import TextNode

#: By what is asked for: the headings under which a book says it, and the sentences that say it elsewhere, where
#: "WORK" stands for "this book" or its title.
_SAYS = {
    "audience": (
        (
            r"(?:(?:target|intended) )?(?:audience|readers(?:hip)?)|who (?:this|the) .{1,40} is for"
            r"|who (?:is this .{1,40} for|should read .{1,40})|is this .{1,40} for (?:you|me)"
        ),
        (
            r"WORK (?:is|was) (?:\w+ )?(?:intended|written|meant|designed|aimed|suitable|made) (?:for|at)"
            r" (?-i:(?![A-Z]))"
            r"|(?:target|intended) (?:audience|readers?)\b"
            r"|WORK (?:\w+ ){0,2}(?:describes?|explains?|introduces?|teach(?:es)?|shows?)\b[^.]{0,80}\b(?:to|for)"
            r" (?:[\w-]+ ){0,3}(?:users|developers|readers|students|beginners|newcomers|programmers|engineers"
            r"|administrators|teachers|players|people)\b"
        ),
    ),
    "plan": (
        (
            r"how to (?:use|read) (?:this|the) .{1,40}|using this .{1,40}|how (?:this|the) .{1,40} is organi[sz]ed"
            r"|(?:(?:book|course|document) )?(?:organi[sz]ation|structure)(?: of .{1,40})?"
        ),
        r"WORK is (?:organi[sz]ed|structured|arranged|divided)\b",
    ),
    "prerequisites": (
        r"prerequisites?|what you (?:need|should know).{0,40}|before you (?:start|begin)|assumed knowledge",
        (
            r"WORK (?:assumes|requires|expects|presupposes)\b|prerequisites?\b"
            r"|(?:readers?|you) (?:should|must|need to) (?:already )?(?:know|have|be familiar)\b"
        ),
    ),
    "goals": (
        r"what you(?:['’]ll| will) learn|(?:(?:learning|course|book) )?(?:objectives|outcomes|goals|aims)",
        r"(?:in|with|from|after reading) WORK,? you(?:['’]ll| will)\b|WORK (?:will )?(?:teach|show)(?:es|s)?\b",
    ),
    "authors": (
        r"(?:about )?(?:the )?(?:authors?|editors?|contributors?)",
        r"WORK (?:was|is|has been) (?:written|edited|compiled) by\b",
    ),
}
_KINDS: frozenset[Kind] = frozenset({"explanation", "objective"})
#: Chunks of a book among which its front matter is.
_FRONT = 40


def front_matter(wanted: str, nodes: Sequence[TextNode], title: str) -> Overview | None:
    """What the book with these chunks says under the first heading for it, else in its first such sentences; ``None``
    where it says nothing, and for what books do not say of themselves."""
    if wanted not in _SAYS:
        return None
    heading, sentence = _SAYS[wanted]
    under = [node for node in nodes if re.fullmatch(rf"[\W\d]*(?:{heading})\W*", path_of(node)[-1], re.IGNORECASE)]
    found = Overview("", under[:1], kinds=_KINDS)
    if any(found.sentences()):
        return found
    work = rf"(?:(?:this|the) {WORKS}|{re.escape(title)})"
    says = re.compile(rf"\b(?:{sentence.replace('WORK', work)})", re.IGNORECASE)
    found = Overview("", [node for node in nodes[:_FRONT] if says.search(node.text)][:1], says, _KINDS)
    return found if any(says.search(each.text) for each in found.sentences()) else None
