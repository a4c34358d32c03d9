"""``python -m bench.pdf_readers FOLDER``: PDFs by Ragstone's reader and by pypdf, LlamaIndex's usual one.

Both read the same files in turn, file by file. Ragstone's time includes its child process, and all that it does more:
columns, tables, headings, page labels. A word is glued when the other reader does not have it and does have two words
of three or more letters that it is made of.
"""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

from pypdf import PdfReader as Peer

from ragstone.core import SourceError
from ragstone.plugins.book_chat import PdfReader

_WORD = re.compile(r"[^\W\d_]+")


def words_of(text: str) -> set[str]:
    """Its words; those that a line's end cuts are there whole and, unlike what a gap leaves, not in halves."""
    return {word.casefold() for word in _WORD.findall(re.sub(r"-\n(?=[^\W\d_])", "", text))}


def glued(words: list[str], other: set[str]) -> int:
    """How many of ``words`` are two words of the other reader's without the space."""
    return sum(
        word not in other and any(word[:at] in other and word[at:] in other for at in range(3, len(word) - 2))
        for word in (found.casefold() for found in words)
    )


def peer_text(path: Path) -> tuple[str, int]:
    """What llama-index-readers-file's ``PDFReader`` gives: each page's ``extract_text``."""
    pages = Peer(path).pages
    return "\n".join(page.extract_text() for page in pages), len(pages)


def main(folder: Path) -> None:
    """Print a row for each file, and the sums."""
    print(f"{'file':32}{'pages':>6}{'pages/s':>9}{'pypdf':>8}{'ratio':>7}{'glued':>7}{'pypdf':>7}")
    sums = [0.0] * 5
    for path in sorted(folder.glob("*.pdf")):
        began = time.perf_counter()
        try:
            (document,) = PdfReader(seconds=600).load_data(path)
        except SourceError as error:
            print(f"{path.name:32}{error.what}")
            continue
        ours = time.perf_counter() - began
        began = time.perf_counter()
        text, pages = peer_text(path)
        theirs = time.perf_counter() - began
        mine, others = _WORD.findall(document.text), _WORD.findall(text)
        row = [pages, ours, theirs, glued(mine, words_of(text)), glued(others, words_of(document.text))]
        sums = [a + b for a, b in zip(sums, row, strict=True)]
        _print(path.name, *row)
    _print("all", *sums)


def _print(name: str, pages: float, ours: float, theirs: float, mine: float, others: float) -> None:
    print(
        f"{name:32}{pages:6.0f}{pages / ours:9.1f}{pages / theirs:8.1f}{theirs / ours:7.2f}{mine:7.0f}{others:7.0f}",
        flush=True,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
