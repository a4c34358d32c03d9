"""Checks the name of a new plugin."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable
from itertools import chain

from ...errors import BadRequest
from ...text.sanitizing import one_line
from ..discovery import installed_plugins

_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_LONGEST = 40
_SHOWN = 60
_RULE = "a name has small letters, digits and single underscores between them, and begins with a letter: field_notes"
#: Keys of the table ``[plugins]``, and words with another meaning in Ragstone.
_RESERVED = frozenset({"core", "disabled", "enabled", "plugin", "plugins", "ragstone", "web"})


def valid_name(name: str, commands: Iterable[str]) -> str:
    """The name, if it can be that of a module, a settings table and a command. Raises ``BadRequest``.

    ``commands``: the names of the existing commands.
    """
    shown = repr(one_line(name, _SHOWN))
    if len(name) > _LONGEST:
        raise BadRequest(f"{shown} is too long for a plugin's name", hint=f"at most {_LONGEST} characters")
    if not _NAME.fullmatch(name):
        raise BadRequest(f"{shown} cannot be a plugin's name", hint=_suggestion(name) or _RULE)
    if keyword.iskeyword(name) or name in _RESERVED:
        raise BadRequest(f"{shown} cannot be a plugin's name: it means something else", hint="take another")
    for plugin in chain.from_iterable(installed_plugins().values()):
        if plugin.state.name == name:
            raise BadRequest(f"{shown} is taken by the plugin of {plugin.state.origin}", hint="take another name")
    if name in set(commands):
        raise BadRequest(f"{shown} is a command of Ragstone's already", hint="take another name")
    return name


def _suggestion(name: str) -> str | None:
    """A hint with the closest valid name, if there is one."""
    candidate = re.sub(r"[^a-z0-9]+", "_", re.sub(r"^ragstone[-_]", "", name.strip().casefold())).strip("_")
    return f"did you mean {candidate}?" if _NAME.fullmatch(candidate) and len(candidate) <= _LONGEST else None
