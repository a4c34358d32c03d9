"""Decompression of a ZIM file's clusters, xz and zstd, in steps of bounded size."""

from __future__ import annotations

import lzma
from collections.abc import Callable, Iterator

_XZ, _ZSTD = 4, 5
_READ = 1 << 17
_XZ_MEMORY = 256 * 2**20
_WINDOW = 128 * 2**20
_STEP = 1 << 20
#: zstandard has no limit for what a step gives; so few bytes hold few blocks, and a block gives at most 128 KB.
_ZSTD_READ = 1 << 10


def decompressed(how: int, read: Callable[[int], bytes], most: int) -> bytes:
    """The content of a cluster. ``how``: the compression by its number in the format. ``read``: the next bytes at most.

    Raises ``ValueError`` for damage and for more than ``most`` bytes.
    """
    if how not in (_XZ, _ZSTD):
        raise ValueError(f"it is compressed in an unknown way ({how})")
    parts: list[bytes] = []
    size = 0
    for part in _xz(read) if how == _XZ else _zstd(read):
        size += len(part)
        if size > most:
            raise ValueError(f"it is larger than {most >> 20} MB")
        parts.append(part)
    return b"".join(parts)


def _xz(read: Callable[[int], bytes]) -> Iterator[bytes]:
    decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)
    while not decompressor.eof:
        raw = read(_READ) if decompressor.needs_input else b""
        if decompressor.needs_input and not raw:
            raise ValueError("it has no end")
        try:
            yield decompressor.decompress(raw, _STEP)
        except lzma.LZMAError as error:
            raise ValueError(str(error)) from error


def _zstd(read: Callable[[int], bytes]) -> Iterator[bytes]:
    import zstandard

    decompressor = zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj()
    try:
        while not decompressor.eof:
            raw = read(_ZSTD_READ)
            if not raw:
                raise ValueError("it has no end")
            yield decompressor.decompress(raw)
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from error
