"""``manifest.json``: which shards there are, and what each is made of.

The specification's fields are required, our own optional, and unknown ones are kept. So manifests of other programs
load here, and ours there.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator

from ragstone.core import NotFound
from ragstone.core.runtime import parse_json, write_atomically

from .errors import ShardError
from .files import inside, open_regular, plain_name, relative_name

NAME = "manifest.json"
#: Beside it: the signature of its bytes.
SIGNATURE = f"{NAME}.sig"
_LARGEST = 16 * 2**20
#: Each of them is read once: a hostile manifest may list many.
_MOST_SHARDS = 1000
_MOST_FILES = 1000
_HINT = 'a manifest is {"version": "2026-01-31", "shards": [{"id": …, "kind": "wiki", "dim": …, "size": …, …}]}'

RelativeName = Annotated[str, AfterValidator(relative_name)]
PlainName = Annotated[str, AfterValidator(plain_name)]


class _Part(BaseModel):
    """Types as they are written, unknown keys kept, nothing changed after reading."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True, hide_input_in_errors=True)


class Source(_Part):
    """What a shard was built from."""

    name: str
    revision: str | None = None
    date: str | None = None
    sha256: str | None = None


class EncoderName(_Part):
    """The encoder that made the rows; ``fingerprint`` is that of ragstone's ``Encoder``."""

    model: str
    fingerprint: str | None = None


class FileSum(_Part):
    """Checksum and size of a file."""

    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    bytes: int = Field(ge=0)


class ShardEntry(_Part):
    """One shard. Paths are relative to the manifest's folder; ``place`` makes them absolute and checks them."""

    id: str = Field(min_length=1, max_length=200)
    kind: Literal["wiki", "episodic"]
    #: Values in a row, and rows.
    dim: int = Field(ge=1, le=65536)
    size: int = Field(ge=0, lt=2**40)
    embedding_file: RelativeName
    metadata_file: RelativeName
    license: str
    language: str | None = None
    domain: str | None = None
    #: Only rises; it is covered by the signature.
    revision: int | None = Field(default=None, ge=1, lt=2**53)
    built: str | None = None
    source: Source | None = None
    encoder: EncoderName | None = None
    #: Every file of the shard by its name relative to the shard's folder, the metadata by their bare name.
    files: dict[PlainName, FileSum] | None = Field(default=None, max_length=_MOST_FILES)
    #: Purpose → name relative to the shard's folder; an unknown purpose is ignored.
    side_files: dict[str, PlainName] | None = Field(default=None, max_length=_MOST_FILES)

    @field_validator("id")
    @classmethod
    def _printable(cls, value: str) -> str:
        if not value.isprintable() or value != value.strip():
            raise ValueError("holds control characters, or spaces at an end")
        return value

    @property
    def embedding_name(self) -> str:
        """The embeddings' bare file name, by which ``files`` knows them."""
        return PurePosixPath(self.embedding_file).name

    @property
    def metadata_name(self) -> str:
        """The metadata's bare file name, by which ``files`` knows them."""
        return PurePosixPath(self.metadata_file).name

    @property
    def paths(self) -> dict[str, str]:
        """Every file: its name in ``files`` → its path relative to the manifest's folder."""
        beside = PurePosixPath(self.embedding_file).parent
        own = {self.embedding_name: self.embedding_file, self.metadata_name: self.metadata_file}
        names = [*(self.files or {}), *(self.side_files or {}).values()]
        return {**{name: str(beside / name) for name in names}, **own}

    def as_json(self) -> dict[str, Any]:
        """The entry as it is written: the given fields only."""
        return self.model_dump(mode="json", exclude_unset=True)

    def changed(self, **fields: Any) -> ShardEntry:
        """A copy with other fields; ``None`` takes a field out. Raises ``ShardError``."""
        kept = {**self.as_json(), **fields}
        return self.of({name: value for name, value in kept.items() if name not in fields or value is not None})

    @staticmethod
    def of(raw: object) -> ShardEntry:
        """The entry that a JSON object describes. Raises ``ShardError`` with the field and the reason."""
        return Manifest.of({"version": "", "shards": [raw]}).shards[0]

    def place(self, root: Path) -> ShardPlace:
        """Where the files are, for a manifest in the folder ``root``.

        Raises ``ShardError`` when a path leads out of ``root``, through a symbolic link or otherwise. Whether the
        files are there is found out by opening them.
        """
        if self.embedding_name == self.metadata_name:
            raise ShardError("embeddings and metadata have the same file name", file=root / self.metadata_file)
        files = {name: inside(root, path) for name, path in self.paths.items()}
        sides = {purpose: files[name] for purpose, name in (self.side_files or {}).items()}
        embeddings = files[self.embedding_name]
        return ShardPlace(embeddings.parent, embeddings, files[self.metadata_name], sides, files)


@dataclass(frozen=True)
class ShardPlace:
    """Where a shard's files are: absolute, links resolved, all inside the manifest's folder."""

    folder: Path
    embeddings: Path
    metadata: Path
    side_files: dict[str, Path]
    #: Every file that the entry names, by its name in ``files``.
    files: dict[str, Path]


class Manifest(_Part):
    """The shards of one folder."""

    version: str
    shards: tuple[ShardEntry, ...] = Field(max_length=_MOST_SHARDS, strict=False)

    @field_validator("shards")
    @classmethod
    def _each_once(cls, shards: tuple[ShardEntry, ...]) -> tuple[ShardEntry, ...]:
        duplicate = next((name for name, count in Counter(shard.id for shard in shards).items() if count > 1), None)
        if duplicate is not None:
            raise ValueError(f"names the shard {duplicate!r} twice")
        return shards

    @classmethod
    def read(cls, path: Path) -> Self:
        """The manifest in that file. Raises ``ShardError`` with the file, the line or the shard, and the reason."""
        with open_regular(path) as file:
            # Asked for more than there is, Python would take that much memory.
            raw = file.read(min(os.fstat(file.fileno()).st_size, _LARGEST) + 1)
        if len(raw) > _LARGEST:
            raise ShardError(f"is larger than {_LARGEST >> 20} MB", file=path)
        try:
            value = parse_json(raw.decode())
        except UnicodeDecodeError as error:
            line = raw.count(b"\n", 0, error.start) + 1
            raise ShardError(f"is not UTF-8 at byte {error.start}", file=path, line=line) from error
        except json.JSONDecodeError as error:
            raise ShardError(f"is not JSON: {error.msg}", file=path, line=error.lineno, hint=_HINT) from error
        except ValueError as error:
            raise ShardError(str(error), file=path) from error
        return cls.of(value, file=path)

    @classmethod
    def of(cls, value: object, *, file: Path | str | None = None) -> Self:
        """The manifest that a JSON object describes. Raises ``ShardError``."""
        try:
            return cls.model_validate(value)
        except ValidationError as error:
            raise _explained(error, value, file) from error

    def as_json(self) -> dict[str, Any]:
        """The manifest as it is written."""
        own = self.model_dump(mode="json", exclude_unset=True, exclude={"shards"})
        return {**own, "shards": [shard.as_json() for shard in self.shards]}

    def write(self, path: Path) -> None:
        """Write it atomically. Raises ``OSError``."""
        write_atomically(path, json.dumps(self.as_json(), indent=2, ensure_ascii=False).encode() + b"\n")

    def shard(self, shard_id: str) -> ShardEntry | None:
        """The shard with that id."""
        return next((shard for shard in self.shards if shard.id == shard_id), None)

    def chosen(self, ids: Collection[str], path: Path) -> tuple[ShardEntry, ...]:
        """The shards with these ids, or all. Raises ``NotFound`` for an unknown one, with the manifest's ``path``."""
        for name in ids:
            if self.shard(name) is None:
                known = ", ".join(entry.id for entry in self.shards)
                raise NotFound(f"there is no shard {name[:80]!r}", where=str(path), hint=f"there are: {known}")
        return tuple(entry for entry in self.shards if not ids or entry.id in ids)

    def with_shard(self, entry: ShardEntry) -> Self:
        """A copy with the entry in place of the one with its id, or at the end."""
        shards = [entry if shard.id == entry.id else shard for shard in self.shards]
        if self.shard(entry.id) is None:
            shards.append(entry)
        return self.model_copy(update={"shards": tuple(shards)})


def _explained(error: ValidationError, value: Any, file: Path | str | None) -> ShardError:
    """The first fault in one line; with an example where a field is missing."""
    fault = error.errors(include_url=False, include_input=False)[0]
    place, named = [part for part in fault["loc"] if part != "[key]"], ""
    if place[:1] == ["shards"] and len(place) > 1:
        entry = value["shards"][place[1]]
        name = entry.get("id") if isinstance(entry, dict) else None
        named = f"entry {int(place[1]) + 1}, shard {str(name or '')[:80]!r}: "
        place = place[2:]
    key = ".".join(str(part)[:80] for part in place)
    reason = f"{key}: {fault['msg']}" if key else fault["msg"]
    hint = _HINT if fault["type"] in {"missing", "model_type"} else None
    return ShardError(named + reason.replace("Value error, ", "", 1), file=file, hint=hint)
