"""A package of others, built and installed as a wheel: a reader that book chat uses, an index in Chroma's place."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ragstone.core.testing import open_host
from ragstone.plugins.book_chat import Shelf
from tests.support.environments import built, unpacked
from tests.support.patience import HANG, until, until_followed
from tests.support.third_party_fakes import Here, environment, fast_models
from tests.third_party.packages import WORKSHOP, small_notebook

pytestmark = pytest.mark.slow

QUESTION = "What is a caster?"
SENTENCE = "A caster is a wheel that swivels about a vertical axis."


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the installed package, to be put on Python's path."""
    folder = tmp_path_factory.mktemp("third-party")
    return unpacked(built(folder / "wheels", WORKSHOP), folder / "site")


def test_its_own_tests_pass(site: Path, tmp_path: Path) -> None:
    """Those of the package's author, with the kit's contract suites, over what the wheel brought."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--basetemp", str(tmp_path / "t")],
        cwd=WORKSHOP,
        env=environment(site, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1"),
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]


@pytest.fixture
def here(site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Here:
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.syspath_prepend(str(fast_models(tmp_path / "site")))
    return Here(capsys)


def test_it_shows_up(here: Here) -> None:
    states = {state["name"]: state for state in json.loads(here("plugins", "--json").out)}
    found = [states["workshop"][key] for key in ("state", "version", "origin")]
    assert found == ["loaded", "0.1.0", "ragstone-workshop"]


def test_book_chat_reads_a_notebook(here: Here, tmp_path: Path) -> None:
    added = json.loads(here("book", "add", str(small_notebook(tmp_path / "parts.ipynb")), "--json").out)
    assert (added["title"], added["added"]) == ("Robot parts", ["parts.ipynb"])
    answer = json.loads(here("ask", "book_chat", QUESTION, "--json").out)
    assert answer["answer"].startswith(f"{SENTENCE} [1]")
    cited = answer["citations"][0]
    assert (cited["book_title"], cited["chapter"], cited["section"]) == ("Robot parts", "Casters", "Casters")


def test_a_hostile_notebook_is_one_line(here: Here, tmp_path: Path) -> None:
    (tmp_path / "parts.ipynb").write_text("[" * 100_000, "utf-8")
    assert "is no notebook" in here("book", "add", str(tmp_path / "parts.ipynb")).line


def test_the_index_in_memory_stands_in_chromas_place(here: Here, tmp_path: Path) -> None:
    with open_host(tmp_path, index={"store": "chroma"}) as host:
        shelf = Shelf(host)
        shelf.add(shelf.plan(small_notebook(tmp_path / "parts.ipynb")))
        host.serve()
        until(lambda: any(check.detail == "MemoryStore follows the catalog" for check in host.checks()))
        until_followed(shelf.corpus)
        assert host.assistant("book_chat").ask(QUESTION).text.startswith(f"{SENTENCE} [1]")
    assert not list((tmp_path / "data").rglob("chroma.sqlite3"))
