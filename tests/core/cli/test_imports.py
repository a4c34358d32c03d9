"""What a command imports: most of the time until its answer is spent on that."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.patience import HANG
from tests.support.third_party_fakes import distribution, environment

#: ``ragstone.core.testing`` imports LlamaIndex's language models.
ENCODER = """
    from ragstone.core import hookimpl

    @hookimpl
    def ragstone_embed_model(settings):
        from llama_index.core.base.embeddings.base import BaseEmbedding

        class Letters(BaseEmbedding):
            def _get_text_embedding(self, text):
                return [1.0 + text.count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"]

            _get_query_embedding = _get_text_embedding

            async def _aget_query_embedding(self, query):
                return self._get_text_embedding(query)

        return Letters()
"""
ARENAS = """
import ctypes, threading
from ragstone.__main__ import configure_process

configure_process()
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
together = threading.Barrier(8)


def allocate():
    together.wait()
    for _ in range(200):
        assert libc.malloc(50_000)
    together.wait()


threads = [threading.Thread(target=allocate) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
libc.malloc_stats()
"""
PROGRAM = """
import sys
from ragstone.core.cli import main
try:
    main(sys.argv[1:])
finally:
    print("imported", *sys.modules, file=sys.stderr)
"""
APP = """
import sys
from ragstone.core import Host, Settings
from ragstone.web import create_app

with Host(Settings()) as host:
    host.start()
    create_app(host)
    print(*sys.modules)
"""
#: What no question needs: other commands' packages, another database's dialect, and what LlamaIndex imports for
#: language models and documents.
UNNEEDED = [
    "filelock",
    "flask",
    "griffe",
    "jinja2",
    "markdown_it",
    "pandas",
    "rich",
    "sqlalchemy.dialects.postgresql",
    "workflows",
    "yaml",
]
#: What the other plugins' assistants are asked with.
OTHERS = [
    "ragstone.plugins.book_chat.library.documents",
    "ragstone.plugins.concept_tutor.learning.lessons",
    "ragstone.plugins.concept_tutor.plans.store",
    "ragstone.plugins.iris_memory.indexing.watcher",
    "ragstone.plugins.wiki_edge.retrievers",
    "ragstone.plugins.wiki_edge.search.searcher",
]


@pytest.fixture(scope="module")
def variables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a deployment with a memory of one file."""
    root = tmp_path_factory.mktemp("imports")
    (root / "home").mkdir()
    text = "# Casters\n\nA caster is a wheel that swivels about a vertical axis. It gives no traction.\n"
    (root / "home" / "casters.md").write_text(text, "utf-8")
    site = distribution(root / "site", "letters", ENCODER)
    paths = {"ROOT": root / "home", "MIN_RELEVANCE": -1}
    named = {f"RAGSTONE_PLUGINS__IRIS_MEMORY__{name}": str(value) for name, value in paths.items()}
    found = environment(site, RAGSTONE_DATA_DIR=str(root / "data"), **named)
    imported(found, root, "memory", "update")
    return found


def imported(variables: dict[str, str], folder: Path, *arguments: str) -> tuple[str, list[str]]:
    """What the command prints, and the modules that it has imported at its end."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        env=variables,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=HANG,
        check=True,
    )
    return done.stdout, done.stderr.rpartition("imported ")[2].split()


@pytest.mark.parametrize(
    ("arguments", "output", "most", "unneeded"),
    [
        (["--version"], "version", 250, ["numpy", "pydantic", "ragstone.core.host.host"]),
        (["--help"], "Begin with", 450, ["llama_index.core", "numpy", "ragstone.core.llm.chat_client", "sqlalchemy"]),
        (["book", "list"], "The shelf is empty", 600, ["llama_index.core", "numpy", "ragstone.core.text.imperatives"]),
        (["memory", "query", "What is a caster?"], "swivels", 1050, ["ragstone.core.citations", *OTHERS]),
        (["ask", "memory", "What is a caster?"], "swivels", 1100, OTHERS),
    ],
)
def test_a_command_imports_only_what_it_uses(
    variables: dict[str, str], tmp_path: Path, arguments: list[str], output: str, most: int, unneeded: list[str]
) -> None:
    printed, modules = imported(variables, tmp_path, *arguments)
    assert output in printed
    assert [name for name in modules if name in {*UNNEEDED, *unneeded}] == []
    assert len(modules) < most
    assert sum(name.startswith("llama_index.") for name in modules) < 100


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has arenas")
def test_a_command_s_threads_share_two_arenas() -> None:
    done = subprocess.run([sys.executable, "-c", ARENAS], capture_output=True, text=True, timeout=HANG, check=True)
    assert 1 <= done.stderr.count("Arena ") <= 2


def test_a_server_imports_no_client_and_no_sdk_before_it_is_asked_for_one(variables: dict[str, str]) -> None:
    command = [sys.executable, "-c", APP]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=HANG, check=True)
    modules = {name.partition(".")[0] for name in done.stdout.split()}
    assert {"flask", "sqlalchemy"} <= modules
    assert modules.isdisjoint({"chromadb", "httpx", "mcp", "mcp_types", "openai"})
