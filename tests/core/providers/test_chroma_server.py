"""A Chroma server as the vector index: it follows the catalog, and while it is away exact search answers."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from llama_index.core.node_parser import NodeParser, SentenceSplitter
from llama_index.core.schema import Document
from llama_index.core.vector_stores.simple import SimpleVectorStore
from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters

from ragstone.core import Corpus, Host, SettingsError, hookimpl, read_settings
from ragstone.core.retrieval.search_cache import RevisionSearch
from ragstone.core.testing import open_host
from tests.support.needs import needed
from tests.support.patience import until, until_followed
from tests.support.third_party_fakes import add_book

needed("chromadb")
pytestmark = pytest.mark.slow


class ChromaServer:
    """``chroma run``, the one in Rust, on loopback."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        program = Path(sys.executable).with_name("chroma")
        self._process = subprocess.Popen(
            [program, "run", "--path", self._folder, "--host", "127.0.0.1", "--port", str(self.port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until(self._answers)

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def forget(self) -> None:
        """Lose everything, and come back."""
        self.stop()
        shutil.rmtree(self._folder)
        self.start()

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.address}/api/v2/heartbeat", timeout=5).is_success
        except httpx.HTTPError:
            return False


class Proxy:
    """Stands before a Chroma server, and takes its time for every answer but a heartbeat's."""

    def __init__(self, server: ChromaServer, *, seconds: float = 0.0, silent: bool = False) -> None:
        """``seconds``: before rows are handed on. ``silent``: nothing is ever answered until ``close``."""
        #: Rows of each request that added some, and requests that wait for their answer.
        self.added: list[int] = []
        self.waiting = 0
        self.seconds = seconds
        self._closed = threading.Event()
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _forward(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if silent and not self.path.endswith("/heartbeat"):
                    proxy.waiting += 1
                    proxy._closed.wait()
                    return
                if self.path.endswith("/add"):
                    proxy.added.append(len(json.loads(body)["ids"]))
                    time.sleep(proxy.seconds)
                sent = {"Content-Type": "application/json"}
                got = httpx.request(self.command, server.address + self.path, content=body, headers=sent, timeout=None)
                self.send_response(got.status_code)
                self.send_header("Content-Length", str(len(got.content)))
                self.end_headers()
                self.wfile.write(got.content)

            do_GET = do_POST = do_DELETE = _forward  # noqa: N815 - names that http.server gives

            def log_message(self, *_: object) -> None: ...

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._closed.set()
        self._http.shutdown()
        self._http.server_close()


class Notes:
    """Cuts a document into a chunk for each sentence."""

    @hookimpl
    def ragstone_node_parsers(self) -> dict[str, NodeParser]:
        return {"note": SentenceSplitter(chunk_size=16, chunk_overlap=0)}


def notes(host: Host) -> Corpus:
    return host.corpus("notes", kind="note")


def indexing() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "ragstone-index"]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ChromaServer]:
    running = ChromaServer(tmp_path / "chroma")
    running.start()
    yield running
    running.stop()


def opened(
    folder: Path, server: ChromaServer | Proxy, options: dict[str, Any] | None = None
) -> AbstractContextManager[Host]:
    return open_host(folder, index={"server": server.address}, plugins={"notes": Notes()}, options=options)


def filled(host: Host, book: Path) -> Corpus:
    shelf = add_book(host, book, "Parts")
    return shelf.corpus


def follow(host: Host, corpus: Corpus) -> None:
    """Let the index follow, and wait until it stands at the corpus's last change."""
    host.serve()
    until_followed(corpus)


def nearest(corpus: Corpus, question: str, filters: MetadataFilters | None = None) -> list[str] | None:
    """What the server finds; ``None`` where it is left to exact search."""
    vector = corpus.encoder.embed_query(question)
    with corpus.catalog.read() as snapshot:
        row = corpus.contents.row(snapshot)
    assert corpus.search_cache.follower is not None
    return corpus.search_cache.follower.search(row, vector, 3, filters)


def test_it_follows_the_catalog_and_finds_what_exact_search_finds(
    tmp_path: Path, server: ChromaServer, small_book: Path
) -> None:
    with opened(tmp_path / "deployed", server) as host:
        corpus = filled(host, small_book)
        follow(host, corpus)
        question = "Which tyres grip?"
        found = nearest(corpus, question)
        assert found
        with corpus.catalog.read() as snapshot:
            row = corpus.contents.row(snapshot)
            vector = corpus.encoder.embed_query(question)
            held, corpus.search_cache.follower = corpus.search_cache.follower, None
            exact = [key for key, _ in RevisionSearch(corpus.search_cache, snapshot, row).nearest(vector, 3)]
            corpus.search_cache.follower = held
            assert found == [snapshot.chunks.nodes(exact)[key].node_id for key in exact]
        book = MetadataFilters(filters=[MetadataFilter(key="book", value="no-such")])
        assert nearest(corpus, question, book) == []
        one_of = MetadataFilter(key="book", value=["parts"], operator=FilterOperator.IN)
        assert nearest(corpus, question, MetadataFilters(filters=[one_of])) is None
        assert "ChromaStore follows the catalog" in {check.detail for check in host.checks()}


def test_while_it_is_away_exact_search_answers_and_then_it_catches_up(
    tmp_path: Path, server: ChromaServer, small_book: Path
) -> None:
    with opened(tmp_path / "deployed", server) as host:
        corpus = filled(host, small_book)
        follow(host, corpus)
        server.stop()
        assert host.assistant("book_chat").ask("What is a caster?").citations
        assert nearest(corpus, "What is a caster?") is None
        server.start()
        until_followed(corpus)
        assert nearest(corpus, "What is a caster?")


def test_one_that_loses_its_data_is_filled_again(
    tmp_path: Path, server: ChromaServer, small_book: Path, caplog: pytest.LogCaptureFixture
) -> None:
    question = "What is a caster?"
    with opened(tmp_path / "deployed", server) as host:
        corpus = filled(host, small_book)
        follow(host, corpus)
        server.forget()
        assert host.assistant("book_chat").ask(question).citations
        until(lambda: nearest(corpus, question))
    server.forget()  # between two hosts: its collection is there again, and empty
    with opened(tmp_path / "deployed", server) as host:
        corpus = host.corpus("books", kind="book")
        follow(host, corpus)
        assert nearest(corpus, question)
    assert "of its vectors" in caplog.text


def test_one_that_is_not_there_at_the_start_disables_nothing(
    tmp_path: Path, server: ChromaServer, small_book: Path
) -> None:
    server.stop()
    with opened(tmp_path / "deployed", server) as host:
        corpus = filled(host, small_book)
        host.serve()
        until(lambda: any("does not answer" in check.detail for check in host.checks()))
        assert {state.state for state in host.plugins if state.name == "chroma_server"} == {"loaded"}
        assert host.assistant("book_chat").ask("What is a caster?").citations
        server.start()
        until_followed(corpus)


def test_one_that_stands_still_does_not_hold_up_a_question(
    tmp_path: Path, server: ChromaServer, small_book: Path
) -> None:
    with opened(tmp_path / "deployed", server) as host:
        corpus = filled(host, small_book)
        follow(host, corpus)
        server.signal(signal.SIGSTOP)
        try:
            assert host.assistant("book_chat").ask("What is a caster?").citations  # an endless wait would hang here
        finally:
            server.signal(signal.SIGCONT)


def test_two_deployments_on_one_server_do_not_meet(tmp_path: Path, server: ChromaServer, small_book: Path) -> None:
    with opened(tmp_path / "one", server) as one, opened(tmp_path / "two", server) as two:
        first, second = filled(one, small_book), filled(two, small_book)
        for host, corpus in ((one, first), (two, second)):
            follow(host, corpus)
        second.remove([document.doc_id for document in second.contents.documents()])
        until_followed(second)
        assert nearest(first, "Which tyres grip?")


def test_a_host_that_closes_leaves_a_slow_one_half_filled_and_the_next_goes_on(
    tmp_path: Path, server: ChromaServer, caplog: pytest.LogCaptureFixture
) -> None:
    documents = [
        Document(id_=f"day-{day}", text=" ".join(f"On day {day} the valve {n} was opened by hand." for n in range(40)))
        for day in range(16)
    ]
    proxy = Proxy(server, seconds=1.5)  # a busy machine notices the second request late
    alone = {"enabled": ["notes", "test_models"]}  # no sample book, for which "serve" may wait meanwhile
    with opened(tmp_path / "deployed", proxy, alone) as host:
        notes(host).ingest(documents)
        total = notes(host).info().chunks
        host.serve()
        until(lambda: len(proxy.added) >= 2)
    before = sum(proxy.added)
    assert before <= total - 2 * 128, "it went on while the host closed"
    assert not indexing()
    proxy.seconds = 0.0
    with opened(tmp_path / "deployed", proxy, alone) as host:
        follow(host, notes(host))
        chunks = notes(host).info().chunks
        assert nearest(notes(host), "On day 15 the valve 39 was opened by hand.")
    proxy.close()
    assert chunks == total
    assert sum(proxy.added) <= total + 2 * 40, "what was there already was sent again"
    assert "rebuilt" not in caplog.text


def test_one_that_answers_nothing_but_its_heartbeat_is_given_up(tmp_path: Path, server: ChromaServer) -> None:
    proxy = Proxy(server, silent=True)
    with opened(tmp_path / "deployed", proxy) as host:
        notes(host).ingest([Document(id_="a", text="A caster swivels.")])
        host.serve()
        until(lambda: proxy.waiting)
        until(lambda: any("does not answer" in check.detail for check in host.checks()))
    proxy.close()
    until(lambda: not indexing())


def test_a_store_that_never_returns_does_not_keep_a_host_from_closing(tmp_path: Path) -> None:
    asked, released = threading.Event(), threading.Event()

    class Endless(SimpleVectorStore):
        def add(self, nodes: Any, **_: Any) -> list[str]:
            asked.set()
            released.wait()
            return [node.node_id for node in nodes]

        def clear(self) -> None: ...

    class Slow(Notes):
        @hookimpl
        def ragstone_vector_store(self) -> SimpleVectorStore:
            return Endless()

    with open_host(tmp_path, plugins={"slow": Slow()}) as host:
        notes(host).ingest([Document(id_="a", text="A caster swivels.")])
        host.serve()
        until(asked.is_set)
    assert indexing()
    released.set()
    until(lambda: not indexing())


@pytest.mark.parametrize("address", ["chroma:8001", "ftp://127.0.0.1", "http://name:word@127.0.0.1", "http://h/v1"])
def test_what_is_no_address_is_refused(tmp_path: Path, address: str) -> None:
    config = tmp_path / "ragstone.toml"
    config.write_text(f'[index]\nserver = "{address}"\n')
    with pytest.raises(SettingsError, match="index"):
        read_settings(config)
