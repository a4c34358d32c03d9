"""LangChain's tests of a retriever, and the documented ways from other frameworks, in an environment that has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.conftest import BOOK
from tests.support.markdown import python_blocks, sections
from tests.support.patience import HANG
from tests.support.suites import REPOSITORY, suites_python
from tests.support.third_party_fakes import run

pytestmark = pytest.mark.slow

TEXT = (REPOSITORY / "docs" / "integrations.md").read_text("utf-8")
WAYS = {name: python_blocks(text) for name, text in sections(TEXT).items()}


def test_langchain_s_tests_of_a_retriever() -> None:
    suite = REPOSITORY / "tests/conformance/langchain_suite.py"
    arguments = ("-q", "-p", "no:cacheprovider", "--asyncio-mode=auto", suite)
    done = suites_python("-m", "pytest", *arguments, timeout=4 * HANG)
    print(done.stdout[-2000:])
    assert done.returncode == 0, done.stdout[-4000:]
    assert "6 passed" in done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A deployment with one book."""
    folder = tmp_path_factory.mktemp("frameworks")
    (folder / "wheels.md").write_text(BOOK, "utf-8")
    return folder


@pytest.mark.parametrize("name", WAYS)
def test_a_documented_way_finds_the_chunk(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSTONE_DATA_DIR", str(folder / "data"))
    if not (folder / "data").exists():
        run("book", "add", str(folder / "wheels.md"), "--title", "Robot parts")
    (code,) = WAYS[name]
    done = suites_python("-c", code, timeout=2 * HANG)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip(), "it found nothing"
    if name != "LlamaIndex":
        assert "A caster is a wheel that swivels" in done.stdout
