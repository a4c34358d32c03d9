"""Pictures of the PDF pages that chunks are on, with the chunk marked: drawn in a subprocess, and cached."""

from __future__ import annotations

import re

from llama_index.core.schema import TextNode

from ragstone.core import NotFound, StorageBusy
from ragstone.core.runtime import RevisionCache, Slots, Unanswered
from ragstone.core.text import BY_OCR

from ..pdf.page_map import PageMap
from ..pdf.process import PdfProcess
from .shelf import Shelf

#: Pictures that are drawn at a time, seconds and megabytes of one, and bytes of those that are kept.
_AT_A_TIME, _SECONDS, _MEGABYTES, _KEPT = 2, 10.0, 768, 32_000_000
#: Words of a quote by which its beginning is found.
_FIRST_WORDS = 6


class PagePictures:
    """The pictures of a shelf's chunks. Thread-safe."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._slots = Slots(
            _AT_A_TIME, lambda: StorageBusy("other pages are being drawn just now", hint="try again in a moment")
        )
        self._kept = RevisionCache(_KEPT)

    def place(self, chunk_id: str, quote: str) -> tuple[int, str] | None:
        """The physical page (from 1) on which the quote begins, else the chunk, and its label; None without pages."""
        return self._place(self._shelf.corpus.contents.node(chunk_id), quote)

    def _place(self, node: TextNode, quote: str) -> tuple[int, str] | None:
        documents = self._shelf.corpus.contents.documents()
        pages = next((PageMap.of(each.metadata) for each in documents if each.doc_id == node.ref_doc_id), None)
        start = re.escape(" ".join(re.findall(r"\w+", quote)[:_FIRST_WORDS])).replace(r"\ ", r"\W+")
        found = re.search(start, node.get_content()) if start else None
        return None if pages is None else pages.at((node.start_char_idx or 0) + (found.start() if found else 0))

    def picture(self, chunk_id: str, quote: str) -> tuple[bytes, str]:
        """The page of a chunk as PNG, the chunk and the quote in it marked, and the SHA-256 of the PDF.

        Raises ``NotFound`` where the PDF may not be opened, is not there or cannot be drawn, and ``StorageBusy``.
        """
        node = self._shelf.corpus.contents.node(chunk_id)
        place = self._place(node, quote)
        if place is None:
            raise NotFound("this passage is not on a page of a PDF")
        page, path = place[0], node.metadata.get("path")
        pdf = self._shelf.pdfs.open(str(node.metadata["book"]), path)
        with pdf.file:

            def draw() -> bytes:
                recognised = self._shelf.ocr.known(pdf.sha256).get(page, ()) if node.metadata.get(BY_OCR) else ()
                process = PdfProcess(pdf.path, pdf.file, seconds=_SECONDS, megabytes=_MEGABYTES)
                with self._slots.acquire(), process:
                    return process.draw(page, node.get_content(), quote, recognised)

            try:
                return self._kept.get(None, (pdf.sha256, page, chunk_id, quote), draw), pdf.sha256
            except Unanswered as error:
                raise NotFound("this page cannot be shown as a picture") from error
