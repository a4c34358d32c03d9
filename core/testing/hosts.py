"""A host in a folder of its own, and a plugin with a small corpus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from llama_index.core.llms import LLM
from llama_index.core.node_parser import NodeParser, SentenceSplitter
from llama_index.core.prompts import BasePromptTemplate, PromptTemplate
from llama_index.core.schema import Document

from ..answering.assistant import Assistant
from ..answering.citation_format import CitationFormat
from ..answering.profile import Profile
from ..corpus import Corpus
from ..hooks.discovery import PluginState
from ..host.host import Host
from ..markers import hookimpl
from ..settings import Settings
from .models import TestModels

_SMALL = "small_corpus"
_TEXTS = {
    "casters": "A caster is a wheel that swivels about a vertical axis. Casters bear load but give no traction.",
    "tyres": "Rubber tyres grip wet concrete better than nylon tyres. Nylon tyres last about four times longer.",
    "grippers": "A parallel gripper closes two jaws along one line. Its grip force is about 40 newtons.",
    "batteries": "A lithium cell must not be charged below zero degrees. A full charge takes three hours.",
    "lidar": "A lidar measures distances with pulses of light. Glass and mirrors deceive it.",
    "brakes": "A brake that needs power to open holds the arm when the power fails. It is tested every month.",
}


@contextmanager
def open_host(
    folder: Path,
    *,
    llm: LLM | None = None,
    plugins: dict[str, object] | None = None,
    options: dict[str, Any] | None = None,
    remember: bool = False,
    **settings: Any,
) -> Iterator[Host]:
    """An open host with its data in the folder, every installed plugin, the given ones, and fast models.

    ``plugins``: further plugins by name. ``options``: the deployment's table ``[plugins]``
    (``{"book_chat": {"top_k": 3}}``). ``remember``: whether the model's answers are cached. ``settings``: the
    deployment's other settings (``retrieval={"threshold": 0.5}``).
    """
    named = {"data_dir": folder / "data", "cache_dir": folder / "cache", "index": {"store": "none"}, **settings}
    named["plugins"] = options or {}
    if llm is not None:
        named.setdefault("llm", {"provider": "scripted", "remember": remember})
    host = Host(Settings(**named), plugins={"test_models": TestModels(llm), **(plugins or {})})
    host.start()
    try:
        yield host
    finally:
        host.close()


def plugin_state(host: Host, name: str) -> PluginState:
    """The state of the plugin of that name. Raises ``AssertionError`` for an unknown name."""
    for state in host.plugins:
        if state.name == name:
            return state
    known = ", ".join(state.name for state in host.plugins)
    raise AssertionError(f"there is no plugin {name!r}; there are {known}")


class SmallCorpus:
    """A plugin with the assistant ``small_corpus`` and the node parser of its documents."""

    @hookimpl
    def ragstone_node_parsers(self) -> dict[str, NodeParser]:
        """Chunks of a few sentences."""
        return {_SMALL: SentenceSplitter(chunk_size=64, chunk_overlap=0)}

    @hookimpl
    def ragstone_assistants(self, host: Host) -> list[Assistant]:
        """The assistant of the documents that ``fill_small_corpus`` stores."""

        def refusal(_filters: Mapping[str, str]) -> str:
            return "The small corpus has no answer."

        profile = Profile(
            name=_SMALL,
            title="Small corpus",
            description="Six short documents on parts of robots.",
            citations=CitationFormat(("title",), url=lambda node: f"/small_corpus/{node.node_id}"),
            refusal=refusal,
            prompt=f"{_SMALL}/answer",
            examples=lambda: ("What is a caster?",),
        )
        return [Assistant(host, host.corpus(_SMALL, kind=_SMALL), profile)]

    @hookimpl
    def ragstone_prompts(self) -> dict[str, BasePromptTemplate]:
        """The prompt for a host with a language model."""
        text = "Answer from these passages, each sentence with its number.\n{context_str}\n\nQuestion: {query_str}"
        return {f"{_SMALL}/answer": PromptTemplate(text)}


def small_documents() -> list[Document]:
    """Six documents of two sentences; their ids are their subjects, such as ``casters``."""
    return [Document(id_=name, text=text, metadata={"title": name.capitalize()}) for name, text in _TEXTS.items()]


def fill_small_corpus(host: Host) -> Corpus:
    """Store the small documents in the host's corpus ``small_corpus``. The plugin ``SmallCorpus`` must be loaded."""
    corpus = host.corpus(_SMALL, kind=_SMALL)
    corpus.ingest(small_documents())
    return corpus
