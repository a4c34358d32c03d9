"""Keys of language models: read from the environment, sent in one request's header, stored nowhere."""

from __future__ import annotations

import os

#: Read by every built-in provider.
OWN_VARIABLE = "RAGSTONE_LLM_API_KEY"
GEMINI_VARIABLE = "GEMINI_API_KEY"
_REDACTED = "***"


class Key:
    """A key that cannot be printed by accident."""

    def __init__(self, value: str) -> None:
        self._value = value

    def __repr__(self) -> str:
        return f"Key({_REDACTED})"

    def reveal(self) -> str:
        """The key itself, for a header."""
        return self._value

    def removed_from(self, text: str) -> str:
        """The text without the key: some servers repeat a key that they refuse."""
        return text.replace(self._value, _REDACTED)

    def removed_from_bytes(self, data: bytes) -> bytes:
        return data.replace(self._value.encode(), _REDACTED.encode())

    def partial_at_end(self, data: bytes) -> int:
        """The number of bytes at the end of the data that may be the beginning of the key."""
        value = self._value.encode()
        return next((size for size in range(min(len(value) - 1, len(data)), 0, -1) if data.endswith(value[:size])), 0)


def read_key(*variables: str) -> Key | None:
    """The first of the variables that holds a key. Read anew with every question, so that a key can be changed.

    A key with line breaks or other characters that no header takes counts as none.
    """
    for variable in variables:
        value = os.environ.get(variable, "").strip()
        if value and value.isascii() and value.isprintable():
            return Key(value)
    return None
