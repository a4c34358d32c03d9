"""Keys and signatures."""

from __future__ import annotations

import json
import stat
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from ragstone.core import BadRequest, NotFound
from ragstone.plugins.wiki_edge import ShardError, verify_shards
from ragstone.plugins.wiki_edge.shards.installation import Refused
from ragstone.plugins.wiki_edge.shards.keys import Locked, keygen, public_key, read_key
from ragstone.plugins.wiki_edge.shards.signatures import signer
from ragstone.plugins.wiki_edge.shards.signing import sign_folder

from .samples import ID, METADATA, NAME, SIGNATURE, edit, edit_object, entry_of, make

if TYPE_CHECKING:
    from pathlib import Path


def test_a_key_is_its_owners_alone(tmp_path: Path) -> None:
    public = keygen(tmp_path / "key.pem")
    assert stat.S_IMODE((tmp_path / "key.pem").stat().st_mode) == 0o600
    assert public_key(read_key(tmp_path / "key.pem")) == public
    assert len(b64decode(public)) == 32
    with pytest.raises(BadRequest, match="a key is never overwritten"):
        keygen(tmp_path / "key.pem")
    (tmp_path / "key.pem").chmod(0o640)
    with pytest.raises(BadRequest, match="others may read this private key"):
        read_key(tmp_path / "key.pem")


def test_a_key_with_a_passphrase_needs_it(tmp_path: Path) -> None:
    public = keygen(tmp_path / "key.pem", "correct horse")
    assert b"ENCRYPTED" in (tmp_path / "key.pem").read_bytes()
    with pytest.raises(Locked):
        read_key(tmp_path / "key.pem")
    with pytest.raises(BadRequest, match="not with this passphrase"):
        read_key(tmp_path / "key.pem", "wrong horse")
    assert public_key(read_key(tmp_path / "key.pem", "correct horse")) == public


def test_a_passphrase_too_many_does_no_harm(tmp_path: Path) -> None:
    public = keygen(tmp_path / "key.pem")
    assert public_key(read_key(tmp_path / "key.pem", "needless")) == public


def test_what_is_no_key_of_ours_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    with pytest.raises(BadRequest, match="the key is missing"):
        read_key(path)
    path.write_text("no key")
    path.chmod(0o600)
    with pytest.raises(BadRequest, match="is not a private key in PEM"):
        read_key(path)
    other = rsa.generate_private_key(65537, 2048)
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(other.private_bytes(*form))
    with pytest.raises(BadRequest, match="of another kind than Ed25519"):
        read_key(path)


def test_signing_fills_in_what_is_missing(tmp_path: Path) -> None:
    folder = make(tmp_path / "shards")
    public = keygen(tmp_path / "key.pem")
    (result,) = sign_folder(folder, read_key(tmp_path / "key.pem"))
    assert (result.id, result.revision, result.before, result.key) == (ID, 1, None, public)
    entry = entry_of(folder)
    assert set(entry.files or {}) == {"embeddings.npy", "metadata.jsonl"}
    assert signer(entry, folder) == signer(entry, folder, [])
    assert str(signer(entry, folder, [public])) == f"{public} (trusted)"
    assert verify_shards(folder, trusted_keys=[public], require_signature=True) == []


def test_a_revision_only_rises(tmp_path: Path) -> None:
    folder = make(tmp_path / "shards")
    keygen(tmp_path / "key.pem")
    key = read_key(tmp_path / "key.pem")
    assert sign_folder(folder, key)[0].revision == 1
    assert sign_folder(folder, key)[0].revision == 1, "nothing has changed"
    edit(folder, lambda raw: raw.update(license="CC0"))
    assert sign_folder(folder, key)[0].revision == 2
    assert sign_folder(folder, key, revision=5)[0].revision == 5
    with pytest.raises(BadRequest, match="the revision must be 5 or higher"):
        sign_folder(folder, key, revision=4)
    edit(folder, lambda raw: raw.update(license="MIT"))
    with pytest.raises(BadRequest, match="the revision must be 6 or higher"):
        sign_folder(folder, key, revision=5)


def test_nothing_broken_is_signed(tmp_path: Path) -> None:
    folder = make(tmp_path / "shards")
    keygen(tmp_path / "key.pem")
    edit_object(folder, 3, title=None)
    before = (folder / NAME).read_bytes()
    with pytest.raises(Refused, match=f"{METADATA}:3: has no 'title'"):
        sign_folder(folder, read_key(tmp_path / "key.pem"))
    assert (folder / NAME).read_bytes() == before


def test_one_shard_is_signed_by_its_id(tmp_path: Path) -> None:
    folder = make(tmp_path / "shards")
    keygen(tmp_path / "key.pem")
    with pytest.raises(NotFound, match=ID):
        sign_folder(folder, read_key(tmp_path / "key.pem"), only="other")
    assert len(sign_folder(folder, read_key(tmp_path / "key.pem"), only=ID)) == 1


def test_a_signature_covers_listed_files_only(tmp_path: Path) -> None:
    folder = make(tmp_path / "shards")
    keygen(tmp_path / "key.pem")
    key = read_key(tmp_path / "key.pem")
    value = b64encode(key.sign((folder / NAME).read_bytes())).decode()
    (folder / SIGNATURE).write_text(json.dumps({"key": public_key(key), "signature": value}))
    with pytest.raises(ShardError, match=r"does not cover 'embeddings\.npy'"):
        signer(entry_of(folder), folder)
