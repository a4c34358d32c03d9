"""One Markdown file as a LlamaIndex document: its text, its front matter and its title."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

from .cleaning import clean_markdown
from .markdown_files import first_heading, front_title, read_text, split_front_matter


class MarkdownReader(BaseReader):
    """Reads one Markdown file as one LlamaIndex ``Document`` of clean Markdown."""

    def load_data(self, file: Path | str, extra_info: dict[str, Any] | None = None) -> list[Document]:
        """One document, its metadata ``title`` and ``extra_info``.

        Raises ``SourceError`` when the file is gone, unreadable, too large or not UTF-8 text.
        """
        front, body = split_front_matter(read_text(Path(file)))
        text = clean_markdown(body)
        title = front_title(front) or first_heading(text)
        return [Document(text=text, metadata={"title": title, **(extra_info or {})})]
