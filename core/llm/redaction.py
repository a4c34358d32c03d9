"""Bounds what a language model's server sends, and removes the key that it was sent.

SDKs repeat what they read in exceptions and in the events of LlamaIndex's instrumentation, so the key is removed before
they read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import httpx

from .keys import Key

#: Bytes of one response: an answer with a long chain of thought, token by token, has some ten millions.
LONGEST_RESPONSE = 32_000_000
#: Bytes without a line break: SDKs collect an event until it is whole, in time that is quadratic in its length.
LONGEST_LINE = 2_000_000


class Oversized(httpx.TransportError):
    """A response that is compressed, or longer than it may be."""


def refuse_compressed(response: httpx.Response) -> None:
    """Raise ``Oversized`` for a compressed response, which was not requested: httpx unpacks without a bound."""
    if response.headers.get("Content-Encoding", "").strip().lower() not in {"", "identity"}:
        raise Oversized("the server compresses its answer, which it was not asked for", request=response.request)


class CleanStream(httpx.SyncByteStream):
    """A response's bytes, each key in them replaced, wherever the pieces end.

    Raises ``Oversized`` as soon as there are more of them, or in one line, than there may be.
    """

    def __init__(self, stream: httpx.SyncByteStream, key: Key | None) -> None:
        self._stream = stream
        self._key = key

    def __iter__(self) -> Iterator[bytes]:
        pieces = _bounded(self._stream)
        return pieces if self._key is None else _without_key(pieces, self._key)

    def close(self) -> None:
        self._stream.close()


def _bounded(pieces: Iterable[bytes]) -> Iterator[bytes]:
    total = line = 0
    for piece in pieces:
        total += len(piece)
        end = piece.rfind(b"\n")
        line = line + len(piece) if end < 0 else len(piece) - end - 1
        if total > LONGEST_RESPONSE or line > LONGEST_LINE:
            raise Oversized("the server sends too much")
        yield piece


def _without_key(pieces: Iterable[bytes], key: Key) -> Iterator[bytes]:
    """Nothing waits for the next piece but what may be the beginning of a key."""
    held = b""
    for piece in pieces:
        clean = key.removed_from_bytes(held + piece)
        partial = key.partial_at_end(clean)
        held = clean[len(clean) - partial :]
        if len(clean) > partial:
            yield clean[: len(clean) - partial]
    if held:
        yield held
