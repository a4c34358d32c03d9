"""The kit as a pytest plugin, in the tests of somebody else's package."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import ragstone.core
from ragstone.core.testing import FileReaderContract
from tests.core.testing.breaking import clauses
from tests.support.patience import HANG

README = Path(ragstone.core.__file__).parent / "README.md"
CONFTEST = """
import pytest

from ragstone.core import hookimpl
from ragstone.core.testing import plugin_state  # imported before pytest looks at the plugin

pytest_plugins = ["ragstone.core.testing"]


class Greets:
    greeted = None

    @hookimpl
    def ragstone_opened(self, host):
        Greets.greeted = host.settings.retrieval.threshold


@pytest.fixture
def host_plugins():
    return {"greets": Greets()}


@pytest.fixture
def greets():
    return Greets
"""
TESTS = """
import pytest

from ragstone.core.testing import fill_small_corpus, plugin_state


def test_host(host, greets, tmp_path):
    assert plugin_state(host, "greets").state == "loaded"
    assert host.settings.data_dir.is_relative_to(tmp_path)
    assert host.hooks.llm is None
    assert greets.greeted is None
    assert not host.find_corpus("small_corpus").contents.exists
    with pytest.raises(AssertionError, match="there is no plugin 'greats'; there are mcp, web, book_chat"):
        plugin_state(host, "greats")


def test_small_corpus(host, small_corpus):
    assert small_corpus.info().documents == 6
    answer = host.assistant("small_corpus").ask("What is a caster wheel?")
    assert answer.text.startswith("A caster is a wheel that swivels about a vertical axis. [1]")


def test_scripted_llm(host_with_llm, scripted_llm):
    fill_small_corpus(host_with_llm)
    scripted_llm.enqueue("A caster is a wheel that swivels about a vertical axis [1]. It costs 20 euros [1].")
    answer = host_with_llm.assistant("small_corpus").ask("What is a caster wheel?")
    assert answer.text == "A caster is a wheel that swivels about a vertical axis. [1]"
    assert "Answer from these passages" in scripted_llm.prompts[0]


def test_word_encoder(word_encoder):
    near = word_encoder.embed_query("a caster wheel") @ word_encoder.embed_query("the wheel of a caster")
    far = word_encoder.embed_query("a caster wheel") @ word_encoder.embed_query("a lithium cell")
    assert near > 0.9 > 0.3 > far


class TestSettings:
    @pytest.fixture
    def host_settings(self):
        return {"retrieval": {"threshold": 0.5}, "options": {"disabled": ["wiki_edge"]}}

    def test_host(self, host, greets):
        assert greets.greeted == 0.5
        assert plugin_state(host, "wiki_edge").state == "disabled"
"""


def test_another_package_tests_itself_with_the_kit_and_as_the_readme_shows(tmp_path: Path) -> None:
    shown = re.findall(r"^```python\n(.*?)^```$", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    (contract,) = [fence for fence in shown if "class Test" in fence]
    (tmp_path / "conftest.py").write_text(CONFTEST, "utf-8")
    (tmp_path / "test_mine.py").write_text(TESTS, "utf-8")
    (tmp_path / "test_shown.py").write_text(contract, "utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings =\n    error::pytest.PytestWarning\n", "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=alone, check=False, timeout=HANG)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{5 + len(clauses(FileReaderContract))} passed" in done.stdout
