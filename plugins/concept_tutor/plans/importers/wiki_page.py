"""A plan from a wiki page: the pages that its prose links to most, in the order of its outline.

Prerequisites come from the links between these pages: a page whose introduction links to another one, which does not
link back, needs it (Liang, Wu, Huang and Giles 2015, "Measuring prerequisite relations among concepts", counts
references in the same way).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from ragstone.core import BadRequest, SourceError
from ragstone.core.parsoid import Page

from ...mediawiki.client.client import WikiClient
from ...mediawiki.client.responses import WikiPage
from ...mediawiki.wikis import Wikis, run_in_threads
from .assembly import ImportedPlan, assemble
from .schema import ConceptSchema, NeedSchema, PlanSchema

#: Additional weight of a page that the introduction links to.
_IN_LEAD = 3
_LEAST, _MOST = 2, 60
_AT_ONCE = 3


@dataclass(frozen=True)
class _LinkedPage:
    """A page with its links: by key, 2 for one in its introduction, 1 for one below."""

    page: WikiPage
    read: Page
    names: dict[str, int] = field(default_factory=dict)


def plan_from_page(wikis: Wikis, address: str, *, most: int = 15, title: str = "") -> ImportedPlan:
    """A plan of at most ``most`` concepts: the page's subject, and the pages that it names most.

    ``address``: ``WIKI/PAGE`` or the page's address. Raises ``WikiError``, ``SettingsError`` and ``BadRequest``.
    """
    if not _LEAST <= most <= _MOST:
        raise BadRequest(f"a plan from a page has {_LEAST} to {_MOST} concepts")
    client, key = wikis.locate(address)
    subject = _linked_page(wikis, client, key)
    ranked = sorted(subject.read.links, key=lambda link: -link.count - _IN_LEAD * (link.section == 0))
    wanted = [link.key for link in ranked if link.key != subject.page.key][: most - 1]
    pages = {subject.page.key: subject}
    # In the order in which the page links to them first.
    chosen = set(wanted)
    for each in _read_all(wikis, client, [link.key for link in subject.read.links if link.key in chosen]):
        pages.setdefault(each.page.key, each)
    if len(pages) < _LEAST:
        raise BadRequest("names no other page that can be read", where=address, hint="take a page with more text")
    schema = PlanSchema(
        title=title or subject.page.title[:200],
        language=subject.page.language,
        concepts=tuple(
            ConceptSchema(name=each.page.title[:200], summary=_summary(subject, at), needs=tuple(_needs(each, pages)))
            for at, each in pages.items()
        ),
    )
    return assemble(schema, origin=f"from {subject.page.url}")


def _linked_page(wikis: Wikis, client: WikiClient, key: str) -> _LinkedPage:
    page = client.page(key)
    read = wikis.read(page)
    return _LinkedPage(page, read, {link.key: 2 if link.section == 0 else 1 for link in read.links})


def _read_all(wikis: Wikis, client: WikiClient, keys: Sequence[str]) -> list[_LinkedPage]:
    """The pages in the order of their keys; those that cannot be read are left out."""
    found: dict[str, _LinkedPage] = {}

    def read(key: str) -> None:
        with suppress(SourceError, BadRequest):
            found[key] = _linked_page(wikis, client, key)

    run_in_threads(keys, read, _AT_ONCE)
    return [found[key] for key in keys if key in found]


def _summary(subject: _LinkedPage, key: str) -> str:
    """The headings of the subject's page under which the page is linked to first."""
    sections = subject.read.sections
    at = next((link.section for link in subject.read.links if link.key == key), 0)
    path = sections[at].path if at < len(sections) else ()
    return f"Named under {' › '.join(path)}" if path else ""


def _needs(page: _LinkedPage, pages: dict[str, _LinkedPage]) -> list[NeedSchema]:
    made = []
    for key, other in pages.items():
        there, back = page.names.get(key, 0), other.names.get(page.page.key, 0)
        if key != page.page.key and there > back:
            where = "the introduction to its page" if there > 1 else "its page"
            made.append(
                NeedSchema(concept=other.page.title[:200], reason=f"{where} names it", weight=(there - back) / 2)
            )
    return made
