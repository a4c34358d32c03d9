"""Lines of metadata: read, and checked for one whole object each and no id twice."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from hashlib import blake2b, sha256
from json import JSONDecodeError
from pathlib import Path
from secrets import randbits, token_bytes
from typing import Any, BinaryIO

import numpy as np

from ragstone.core.runtime import parse_json

from .errors import ShardError
from .files import open_regular
from .manifest import ShardEntry

#: Bytes that a line may have; a chunk of 1,024 tokens has some 8,000.
LONGEST_LINE = 2**20
REQUIRED = ("id", "title", "url", "text", "license")


def read_line(raw: bytes, file: Path | str | None = None, line: int | None = None) -> dict[str, Any]:
    """The object in a line of metadata. Raises ``ShardError`` with the reason, and the place where it is given."""
    reason = None
    try:
        value = parse_json(raw.decode())
    except UnicodeDecodeError as error:
        reason = f"is not UTF-8 at its byte {error.start}"
    except JSONDecodeError as error:
        reason = f"is not JSON: {error.msg} at character {error.pos + 1}" if raw.strip() else "is blank"
    except ValueError as error:
        reason = str(error)
    else:
        reason = _wrong_with(value)
    if len(raw) >= LONGEST_LINE and not raw.endswith(b"\n"):
        reason = f"is longer than {LONGEST_LINE >> 20} MB"
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


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of all lines in order. Raises ``ShardError`` with the line and the reason, ``OSError``."""
    with open_regular(path) as file:
        for number, raw in enumerate(_raw_lines(file, lambda _: None), 1):
            yield read_line(raw, path, number)


def check_lines(path: Path, entry: ShardEntry, found: Callable[[ShardError], None]) -> str:
    """Call ``found`` for every faulty line.

    Returns the file's SHA-256. Memory: a line, and some 25 bytes for each line to see whether its id has been there.
    Raises ``ShardError`` for what is no file, ``OSError``.
    """
    digest, salt, count = sha256(), token_bytes(16), 0
    ids = array("Q")
    with open_regular(path) as file:
        for count, raw in enumerate(_raw_lines(file, digest.update), 1):
            number = randbits(64)  # of a line without an id; no other line has it
            try:
                # Salted, so that no collision can be prepared.
                known = blake2b(read_line(raw, path, count)["id"].encode(), digest_size=8, key=salt)
                number = int.from_bytes(known.digest(), "little")
            except ShardError as error:
                found(error)
            if count <= entry.size:
                ids.append(number)
    if count != entry.size:
        found(ShardError(f"has {count} lines, but the manifest says size {entry.size}", file=path))
    for first, line in _repeated(ids):
        found(ShardError(f"its id is that of line {first} already", file=path, line=line))
    return digest.hexdigest()


def _raw_lines(file: BinaryIO, seen: Callable[[bytes], None]) -> Iterator[bytes]:
    """Each line's bytes, of one that is too long its beginning; ``seen`` is given every byte of the file."""
    while raw := file.readline(LONGEST_LINE):
        seen(rest := raw)
        while not rest.endswith(b"\n") and (rest := file.readline(LONGEST_LINE)):
            seen(rest)
        yield raw


def _repeated(ids: array[int]) -> Iterator[tuple[int, int]]:
    """Lines with the same id, two by two."""
    numbers = np.array(ids, np.uint64, copy=False)
    order = np.argsort(numbers, kind="stable")
    numbers = numbers[order]
    for place in np.flatnonzero(numbers[1:] == numbers[:-1]).tolist():
        yield int(order[place]) + 1, int(order[place + 1]) + 1
