"""Keys and signatures."""

from __future__ import annotations

import json
import stat
from base64 import b64decode, b64encode
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from ragstone.core import BadRequest, NotFound
from ragstone.plugins.wiki_edge import ShardError, verify_shards

from .samples import ID, METADATA, NAME, SIGNATURE, edit, edit_object, entry_of, keygen, make, sign


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make(tmp_path / "shards")


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return tmp_path / "key.pem"


def test_a_key_is_its_owners_alone(folder: Path, key: Path) -> None:
    public = keygen(key)
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert len(b64decode(public)) == 32
    with pytest.raises(BadRequest, match="a key is never overwritten"):
        keygen(key)
    key.chmod(0o640)
    with pytest.raises(BadRequest, match="others may read this private key"):
        sign(folder, key)


def test_a_key_with_a_passphrase_needs_it(folder: Path, key: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIKI_KEY_PASSPHRASE", "correct horse")
    public = keygen(key)
    assert b"ENCRYPTED" in key.read_bytes()
    assert sign(folder, key)[0]["key"] == public
    monkeypatch.setenv("WIKI_KEY_PASSPHRASE", "wrong horse")
    with pytest.raises(BadRequest, match="not with this passphrase"):
        sign(folder, key)
    monkeypatch.delenv("WIKI_KEY_PASSPHRASE")
    with pytest.raises(BadRequest, match=r"locked with a passphrase \(set WIKI_KEY_PASSPHRASE"):
        sign(folder, key)


def test_a_passphrase_too_many_does_no_harm(folder: Path, key: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    public = keygen(key)
    monkeypatch.setenv("WIKI_KEY_PASSPHRASE", "needless")
    assert sign(folder, key)[0]["key"] == public


def test_what_is_no_key_of_ours_is_refused(folder: Path, key: Path) -> None:
    with pytest.raises(BadRequest, match="the key is missing"):
        sign(folder, key)
    key.write_text("no key")
    key.chmod(0o600)
    with pytest.raises(BadRequest, match="is not a private key in PEM"):
        sign(folder, key)
    other = rsa.generate_private_key(65537, 2048)
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    key.write_bytes(other.private_bytes(*form))
    with pytest.raises(BadRequest, match="of another kind than Ed25519"):
        sign(folder, key)


def test_signing_fills_in_what_is_missing(folder: Path, key: Path) -> None:
    public = keygen(key)
    assert sign(folder, key) == [{"id": ID, "revision": 1, "before": None, "key": public}]
    assert set(entry_of(folder).files or {}) == {"embeddings.npy", "metadata.jsonl"}
    assert verify_shards(folder, trusted_keys=[public], require_signature=True) == []


def test_a_revision_only_rises(folder: Path, key: Path) -> None:
    keygen(key)
    assert sign(folder, key)[0]["revision"] == 1
    assert sign(folder, key)[0]["revision"] == 1, "nothing has changed"
    edit(folder, lambda raw: raw.update(license="CC0"))
    assert sign(folder, key)[0]["revision"] == 2
    assert sign(folder, key, "--revision", 5)[0]["revision"] == 5
    with pytest.raises(BadRequest, match="the revision must be 5 or higher"):
        sign(folder, key, "--revision", 4)
    edit(folder, lambda raw: raw.update(license="MIT"))
    with pytest.raises(BadRequest, match="the revision must be 6 or higher"):
        sign(folder, key, "--revision", 5)


def test_nothing_broken_is_signed(folder: Path, key: Path) -> None:
    keygen(key)
    edit_object(folder, 3, title=None)
    before = (folder / NAME).read_bytes()
    with pytest.raises(ShardError, match=f"{METADATA}:3: has no 'title'"):
        sign(folder, key)
    assert (folder / NAME).read_bytes() == before


def test_one_shard_is_signed_by_its_id(folder: Path, key: Path) -> None:
    keygen(key)
    with pytest.raises(NotFound, match=ID):
        sign(folder, key, "--id", "other")
    assert len(sign(folder, key, "--id", ID)) == 1


def test_a_signature_covers_listed_files_only(folder: Path, key: Path) -> None:
    public = keygen(key)
    private = serialization.load_pem_private_key(key.read_bytes(), None)
    value = b64encode(private.sign((folder / NAME).read_bytes())).decode()  # type: ignore[call-arg, union-attr]
    (folder / SIGNATURE).write_text(json.dumps({"key": public, "signature": value}))
    assert any("does not cover 'embeddings.npy'" in str(fault) for fault in verify_shards(folder))
