"""What every test has: no network but loopback, a data folder of its own, the shared data sets where they are."""

from __future__ import annotations

import gc
import json
import os
import shutil
import socket
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import CodeType
from typing import Any

import certifi
import flask
import hypothesis
import jinja2
import pytest
from filelock import FileLock
from jinja2.bccache import Bucket

from ragstone.core import Encoder, Host, Settings
from ragstone.core.embedding import MiniLMEmbedding
from ragstone.core.runtime import set_budget
from ragstone.core.testing import open_host
from tests.support import mediawiki
from tests.support.needs import missing
from tests.support.postgresql import Server, server
from tests.support.third_party_fakes import SMALL_BOOK, Here, add_book, fast_models, write_pages

_REPOSITORY = Path(__file__).parent.parent
_LOOPBACK = ("127.", "::1", "localhost")
_CACHE = "cache"
#: Set in each of several processes that share the tests.
_WORKER = "PYTEST_XDIST_WORKER"

# A busy machine fails no test. Where CI is set, it is the same examples each time, and more of them.
hypothesis.settings.register_profile(
    "local", max_examples=25, deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.register_profile("ci", hypothesis.settings.get_profile("ci"), max_examples=100)
hypothesis.settings.load_profile("ci" if "CI" in os.environ else "local")


@pytest.hookimpl(trylast=True)
def pytest_configure() -> None:
    """Let finalizers fail unseen while a parser is at the limit of recursion.

    Hostile text is nested that deep, and the garbage collector may run in the midst of it: whatever an object of an
    earlier test does then fails, and so does pytest's report of it, which would fail the test that runs.
    """
    report = sys.unraisablehook

    def report_with_room(unraisable: sys.UnraisableHookArgs) -> None:
        if _can_call(100):
            report(unraisable)

    sys.unraisablehook = report_with_room


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without the garbage collector, as everything stays: a seventh of the time, which each process needs."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """What was imported and collected stays: the garbage collector need not look at it again, nor so often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Remove the model when all processes have ended."""
    if _WORKER not in os.environ:
        factory: pytest.TempPathFactory = session.config._tmp_path_factory  # type: ignore[attr-defined]
        shutil.rmtree(factory.getbasetemp() / _CACHE, ignore_errors=True)


def _shared_folder(factory: pytest.TempPathFactory) -> Path:
    """The folder of this run, which all its processes have in common."""
    return factory.getbasetemp().parent if _WORKER in os.environ else factory.getbasetemp()


def _can_call(depth: int) -> bool:
    try:
        return depth == 0 or _can_call(depth - 1)
    except RecursionError:
        return False


@pytest.fixture(autouse=True)
def _only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that needs the network is a test that fails on a robot."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not str(address[0]).startswith(_LOOPBACK):
            raise OSError(f"a test tried to reach {address[0]}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture(autouse=True, scope="session")
def _one_authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Clients trust one authority of the usual hundred and forty, which nobody asks: these take each some 15 ms."""
    first, end, _ = Path(certifi.where()).read_text("utf-8").partition("-----END CERTIFICATE-----\n")
    file = tmp_path_factory.mktemp("authority") / "one.pem"
    file.write_text(first + end, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(file))
        yield


class _NoSuchAttribute(jinja2.Undefined):
    """A template may ask for a variable that it was not given, but for no attribute that an object does not have."""

    def __init__(self, hint: str | None = None, obj: Any = jinja2.utils.missing, *args: Any, **kwargs: Any) -> None:
        super().__init__(hint, obj, *args, **kwargs)
        if obj is not jinja2.utils.missing and not isinstance(obj, (Mapping, jinja2.Undefined)):
            self._fail_with_undefined_error()


class _Compiled(jinja2.BytecodeCache):
    """This process's templates, each compiled once: most tests of pages make an app of their own."""

    def __init__(self) -> None:
        self._code: dict[tuple[str, str], CodeType | None] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._code.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._code[bucket.key, bucket.checksum] = bucket.code


_JINJA_OPTIONS = {**flask.Flask.jinja_options, "undefined": _NoSuchAttribute, "bytecode_cache": _Compiled()}


@pytest.fixture(autouse=True)
def _strict_templates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flask.Flask, "jinja_options", _JINJA_OPTIONS)


@pytest.fixture(autouse=True)
def _no_budget() -> None:
    """A streamed response that an earlier test did not close has left its request's budget in this thread."""
    set_budget(None)


@pytest.fixture(autouse=True)
def _own_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, model_cache: Path) -> None:
    """Nothing of the user's is read or written."""
    for name in [name for name in os.environ if name.startswith("RAGSTONE_") and name != "RAGSTONE_DATA"]:
        if name != "RAGSTONE_SCREENSHOTS":
            monkeypatch.delenv(name)
    monkeypatch.setenv("RAGSTONE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("RAGSTONE_CACHE_DIR", str(model_cache))
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def model_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder in which the encoder's model is made once for all tests, whichever process runs them."""
    folder = _shared_folder(tmp_path_factory) / _CACHE
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def first_start(tmp_path_factory: pytest.TempPathFactory, model_cache: Path) -> Callable[[Path], Path]:
    """Fills a folder with what a server's first start stores: the sample book and plan, which are embedded once."""
    made = _shared_folder(tmp_path_factory) / "first-start"
    with FileLock(made.with_suffix(".lock")):
        if not made.exists():
            with Host(Settings(data_dir=made.with_suffix(".new"), cache_dir=model_cache)) as host:
                host.serve()
            made.with_suffix(".new").rename(made)

    def fill(folder: Path) -> Path:
        return Path(shutil.copytree(made, folder, dirs_exist_ok=True))

    return fill


@pytest.fixture(scope="session")
def minilm(model_cache: Path) -> MiniLMEmbedding:
    """The real encoder."""
    return MiniLMEmbedding.find(model_cache / "encoder")


@pytest.fixture(scope="session")
def encoder(minilm: MiniLMEmbedding) -> Encoder:
    """The real encoder as the host uses it."""
    return Encoder(minilm)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Server]:
    """A running PostgreSQL of the tests' own."""
    with server() as running:
        yield running


@pytest.fixture(scope="session")
def pgvector() -> Iterator[Server]:
    """A running PostgreSQL of the tests' own, with the extension pgvector."""
    with server(pgvector=True) as running:
        yield running


@pytest.fixture(scope="session")
def wikipedia(data: Path) -> Iterator[mediawiki.Server]:
    """A running MediaWiki that holds 106 articles of Wikipedia."""
    dump = data / "mediawiki" / "dumps" / "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
    with mediawiki.server(mediawiki.Wiki("Wikipedia", dump=dump)) as running:
        yield running


@pytest.fixture(scope="session")
def wikibooks() -> Iterator[mediawiki.Server]:
    """A running MediaWiki that plays Wikibooks: a few pages with names that need care."""
    with mediawiki.server(mediawiki.Wiki("Wikibooks", pages=mediawiki.BOOKS)) as running:
        yield running


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str | None]:
    """The setting ``database``: each of both in turn, empty. It is in the environment as well, for commands."""
    if request.param == "sqlite":
        yield None
        return
    server: Server = request.getfixturevalue("postgresql")
    with server.emptied() as name:
        monkeypatch.setenv("RAGSTONE_DATABASE", server.url(name))
        yield server.url(name)


@pytest.fixture
def fast_host(tmp_path: Path) -> Iterator[Host]:
    """An open host with every installed plugin and models of a few lines."""
    with open_host(tmp_path) as host:
        yield host


@pytest.fixture
def real_host(tmp_path: Path, model_cache: Path) -> Iterator[Host]:
    """An open host as a user has it, with the real encoder; an index follows however few chunks there are."""
    with real_host_in(tmp_path, model_cache) as host:
        yield host


@pytest.fixture(scope="module")
def real_shelf(tmp_path_factory: pytest.TempPathFactory, model_cache: Path) -> Iterator[Host]:
    """Such a host with the small book on its shelf, for a module's tests that change nothing of it."""
    folder = tmp_path_factory.mktemp("real-shelf")
    with real_host_in(folder, model_cache) as host:
        add_book(host, write_pages(folder / "small-book", SMALL_BOOK))
        yield host


@contextmanager
def real_host_in(folder: Path, cache: Path) -> Iterator[Host]:
    host = Host(Settings(data_dir=folder / "data", cache_dir=cache, index={"store": "chroma"}))
    host.start()
    try:
        yield host
    finally:
        host.close()


@pytest.fixture(scope="session")
def data() -> Path:
    """The shared data sets."""
    folder = Path(os.environ.get("RAGSTONE_DATA", _REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        missing(f"the folder of data sets ({folder}; RAGSTONE_DATA names another)")
    return folder.resolve()


@pytest.fixture(scope="session")
def attacks(data: Path) -> list[str]:
    """BIPIA's attacks on texts."""
    file = data / "attacks" / "bipia" / "benchmark" / "text_attack_train.json"
    if not file.is_file():
        missing("BIPIA")
    return [attack for kind in json.loads(file.read_text("utf-8")).values() for attack in kind]


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str]) -> Here:
    """The command in this process."""
    return Here(capsys)


@pytest.fixture
def fast_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of distributions that this process finds, with the plugin of fast models in it."""
    site = fast_models(tmp_path / "site")
    monkeypatch.syspath_prepend(str(site))
    return site


@pytest.fixture
def fast_here(fast_site: Path, capsys: pytest.CaptureFixture[str]) -> Here:
    """The command in this process, with fast models."""
    return Here(capsys)


@pytest.fixture
def small_book(tmp_path: Path) -> Path:
    """A folder with two chapters."""
    return write_pages(tmp_path / "small-book", SMALL_BOOK)
