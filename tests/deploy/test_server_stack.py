"""deploy/server as its compose file has it: PostgreSQL with pgvector, two workers and an ingestion at once."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from faults.valves import Readers
from faults.web_workers import everything_is_there, first_version, ingest, until_the_index_follows
from ragstone.core.embedding import MiniLMEmbedding
from tests.support.caddy import proxy
from tests.support.composed import VARIABLES, WORKERS
from tests.support.needs import needed
from tests.support.patience import HANG
from tests.support.services import Stack, stacked

needed("waitress")

_VALVES = 16


@dataclass(frozen=True)
class Deployed:
    """A running deployment with the book's first version on the shelf, and those who read it."""

    stack: Stack
    key: str
    readers: Readers


@pytest.fixture(scope="module")
def deployed(
    tmp_path_factory: pytest.TempPathFactory, model_cache: Path, minilm: MiniLMEmbedding
) -> Iterator[Deployed]:
    folder = tmp_path_factory.mktemp("server")
    with stacked(folder / "machine", model_cache) as stack:
        key = first_version(stack, _VALVES)
        stack.start()
        readers = Readers({name: stack.address(name) for name in WORKERS}, key, _VALVES, random.Random(5))
        yield Deployed(stack, key, readers)


@pytest.mark.slow
def test_two_workers_and_an_ingestion_at_once(deployed: Deployed) -> None:
    stack, readers = deployed.stack, deployed.readers
    threads = readers.asking()

    def stands_still(adding: subprocess.Popen[str]) -> None:
        """Wherever an ingestion stands still, nobody waits for it."""
        while adding.poll() is None:
            adding.send_signal(signal.SIGSTOP)
            try:
                assert None not in [readers.ask(worker, "Fendak") for worker in WORKERS], readers.wrong
            finally:
                adding.send_signal(signal.SIGCONT)
            time.sleep(0.2)  # so far it comes before the next time

    ingest(stack, readers, 2, _VALVES, stands_still)
    readers.stop(threads)
    everything_is_there(stack, readers, 2, _VALVES)
    assert not readers.wrong
    assert not readers.counted["not answered"]


def test_no_worker_has_an_index_of_its_own(deployed: Deployed) -> None:
    for name in WORKERS:
        health = httpx.get(f"{deployed.stack.address(name)}/health", headers=_with(deployed.key), timeout=HANG).json()
        (detail,) = (check["detail"] for check in health["checks"] if check["name"] == "vector index")
        assert detail == "pgvector in the catalog; books: scanned, which is exact"
    assert not list(deployed.stack.data.glob("index/*/")), "an index of its own follows"


def test_nobody_asks_without_a_key_and_one_that_is_removed_opens_neither(deployed: Deployed) -> None:
    stack = deployed.stack
    made = json.loads(stack.here("key", "add", "guest", "--json"))["key"]
    pages = [f"{stack.address(name)}/book_chat/" for name in WORKERS]
    assert [httpx.get(page, timeout=HANG).status_code for page in pages] == [401, 401]
    assert [httpx.get(page, headers=_with(made), timeout=HANG).status_code for page in pages] == [200, 200]
    stack.here("key", "remove", "guest")
    assert [httpx.get(page, headers=_with(made), timeout=HANG).status_code for page in pages] == [401, 401]


def test_through_the_proxy(deployed: Deployed) -> None:
    stack = deployed.stack
    with proxy(stack.folder / "proxy", *(stack.address(name).removeprefix("http://") for name in WORKERS)) as address:
        question = {"question": "At how many bar does the Fendak valve open?"}
        for client in range(2, 8):  # some of them are one worker's readers, some the other's
            with _from(f"127.0.0.{client}") as reader:
                answer = reader.post(f"{address}/query", json=question, headers=_with(deployed.key)).json()
                assert "The Fendak valve opens at" in answer["answer"]
                events = reader.post(
                    f"{address}/query", json=question, headers=_with(deployed.key) | {"Accept": "text/event-stream"}
                ).text
                assert answer["answer"] in json.loads(events.rpartition("data: ")[2])["answer"]
        # An upload: whoever sent it is told by the worker that has it.
        admin = {"Authorization": f"Bearer {VARIABLES['RAGSTONE_ADMIN_KEY']}"}
        with _from("127.0.0.9") as keeper:
            book = {"file": ("pumps.md", b"# Pumps\n\nThe Quorl pump lifts water by forty metres.\n")}
            sent = keeper.post(f"{address}/api/books", files=book, headers=admin)
            assert sent.status_code == 202, sent.text
            result = keeper.get(f"{address}{sent.headers['Location']}", headers=admin).text
        assert '"state": "done"' in result
        pumps = {"question": "How far does the Quorl pump lift water?"}
        for name in WORKERS:
            answer = httpx.post(f"{stack.address(name)}/query", json=pumps, headers=_with(deployed.key), timeout=HANG)
            assert "forty metres" in answer.json()["answer"]


def test_no_service_writes_into_its_home(deployed: Deployed) -> None:
    """Containers have a file system that can be read alone, but for their volumes and /tmp."""
    assert list((deployed.stack.folder / "home").rglob("*")) == []


@pytest.mark.slow
def test_everything_is_gone_and_comes_back_from_the_backup(deployed: Deployed) -> None:
    stack = deployed.stack
    questions = [f"At how many bar does the {name} valve open?" for name in ("Dordak", "Kellim")]
    before = [_asked(stack, "web-1", question, deployed.key) for question in questions]
    assert not stack.is_healthy("backup"), "there is none yet"
    made = stack.run("backup", "/backups", "--keep", "2")
    assert made.returncode == 0, made.stderr
    assert stack.is_healthy("backup")
    backup = made.stdout.strip()
    refused = stack.run("restore", backup)
    assert refused.returncode == 1
    assert "stop all" in refused.stderr

    for process in stack.processes.values():
        process.stop()
    shutil.rmtree(stack.data)
    stack.data.mkdir()
    with stack.database.connect("ragstone") as past:
        past.execute("DROP SCHEMA ragstone CASCADE")

    restored = stack.run("restore", backup)
    assert restored.returncode == 0, restored.stderr
    stack.processes["web-2"].start()
    until_the_index_follows(stack)
    assert [_asked(stack, "web-2", question, deployed.key) for question in questions] == before
    assert stack.processes["web-2"].stop(signal.SIGTERM) == 0
    for name in WORKERS:  # as it was: which test comes next is not said
        stack.processes[name].begin()
    for name in WORKERS:
        stack.processes[name].ready()


def _asked(stack: Stack, worker: str, question: str, key: str) -> dict[str, object]:
    asked = httpx.post(f"{stack.address(worker)}/query", json={"question": question}, headers=_with(key), timeout=HANG)
    answer: dict[str, object] = asked.raise_for_status().json()
    answer.pop("timings_ms")
    assert answer["citations"]
    return answer


def _with(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def _from(address: str) -> httpx.Client:
    """A reader elsewhere: with an address of its own."""
    return httpx.Client(transport=httpx.HTTPTransport(local_address=address), timeout=HANG)
