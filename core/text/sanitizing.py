"""Makes untrusted text harmless inside a prompt and visible to its reader: fences, role markers, hidden characters.

No filter for what sounds like an order: that is up to whoever quotes. Whatever stands behind a fence has no authority.
"""

from __future__ import annotations

import re

#: What a model, or a program that normalises Unicode, may take for the bracket that a fence begins with: the characters
#: that are one by compatibility (NFKC) or with a stroke through it (NFD), and those that look like one.
LIKE_LESS_THAN = "<\uff1c\ufe64\u226e\u02c2\u1438\u2039\u2329\u276c\u276e\u2770\u27e8\u2991\u29fc\u3008"
_LIKE_LESS_THAN = re.compile(f"[{LIKE_LESS_THAN}]")
#: How models mark turns where it is not with angle brackets: ``[INST]``, ``[/INST]``, ``[SYSTEM_PROMPT]``.
_TURN = re.compile(r"[\[\uff3b](/?[A-Z][A-Z_]+)[\]\uff3d]")
#: Zero-width, bidirectional and tag characters, fillers, and halves of characters: what a person does not see.
_HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_BREAKS = re.compile("[\u2028\u2029]")


def harmless(text: str) -> str:
    """The text without a way to close a fence or to begin a turn of the conversation."""
    return _TURN.sub(r"(\1)", _LIKE_LESS_THAN.sub("&lt;", text))


def visible(text: str) -> str:
    """The text without characters that a person does not see; a control is a space, a line separator a line break."""
    return _BREAKS.sub("\n", _CONTROLS.sub(" ", _HIDDEN.sub("", text)))


def one_line(text: str, longest: int = 300) -> str:
    """The text harmless and in one line, of at most ``longest`` characters and a dot; nothing begins or ends in it."""
    plain = harmless(" ".join(visible(text).split()))
    return f"{plain[:longest]}…" if len(plain) > longest else plain
