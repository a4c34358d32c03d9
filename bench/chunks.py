"""Chunks of corpora and books, and their sentences, for what measures the citation check."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

_SENTENCE = re.compile(r"[A-Z\"][^.!?\n]*(?:\.(?=\w)[^.!?\n]*)*\.(?=\s|$)")
#: The full stop of an abbreviation, or a tag, before which no sentence ends.
_CUT = re.compile(r"(?:\b(?:[A-Za-z]|[A-Z][a-z]{1,2}|[ap]\.m|i\.e|e\.g|U\.S|Prof|Ave)\.|=)\s*$")
#: Characters of a sentence.
SHORTEST, _LONGEST = 40, 400


@dataclass(frozen=True)
class Chunk:
    """A chunk and where it comes from."""

    group: str
    text: str


def paragraphs(corpus: Path) -> list[Chunk]:
    """The chunks of a corpus in the form of BEIR."""
    rows = [json.loads(line) for line in corpus.read_text("utf-8").splitlines()]
    return [Chunk(row["_id"].split("#")[0], row["text"]) for row in rows]


def pages(folder: Path, size: int = 1200) -> list[Chunk]:
    """The prose of Markdown files in chunks of about ``size`` characters."""
    found: list[Chunk] = []
    for file in sorted(folder.rglob("*.md")):
        text = re.sub(r"(?ms)^```.*?^```\s*$", "", file.read_text("utf-8"))
        held = ""
        for block in re.split(r"\n\s*\n", text):
            block = " ".join(block.split())
            block = re.sub(r"\s*\{:[^}]*\}|\*\*|</?[a-z]+>", "", block)
            if len(block) < 60 or re.match(r"[#|<!{*+-]|\d+[.)]", block):
                continue
            held = f"{held}\n\n{block}".strip()
            if len(held) >= size:
                found.append(Chunk(file.stem, held))
                held = ""
        if held:
            found.append(Chunk(file.stem, held))
    return found


def sentences(chunk: Chunk) -> list[str]:
    """Sentences that need no context."""
    found = (match for match in _SENTENCE.finditer(chunk.text) if not _CUT.search(chunk.text[: match.start()]))
    whole = (match.group().strip() for match in found if not _CUT.search(f"{match.group()} "))
    return [one for one in whole if SHORTEST <= len(one) <= _LONGEST and not re.search(r"\]\(|https?:", one)]
