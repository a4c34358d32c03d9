"""Header fields, decoded as far as they go."""

from __future__ import annotations

from email import message_from_bytes

import pytest

from ragstone.plugins.iris_memory.mail.headers import header


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"=?utf-8?q?K=C3=A4se?= <a@x.org>", "K\u00e4se <a@x.org>"),
        (b"=?utf-8?b?S8M=?=\n =?utf-8?b?pHNl?=", "K\u00e4se"),
        ("K\u00e4se =?iso-8859-1?q?K=E4se?= \u20ac".encode(), "K\u00e4se K\u00e4se \u20ac"),
        (b"K\xe4se", "K\u00e4se"),
        (b"=?utf-8?b?A?= =?utf-8?b?S8Okc2U=?=", "=?utf-8?b?A?= K\u00e4se"),
        (b"Re: a\n\tb", "Re: a b"),
    ],
    ids=["encoded", "a character in two words", "encoded and raw", "Latin-1", "one broken word", "folded"],
)
def test_words_are_decoded(raw: bytes, words: str) -> None:
    assert header(message_from_bytes(b"Subject: " + raw + b"\n\nx"), "subject") == words
