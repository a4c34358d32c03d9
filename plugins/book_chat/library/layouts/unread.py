"""What a folder holds besides the pages of its book: what is read, and why the rest is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

from ragstone.core.text import counted

from ..files import ASCIIDOC, HTML, MARKDOWN, LeftOut
from .sites import Repository

_ASSETS = {
    "images": "png jpg jpeg gif svg webp avif ico bmp tif tiff drawio mp4 webm mov",
    "styles": "css scss sass less",
    "scripts": "js jsx ts tsx mjs cjs",
    "fonts": "woff woff2 ttf otf eot",
    "data": "toml json jsonl yaml yml lock xml csv",
}
_KIND_OF = {f".{suffix}": kind for kind, suffixes in _ASSETS.items() for suffix in suffixes.split()}
#: Of formats that one book is not written in together, the first that is there: the others are its output, or notes.
_WRITTEN = ((*MARKDOWN, *ASCIIDOC, ".rst"), HTML, (".txt",))
#: Pages about the repository, which are no pages of the book in its folder ``docs`` or ``src``.
NOTES = frozenset(
    """readme changelog changes history news contributing contributors authors maintainers governance license licence
    copying notice security support code_of_conduct code-of-conduct pull_request_template issue_template agents claude
    todo roadmap source""".split()  # noqa: SIM905
)
#: Files of tools that are no text for a reader.
_OF_TOOLS = frozenset("robots humans requirements cmakelists constraints ads llms".split())  # noqa: SIM905


def is_note(path: Path) -> bool:
    """Whether a page is about its repository."""
    return path.name.lower().split(".")[0] in NOTES


def readable_in(paths: Sequence[Path], suffixes: Collection[str], folder: Path) -> tuple[Path, ...]:
    """The files that have a reader; of HTML, plain text and what they may be made from, only one.

    Which one is decided by the pages in ``folder``.
    """
    readable = [path for path in paths if path.suffix.lower() in suffixes and not _is_of_tools(path)]
    pages = [path.suffix.lower() for path in readable if path.is_relative_to(folder) and not is_note(path)]
    written = next((group for group in _WRITTEN if any(suffix in group for suffix in pages)), ())
    others = {suffix for group in _WRITTEN[1:] if written and group != written for suffix in group}
    return tuple(path for path in readable if path.suffix.lower() not in others)


def _is_of_tools(path: Path) -> bool:
    return path.suffix.lower() == ".txt" and (is_note(path) or path.stem.lower() in _OF_TOOLS)


def unread_files(
    repository: Repository, folder: Path, known: Collection[str], suffixes: Collection[str]
) -> list[LeftOut]:
    """Files that are not read by name, assets as one line for each folder and kind; those in ``folder`` first.

    ``known``: names of files, such as configurations, that need no mention.
    """
    named: list[LeftOut] = []
    assets: Counter[tuple[str, str]] = Counter()
    for path in sorted(repository.paths, key=lambda path: not path.is_relative_to(folder)):
        suffix = path.suffix.lower()
        if path in repository.available or path.name in known:
            continue
        if suffix in _KIND_OF:
            assets[repository.name(path.parent), _KIND_OF[suffix]] += 1
        elif suffix in suffixes:
            reason = "no text of a book" if _is_of_tools(path) else f"{suffix} beside pages that are written otherwise"
            named.append(LeftOut(repository.name(path), reason))
        else:
            named.append(LeftOut(repository.name(path), f"no reader for {suffix or 'files without a suffix'}"))
    for (place, kind), count in sorted(assets.items()):
        named.append(LeftOut(f"{place}/ ({counted(file=count)})", f"{kind}, not text"))
    return named
