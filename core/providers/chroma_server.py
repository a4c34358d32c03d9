"""The built-in plugin ``chroma_server``: a Chroma server as the vector index, where ``[index] server`` names one.

For deployments of several web processes: one of them lets the server's collections follow the catalog. Only the server
that is written in Rust (``chroma run``) may be used: the one in Python lets everyone in (CVE-2026-45829).
"""

from __future__ import annotations

import re
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import require_extra
from ..markers import hookimpl
from ..runtime.files import write_atomically

if TYPE_CHECKING:
    from llama_index.core.vector_stores.types import BasePydanticVectorStore

    from ..corpus import Corpus
    from ..host.host import Host

require_extra("server", "chromadb", "llama_index.vector_stores.chroma")


class _Connection:
    """A host's client of its server, made when it is first needed."""

    def __init__(self, host: Host) -> None:
        self._server = host.settings.index.server
        self._client: Any = None

    def client(self) -> Any:
        """Chroma's client. Raises ``StorageAway``."""
        if self._client is None:
            from ..vector_index.chroma import open_client

            self._client = open_client(str(self._server))
        return self._client

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            for part in (self._client, self._client._admin_client):  # noqa: SLF001 - it leaves their sockets open
                part._server._session.close()  # noqa: SLF001
            self._client = None


@hookimpl
def ragstone_vector_store(host: Host, corpus: Corpus) -> BasePydanticVectorStore | None:
    """The corpus's collection; ``None`` without a server. Raises ``StorageAway`` while it does not answer."""
    if host.settings.index.server is None:
        return None
    from ..vector_index.chroma_store import ChromaStore

    name = _collection_name(host.settings.data_dir / "index", corpus.name)
    return ChromaStore(host.once(_Connection).client(), name)


def _collection_name(folder: Path, corpus: str) -> str:
    """Of this data folder alone: another deployment on the same server may have a corpus of the same name."""
    own = folder / "deployment"
    if not own.exists():  # one process at a time comes here
        write_atomically(own, secrets.token_hex(8).encode())
    name = corpus if re.fullmatch(r"[A-Za-z0-9_]{1,64}", corpus) else corpus.encode().hex()
    return f"ragstone-{own.read_text('ascii').strip()}-{name}"
