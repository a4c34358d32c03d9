"""Decompression of a ZIM file's clusters, xz and zstd, in steps of bounded size."""

from __future__ import annotations

import lzma
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_XZ, _ZSTD = 4, 5
_READ = 1 << 17
_XZ_MEMORY = 256 * 2**20
_WINDOW = 128 * 2**20
_STEP = 1 << 20
#: zstandard has no limit for what a step gives; so few bytes hold few blocks, and a block gives at most 128 KB.
_ZSTD_STEP = 1 << 10


def decompressed(how: int, read: Callable[[int], bytes], most: int) -> bytes:
    """The content of a cluster. ``how``: the compression by its number in the format. ``read``: the next bytes at most.

    Raises ``ValueError`` for damage and for more than ``most`` bytes, ``EOFError``.
    """
    if how not in (_XZ, _ZSTD):
        raise ValueError(f"it is compressed in an unknown way ({how})")
    unpack = Xz() if how == _XZ else Zstd()
    parts: list[bytes] = []
    size = 0
    while not unpack.ended:
        raw = read(_READ)
        if not raw:
            raise EOFError("it has no end")
        for data in unpack(raw):
            size += len(data)
            if size > most:
                raise ValueError(f"it is larger than {most >> 20} MB")
            parts.append(data)
    return b"".join(parts)


class Xz:
    """Unpacks one stream. Raises ``ValueError``."""

    def __init__(self) -> None:
        self._decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)

    @property
    def ended(self) -> bool:
        """Whether the stream is whole."""
        return self._decompressor.eof

    def __call__(self, raw: bytes) -> Iterator[bytes]:
        """What these bytes give."""
        while not self.ended:
            try:
                data = self._decompressor.decompress(raw, _STEP)
            except lzma.LZMAError as error:
                raise ValueError(str(error)) from error
            raw = b""
            if data:
                yield data
            if self._decompressor.needs_input:
                return


class Zstd:
    """Unpacks one frame. Raises ``ValueError``."""

    def __init__(self) -> None:
        import zstandard

        self._decompressor = zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj()
        self._error = zstandard.ZstdError

    @property
    def ended(self) -> bool:
        """Whether the frame is whole."""
        return bool(self._decompressor.eof)

    def __call__(self, raw: bytes) -> Iterator[bytes]:
        """What these bytes give."""
        for start in range(0, len(raw), _ZSTD_STEP):
            if self.ended:
                return
            try:
                yield self._decompressor.decompress(raw[start : start + _ZSTD_STEP])
            except self._error as error:
                raise ValueError(str(error)) from error
