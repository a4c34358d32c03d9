"""Shards for tests of the planner, behind its own protocol: the specification's method, one product over all rows."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ragstone.core import Host
from ragstone.core.cli import main
from ragstone.core.testing import open_host
from ragstone.plugins.wiki_edge import Planner
from tests.support.third_party_fakes import restored_log

MUG = {
    "id": "wiki-1",
    "title": "Coffee cup",
    "url": "https://simple.wikipedia.org/wiki/Coffee_cup",
    "text": "A coffee mug is made of stoneware. To clean a coffee mug, rinse it with hot water and wipe it with a "
    "sponge. Vinegar removes coffee stains from a mug.",
    "license": "CC-BY-SA-3.0",
    "domain": "household",
}
SPONGE = {
    "id": "wiki-2",
    "title": "Sponge",
    "url": "https://simple.wikipedia.org/wiki/Sponge",
    "text": "A sponge is a soft tool that holds water. Most kitchen sponges are made of cellulose.",
    "license": "CC-BY-SA-3.0",
}
MOON = {
    "id": "wiki-3",
    "title": "Moon",
    "url": "https://simple.wikipedia.org/wiki/Moon",
    "text": "The Moon orbits Earth once in 27 days. It has no atmosphere.",
    "license": "CC-BY-SA-3.0",
}


class Shelf:
    """Rows of both kinds, searched by the host's encoder."""

    def __init__(
        self, host: Host, wiki: Sequence[Mapping[str, Any]], episodic: Sequence[Mapping[str, Any]] = ()
    ) -> None:
        self._host = host
        self._rows = {"wiki": [*wiki], "episodic": [*episodic]}
        self.asked: list[dict[str, Any]] = []

    def search(
        self, question: str, *, k: int, kind: str, domain: str | None = None, language: str | None = None
    ) -> list[Any]:
        self.asked.append({"question": question, "k": k, "kind": kind, "domain": domain, "language": language})
        rows = [row for row in self._rows[kind] if domain is None or row.get("domain") == domain]
        if not rows:
            return []
        vectors = self._host.hooks.encoder.embed_texts([f"{row.get('title', '')}\n{row['text']}" for row in rows])
        scores = vectors @ self._host.hooks.encoder.embed_query(question)
        return [{"score": float(scores[index]), "metadata": rows[index]} for index in np.argsort(-scores)[:k]]


@contextmanager
def planning(
    folder: Path, *rows: Mapping[str, Any], episodic: Sequence[Mapping[str, Any]] = (), **options: Any
) -> Iterator[Planner]:
    """A planner over these rows, with a fast encoder. ``options``: the tables of ``[plugins.wiki_edge]``."""
    prompts = options.pop("prompts", {})
    with open_host(folder, options={"wiki_edge": options}, prompts=prompts) as host:
        planner = Planner(host, library=Shelf(host, rows, episodic))
        yield planner
        planner.close()


def check_episodes(root: Path, *, repair: bool = False) -> list[Any]:
    """What the command says of each episode; with ``repair``, the ids of those that it repaired."""
    options = ["--json", *(["--repair"] if repair else [])]
    with restored_log(), redirect_stdout(io.StringIO()) as printed, pytest.raises(SystemExit):
        main(["wiki", "episodes", "check", "--from", str(root), *options])
    found = json.loads(printed.getvalue())
    return found["mended"] if repair else [SimpleNamespace(**each) for each in found["episodes"]]
