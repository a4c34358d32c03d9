"""Sphinx's folders: the pages that its toctrees name, from the front page down."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from ragstone.core import SourceError

from ..fields import names_in, one_line
from ..files import MARKDOWN, MAX_DEPTH, MAX_FILES, read_text
from .contents import Contents, Entry, listed_site
from .sites import Repository, Site

# conf.py is a program. It is never run: these values are read from it where they are plain texts.
_VALUE = re.compile(r"""^(project|author|master_doc|root_doc)\s*=\s*u?(["'])([^"'\n\\]*)\2""", re.MULTILINE)
_IS_SPHINX = re.compile(r"^(?:project|extensions|html_theme)\s*=", re.MULTILINE)
_OPENS = re.compile(r"([ \t]*)(?:(`{3,}|~{3,}|:{3,})[ \t]*\{toctree\}|\.\.[ \t]+toctree::)")


def find_sphinx(repository: Repository, config: Path) -> Site | None:
    """The pages of a ``conf.py`` of Sphinx that has a front page beside it."""
    home, text = config.parent, repository.config(config)
    values = {found[1]: found[3] for found in _VALUE.finditer(text)}
    front = repository.find(home, values.get("root_doc") or values.get("master_doc") or "index")
    if not _IS_SPHINX.search(text) or front not in repository.all:
        return None
    contents = Contents(front, home, home, _entries(repository, home, front))
    return listed_site("sphinx", repository, contents, one_line(values.get("project")), names_in(values.get("author")))


def _entries(repository: Repository, home: Path, front: Path) -> Iterator[Entry]:
    """The pages below the front page, each once, however the toctrees lead to it."""
    seen = {front}
    yield Entry("", os.path.relpath(front, home), 0)
    pending = [_toctree(front, home)]
    named = 0
    while pending:
        entry = next(pending[-1], None)
        if entry is None:
            pending.pop()
            continue
        named += 1  # those that are named twice cost time, too
        if named > MAX_FILES:
            raise SourceError(f"and the pages below it name more than {MAX_FILES:,} pages", where=str(front))
        path = repository.find(home, entry.target or "")
        if path in seen and not entry.is_pattern:
            continue
        seen.add(path)
        is_page = path in repository.available or path not in repository.all
        # What a page that is not read names has no page above it.
        yield Entry(entry.title, entry.target, len(pending), not is_page, entry.is_pattern)
        if path in repository.all and path.is_relative_to(home) and len(pending) <= MAX_DEPTH:
            pending.append(_toctree(path, home))


def _toctree(page: Path, home: Path) -> Iterator[Entry]:
    """What the toctrees of a page name, as targets from ``home``."""
    margin: int | None = None  # of the directive that is open
    fence = ""
    settings = is_glob = False
    for line in read_text(page).splitlines() if page.suffix in (*MARKDOWN, ".rst") else ():
        words = line.strip()
        if margin is None:
            if opened := _OPENS.match(line):
                margin, fence, settings, is_glob = len(opened[1]), opened[2] or "", False, False
            continue
        indent = len(line) - len(line.lstrip())
        if (fence and words.startswith(fence)) or (words and not fence and indent <= margin):
            margin = None
        elif words == "---":
            settings = not settings
        elif settings or words.startswith(":"):
            is_glob = is_glob or words.strip(":").split(":")[0] == "glob"
        elif words and words != "self":
            title, _, target = words[:-1].rpartition("<") if words.endswith(">") and "<" in words else ("", "", words)
            if "://" not in target:
                start = home if target.startswith("/") else page.parent
                target = os.path.relpath(os.path.normpath(f"{start}/{target}"), home)
            yield Entry(title.strip(), target, 1, is_pattern=is_glob and any(sign in target for sign in "*?["))
