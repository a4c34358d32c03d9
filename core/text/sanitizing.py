"""Sanitizes untrusted text for prompts and for display: fences, role markers, hidden characters.

It does not filter instructions; ``instructions`` detects them. Fenced text has no authority, whatever it says.
"""

from __future__ import annotations

import codecs
import re

#: Characters that a model, or a program that normalizes Unicode, may take for the "<" that a fence begins with: those
#: equivalent to it (NFKC), those that decompose into it (NFD), and those that look like it.
LIKE_LESS_THAN = "<\uff1c\ufe64\u226e\u02c2\u1438\u2039\u2329\u276c\u276e\u2770\u27e8\u2991\u29fc\u3008"
_LIKE_LESS_THAN = re.compile(f"[{LIKE_LESS_THAN}]")
#: Role markers of models that do not use angle brackets: ``[INST]``, ``[/INST]``, ``[SYSTEM_PROMPT]``.
_TURN = re.compile(r"[\[\uff3b](/?[A-Z][A-Z_]+)[\]\uff3d]")
#: Characters that are not displayed: zero-width, bidirectional and tag characters, fillers, lone surrogates.
_HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
#: Python's codecs that no text is written in: of host names, of which one takes quadratic time, and of escapes.
_NO_CHARSETS = frozenset({"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"})
_BREAKS = re.compile("[\u2028\u2029]")


def escape_fences(text: str) -> str:
    """Escape the characters that could close a fence or begin a turn of the conversation."""
    return _TURN.sub(r"(\1)", _LIKE_LESS_THAN.sub("&lt;", text))


def strip_hidden(text: str) -> str:
    """Remove characters that are not displayed; controls become spaces, Unicode line separators line breaks."""
    return _BREAKS.sub("\n", _CONTROLS.sub(" ", _HIDDEN.sub("", text)))


def decode(data: bytes, charset: str, errors: str = "strict") -> str:
    """The bytes as text in a charset that a document names. Raises ``LookupError`` and ``ValueError``."""
    if codecs.lookup(charset).name.replace("_", "-") in _NO_CHARSETS:
        raise LookupError(f"no text is written in {charset}")
    return data.decode(charset, errors)


def storable(text: str) -> str:
    """The text without lone surrogates and NULs, which databases refuse."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")


def one_line(text: str, longest: int = 300) -> str:
    """The text on one line, without hidden characters, fences escaped, cut after ``longest`` characters."""
    plain = escape_fences(" ".join(strip_hidden(text).split()))
    return f"{plain[:longest]}…" if len(plain) > longest else plain
