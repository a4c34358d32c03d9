"""A plan from a wiki page: what its prose names most, in the order of its outline, and what these pages name in turn.

What is to be learned before what is told by the links: a page whose introduction names another, which does not name it
back, leans on it (Liang, Wu, Huang and Giles 2015, "Measuring prerequisite relations among concepts", counts references
in the same way).
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragstone.core import BadRequest, SourceError

from .assembly import Imported, assemble
from .schema import ConceptShape, NeedShape, PlanShape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...mediawiki.client import WikiClient, WikiPage
    from ...mediawiki.parsoid.records import Page
    from ...mediawiki.wikis import Wikis

#: A page that the introduction names counts as if it were named so many times more.
_IN_LEAD = 3
_LEAST, _MOST = 2, 60
_AT_ONCE = 3


@dataclass(frozen=True)
class _Leaf:
    """A page with what it names: by key, 2 in its introduction, 1 below."""

    page: WikiPage
    read: Page
    names: dict[str, int] = field(default_factory=dict)


def plan_from_page(wikis: Wikis, address: str, *, most: int = 15, title: str = "", slug: str = "") -> Imported:
    """A plan of at most ``most`` concepts: the page's subject, and the pages that it names most.

    ``address``: ``WIKI/PAGE`` or the page's address. Raises ``WikiError``, ``SettingsError`` and ``BadRequest``.
    """
    if not _LEAST <= most <= _MOST:
        raise BadRequest(f"a plan from a page has {_LEAST} to {_MOST} concepts")
    client, key = wikis.place(address)
    subject = _leaf(wikis, client, key)
    ranked = sorted(subject.read.links, key=lambda link: -link.count - _IN_LEAD * (link.section == 0))
    wanted = [link.key for link in ranked if link.key != subject.page.key][: most - 1]
    leaves = {subject.page.key: subject}
    # In the order in which the page comes to speak of them.
    chosen = set(wanted)
    for leaf in _read_all(wikis, client, [link.key for link in subject.read.links if link.key in chosen]):
        leaves.setdefault(leaf.page.key, leaf)
    if len(leaves) < _LEAST:
        raise BadRequest("names no other page that can be read", where=address, hint="take a page with more text")
    shape = PlanShape(
        title=title or subject.page.title[:200],
        language=subject.page.language,
        concepts=tuple(
            ConceptShape(name=leaf.page.title[:200], summary=_place(subject, at), needs=tuple(_needs(leaf, leaves)))
            for at, leaf in leaves.items()
        ),
    )
    return assemble(shape, slug=slug, origin=f"from {subject.page.url}")


def _leaf(wikis: Wikis, client: WikiClient, key: str) -> _Leaf:
    page = client.page(key)
    read = wikis.read(page)
    return _Leaf(page, read, {link.key: 2 if link.section == 0 else 1 for link in read.links})


def _read_all(wikis: Wikis, client: WikiClient, keys: Sequence[str]) -> list[_Leaf]:
    """The pages in the order of their keys; those that cannot be read are left out."""
    found: dict[str, _Leaf] = {}
    left = list(reversed(keys))

    def work() -> None:
        while left:
            try:
                key = left.pop()
            except IndexError:  # another thread was quicker
                return
            try:
                found[key] = _leaf(wikis, client, key)
            except (SourceError, BadRequest):
                continue

    threads = [threading.Thread(target=work, daemon=True) for _ in range(_AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [found[key] for key in keys if key in found]


def _place(subject: _Leaf, key: str) -> str:
    """Under which headings of the subject's page it is named first."""
    sections = subject.read.sections
    at = next((link.section for link in subject.read.links if link.key == key), 0)
    path = sections[at].path if at < len(sections) else ()
    return f"Named under {' › '.join(path)}" if path else ""


def _needs(leaf: _Leaf, leaves: dict[str, _Leaf]) -> list[NeedShape]:
    made = []
    for key, other in leaves.items():
        there, back = leaf.names.get(key, 0), other.names.get(leaf.page.key, 0)
        if key != leaf.page.key and there > back:
            where = "the introduction to its page" if there > 1 else "its page"
            made.append(
                NeedShape(concept=other.page.title[:200], reason=f"{where} names it", weight=(there - back) / 2)
            )
    return made
