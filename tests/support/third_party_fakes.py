"""Other people's plugins as distributions on disk, and the command as other people run it."""

from __future__ import annotations

import hashlib
import logging
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.vector_stores import SimpleVectorStore
from llama_index.core.vector_stores.simple import SimpleVectorStoreData
from pydantic import PrivateAttr

from ragstone.core import Corpus, EncoderSettings, Host, hookimpl
from ragstone.core.cli import main
from ragstone.core.testing import WordEmbedding
from ragstone.plugins.book_chat import Shelf

#: The console script beside the Python that runs the tests.
RAGSTONE = Path(sys.executable).with_name("ragstone")
_SECONDS = 60

#: A plugin that brings the encoder of a few lines, for commands that run in a process of their own.
FAST_MODELS = """
    from ragstone.core.testing import TestModels

    plugin = TestModels()
"""


def distribution(
    site: Path, name: str, code: str, *, plugin: str | None = None, group: str = "ragstone", module: bool = True
) -> Path:
    """Install a distribution ``name`` 1.0 of one package into the folder ``site``, which is returned.

    ``code`` is its package; the entry point ``plugin`` names the package, or its attribute ``plugin`` when not
    ``module``.
    """
    # Two tests' packages must not be one to Python, which keeps what it imported.
    package = f"{name.replace('-', '_')}_{hashlib.blake2b(str(site).encode(), digest_size=4).hexdigest()}"
    (site / package).mkdir(parents=True)
    (site / package / "__init__.py").write_text(textwrap.dedent(code), "utf-8")
    info = site / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", "utf-8")
    target = package if module else f"{package}:plugin"
    (info / "entry_points.txt").write_text(f"[{group}]\n{plugin or name} = {target}\n", "utf-8")
    return site


def fast_models(site: Path) -> Path:
    """Install the plugin ``fast_models`` into the folder."""
    return distribution(site, "fast-models", FAST_MODELS, plugin="fast_models", module=False)


#: Two chapters.
SMALL_BOOK = {
    "01-wheels.md": "# Wheels\n\n## Casters\n\nA caster is a wheel that swivels about a vertical axis. Casters bear "
    "load but give no traction.\n\n## Tyres\n\nRubber tyres grip wet concrete better than nylon tyres. Nylon tyres "
    "last about four times longer than rubber tyres.\n",
    "02-arms.md": "# Arms\n\n## Grippers\n\nA parallel gripper closes two jaws along one line. The grip force of a "
    "small parallel gripper is about 40 newtons.\n\n## Safety\n\n> [!WARNING]\n> Keep your hands out of the jaws while "
    "the gripper is powered.\n\nBefore you open the gripper, switch off the air supply.\n",
}


def write_pages(folder: Path, pages: Mapping[str, str]) -> Path:
    """Write text files into the folder, which is made if it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


def add_book(host: Host, folder: Path, title: str = "Robot parts") -> Shelf:
    """The host's shelf, with the book of the folder on it."""
    shelf = Shelf(host)
    shelf.add(shelf.plan(folder), title=title)
    return shelf


class Counting(WordEmbedding):
    """Notes what it embeds."""

    _texts: list[str] = PrivateAttr(default_factory=list)

    def taken(self) -> list[str]:
        """The texts since the last time."""
        texts, self._texts = self._texts, []
        return texts

    def _get_text_embedding(self, text: str) -> list[float]:
        self._texts.append(text)
        return super()._get_text_embedding(text)


class WithModel:
    """A plugin with a sentence encoder, which notes the settings that it is asked for one with."""

    def __init__(self, model: BaseEmbedding | None) -> None:
        self.model = model
        self.asked: list[EncoderSettings] = []

    @hookimpl
    def ragstone_embed_model(self, settings: EncoderSettings) -> BaseEmbedding | None:
        self.asked.append(settings)
        return self.model


class InMemory(SimpleVectorStore):
    """LlamaIndex's own vector store, as ``plugins/HOOKS.md`` has it."""

    def clear(self) -> None:
        self.data = SimpleVectorStoreData()


class WithStore:
    """A plugin with a vector store, which notes the corpora that it is asked for."""

    def __init__(self, store: SimpleVectorStore | None) -> None:
        self.store = store
        self.asked: list[str] = []

    @hookimpl
    def ragstone_vector_store(self, corpus: Corpus) -> SimpleVectorStore | None:
        self.asked.append(corpus.name)
        return self.store


@dataclass(frozen=True)
class Ended:
    """A command's exit code and output."""

    code: int
    out: str
    err: str

    @property
    def line(self) -> str:
        """The one line on stderr of a command that failed as it should."""
        assert self.code not in (0, None)
        assert "Traceback" not in self.err
        assert self.err.startswith("ragstone: ")
        assert self.err.count("\n") == 1
        return self.err.removeprefix("ragstone: ").removesuffix("\n")


def environment(site: Path | None = None, **variables: str) -> dict[str, str]:
    """This process's environment, with the folder's distributions to be found and further variables."""
    named = {**os.environ, **variables}
    if site is not None:
        named["PYTHONPATH"] = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))
    return named


def run(*arguments: str, site: Path | None = None, timeout: float = _SECONDS, **variables: str) -> Ended:
    """Run the command in a process of its own."""
    done = subprocess.run(
        [str(RAGSTONE), *arguments],
        env=environment(site, **variables),
        capture_output=True,
        timeout=timeout,
        check=False,
    )
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


@contextmanager
def restored_log() -> Iterator[None]:
    """Restores this process's log after a command."""
    root, own = logging.getLogger(), logging.getLogger("ragstone")
    before = root.handlers[:], root.level, own.level
    try:
        yield
    finally:
        root.handlers[:] = before[0]
        root.setLevel(before[1])
        own.setLevel(before[2])


class Here:
    """Runs the command in this process: quick, and with whatever the test has on its path."""

    def __init__(self, capture: pytest.CaptureFixture[str]) -> None:
        self._capture = capture

    def __call__(self, *arguments: str) -> Ended:
        self._capture.readouterr()
        with restored_log(), pytest.raises(SystemExit) as ended:
            main(list(arguments))
        captured = self._capture.readouterr()
        code = ended.value.code
        assert isinstance(code, int)
        return Ended(code, captured.out, captured.err)
