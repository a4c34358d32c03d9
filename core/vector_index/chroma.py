"""Opens Chroma: in a folder, which one process may open, after a check by ``probe``; or a server, with time limits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx

from ..errors import StorageAway

if TYPE_CHECKING:
    from .chroma_store import ChromaStore

#: Seconds that a question may wait for the server, before exact search answers; and what is written, for its answer.
_SECONDS = 5.0


def chroma_is_installed() -> bool:
    """Whether Chroma and its LlamaIndex store are installed."""
    return find_spec("chromadb") is not None and find_spec("llama_index.vector_stores.chroma") is not None


def open_store(folder: Path) -> ChromaStore:
    """The store in the folder, which is created if necessary, without telemetry. It must be closed."""
    import chromadb
    from chromadb.config import Settings

    from .chroma_store import ChromaStore

    settings = Settings(anonymized_telemetry=False, allow_reset=False)
    return ChromaStore(chromadb.PersistentClient(path=str(folder), settings=settings), "chunks")


def heartbeat(server: str) -> None:
    """Check that the server answers. Raises ``StorageAway``."""
    with _translated(server):
        # Chroma's own client has no time limit, not even for its first request.
        httpx.get(f"{server}/api/v2/heartbeat", timeout=_SECONDS).raise_for_status()


def open_client(server: str) -> Any:
    """Chroma's client of the server at this address. Raises ``StorageAway``."""
    heartbeat(server)
    from chromadb.api.client import Client
    from chromadb.config import Settings

    class TimedClient(Client):
        """Sets the time limit before the first request of each of Chroma's two HTTP sessions, which have none."""

        def get_user_identity(self) -> Any:
            server: Any = self._server
            server._session.timeout = httpx.Timeout(_SECONDS)  # noqa: SLF001 - nothing public sets it
            return super().get_user_identity()

        def _validate_tenant_database(self, tenant: str, database: str) -> None:
            admin: Any = self._admin_client
            admin._server._session.timeout = httpx.Timeout(_SECONDS)  # noqa: SLF001
            super()._validate_tenant_database(tenant=tenant, database=database)

    parts = urlsplit(server)
    secure = parts.scheme == "https"
    settings = Settings(
        anonymized_telemetry=False,
        chroma_api_impl="chromadb.api.fastapi.FastAPI",  # its client over HTTP
        chroma_server_host=parts.hostname or "",
        chroma_server_http_port=parts.port or (443 if secure else 80),
        chroma_server_ssl_enabled=secure,
    )
    with _translated(server):
        return TimedClient(settings=settings)


@contextmanager
def _translated(server: str) -> Iterator[None]:
    try:
        yield
    except (httpx.HTTPError, ValueError) as error:
        what = f"the Chroma server does not answer ({error})"
        raise StorageAway(what, where=server, hint="start it: chroma run --path FOLDER") from None
