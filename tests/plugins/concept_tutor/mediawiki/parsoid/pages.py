"""Pages for the tests: written here, and Wikimedia's own fixtures. And what the tests import of the plugin."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from llama_index.core.schema import BaseNode

from ragstone.core.parsoid import Block, Page, Section, read_page
from ragstone.plugins.concept_tutor import ParsoidNodeParser
from ragstone.plugins.concept_tutor.mediawiki.client.responses import WikiPage
from ragstone.plugins.concept_tutor.mediawiki.parsoid.documents import document_of
from tests.core.parsoid.pages import html, read
from tests.support.installed import plugin
from tests.support.needs import missing

__all__ = [
    "PAGES",
    "RETRIEVED",
    "Block",
    "Page",
    "PageSettings",
    "ParsoidNodeParser",
    "Section",
    "chunks",
    "document_of",
    "fetched",
    "fixture",
    "html",
    "page",
    "read",
    "read_page",
]

PageSettings: Any = type(plugin("concept_tutor").ragstone_settings()().pages)
_FOLDER = Path(os.environ.get("RAGSTONE_DATA", Path(__file__).resolve().parents[6] / "shared" / "data"))
RETRIEVED = datetime(2026, 11, 1, 12, 30, tzinfo=UTC)
PAGES = (
    "Dog.html",
    "User_talk-Koavf.html",
    "ar-Mathematics.html",
    "en.December_1.html",
    "pagelib_CollectionUtilities.html",
    "pagelib_ReferencesWithTables.html",
)


def fetched(
    title: str = "Dog", *, url: str = "https://en.wikipedia.org", revision: str = "845493773", language: str = ""
) -> WikiPage:
    key = title.replace(" ", "_")
    return WikiPage(
        key, title, b"", revision, f"{url}/wiki/{quote(key, safe='/&')}", "CC BY-SA 4.0", RETRIEVED, language
    )


def fixture(name: str) -> bytes:
    path = _FOLDER / "mediawiki" / "parsoid" / name
    if not path.is_file():
        missing(f"the page {name}")
    return path.read_bytes()


@cache
def page(name: str) -> Page:
    return read_page(fixture(name))


def chunks(made: Page, **options: int) -> list[BaseNode]:
    return ParsoidNodeParser(**options).get_nodes_from_documents([document_of(made, fetched())])
