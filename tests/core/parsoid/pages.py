"""Pages written for the tests, and what a reader reads in them."""

from __future__ import annotations

from ragstone.core.parsoid import Page, read_page


def html(body: str, attributes: str = 'lang="en"') -> bytes:
    return f"<!DOCTYPE html><html><head><title>T</title></head><body {attributes}>{body}</body></html>".encode()


def read(body: str, language: str = "en") -> Page:
    return read_page(html(body), language)


def texts(body: str, language: str = "en") -> list[str]:
    return [block.text for section in read(body, language).sections for block in section.blocks]
