"""What the clusters of a ZIM file are packed with: xz and zstd, in steps of bounded size."""

from __future__ import annotations

import lzma
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_XZ_MEMORY = 256 * 2**20
_WINDOW = 128 * 2**20
_STEP = 1 << 20
#: zstandard has no limit for what a step gives; so few bytes hold few blocks, and a block gives at most 128 KB.
_ZSTD_STEP = 1 << 10


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
