"""Replaces blocks of a text; the lists and quotes around them keep their marks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from markdown_it.token import Token

from .blocks import MARKER, QUOTE, block_parser

_CODE_SIGNS = re.compile(r"```|~~~|    |\t")


class Source:
    """A text, its lines, and the numbers of those that are code."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        #: What the parser notes of link definitions.
        self.env: dict[str, Any] = {}

    @cached_property
    def code(self) -> frozenset[int]:
        """The numbers of the lines that belong to fenced or indented code."""
        if not _CODE_SIGNS.search(self.text):  # parsing costs far more than looking
            return frozenset()
        blocks = (token.map for token in self.blocks if token.type in ("fence", "code_block") and token.map)
        return frozenset(line for first, last in blocks for line in range(first, last))

    @cached_property
    def blocks(self) -> Sequence[Token]:
        """markdown-it's block tokens."""
        return block_parser("html_block").parse(self.text, self.env)

    def replaced(self, text: str) -> Source:
        """The source of ``text``; the same object if nothing has changed, so that code is not looked for again."""
        return self if text == self.text else Source(text)


class BlockEditor:
    """Walks the blocks of a source and replaces lines. ``tokens`` and ``env`` are the source's."""

    def __init__(self, source: Source) -> None:
        self.tokens, self.env = source.blocks, source.env
        self._lines = source.lines
        self._changed: dict[int, list[str]] = {}
        self._containers: list[tuple[bool, int]] = []  # is it a quote, and its first line

    def walk(self) -> Iterator[tuple[int, Token]]:
        """Each token with its index; what ``prefix`` says holds for the token walked last."""
        for at, token in enumerate(self.tokens):
            if token.type in ("blockquote_open", "list_item_open") and token.map:
                self._containers.append((token.type == "blockquote_open", token.map[0]))
            elif token.type in ("blockquote_close", "list_item_close"):
                self._containers.pop()
            yield at, token

    def prefix(self, number: int) -> str:
        """The quote marks, list marker and indentation that line ``number`` begins with."""
        line, at = self._lines[number], 0
        for quote, first in self._containers:
            found = QUOTE.match(line, at) if quote else MARKER.match(line, at) if number == first else None
            at = found.end() if found else at
        return line[: at + len(line[at:]) - len(line[at:].lstrip(" \t"))]

    def replace(self, first: int, last: int, new: list[str]) -> None:
        """Put ``new`` in the place of the lines from ``first`` to before ``last``."""
        self._changed.update((number, []) for number in range(first, last))
        if new:
            self._changed[first] = new

    def replace_paragraph(self, token: Token, new: Sequence[str]) -> None:
        """Put ``new`` in the place of a paragraph's lines, inside the same lists and quotes."""
        first, last = token.map or (0, 0)
        prefix = self.prefix(first) if self._containers else ""
        margin = re.sub(r"[^>\t ]", " ", prefix)
        # A lazy line of a quote has no mark of its own; with one it reads the same.
        made = [((margin if number else prefix) + line) if line else margin.rstrip() for number, line in enumerate(new)]
        self.replace(first, last, made or ([prefix.rstrip()] if prefix.strip() else []))

    def text(self) -> str:
        """The text with all replacements made."""
        return "\n".join(new for number, line in enumerate(self._lines) for new in self._changed.get(number, [line]))
