"""Lines of metadata: read, and checked for one whole object each and no id twice."""

from __future__ import annotations

from array import array
from hashlib import blake2b, sha256
from itertools import islice
from json import JSONDecodeError
from secrets import token_bytes
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from .errors import ShardError
from .files import open_regular
from .strict_json import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from .manifest import ShardEntry

#: Bytes that a line may have; a chunk of 1,024 tokens has some 8,000.
LONGEST_LINE = 2**20
REQUIRED = ("id", "title", "url", "text", "license")
_MOST_TWINS = 1000


def read_line(raw: bytes, file: Path | str | None = None, line: int | None = None) -> dict[str, Any]:
    """The object in a line of metadata. Raises ``ShardError`` with the reason, and the place where it is given."""
    reason = None
    try:
        value = parse(raw.decode())
    except UnicodeDecodeError as error:
        reason = f"is not UTF-8 at its byte {error.start}"
    except JSONDecodeError as error:
        reason = f"is not JSON: {error.msg} at character {error.pos + 1}" if raw.strip() else "is blank"
    except ValueError as error:
        reason = str(error)
    else:
        reason = _wrong_with(value)
    if reason is not None:
        raise ShardError(reason, file=file, line=line)
    found: dict[str, Any] = value
    return found


def _wrong_with(value: object) -> str | None:
    if not isinstance(value, dict):
        return "is not a JSON object"
    for name in REQUIRED:
        if name not in value:
            return f"has no {name!r}"
        if not isinstance(value[name], str):
            return f"its {name!r} is not a string"
    if not value["id"]:
        return "its 'id' is empty"
    return None if isinstance(value.get("domain", ""), str | None) else "its 'domain' is not a string"


def check_lines(path: Path, entry: ShardEntry, found: Callable[[ShardError], None]) -> str | None:
    """Call ``found`` for every faulty line.

    Returns the file's SHA-256, ``None`` when it could not be read to its end. Memory: a line, and sixteen bytes for
    each line to see whether its id has been there.
    """
    digest, salt = sha256(), token_bytes(16)
    prints = array("Q")
    count = 0
    try:
        with open_regular(path) as file:
            for count, (raw, is_whole) in enumerate(_raw_lines(file, digest.update), 1):
                if not is_whole:
                    found(ShardError(f"is longer than {LONGEST_LINE >> 20} MB", file=path, line=count))
                    continue
                try:
                    identity = read_line(raw, path, count)["id"]
                except ShardError as error:
                    found(error)
                    continue
                if count <= entry.size:
                    prints.append(_print(identity, salt))
            if count != entry.size:
                found(ShardError(f"has {count} lines, but the manifest says size {entry.size}", file=path))
            twins = _twins(prints)
            if twins:
                file.seek(0)
                for line, identity, first in _repeated(file, twins, salt):
                    reason = f"its id {identity[:80]!r} is that of line {first} already"
                    found(ShardError(reason, file=path, line=line))
    except ShardError as error:
        found(error)
        return None
    except OSError as error:
        found(ShardError(f"cannot be read: {error.strerror}", file=path))
        return None
    return digest.hexdigest()


def _raw_lines(file: BinaryIO, seen: Callable[[bytes], None]) -> Iterator[tuple[bytes, bool]]:
    """Each line's bytes and whether that is all of it; ``seen`` is given every byte of the file."""
    while raw := file.readline(LONGEST_LINE):
        seen(raw)
        is_whole = raw.endswith(b"\n") or len(raw) < LONGEST_LINE
        while not raw.endswith(b"\n"):
            rest = file.readline(LONGEST_LINE)
            if not rest:
                break
            seen(rest)
            raw = rest
        yield raw, is_whole


def _print(identity: str, salt: bytes) -> int:
    """Eight bytes for an id; salted, so that no collision can be prepared."""
    return int.from_bytes(blake2b(identity.encode(), digest_size=8, key=salt).digest(), "little")


def _twins(prints: array[int]) -> set[int]:
    ordered = np.sort(np.frombuffer(prints, dtype=np.uint64)) if prints else np.empty(0, dtype=np.uint64)
    return {int(twin) for twin in islice(np.unique(ordered[1:][ordered[1:] == ordered[:-1]]), _MOST_TWINS)}


def _repeated(file: BinaryIO, twins: set[int], salt: bytes) -> Iterator[tuple[int, str, int]]:
    """Line, id, and the line where that id stood first."""
    first: dict[str, int] = {}
    for line, (raw, is_whole) in enumerate(_raw_lines(file, lambda _: None), 1):
        try:
            identity = read_line(raw)["id"] if is_whole else ""
        except ShardError:
            continue
        if _print(identity, salt) in twins:
            if identity in first:
                yield line, identity, first[identity]
            else:
                first[identity] = line
