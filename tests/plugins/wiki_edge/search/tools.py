"""Shards of a few kitchen tools, embedded by a host's own encoder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from ragstone.core import Host
from ragstone.plugins.wiki_edge import Manifest, ShardEntry
from ragstone.plugins.wiki_edge.shards.side_files import make_side_files
from tests.plugins.wiki_edge.shards.samples import NAME

TOOLS = {
    "Whisk": "A whisk is a kitchen tool to blend eggs and to incorporate air into a mixture.",
    "Colander": "A colander is a bowl with holes that drains pasta and rinses vegetables.",
    "Hammer": "A hammer is a tool with a heavy head that drives nails into wood.",
    "Kettle": "A kettle boils water for tea; an electric kettle switches itself off.",
    "Ladder": "A ladder leans against a wall so that one may climb to a roof.",
}


def write(
    host: Host,
    folder: Path,
    name: str = "tools",
    texts: dict[str, str] | None = None,
    *,
    sides: bool = False,
    **more: Any,
) -> ShardEntry:
    """A shard of these texts beside whatever else the folder's manifest names."""
    texts = TOOLS if texts is None else texts
    place = folder / name
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    rows = host.hooks.encoder.embed_texts([f"{title}\n{text}" for title, text in texts.items()])
    np.save(place / "embeddings.npy", rows)
    with (place / "metadata.jsonl").open("w", encoding="utf-8") as lines:
        for number, (title, text) in enumerate(texts.items()):
            row = {
                "id": f"{title}#0",
                "title": title,
                "url": f"https://example.org/{title}",
                "text": text,
                "license": "CC0",
            }
            domain = more.get("domains", [None] * len(texts))[number]
            lines.write(json.dumps({**row, **({"domain": domain} if domain else {})}) + "\n")
    kept = {key: value for key, value in more.items() if key != "domains"}
    entry = ShardEntry.of(
        {
            "id": name,
            "kind": "wiki",
            "dim": rows.shape[1],
            "size": len(texts),
            "embedding_file": f"{name}/embeddings.npy",
            "metadata_file": f"{name}/metadata.jsonl",
            "license": "CC0",
            "encoder": {"model": "words", "fingerprint": host.hooks.encoder.family},
            **kept,
        }
    )
    if sides:
        entry = entry.changed(side_files=make_side_files(place, entry))
    manifest = Manifest.read(folder / NAME) if (folder / NAME).exists() else Manifest(version="1", shards=())
    manifest.with_shard(entry).write(folder / NAME)
    return entry
