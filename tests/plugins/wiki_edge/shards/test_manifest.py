"""The manifest: the specification's example loads and is written as it stands, and no path leads out."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragstone.plugins.wiki_edge import Manifest, ShardEntry, ShardError

from .samples import ID, NAME, edit, entry_of, make

#: As it stands in the specification.
EXAMPLE = """\
{
  "version": "2025-12-11",
  "shards": [
    {
      "id": "wiki-simple-household-v1",
      "kind": "wiki",
      "dim": 384,
      "size": 120000,
      "embedding_file": "wiki-simple-household-v1/embeddings.npy",
      "metadata_file": "wiki-simple-household-v1/metadata.jsonl",
      "license": "CC-BY-SA-3.0",
      "language": "en",
      "domain": "household"
    }
  ]
}
"""

_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
_quick = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def test_the_specifications_example_is_read_and_written_as_it_stands(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text(EXAMPLE)
    manifest = Manifest.read(tmp_path / NAME)
    (entry,) = manifest.shards
    assert (manifest.version, entry.id, entry.kind, entry.dim, entry.size) == ("2025-12-11", ID, "wiki", 384, 120000)
    assert (entry.license, entry.language, entry.domain) == ("CC-BY-SA-3.0", "en", "household")
    place = entry.place(tmp_path)
    assert place.embeddings == tmp_path.resolve() / ID / "embeddings.npy"
    assert place.metadata == tmp_path.resolve() / ID / "metadata.jsonl"
    assert (place.folder, place.side_files.get("codes")) == (tmp_path.resolve() / ID, None)
    manifest.write(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == EXAMPLE


def test_a_specification_with_its_example_is_at_hand(data: Path) -> None:
    """The text above is that of the specification, where it lies beside the data."""
    specification = data.parent / "specs" / "wiki_edge.txt"
    if not specification.is_file():
        pytest.skip("the specification does not lie beside the data sets")
    assert f"```json\n{EXAMPLE}```" in specification.read_text("utf-8")


def test_what_we_add_is_read(tmp_path: Path) -> None:
    folder = make(
        tmp_path,
        revision=3,
        built="2026-01-02T03:04:05Z",
        source={"name": "simplewiki", "date": "2026-01-01", "dump": "articles"},
        encoder={"model": "all-MiniLM-L6-v2", "fingerprint": "53aa51"},
        files={"codes.bin": {"sha256": "0" * 64, "bytes": 0}},
        side_files={"codes": "codes.bin", "unheard": "deep/of.bin"},
    )
    entry = entry_of(folder)
    assert entry.source and entry.encoder and entry.files
    assert (entry.revision, entry.source.date, entry.encoder.fingerprint) == (3, "2026-01-01", "53aa51")
    place = entry.place(folder)
    assert place.side_files.get("codes") == place.folder / "codes.bin"
    assert place.side_files.get("unheard") == place.folder / "deep" / "of.bin"
    assert set(place.files) == {"embeddings.npy", "metadata.jsonl", "codes.bin", "deep/of.bin"}


@_quick
@given(extra=st.dictionaries(st.text().filter(lambda key: key not in ShardEntry.model_fields), _json, max_size=4))
def test_what_nobody_knows_is_kept(tmp_path: Path, extra: dict[str, Any]) -> None:
    folder = make(tmp_path / "any")
    edit(folder, lambda raw: raw.update(extra))
    raw = json.loads((folder / NAME).read_text("utf-8"))
    manifest = Manifest.read(folder / NAME)
    manifest.write(folder / NAME)
    assert json.loads((folder / NAME).read_text("utf-8")) == raw
    assert Manifest.read(folder / NAME) == manifest


@_quick
@given(value=_json)
def test_any_json_is_a_manifest_or_a_fault_with_its_file(tmp_path: Path, value: object) -> None:
    (tmp_path / NAME).write_text(json.dumps(value), "utf-8")
    with pytest.raises(ShardError, match=NAME):
        Manifest.read(tmp_path / NAME)


@_quick
@given(name=st.text(st.sampled_from("./\\a\0 :é"), max_size=12) | st.text(max_size=300))
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    root = tmp_path / "root"
    root.mkdir(exist_ok=True)
    try:
        path = _embeddings(root, name)
    except ShardError:
        return
    assert path != root
    assert os.path.commonpath([path, root.resolve()]) == str(root.resolve())


def _embeddings(root: Path, name: str) -> Path:
    (entry,) = Manifest.of(json.loads(EXAMPLE)).shards
    return entry.changed(embedding_file=name, metadata_file="m").place(root).embeddings


def test_no_chain_of_links_leads_out(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "a").mkdir(parents=True)
    (root / "a" / "b").symlink_to("../c")
    (root / "c").symlink_to("..")
    assert _embeddings(root, "a/x") == root.resolve() / "a" / "x"
    with pytest.raises(ShardError, match="it leads to"):
        _embeddings(root, "a/b/x")
