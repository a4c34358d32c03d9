"""An EPUB book as one LlamaIndex document of Markdown, its chapters in reading order."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

from ragstone.core.text import strip_hidden

from .archive import opened
from .errors import Refused
from .markdown import to_markdown
from .package import read_package

if TYPE_CHECKING:
    from .archive import Archive
    from .package import Package

#: The encodings that books have; among Python's others are some that take long over little.
_ENCODING = re.compile(
    rb"""[^>]{0,200}?\bencoding\s*=\s*["'](utf-?8|utf-?16|us-ascii|iso-8859-\d{1,2}|windows-125\d)["']""", re.IGNORECASE
)
_MARKS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig"))


class EpubReader(BaseReader):
    """Reads one EPUB file."""

    def load_data(self, file: Path | str, extra_info: dict[str, Any] | None = None) -> list[Document]:
        """One document with its ``title`` and, where the book names one, ``author``. Raises ``Refused``."""
        path = Path(file)
        try:
            with opened(path) as archive:
                package = read_package(archive)
                text = _text(archive, package)
        except Refused as refused:
            refused.where = str(path)
            raise
        title = strip_hidden(package.title or path.stem)
        known = {"title": title} | ({"author": strip_hidden(package.author)} if package.author else {})
        return [Document(text=f"{text}\n", metadata={**known, **(extra_info or {})})]


def _text(archive: Archive, package: Package) -> str:
    chapters = [to_markdown(_decoded(archive.read(name))) for name in package.chapters]
    text = "\n\n".join(chapter for chapter in chapters if chapter)
    if not text:
        raise Refused("empty", "holds no text")
    return text


def _decoded(page: bytes) -> str:
    """The page's text; what is no letter in its encoding becomes a replacement sign."""
    named = next((encoding for mark, encoding in _MARKS if page.startswith(mark)), None)
    if named is None:
        output = _ENCODING.match(page)
        named = output[1].decode("ascii") if output else "utf-8"
    try:
        return page.decode(named, "replace")
    except LookupError:  # ISO 8859 has no part 12
        return page.decode("utf-8", "replace")
