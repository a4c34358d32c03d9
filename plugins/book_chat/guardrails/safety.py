"""Procedures for real hardware are shown only with the book's own safety warnings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters

from ragstone.core import CitedWarning, Verdict

from ..markdown.characters import SEPARATOR
from .simulation import HARDWARE, names_hardware

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from llama_index.core.schema import BaseNode, TextNode

    from ragstone.core import Corpus, Sentence

_WARNING_KINDS = {"warning", "caution", "danger"}
_WARNING_LINE = re.compile(
    r"^\W*(?:warning|caution|danger|safety(?: (?:warning|note|notice))?)\W*[:!.\u2014]", re.IGNORECASE
)
#: The beginning of an instruction.
_IMPERATIVE = re.compile(
    r"^(?:\W*(?:(?:first|then|next|finally|now|and|always|never|also|again),?\s+"
    r"|(?:to|before|after|once|when|while|if|with|in order)\b[^,.:]{1,80},\s*))?\W*"
    r"(?:(?:do not|don't|never)\s+\w+|connect|disconnect|plug|unplug|switch|turn|press|push|pull|hold|release|mount"
    r"|attach|detach|remove|install|flash"
    r"|upload|download|run|launch|start|stop|restart|power|set|open|close|lift|place|put|check|verify|make sure|ensure"
    r"|move|command|send|publish|drive|calibrate|tighten|loosen|solder|wire|insert|enable|disable|charge|discharge|apply"
    r"|wait|keep|use|execute|configure|deploy|clamp|fasten|secure|raise|lower|arm|disarm|home|jog|measure|test|build"
    r"|compile|copy|type|call|write|load|adjust|increase|decrease|reduce|bring|take|clear|stand|step|unlock|lock|engage"
    r"|disengage|activate|deactivate|trigger|reset|replace|swap|drill|cut|bolt|screw)\b",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"```|~~~|^ {4}\S|\b(?:ros2|roslaunch|rosrun|sudo|colcon|catkin_make|python3?|pip|apt)\s+\S", re.MULTILINE
)
_MOST_WARNINGS = 8


def setting_of(node: BaseNode) -> str | None:
    """The label of a passage's sentences in answers: in simulation or on real hardware."""
    if node.metadata.get("is_simulation"):
        return "In simulation"
    on_hardware = node.metadata.get("setting") == HARDWARE and names_hardware(_headings(node), "")
    return "On real hardware" if on_hardware else None


class SafetyWarnings:
    """Procedures for real hardware are shown under the warnings that the book gives for them, word for word.

    A sentence is such a procedure when it holds code or an instruction, and its passage deals with real
    hardware (see ``simulation``). Its warnings are the admonitions and the lines beginning with "Warning", "Caution" or
    "Danger" of its section, else of its chapter. Where the book gives none, it is withheld.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def review(self, sentence: Sentence, nodes: Sequence[BaseNode]) -> Verdict:
        """A procedure goes under its warnings; without any it is withheld, and its section is named."""
        if not is_procedure(sentence.text):
            return Verdict()
        dangerous = [nodes[at] for at in sentence.passages if _on_hardware(nodes[at])]
        warnings: list[CitedWarning] = []
        for node in dangerous:
            found = self._warnings(node)
            if not found:
                place = _place(node)
                reason = f"a procedure for real hardware, and {place} gives no warning"
                return Verdict(withheld=reason, refusal=_refusal(place))
            warnings += found
        return Verdict(tuple(warnings[:_MOST_WARNINGS]))

    def _warnings(self, node: BaseNode) -> list[CitedWarning]:
        """Of the passage's section, else of its chapter."""
        known = node.metadata
        if not known.get("chapter"):
            return []
        chapter = self._corpus.contents.find(
            MetadataFilters(filters=[MetadataFilter(key=key, value=known[key]) for key in ("book", "chapter")])
        )
        section = [other for other in chapter if other.metadata["section"] == known["section"]]
        return list(_warnings_in(section)) or list(_warnings_in(chapter))


def is_procedure(text: str) -> bool:
    """Whether the text holds code or an instruction."""
    return bool(_CODE.search(text) or _IMPERATIVE.match(text))


def _warnings_in(nodes: Sequence[TextNode]) -> Iterator[CitedWarning]:
    """Each warning once, from the first passage that holds it whole."""
    from ..markdown.blocks import read_blocks  # a parser of Markdown, for few answers

    seen: set[str] = set()
    for node in nodes:
        for block in read_blocks(node.get_content()):
            is_warning = block.kind == "admonition" and block.info in _WARNING_KINDS
            if (is_warning or _WARNING_LINE.match(block.plain)) and block.plain not in seen:
                seen.add(block.plain)
                yield CitedWarning(block.plain, node)


def _on_hardware(node: BaseNode) -> bool:
    return not node.metadata.get("is_simulation") and names_hardware(_headings(node), node.get_content())


def _headings(node: BaseNode) -> list[str]:
    known = node.metadata
    return [str(known.get("chapter") or ""), *str(known.get("section") or "").split(SEPARATOR)]


def _place(node: BaseNode) -> str:
    known = node.metadata
    steps = dict.fromkeys(str(known[key]) for key in ("chapter", "section") if known.get(key))
    return f"'{SEPARATOR.join(steps)}'" if steps else "the selected text"


def _refusal(place: str) -> str:
    return (
        f"The book describes this for real hardware in {place}, but gives no safety warning for it there, so I must "
        "not repeat the steps. Please read that section, and have somebody with experience beside you."
    )
