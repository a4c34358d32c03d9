"""The exercises of a chapter, which answer nothing else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragstone.core.answering import Overview
from ragstone.core.text import section_kind

from .headings import chapter_with_number, list_titles, number_of, path_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llama_index.core.schema import TextNode

_EXERCISES = (
    r"(?:exercises|problems|homework|quiz(?:zes)?|(?:review |practice |study |assessment |discussion |test )?questions)"
)
#: "List the exercises of chapter 3", "Which exercises does chapter 3 have?"; the number of the chapter is its group.
ASKS_EXERCISES = re.compile(
    rf"^\W*(?:(?:what|which) (?:are )?|(?:please )?(?:list|name|show|give)(?: me)? )?(?:all )?(?:the )?{_EXERCISES}"
    r" (?:(?:of|in|for|from|to|at the end of|are there in) |(?:do|does|has|have) )(?:the )?chapter (\d{1,3})"
    r"(?: have| contain)?\W*$",
    re.IGNORECASE,
)
#: Chunks whose exercises are quoted.
_MOST_QUOTED = 8


def exercises(nodes: Sequence[TextNode], number: int) -> Overview | None:
    """The titles of the exercises of the chapter with that number, or the first of them where they have no titles;
    ``None`` where it has none."""
    chapters = list(dict.fromkeys(str(node.metadata["chapter"]) for node in nodes))
    chapter = chapter_with_number(chapters, number)
    of_chapter = {chapter} | {each for each in chapters if number_of(each) == number and _is_of_exercises(each)}
    own = [
        node for node in nodes if node.metadata["chapter"] in of_chapter and any(map(_is_of_exercises, path_of(node)))
    ]
    titles = dict.fromkeys(title for node in own if (title := _title(path_of(node))))
    if titles:
        return Overview(list_titles(f"“{chapter or own[0].metadata['chapter']}” has", "exercise", list(titles)), ())
    return Overview("", own[:_MOST_QUOTED], kinds=frozenset({"question"})) if own else None


def _is_of_exercises(heading: str) -> bool:
    return section_kind(heading) == "question" or bool(re.search(r"\bexercises\b", heading, re.IGNORECASE))


def _title(path: Sequence[str]) -> str:
    """The heading below the one that says that exercises follow; empty without one."""
    at = next(index for index, heading in enumerate(path) if _is_of_exercises(heading))
    return next(iter(path[at + 1 : at + 2]), "")
