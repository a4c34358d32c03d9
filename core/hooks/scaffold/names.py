"""The names that a new plugin may have."""

from __future__ import annotations

import keyword
import re
from importlib import metadata
from typing import TYPE_CHECKING

from ...errors import BadRequest
from ...text.sanitizing import one_line
from ..discovery import BUILTINS, DOORS, PLUGINS

if TYPE_CHECKING:
    from collections.abc import Iterable

_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_LONGEST = 40
_SHOWN = 60
_RULE = "a name has small letters, digits and single underscores between them, and begins with a letter: field_notes"
#: Keys of the table ``[plugins]``, and words by which everybody would look for something else.
_RESERVED = frozenset({"core", "disabled", "enabled", "plugin", "plugins", "ragstone", "web"})


def checked_name(name: str, commands: Iterable[str]) -> str:
    """The same name, if a plugin may have it: that of a module, of a table of settings and of a command.

    ``commands``: the names of the commands that there are. Raises ``BadRequest``.
    """
    shown = repr(one_line(name, _SHOWN))
    if len(name) > _LONGEST:
        raise BadRequest(f"{shown} is too long for a plugin's name", hint=f"at most {_LONGEST} characters")
    if not _NAME.fullmatch(name):
        raise BadRequest(f"{shown} cannot be a plugin's name", hint=_suggested(name) or _RULE)
    if keyword.iskeyword(name) or name in _RESERVED:
        raise BadRequest(f"{shown} cannot be a plugin's name: it means something else", hint="take another")
    for group in (PLUGINS, DOORS, BUILTINS):
        for point in metadata.entry_points(group=group, name=name):
            owner = point.dist.name if point.dist else "another package"
            raise BadRequest(f"{shown} is taken by the plugin of {owner}", hint="take another name")
    if name in set(commands):
        raise BadRequest(f"{shown} is a command of Ragstone's already", hint="take another name")
    return name


def _suggested(name: str) -> str | None:
    """What the caller may have meant."""
    near = re.sub(r"[^a-z0-9]+", "_", re.sub(r"^ragstone[-_]", "", name.strip().casefold())).strip("_")
    return f"did you mean {near}?" if _NAME.fullmatch(near) and len(near) <= _LONGEST else None
