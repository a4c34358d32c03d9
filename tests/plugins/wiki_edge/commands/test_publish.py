"""``ragstone wiki publish``: what it writes, and that others can install and check it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tarfile
from html.parser import HTMLParser
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from ragstone.plugins.wiki_edge.shards import archive
from tests.plugins.wiki_edge.shards.samples import EMBEDDINGS, ID, METADATA, NAME, edit, edit_object, make
from tests.support.third_party_fakes import Here

ABOUT = {"name": "simplewiki <dump>", "date": "2025-12-01", "revision": "7", "sha256": "a" * 64}


@pytest.fixture
def shards(tmp_path: Path) -> Path:
    made = make(tmp_path / "shards", encoder={"model": "all-MiniLM-L6-v2"}, source=ABOUT)
    edit_object(made, 2, title="A <script>alert(1)</script> & \u202esieve")
    return made


@pytest.fixture
def key(here: Here) -> str:
    public: str = json.loads(here("wiki", "keygen", "key.pem", "--json").out)["public_key"]
    return public


class _Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: list[str | None] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value for name, value in attrs if name in {"href", "src"}]

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def test_what_is_published_can_be_checked_and_installed(here: Here, shards: Path, key: str, tmp_path: Path) -> None:
    done = here("wiki", "publish", str(shards), "--to", "public", "--key", "key.pem", "--json")
    assert (done.code, done.err) == (0, "")
    made = json.loads(done.out)
    file = tmp_path / "public" / f"{ID}-r1.tar.gz"
    assert (made["archive"], made["key"]) == (f"public/{file.name}", key)
    assert made["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    (shard,) = made["shards"]
    assert (shard["id"], shard["revision"], shard["size"], shard["articles"], shard["signer"]) == (ID, 1, 24, 24, key)
    assert sorted(path.name for path in file.parent.iterdir()) == [
        f"{ID}-r1.html", file.name, f"{file.name}.sha256", f"{file.name}.sha256.sig",
    ]  # fmt: skip
    (tmp_path / "ragstone.toml").write_text("[plugins.wiki_edge]\nrequire_signature = true\n", "utf-8")
    assert here("wiki", "install", made["archive"]).code == 2, "no key is trusted"
    installed = here("wiki", "install", made["archive"], "--key", key)
    assert installed.out.startswith(f"{ID}: installed, revision 1, signed by {key} (trusted)")
    assert here("wiki", "verify", "--key", key).code == 0


def test_chunks_without_an_address_are_counted_by_their_titles(here: Here, tmp_path: Path) -> None:
    """A shard of a corpus of books has none."""
    here("wiki", "keygen", "key.pem")
    made = make(tmp_path / "shards")
    for line in range(1, 25):
        edit_object(made, line, url="", title=f"Book {(line - 1) // 8}")
    published = json.loads(here("wiki", "publish", str(made), "--to", "public", "--key", "key.pem", "--json").out)
    assert published["shards"][0]["articles"] == 3


def test_the_checksum_and_its_signature_hold(here: Here, shards: Path, key: str, tmp_path: Path) -> None:
    here("wiki", "publish", str(shards), "--to", "public", "--key", "key.pem")
    public = tmp_path / "public"
    checksum, signature = public / f"{ID}-r1.tar.gz.sha256", public / f"{ID}-r1.tar.gz.sha256.sig"
    page = (public / f"{ID}-r1.html").read_text("utf-8")
    (pem,) = re.findall("-----BEGIN PUBLIC KEY-----.*?-----END PUBLIC KEY-----", page, re.DOTALL)
    load_pem_public_key(pem.encode()).verify(signature.read_bytes(), checksum.read_bytes())  # type: ignore[call-arg, union-attr]
    (public / "publisher.pem").write_text(pem + "\n", "utf-8")
    words = f"pkeyutl -verify -pubin -inkey publisher.pem -rawin -in {checksum.name} -sigfile {signature.name}"
    for command in (["sha256sum", "--check", checksum.name], ["openssl", *words.split()]):
        if shutil.which(command[0]):
            subprocess.run(command, cwd=public, check=True, capture_output=True, timeout=60)


def test_the_page_says_what_is_in_it(here: Here, shards: Path, key: str, tmp_path: Path) -> None:
    address = "https://example.org/shards/"
    here("wiki", "publish", str(shards), "--to", "public", "--key", "key.pem", "--address", address, "--title", "A & B")
    raw = (tmp_path / "public" / f"{ID}-r1.html").read_text("utf-8")
    page = _Page(raw)
    assert {"script", "img", "iframe", "link"}.isdisjoint(page.tags)
    assert all(str(link).startswith(ID) for link in page.links)
    archive_sum = hashlib.sha256((tmp_path / "public" / f"{ID}-r1.tar.gz").read_bytes()).hexdigest()
    for words in (
        "A & B", ID, "simplewiki <dump>", "2025-12-01", "a" * 64, "CC-BY-SA-3.0", "household", "all-MiniLM-L6-v2",
        "24 articles", "24 passages", "Tool 7 · Tool 8", "A <script>alert(1)</script> & sieve", key, archive_sum,
        hashlib.sha256((shards / EMBEDDINGS).read_bytes()).hexdigest(),
        f"curl -fO https://example.org/shards/{ID}-r1.tar.gz", f"ragstone wiki install {ID}-r1.tar.gz --key {key}",
    ):  # fmt: skip
        assert words in page.text, words
    assert "\u202e" not in raw


def test_what_is_signed_already_needs_no_key(here: Here, shards: Path, key: str, tmp_path: Path) -> None:
    refused = here("wiki", "publish", str(shards), "--to", "public")
    assert refused.code == 2
    assert "is not signed" in refused.err
    assert not list((tmp_path / "public").glob("*"))
    here("wiki", "sign", str(shards), "--key", "key.pem", "--revision", "3")
    here("wiki", "install", str(shards))
    done = here("wiki", "publish", "--to", "public")
    assert done.out.splitlines() == [f"public/{ID}-r3.tar.gz", f"public/{ID}-r3.tar.gz.sha256", f"public/{ID}-r3.html"]
    again = here("wiki", "install", f"public/{ID}-r3.tar.gz", "--to", "elsewhere", "--key", key)
    assert f"signed by {key} (trusted)" in again.out


def test_one_of_several_is_published(here: Here, shards: Path, key: str, tmp_path: Path) -> None:
    other = make(tmp_path / "other", shard_id="b", seed=3)
    raw = json.loads((shards / NAME).read_text("utf-8"))
    (entry,) = json.loads((other / NAME).read_text("utf-8"))["shards"]
    (other / "b").rename(shards / "b")
    raw["shards"].append({**entry, "id": "b c"})
    (shards / NAME).write_text(json.dumps(raw), "utf-8")
    both = json.loads(here("wiki", "publish", str(shards), "--to", "public", "--key", "key.pem", "--json").out)
    assert [shard["id"] for shard in both["shards"]] == [ID, "b c"]
    one = json.loads(here("wiki", "publish", str(shards), "--to", "public", "--id", "b c", "--json").out)
    assert [shard["id"] for shard in one["shards"]] == ["b c"]
    with tarfile.open(one["archive"]) as tar:
        names = {name.split("/", 1)[1] for name in tar.getnames()}
    assert names == {NAME, *(f"shard-1/{each}" for each in (NAME, f"{NAME}.sig", "embeddings.npy", "metadata.jsonl"))}
    assert f"b c: installed, revision 1, signed by {key} (trusted)" in here(
        "wiki", "install", one["archive"], "--to", "elsewhere", "--key", key
    ).out  # fmt: skip
    assert "there is no shard 'no'" in here("wiki", "publish", str(shards), "--to", "public", "--id", "no").err


def test_the_same_shards_give_the_same_bytes(here: Here, shards: Path, key: str) -> None:
    assert key
    first = json.loads(here("wiki", "publish", str(shards), "--to", "a", "--key", "key.pem", "--json").out)
    os.utime(shards / METADATA, (1, 1))
    second = json.loads(here("wiki", "publish", str(shards), "--to", "b", "--key", "key.pem", "--json").out)
    assert first["sha256"] == second["sha256"]


def test_damage_is_refused_and_nothing_is_left(
    here: Here, shards: Path, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here("wiki", "sign", str(shards), "--key", "key.pem")
    assert key
    monkeypatch.setattr(archive, "verify", lambda _folder: [])  # as if the file changed after it was verified
    edit_object(shards, 4, text="Other words.")
    done = here("wiki", "publish", str(shards), "--to", "public")
    assert (done.code, "was changed while it was packed" in done.err) == (1, True)
    assert not list((tmp_path / "public").iterdir())
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    done = here("wiki", "publish", str(shards), "--to", "public")
    assert done.code == 1
    assert "has the SHA-256" in done.err or "bytes, but the manifest says" in done.err
    edit(shards, lambda entry: entry.update(license="CC0"))
    assert "the signature is not of this content" in here("wiki", "publish", str(shards), "--to", "public").err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nothing", "--to", "public"), "there is no such folder"),
        (("--to", "public"), "there is no such folder"),
        (("shards", "--to", "public", "--address", "javascript:x"), "must begin with https"),
        (("shards", "--to", "public", "--key", "no.pem"), "is missing"),
        (("shards", "--to", "shards/manifest.json", "--key", "key.pem"), "manifest.json"),
    ],
)
def test_what_cannot_be_is_one_line(here: Here, shards: Path, key: str, arguments: tuple[str, ...], words: str) -> None:
    assert shards.is_dir()
    assert key
    done = here("wiki", "publish", *arguments)
    assert done.code in {1, 2}
    assert words in done.err
    assert "Traceback" not in done.err
