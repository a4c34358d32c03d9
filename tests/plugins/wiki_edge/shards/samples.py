"""Small shards with real text, and ways to change them."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import click
import numpy as np
from click.testing import CliRunner
from numpy.typing import NDArray

from ragstone.plugins.wiki_edge import Manifest, ShardEntry
from tests.support.installed import plugin

#: As the specification names them.
NAME, SIGNATURE = "manifest.json", "manifest.json.sig"

ID = "wiki-simple-household-v1"
EMBEDDINGS, METADATA = f"{ID}/embeddings.npy", f"{ID}/metadata.jsonl"
ROWS, DIM = 24, 16
TEXTS = (
    "A whisk is a tool which can be used to blend ingredients smooth or to incorporate air into a mixture.",
    "Der Schneebesen dient zum Verrühren; 泡立て器 is its name in Japanese, فرّاشة in Arabic.",
    "A colander is a bowl with holes: 3 mm wide, «as a rule».",
)


def unit_rows(rows: int = ROWS, dim: int = DIM, seed: int = 0) -> NDArray[np.float32]:
    """Random rows of unit length."""
    found = np.random.default_rng(seed).normal(size=(rows, dim)).astype(np.float32)
    unit: NDArray[np.float32] = found / np.linalg.norm(found, axis=1, keepdims=True)
    return unit


def make(folder: Path, *, shard_id: str = ID, rows: int = ROWS, dim: int = DIM, seed: int = 0, **more: Any) -> Path:
    """A folder with a manifest and one shard in the specification's form; ``more`` goes into its entry."""
    place = folder / shard_id
    place.mkdir(parents=True, exist_ok=True)
    np.save(place / "embeddings.npy", unit_rows(rows, dim, seed))
    lines = [
        {
            "id": f"{shard_id}-{number}",
            "title": f"Tool {number}",
            "url": f"https://simple.wikipedia.org/wiki/Tool_{number}",
            "text": f"{TEXTS[number % len(TEXTS)]} ({seed})",
            "license": "CC-BY-SA-3.0",
            "domain": "household",
        }
        for number in range(rows)
    ]
    output = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (place / "metadata.jsonl").write_text(output, "utf-8")
    entry = {
        "id": shard_id,
        "kind": "wiki",
        "dim": dim,
        "size": rows,
        "embedding_file": f"{shard_id}/embeddings.npy",
        "metadata_file": f"{shard_id}/metadata.jsonl",
        "license": "CC-BY-SA-3.0",
        "language": "en",
        "domain": "household",
        **more,
    }
    (folder / NAME).write_text(json.dumps({"version": "2025-12-11", "shards": [entry]}), "utf-8")
    return folder


def edit(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the manifest's only entry, with no regard for what may stand there."""
    raw = json.loads((folder / NAME).read_text("utf-8"))
    change(raw["shards"][0])
    (folder / NAME).write_text(json.dumps(raw), "utf-8")


def entry_of(folder: Path) -> ShardEntry:
    """The manifest's first entry."""
    return Manifest.read(folder / NAME).shards[0]


def with_sums(folder: Path) -> Path:
    """The folder, its only entry with ``files``."""
    entry = entry_of(folder)
    files = {name: path.read_bytes() for name, path in entry.place(folder).files.items()}
    sums = {name: {"sha256": sha256(each).hexdigest(), "bytes": len(each)} for name, each in files.items()}
    edit(folder, lambda raw: raw.update(files=sums))
    return folder


def edit_line(folder: Path, line: int, change: Callable[[str], str]) -> None:
    """Change one line (from 1) of the metadata."""
    path = folder / METADATA
    lines = path.read_text("utf-8").split("\n")
    lines[line - 1] = change(lines[line - 1])
    path.write_text("\n".join(lines), "utf-8", errors="surrogateescape")


def edit_object(folder: Path, line: int, **fields: Any) -> None:
    """Change fields of the object in one line (from 1); ``None`` takes one out."""

    def changed(text: str) -> str:
        value = {**json.loads(text), **fields}
        return json.dumps({key: one for key, one in value.items() if one is not None})

    edit_line(folder, line, changed)


@cache
def _commands() -> click.Group:
    group = click.Group()
    plugin("wiki_edge").ragstone_commands(group)
    return group


def run(*arguments: object) -> Any:
    """What ``ragstone wiki … --json`` prints; raises its error."""
    names = ["wiki", *map(str, arguments), "--json"]
    done = CliRunner().invoke(_commands(), names, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def keygen(file: Path) -> str:
    """The public half of a new key in the file."""
    public: str = run("keygen", file)["public_key"]
    return public


def sign(folder: Path, key: Path, *more: object) -> list[dict[str, Any]]:
    """Sign the shards in the folder with the key in a file; what was signed."""
    signed: list[dict[str, Any]] = run("sign", folder, "--key", key, *more)
    return signed
