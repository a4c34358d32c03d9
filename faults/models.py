"""Fast replacements of full size: vectors of 384 numbers without a model, a parser that makes a chunk of each line."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import BaseNode, Document, NodeRelationship, TextNode
from pydantic import PrivateAttr

from ragstone.core import Corpus, EncoderSettings, Host, Settings, hookimpl

Vector = npt.NDArray[np.float32]

CORPUS = "notes"
KIND = "lines"


@lru_cache(maxsize=50_000)
def _direction(word: str, dimension: int) -> Vector:
    seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
    return np.random.default_rng(seed).standard_normal(dimension, np.float32)


def embedded(text: str, model: str = "cheap", dimension: int = 384) -> Vector:
    """The text's unit vector: the sum of one random direction a word, other ones for another model."""
    total = _direction(f"{model}:", dimension) * 0.1
    for word in text.lower().split():
        total = total + _direction(f"{model}:{word}", dimension)
    unit: Vector = total / np.linalg.norm(total)
    return unit


class CheapEmbedding(BaseEmbedding):
    """A model that is nothing but ``embedded``, until a scenario wants something else of it."""

    model_name: str = "cheap"
    dimension: int = 384
    _instead: Callable[[Sequence[str]], Any] | None = PrivateAttr(default=None)

    @classmethod
    def class_name(cls) -> str:
        return "CheapEmbedding"

    def instead(self, what: Callable[[Sequence[str]], Any] | None) -> None:
        """Call this with each batch of texts first; what it returns, unless ``None``, are the vectors."""
        self._instead = what

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        given: list[list[float]] | None = self._instead(texts) if self._instead is not None else None
        return [self._get_text_embedding(text) for text in texts] if given is None else given

    def _get_text_embedding(self, text: str) -> list[float]:
        row: list[float] = embedded(text, self.model_name, self.dimension).tolist()
        return row

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


class Lines(NodeParser):
    """One chunk a line; another version cuts each line in two."""

    version: int = 1

    @classmethod
    def class_name(cls) -> str:
        return "Lines"

    @property
    def fingerprint(self) -> str:
        return f"lines/{self.version}"

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **_: Any) -> list[BaseNode]:
        return [
            TextNode(
                id_=f"{node.node_id}/{number}",
                text=part,
                relationships={NodeRelationship.SOURCE: node.as_related_node_info()},
            )
            for node in nodes
            for number, part in enumerate(self.parts(node.get_content()))
        ]

    def parts(self, text: str) -> list[str]:
        """The chunks' texts."""
        lines = text.splitlines()
        if self.version == 1:
            return lines
        halves = ((words[: len(words) // 2], words[len(words) // 2 :]) for words in (line.split() for line in lines))
        return [" ".join(half) for pair in halves for half in pair if half]


class CheapModels:
    """The plugin that brings both."""

    def __init__(self, *, model: str = "cheap", dimension: int = 384, parser: int = 1) -> None:
        self.model = CheapEmbedding(model_name=model, dimension=dimension)
        self._parser = Lines(version=parser)

    @hookimpl
    def ragstone_embed_model(self, settings: EncoderSettings) -> BaseEmbedding:
        return self.model

    @hookimpl
    def ragstone_node_parsers(self) -> dict[str, NodeParser]:
        return {KIND: self._parser}


#: For processes that find it as an entry point.
plugin = CheapModels()


def opened(folder: Path, plugin: CheapModels | None = None, *, store: str = "none", **settings: Any) -> Host:
    """An open host over the folder, with the fast replacements; the caller closes it."""
    named = {"data_dir": folder / "data", "cache_dir": folder / "cache", "index": {"store": store}, **settings}
    host = Host(Settings(**named), plugins={"cheap_models": plugin or CheapModels()})
    try:
        host.start()
        notes(host)
    except BaseException:
        host.close()
        raise
    return host


def notes(host: Host) -> Corpus:
    """The corpus that most scenarios fill."""
    return host.corpus(CORPUS, kind=KIND)


_SYLLABLES = ("ba", "ki", "lo", "mun", "ter", "sa", "vo", "rix", "pel", "da", "gon", "fi")


def words(seed: int, count: int) -> list[str]:
    """Words of a small made-up language, the same for the same seed."""
    random = np.random.default_rng(seed)
    return ["".join(_SYLLABLES[int(n)] for n in random.integers(0, len(_SYLLABLES), 3)) for _ in range(count)]


def note(number: int, version: int = 0, lines: int = 5) -> Document:
    """The document of that number in that version: every line of it names both, so that mixed versions are seen."""
    result = words(number * 1009 + version, 9 * lines)
    text = "\n".join(
        f"note{number} version{version} line{line} {' '.join(result[9 * line : 9 * line + 9])}" for line in range(lines)
    )
    return Document(id_=f"note-{number:05}", text=text)
