"""A Jupyter notebook (nbformat 4) as one LlamaIndex document of Markdown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document
from pydantic import BaseModel

from ragstone.core import SourceError
from ragstone.core.runtime import open_regular, parse_json
from ragstone.core.text import strip_hidden

_MAX_BYTES = 20_000_000


class _Cell(BaseModel):
    cell_type: str
    source: str | list[str]


class _Description(BaseModel):
    title: str | None = None


class _Notebook(BaseModel):
    cells: list[_Cell]
    metadata: _Description = _Description()


class NotebookReader(BaseReader):
    """Reads one notebook: its Markdown, and its code as listings."""

    def load_data(self, file: Path | str, extra_info: dict[str, Any] | None = None) -> list[Document]:
        """One document with its ``title``. Raises ``SourceError``."""
        path = Path(file)
        try:
            with open_regular(path, _MAX_BYTES) as opened:
                notebook = _Notebook.model_validate(parse_json(opened.read().decode()))
        except ValueError as error:
            raise SourceError("is no notebook", where=str(path)) from error
        text = "\n\n".join(filter(None, map(_markdown, notebook.cells)))
        if not text:
            raise SourceError("holds no text", where=str(path))
        title = strip_hidden(notebook.metadata.title or path.stem)
        return [Document(text=f"{text}\n", metadata={"title": title, **(extra_info or {})})]


def _markdown(cell: _Cell) -> str:
    text = strip_hidden("".join(cell.source)).strip()
    if not text or cell.cell_type == "markdown":
        return text
    fence = max(["``", *re.findall(r"`{3,}", text)], key=len) + "`"
    return f"{fence}\n{text}\n{fence}"
