"""Shards to give away: an archive that ``install`` takes, its checksum, its signature, and a page about it."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import re
import tarfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from ragstone.core import BadRequest
from ragstone.core.runtime import new_file, write_atomically

from .errors import ShardError
from .files import open_regular
from .installation import Refused
from .keys import public_key
from .manifest import NAME, SIGNATURE, Manifest, ShardEntry
from .metadata import read_rows
from .releases import locked
from .signatures import Signer, signed_folder, signer
from .signing import sign_folder
from .verification import verify

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_FEW = 24


@dataclass(frozen=True)
class Contents:
    """What a shard holds: its entry, who signed it, and of its metadata what people ask for first."""

    entry: ShardEntry
    signer: Signer
    #: Neighbouring chunks with one address, or without any one title, count as one article.
    articles: int
    #: Some of the articles, from all over the shard.
    titles: tuple[str, ...]
    bytes: int


@dataclass(frozen=True)
class Archive:
    """A written archive; ``signature`` is the file beside it, where there was a key, and ``key`` its public half."""

    file: Path
    sha256: str
    bytes: int
    shards: tuple[Contents, ...]
    checksum: Path
    signature: Path | None
    key: str | None

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "archive": str(self.file),
            "sha256": self.sha256,
            "bytes": self.bytes,
            "checksum": str(self.checksum),
            "signature": None if self.signature is None else str(self.signature),
            "key": self.key,
            "shards": [
                {**each.entry.as_json(), "articles": each.articles, "unpacked": each.bytes, "signer": each.signer.key}
                for each in self.shards
            ],
        }


def write_archive(
    folder: Path,
    out: Path,
    *,
    only: Sequence[str] = (),
    key: Ed25519PrivateKey | None = None,
    on_file: Callable[[int], Callable[[], None]] = lambda _total: lambda: None,
) -> Archive:
    """Write the folder's shards, or those with the ids ``only``, as an archive into the folder ``out``.

    ``key`` signs the folder as ``sign_folder`` does, and the archive's checksum; without it every shard must be signed
    already. The same shards give the same bytes. ``on_file``: given the number of files, returns what is called after
    each of them. Raises ``Refused``, ``ShardError``, ``NotFound``, ``BadRequest``, ``OSError``.
    """
    _chosen(Manifest.read(folder / NAME), only, folder)  # before anything is signed
    if key is not None:
        sign_folder(folder, key)
    with locked(folder):
        if faults := verify(folder):
            raise Refused(folder, faults)
        manifest = Manifest.read(folder / NAME)
        entries = _chosen(manifest, only, folder)
        signers = [_signer(entry, folder) for entry in entries]
        out.mkdir(parents=True, exist_ok=True)
        name = _file_name(entries, folder)
        with new_file(out / f"{name}.tar.gz") as file:
            _pack(file, name, folder, manifest.model_copy(update={"shards": entries}), on_file)
            file.seek(0)
            sha256 = hashlib.file_digest(cast("Any", file), "sha256").hexdigest()
            size = file.seek(0, io.SEEK_END)
        shards = tuple(_contents(entry, folder, by) for entry, by in zip(entries, signers, strict=True))
    path = out / f"{name}.tar.gz"
    line = f"{sha256}  {path.name}\n".encode()
    checksum, signature = out / f"{path.name}.sha256", out / f"{path.name}.sha256.sig"
    write_atomically(checksum, line)
    if key is None:
        signature.unlink(missing_ok=True)  # it was over another archive
        return Archive(path, sha256, size, shards, checksum, None, None)
    write_atomically(signature, key.sign(line))
    return Archive(path, sha256, size, shards, checksum, signature, public_key(key))


def _chosen(manifest: Manifest, only: Sequence[str], folder: Path) -> tuple[ShardEntry, ...]:
    found = manifest.chosen(only, folder / NAME)
    if not found:
        raise ShardError("lists no shard", file=folder / NAME)
    return found


def _signer(entry: ShardEntry, folder: Path) -> Signer:
    found = signer(entry, folder)
    if found is None:
        raise BadRequest(
            f"shard {entry.id!r} is not signed",
            where=str(folder),
            hint="--key FILE signs it; ragstone wiki keygen makes one",
        )
    return found


def _file_name(entries: Sequence[ShardEntry], folder: Path) -> str:
    """The shard's id and revision; of several the folder's name and the digest of all of theirs."""
    if len(entries) == 1 and _SAFE.fullmatch(entries[0].id):
        return f"{entries[0].id}-r{entries[0].revision or 1}"
    named = folder.resolve().name
    digest = hashlib.sha256(json.dumps([[each.id, each.revision] for each in entries]).encode()).hexdigest()
    return f"{named if _SAFE.fullmatch(named) else 'shards'}-{digest[:8]}"


def _pack(
    file: IO[bytes], name: str, folder: Path, manifest: Manifest, on_file: Callable[[int], Callable[[], None]]
) -> None:
    entries = manifest.shards
    homes = [entry.id if _SAFE.fullmatch(entry.id) else f"shard-{number}" for number, entry in enumerate(entries, 1)]
    moved = [
        entry.changed(embedding_file=f"{home}/{entry.embedding_name}", metadata_file=f"{home}/{entry.metadata_name}")
        for entry, home in zip(entries, homes, strict=True)
    ]
    manifest = manifest.model_copy(update={"shards": tuple(moved)})
    written = on_file(sum(len(entry.paths) for entry in entries))
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=6, mtime=0) as packed,
        tarfile.open(fileobj=cast("IO[bytes]", packed), mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        _add(tar, f"{name}/{NAME}", json.dumps(manifest.as_json(), indent=2, ensure_ascii=False).encode() + b"\n")
        for entry, home in zip(entries, homes, strict=True):
            signed = signed_folder(entry, folder)
            assert signed is not None  # noqa: S101 - for the type checker: its signer is known
            for each in (NAME, SIGNATURE):
                _add(tar, f"{name}/{home}/{each}", (signed / each).read_bytes())
            place = entry.place(folder)
            for each, sums in sorted((entry.files or {}).items()):
                _add_file(tar, f"{name}/{home}/{each}", place.files[each], sums.sha256)
                written()


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(content), 0o644
    tar.addfile(info, io.BytesIO(content))


def _add_file(tar: tarfile.TarFile, name: str, path: Path, sha256: str) -> None:
    """Add the file. Raises ``ShardError`` where it is not the one that was signed any more."""
    with open_regular(path) as source:
        info = tarfile.TarInfo(name)
        info.size, info.mode = os.fstat(source.fileno()).st_size, 0o644
        read = _Hashed(source)
        tar.addfile(info, cast("IO[bytes]", read))
    if read.digest.hexdigest() != sha256:
        raise ShardError("was changed while it was packed", file=path)


class _Hashed:
    """A file whose bytes are hashed as they are read."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        found = self._file.read(size)
        self.digest.update(found)
        return found


def _contents(entry: ShardEntry, folder: Path, by: Signer) -> Contents:
    """Read the titles, a line at a time."""
    place = entry.place(folder)
    articles, address = 0, None
    titles: list[str] = []
    every = max(1, entry.size // _FEW)
    for number, line in enumerate(read_rows(place.metadata)):
        articles += (line["url"] or line["title"]) != address
        address = line["url"] or line["title"]
        if number % every == 0 and line["title"] not in titles[-1:]:
            titles.append(line["title"])
    size = sum(sums.bytes for sums in (entry.files or {}).values())
    return Contents(entry, by, articles, tuple(titles[:_FEW]), size)
