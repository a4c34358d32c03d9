"""``ragstone wiki verify | keygen | sign | install | info``: what each prints, where, and with which exit code."""

from __future__ import annotations

import json
import os
import shlex
import tarfile
from pathlib import Path

import pytest

from tests.plugins.wiki_edge.shards.samples import EMBEDDINGS, ID, METADATA, NAME, edit, edit_object, make
from tests.support.third_party_fakes import Here


@pytest.fixture
def shards(tmp_path: Path) -> Path:
    return make(tmp_path / "shards", encoder={"model": "all-MiniLM-L6-v2", "fingerprint": "f"})


@pytest.fixture
def key(here: Here, tmp_path: Path) -> str:
    """The public half of a key in ``key.pem``."""
    public: str = json.loads(here("wiki", "keygen", "key.pem", "--json").out)["public_key"]
    return public


def _toml(tmp_path: Path, text: str) -> None:
    (tmp_path / "ragstone.toml").write_text(f"[plugins.wiki_edge]\n{text}\n", "utf-8")


def test_the_whole_way_from_a_folder_to_a_robot(here: Here, shards: Path, key: str, tmp_path: Path) -> None:
    assert here("wiki", "sign", str(shards), "--key", "key.pem").out == f"{ID}: revision 1, signed by {key}\n"
    with tarfile.open("release.tar.gz", "w:gz") as tar:
        tar.add(shards, "release")
    _toml(tmp_path, f'trusted_keys = ["{key}"]\nrequire_signature = true')
    done = here("wiki", "install", "release.tar.gz")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(
        f"{ID}: installed, revision 1, signed by {key} (trusted), in {tmp_path / 'data' / 'wiki'}"
    )
    assert here("wiki", "install", "release.tar.gz").out.startswith(f"{ID}: is installed already, revision 1")
    done = here("wiki", "verify")
    assert (done.code, done.err) == (0, "")
    assert "is whole: 1 shard, 24 rows, " in done.out
    assert f"  {ID}: signed by {key} (trusted)\n" in done.out
    (shown,) = json.loads(here("wiki", "info", "--json").out)
    assert (shown["folder"], shown["version"]) == (str(tmp_path / "data" / "wiki"), "2025-12-11")
    (shard,) = shown["shards"]
    assert (shard["id"], shard["kind"], shard["rows"], shard["revision"]) == (ID, "wiki", 24, 1)
    assert (shard["trusted"], shard["key"], shard["encoder"]["model"]) == (True, key, "all-MiniLM-L6-v2")
    table = here("wiki", "info").out
    for cell in (ID, "24", "en", "household", "CC-BY-SA-3.0", f"{key[:12]}… (trusted)", "all-MiniLM-L6-v2"):
        assert cell in table


def test_verify_names_every_fault_and_fails(here: Here, shards: Path) -> None:
    edit_object(shards, 3, title=None)
    edit_object(shards, 9, id="")
    done = here("wiki", "verify", str(shards))
    assert done.code == 1
    assert done.out == f"{METADATA}:3: has no 'title'\n{METADATA}:9: its 'id' is empty\n"
    assert done.err == f"ragstone: {shards} is not whole\n"
    done = here("wiki", "verify", str(shards), "--json")
    result = json.loads(done.out)
    assert (done.code, result["ok"], done.err) == (1, False, "")
    assert result["faults"][1] == {
        "file": METADATA, "line": 9, "row": None, "shard": ID, "reason": "its 'id' is empty"
    }  # fmt: skip


def test_verify_says_what_it_could_not_compare(here: Here, shards: Path) -> None:
    done = here("wiki", "verify", str(shards))
    assert (done.code, done.err) == (0, "")
    assert f"  {ID}: not signed; no checksums to compare with\n" in done.out
    assert json.loads(here("wiki", "verify", str(shards), "--json").out)["shards"][0]["checksums"] is False


def test_verify_takes_a_manifest_too(here: Here, shards: Path) -> None:
    assert here("wiki", "verify", str(shards / NAME)).code == 0


def test_verify_of_nothing(here: Here, tmp_path: Path) -> None:
    done = here("wiki", "verify", "nothing")
    assert (done.code, done.out) == (2, "")
    assert "there is no such folder" in done.err


def test_a_document_does_not_command_the_terminal(here: Here, shards: Path) -> None:
    edit(shards, lambda raw: raw.update(license="\x1b[2JCC0", encoder={"model": "\x1b]0;x\x07"}))
    for command in (("info",), ("verify",), ("info", "--json")):
        assert "\x1b" not in here("wiki", *command, str(shards)).out


def test_a_refused_installation_names_the_fault_and_keeps_what_served(here: Here, shards: Path) -> None:
    here("wiki", "install", str(shards))
    before = here("wiki", "info", "--json").out
    os.truncate(shards / EMBEDDINGS, 1000)
    edit_object(shards, 2, url=3)
    done = here("wiki", "install", str(shards))
    assert (done.code, done.out) == (1, "")
    assert f"{METADATA}:2: its 'url' is not a string\n" in done.err
    assert f"ragstone: {shards}: {EMBEDDINGS}: is truncated: it has 1,000 bytes" in done.err
    assert "nothing was changed" in done.err
    assert here("wiki", "info", "--json").out == before


def test_an_unsigned_shard_where_signatures_are_required(here: Here, shards: Path, key: str, tmp_path: Path) -> None:
    _toml(tmp_path, f'trusted_keys = ["{key}"]\nrequire_signature = true')
    done = here("wiki", "install", str(shards))
    assert (done.code, done.out) == (1, "")
    assert f"shard '{ID}' is not signed" in done.err
    assert here("wiki", "verify", str(shards)).code == 1


def test_settings_that_trust_nobody_or_no_key(here: Here, shards: Path, tmp_path: Path) -> None:
    _toml(tmp_path, "require_signature = true")
    done = here("wiki", "install", str(shards))
    assert (done.code, done.out) == (2, "")
    assert "require_signature is set, but no key is trusted" in done.err
    _toml(tmp_path, 'trusted_keys = ["abc"]')
    done = here("wiki", "verify", str(shards))
    assert (done.code, done.out) == (2, "")
    assert "trusted_keys: 'abc'" in done.err


def test_install_to_another_folder(here: Here, shards: Path, tmp_path: Path) -> None:
    done = here("wiki", "install", str(shards), "--to", "robot", "--json")
    (result,) = json.loads(done.out)
    assert (result["id"], result["what"], result["signer"]) == (ID, "installed", None)
    assert here("wiki", "verify", "robot").code == 0
    assert not (tmp_path / "data" / "wiki").exists()


def test_what_is_unpacked_has_a_limit(here: Here, tmp_path: Path) -> None:
    folder = make(tmp_path / "shards")
    os.truncate(folder / EMBEDDINGS, 3 * 2**30)  # a hole: it takes no room
    done = here("wiki", "install", str(folder), "--max-gb", "2")
    assert (done.code, done.out) == (1, "")
    assert "has more than 2,000 MB" in done.err


def test_info_of_nothing(here: Here, tmp_path: Path) -> None:
    done = here("wiki", "info")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        f"No shard is installed in {tmp_path / 'data' / 'wiki'}. Install one: ragstone wiki install ARCHIVE\n"
    )
    assert json.loads(here("wiki", "info", "--json").out) == []


def test_info_says_which_files_are_missing(here: Here, shards: Path) -> None:
    (shards / EMBEDDINGS).unlink()
    assert "1 file missing" in here("wiki", "info", str(shards)).out
    assert json.loads(here("wiki", "info", str(shards), "--json").out)[0]["shards"][0]["missing"] == ["embeddings.npy"]


def test_info_says_that_a_signature_does_not_hold(here: Here, shards: Path, key: str) -> None:
    here("wiki", "sign", str(shards), "--key", "key.pem")
    edit(shards, lambda raw: raw.update(license="CC0"))
    assert "signature does not hold" in here("wiki", "info", str(shards)).out


def test_a_private_key_is_never_printed(here: Here, shards: Path, tmp_path: Path) -> None:
    done = here("wiki", "keygen", "key.pem")
    private = (tmp_path / "key.pem").read_text().splitlines()[1]
    assert (done.code, done.err) == (0, "")
    assert 'trusted_keys = ["' in done.out
    output = done.out + here("wiki", "sign", str(shards), "--key", "key.pem").out
    assert private not in output


@pytest.mark.parametrize("name", ["info", "install", "keygen", "sign", "verify"])
def test_the_help_has_an_example_that_can_be_parsed(here: Here, name: str) -> None:
    text = " ".join(here("wiki", name, "--help").out.split())
    example = text.partition("Example: ragstone ")[2]
    assert example.startswith(f"wiki {name} ")
    asked = here(*shlex.split(example.replace("~/", "./")))
    assert "No such" not in asked.err
    assert "Usage:" not in asked.err or "does not exist" in asked.err
