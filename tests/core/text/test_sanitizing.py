"""Quoted text: nothing in it closes a fence, begins a turn, or hides."""

from __future__ import annotations

import unicodedata

import pytest

from ragstone.core.text import decode, escape_fences, one_line, strip_hidden


@pytest.mark.parametrize("bracket", ["<", "\uff1c", "\ufe64", "\u226e", "\u2039", "\u3008", "\u27e8", "\u276e"])
def test_no_bracket_is_left_that_a_fence_could_begin_with(bracket: str) -> None:
    shown = escape_fences(f"a {bracket}/passage> b")
    assert shown == "a &lt;/passage> b"
    assert "<" not in unicodedata.normalize("NFKD", shown)


@pytest.mark.parametrize("turn", ["[INST]", "[/INST]", "[SYSTEM_PROMPT]", "\uff3bINST\uff3d"])
def test_no_turn_begins(turn: str) -> None:
    assert "[" not in escape_fences(turn)
    assert "\uff3b" not in escape_fences(turn)


def test_what_marks_nothing_stays() -> None:
    text = "See [1] and [a link](https://example.org?a=1&b=2), 2 > 1, – “quoted” «citation» ❤️ 日本語"
    assert escape_fences(strip_hidden(text)) == text


def test_what_nobody_sees_is_gone() -> None:
    hidden = "".join(map(chr, (0x200B, 0x202E, 0x2066, 0xFEFF, 0xE0041, 0x00AD, 0x3164, 0xD800, 0xE0100)))
    assert strip_hidden(f"wo{hidden}rd") == "word"
    assert strip_hidden("a\x00b\x1bc\rd\u2028e\tf\n") == "a b c d\ne\tf\n"


def test_one_line_is_one_line() -> None:
    assert one_line("a\n<b>\u2028c\x85d") == "a &lt;b> c d"
    assert one_line("x" * 400) == "x" * 300 + "…"


@pytest.mark.parametrize(
    "name", ["punycode", "IDNA", "unicode_escape", "raw-unicode-escape", "undefined", "rot13", "x"]
)
def test_no_text_is_decoded_by_what_is_no_charset(name: str) -> None:
    with pytest.raises(LookupError):
        decode(b"a", name)
    assert decode(b"\xe9", "Latin-1") == "é"
    assert decode(b"a\xff", "utf-8", "replace") == "a\ufffd"
