"""What a language model's server says, without the key that it was sent: servers like to repeat one that they refuse.

What an SDK has read, it also tells: in exceptions, and to whoever listens to LlamaIndex's instrumentation. So the key
is taken out before any of them sees it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .keys import Key


class WithoutKey(httpx.SyncByteStream):
    """A response's bytes, each key in them replaced, wherever the pieces end."""

    def __init__(self, stream: httpx.SyncByteStream, key: Key) -> None:
        self._stream = stream
        self._key = key

    def __iter__(self) -> Iterator[bytes]:
        """Nothing waits for the next piece but what may be the beginning of a key."""
        held = b""
        for piece in self._stream:
            clean = self._key.removed_from_bytes(held + piece)
            waits = self._key.begun_at_the_end_of(clean)
            held = clean[len(clean) - waits :]
            if len(clean) > waits:
                yield clean[: len(clean) - waits]
        if held:
            yield held

    def close(self) -> None:
        """End the response."""
        self._stream.close()
