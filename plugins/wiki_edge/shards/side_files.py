"""Side files make a shard quick to search; of a shard without them they are made in the cache.

| purpose | file |
|---|---|
| ``offsets`` | where each line of the metadata begins, and their end: uint64 [rows + 1] |
| ``codes``, ``centre`` | see ``codes`` |
| ``clusters``, ``cluster_starts``, ``cluster_order`` | of large shards; see ``clusters`` |
| ``terms``, ``term_rows``, ``term_weights`` | see ``postings`` |
| ``packed``, ``packed_starts`` | each row's packed terms for reranking: uint32 [numbers], uint64 [rows + 1] |
| ``domains``, ``row_domains`` | the domains that rows name, a JSON list ("" for none); each row's: uint16 [rows] |
| ``rest`` | lines of chunks without vectors; where there are some, ``rest_offsets`` … ``rest_row_domains`` of them |
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Any

from filelock import FileLock, Timeout

from ragstone.core import StorageError
from ragstone.core.runtime import OwnedFolders
from ragstone.core.text import pack

from . import clusters, codes
from .errors import ShardError
from .file_arrays import FileArray, GrowingArray
from .files import open_regular
from .manifest import ShardEntry, ShardPlace
from .metadata import LONGEST_LINE, read_line
from .postings import PostingsWriter
from .releases import sync_tree
from .writer import REST

_log = logging.getLogger(__name__)

#: In each folder: the stamps of what its files were made of.
_RECORD = "made-of.json"
#: Side files that are being made; older ones were left by a process that died.
MAKING = "making-"
_LONGEST_MAKING = 24 * 3600


def stamp(path: Path) -> list[Any]:
    """Changes whenever the file does. Raises ``OSError``."""
    about = path.stat()
    return [str(path), about.st_size, about.st_mtime_ns, about.st_ino]


def clear(cache: Path) -> None:
    """Remove what was made of files that are not there any more, or not as they were.

    A process that has them open reads on. What cannot be removed is tried again another time.
    """
    folders = side_file_folders(cache)
    for path in cache.glob(f"*/{_RECORD}"):
        folder = path.parent
        if not folders.owns(folder.name):
            continue
        with suppress(OSError, Timeout), FileLock(cache / f"{folder.name}.lock", timeout=0) as lock:
            if _is_stale(path):
                _log.info("removing the side files in %s: their shard is gone", folder)
                path.unlink()  # from here on they count no more, whatever happens
                folders.remove(folder.name)
                Path(lock.lock_file).unlink()
    for scratch in cache.glob(f"{MAKING}*"):
        with suppress(OSError):
            if folders.owns(scratch.name) and time.time() - scratch.stat().st_mtime > _LONGEST_MAKING:
                folders.remove(scratch.name)


def side_file_folders(cache: Path) -> OwnedFolders:
    """The folders of side files in the cache."""
    return OwnedFolders(
        cache, "side files", r"(made-of|(rest-)?domains)\.json|[a-z-]+\.npy|postings-\d+\.part", home=cache.parent
    )


def _is_stale(record: Path) -> bool:
    try:
        stamps = [part for part in json.loads(record.read_bytes()) if isinstance(part, list)]
        return any(stamp(Path(str(each[0]))) != each for each in stamps)
    except FileNotFoundError:
        return True
    except (OSError, ValueError):
        return False  # nothing is known about it


_VECTORS = {"codes": "codes.npy", "centre": "centre.npy"}
TEXT_NAMES = {
    "offsets": "offsets.npy",
    "terms": "terms.npy",
    "term_rows": "term-rows.npy",
    "term_weights": "term-weights.npy",
    "packed": "packed.npy",
    "packed_starts": "packed-starts.npy",
    "domains": "domains.json",
    "row_domains": "row-domains.npy",
}
NAMES = _VECTORS | TEXT_NAMES
#: The same of the chunks without vectors.
REST_NAMES = {purpose: f"rest-{name}" for purpose, name in TEXT_NAMES.items()}
#: Of shards with more rows than ``clusters.LARGE``.
_CLUSTERS = {"clusters": "clusters.npy", "cluster_starts": "cluster-starts.npy", "cluster_order": "cluster-order.npy"}
#: Raised whenever the same shard would get other side files.
_VERSION = 1
MOST_DOMAINS = 10_000


def make_side_files(folder: Path, entry: ShardEntry) -> dict[str, str]:
    """Write all of them into the shard's folder; purpose → file name.

    Memory: a line of the metadata, a block of rows and some 30 MB, whatever the size. Raises ``ShardError``.
    """
    rest = folder / REST if (folder / REST).exists() else None
    _make(folder / entry.embedding_name, folder / entry.metadata_name, rest, entry.size, folder)
    return _names(entry.size, rest) | ({"rest": REST} if rest else {})


def headings_of(row: Mapping[str, Any]) -> str:
    """A row's headings: the article's title and, where it is known, the section's."""
    heading = row.get("heading")
    return f"{row['title']}\n{heading}" if isinstance(heading, str) and heading else str(row["title"])


def _names(rows: int, rest: Path | None) -> dict[str, str]:
    return (
        NAMES
        | (_CLUSTERS if rows > clusters.LARGE else {})
        | ({f"rest_{purpose}": name for purpose, name in REST_NAMES.items()} if rest else {})
    )


def of_rest(sides: Mapping[str, Path]) -> dict[str, Path]:
    """The side files of the chunks without vectors, by the purposes that they have for the others."""
    return {purpose: sides[f"rest_{purpose}"] for purpose in TEXT_NAMES}


def side_files(entry: ShardEntry, place: ShardPlace, cache: Path) -> dict[str, Path]:
    """All of them: the shard's own, or such as were made in the cache. Raises ``ShardError`` and ``StorageError``."""
    own = {purpose: place.side_files.get(purpose) for purpose in _names(entry.size, place.side_files.get("rest"))}
    if all(path is not None and path.is_file() for path in own.values()):
        return {purpose: path for purpose, path in own.items() if path is not None}
    return _from_cache(entry, place, cache)


def _from_cache(entry: ShardEntry, place: ShardPlace, cache: Path) -> dict[str, Path]:
    made_of = _identity(entry, place)
    folder = cache / sha256(json.dumps(made_of).encode()).hexdigest()[:24]
    is_new, folders = False, side_file_folders(cache)
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with FileLock(cache / f"{folder.name}.lock"):
            if not (folder / _RECORD).is_file():
                folders.remove(folder.name)  # half removed
                _log.info("making the side files of shard %s, which has none, in %s", entry.id, folder)
                scratch = folders.make(f"{MAKING}{token_hex(4)}")
                try:
                    _make(place.embeddings, place.metadata, place.side_files.get("rest"), entry.size, scratch)
                    (scratch / _RECORD).write_text(json.dumps(made_of), "utf-8")
                    folders.mark(scratch, folder.name)
                    scratch.rename(folder)
                finally:
                    folders.remove(scratch.name)
                is_new = True
        if is_new:
            clear(cache)
    except OSError as error:
        raise StorageError(
            f"side files cannot be made there: {error.strerror or error}",
            where=str(cache),
            hint="make space, or set RAGSTONE_CACHE_DIR",
        ) from error
    return {purpose: folder / name for purpose, name in _names(entry.size, place.side_files.get("rest")).items()}


def _identity(entry: ShardEntry, place: ShardPlace) -> list[Any]:
    """Changes whenever the shard's files may have changed."""
    found: list[Any] = [_VERSION, entry.size]
    for path in filter(None, (place.embeddings, place.metadata, place.side_files.get("rest"))):
        try:
            found.append(stamp(path))
        except OSError as error:
            raise ShardError("is missing", file=path) from error
    return found


def _make(embeddings: Path, metadata: Path, rest: Path | None, rows: int, folder: Path) -> None:
    vectors, order = FileArray(embeddings, dtype="<f4", ndim=2), None
    if rows > clusters.LARGE:
        order = clusters.make(vectors, *(folder / name for name in _CLUSTERS.values()))
    codes.make(vectors, folder / NAMES["codes"], folder / NAMES["centre"], order)
    count = _make_texts(metadata, {purpose: folder / name for purpose, name in TEXT_NAMES.items()})
    if count != rows:
        raise ShardError(f"has {count:,} lines and the shard {rows:,} rows", file=metadata, line=count)
    if rest is not None:
        _make_texts(rest, {purpose: folder / name for purpose, name in REST_NAMES.items()})
    sync_tree(folder)


def _make_texts(metadata: Path, paths: Mapping[str, Path]) -> int:
    """The side files of these lines; how many lines there are."""
    postings = PostingsWriter(paths["terms"].parent)
    named: dict[str, int] = {}
    offset = count = 0
    with (
        open_regular(metadata) as lines,
        GrowingArray(paths["offsets"], "<u8") as offsets,
        GrowingArray(paths["row_domains"], "<u2") as row_domains,
        # Merging brings these.
        nullcontext() if paths["packed"].exists() else GrowingArray(paths["packed"], "<u4") as packed,
        nullcontext() if packed is None else GrowingArray(paths["packed_starts"], "<u8") as starts,
    ):
        while line := lines.readline(LONGEST_LINE + 1):
            count += 1
            row = read_line(line, metadata, count)
            above, text = headings_of(row), row["text"]
            postings.add(above, text)
            offsets.add([offset])
            if packed is not None and starts is not None:
                starts.add([len(packed)])
                packed.add_bytes(pack(above, text))
            row_domains.add([named.setdefault(row.get("domain") or "", len(named))])
            if len(named) > MOST_DOMAINS:
                raise ShardError(f"names more than {MOST_DOMAINS:,} domains", file=metadata, line=count)
            offset += len(line)
        offsets.add([offset])
        if packed is not None and starts is not None:
            starts.add([len(packed)])
    paths["domains"].write_text(json.dumps(list(named)), "utf-8")
    postings.finish(*(paths[name] for name in ("terms", "term_rows", "term_weights")))
    return count
