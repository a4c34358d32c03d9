"""The reader of wiki pages: ``mediawiki:WIKI/PAGE``."""

from __future__ import annotations

from typing import Any

from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

from ragstone.core import Host

from .mediawiki.wikis import Wikis


class WikiReader(BaseReader):
    """Reads ``mediawiki:WIKI/PAGE`` as one document; the wikis are those of the settings."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def load_data(self, address: str, extra_info: dict[str, Any] | None = None) -> list[Document]:
        """The page. Raises ``SourceError`` for one that cannot be read, ``BadRequest`` for what is no address."""
        wikis = self._host.once(Wikis)
        client, key = wikis.locate(str(address))
        documents = wikis.documents(client.page(key))
        for document in documents:
            document.metadata |= extra_info or {}
        return documents
