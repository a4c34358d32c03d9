"""What a language model's server says, without the key that it was sent, wherever its pieces end."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from ragstone.core.llm.keys import Key
from ragstone.core.llm.redaction import CleanStream

KEY = "sk-sk-sk-7Yq2"


class Pieces(httpx.SyncByteStream):
    def __init__(self, *pieces: bytes) -> None:
        self.pieces = pieces
        self.taken = 0
        self.closed = False

    def __iter__(self) -> Iterator[bytes]:
        for piece in self.pieces:
            self.taken += 1
            yield piece

    def close(self) -> None:
        self.closed = True


def cleaned(*pieces: bytes) -> list[bytes]:
    return list(CleanStream(Pieces(*pieces), Key(KEY)))


@pytest.mark.parametrize("size", range(1, 30))
def test_a_key_is_found_wherever_the_pieces_end(size: int) -> None:
    output = f"it was {KEY}, {KEY[:-1]}, sk-{KEY}{KEY} and sk-sk-".encode()
    pieces = [output[start : start + size] for start in range(0, len(output), size)]
    assert b"".join(cleaned(*pieces)) == output.replace(KEY.encode(), b"***")
    assert b"".join(cleaned(*pieces)).count(b"***") == 3


def test_nothing_waits_but_what_may_be_a_key() -> None:
    assert cleaned(b"data: one\n\n", b"data: two\n\n") == [b"data: one\n\n", b"data: two\n\n"]
    stream = iter(CleanStream(Pieces(b"data: sk-", b"oth", b"er"), Key(KEY)))
    assert next(stream) == b"data: "
    assert next(stream) == b"sk-oth"


def test_the_response_is_closed() -> None:
    pieces = Pieces(b"a")
    CleanStream(pieces, Key(KEY)).close()
    assert pieces.closed
