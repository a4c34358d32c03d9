"""Questions about the versions that a changelog or release notes have as headings: which there are, when one was
released, what is new in it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from llama_index.core.schema import TextNode

from ragstone.core.answering import Overview
from ragstone.core.text import Kind, quoted_title, stems

from .headings import list_titles, path_of

_NUMBER = r"v?(\d{1,18}(?:\.\d{1,18}){1,8})"
_DATE = r"(?:\d{4}-\d\d-\d\d|\d{1,2}\.? [A-Z][a-z]+\.? \d{4}|[A-Z][a-z]+\.? (?:\d{1,2}(?:st|nd|rd|th)?, )?\d{4}|\d{4})"
#: "4.1.2 (3 February 2024)", "[1.2.0] - 2024-02-03", "Kestrel v2.0"; not "4.2 Heat" or "Changes since version 3.0".
_HEADING = re.compile(rf"(?:(?!\d)\w+ ){{0,2}}\[?{_NUMBER}\]?(?:\W+(?:released )?(?:on )?({_DATE}))?\W*")
_LATEST = r"(?:latest|last|newest|current|most recent)"
_FIRST = r"(?:first|oldest|earliest)"
_ONE = (
    rf"(?:(?:the )?(?:[\w-]+ )??(?:version |release )?{_NUMBER}"
    rf"|the (?:very )?(?:({_LATEST})|({_FIRST})) (?:version|release))"
)
_OF = r"(?: (?:of|for) [\w -]{2,40})?"
_ASKS_DATE = re.compile(
    rf"^\W*when (?:was|did|is|were) {_ONE}{_OF}(?: (?:been )?(?:released|published|come out|appear|made))?\W*$", re.I
)
_ASKS_WHICH = re.compile(rf"^\W*(?:what|which) (?:is|was)(?: the number of)? {_ONE}{_OF}\W*$", re.IGNORECASE)
_ASKS_NEW = re.compile(
    r"^\W*what(?:['’]?s| is| are| was| were| has(?: been)?)? (?:the )?((?:[\w-]+ ){1,2}|bug fixes )"
    rf"(?:in|with|of|for|since) {_ONE}{_OF}\W*$",
    re.IGNORECASE,
)
_ASKS_ALL = re.compile(
    r"^\W*(?:(?:what|which) (?:versions|releases) (?:are there|exist|(?:have been|were) (?:released|published|made)"
    r"|(?:does|do|has|have) [\w -]{2,40} (?:have|been released))"
    rf"|(?:list|name|show)(?: me)? (?:all |the )*(?:versions|releases){_OF})\W*$",
    re.IGNORECASE,
)
#: Words by which anything may be asked for, and headings of what is new.
_ANYTHING = frozenset(stems("new changed changes different news updates happened"))
_NEW = frozenset(stems("new added features additions"))
#: Kinds of text below a version's heading that are quoted, and how many items or sentences of a section.
_KINDS: frozenset[Kind] = frozenset({"explanation", "procedure", "definition"})
_UNITS = frozenset({"sentence", "item"})
_MOST_QUOTED = 6


def release_asked(question: str) -> re.Match[str] | None:
    """What the question asks of versions: which there are, which is the latest, when one was released, what is new."""
    forms = (_ASKS_DATE, _ASKS_WHICH, _ASKS_NEW, _ASKS_ALL)
    return next((found for form in forms if (found := form.match(question))), None)


def releases(nodes: Sequence[TextNode], asked: re.Match[str]) -> Overview | None:
    """What answers it (``release_asked``) from the headings of a book's versions and what is below them; ``None`` where
    the book has not two of them, or not the one that is asked for."""
    titles = dict.fromkeys(title for node in nodes for title in path_of(node))
    versions = {title: found for title in titles if (found := _HEADING.fullmatch(title))}
    if len(versions) < 2:
        return None
    if asked.re is _ASKS_ALL:
        return Overview(list_titles("The text has", "version", list(versions)), ())
    number, latest, _first = asked.groups()[-3:]
    if number:
        chosen = _with_number(number, {title: found[1] for title, found in versions.items()})
    else:
        in_order = sorted(versions, key=lambda title: _parts(versions[title][1]))
        chosen = in_order[-1:] if latest else in_order[:1]
    own = [node for node in nodes if not set(chosen).isdisjoint(path_of(node))]
    if not own:
        return None
    if asked.re is _ASKS_NEW:
        return _changes(chosen, frozenset(stems(asked[1])), own)
    if asked.re is _ASKS_DATE and not all(versions[title][2] for title in chosen):
        return None
    introduction = f"The heading is {' and '.join(map(quoted_title, chosen))}."
    return Overview(introduction, own[:1], kinds=_KINDS, most=1, units=_UNITS)


def _changes(chosen: Sequence[str], wanted: frozenset[str], own: Sequence[TextNode]) -> Overview | None:
    """What is below the versions' headings: in the sections with a wanted word in their title, else in all of them
    where the question asks for anything; ``None`` where it asks for something else."""
    wanted |= _NEW if wanted & _NEW else frozenset()
    of_kind = [node for node in own if not wanted.isdisjoint(stems(path_of(node)[-1]))]
    if not of_kind and not wanted <= _ANYTHING | _NEW:
        return None
    introduction = f"From {' and '.join(map(quoted_title, chosen))}:"
    return Overview(introduction, of_kind or own, kinds=_KINDS, most=_MOST_QUOTED, units=_UNITS)


def _with_number(number: str, numbers: dict[str, str]) -> list[str]:
    """The titles with that number, "4.2" being "4.2.0" too; without one those of the versions below it."""
    asked = _parts(number)
    exact = [title for title, each in numbers.items() if _parts(each) == asked]
    written = tuple(map(int, number.split(".")))
    return exact or [title for title, each in numbers.items() if _parts(each)[: len(written)] == written]


def _parts(number: str) -> tuple[int, ...]:
    """The numbers of a version, without zeros at its end."""
    return tuple(map(int, re.sub(r"(?:\.0)+$", "", number).split(".")))
