"""Creates the package of a new plugin from the templates beside this module, completely or not at all."""

from __future__ import annotations

import keyword
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import metadata, resources
from importlib.resources.abc import Traversable
from itertools import chain
from pathlib import Path, PurePosixPath

from ...errors import BadRequest
from ...runtime.files import storage_error
from ...text.sanitizing import one_line
from ..discovery import installed_plugins

__all__ = ["NewPlugin", "make_plugin", "valid_name"]

_SUFFIX = ".template"
_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_LONGEST = 40
_SHOWN = 60
_RULE = "a name has small letters, digits and single underscores between them, and begins with a letter: field_notes"
#: Keys of the table ``[plugins]``, and words with another meaning in Ragstone.
_RESERVED = frozenset({"core", "disabled", "enabled", "plugin", "plugins", "ragstone", "web"})


@dataclass(frozen=True)
class NewPlugin:
    """A generated package."""

    name: str
    #: The distribution's name, and the one by which Python imports it.
    distribution: str
    package: str
    folder: str
    #: Relative to the folder, in order.
    files: tuple[str, ...]


def make_plugin(name: str, into: Path) -> NewPlugin:
    """Create the folder ``ragstone-NAME`` in the folder ``into``, for a name that ``valid_name`` returned.

    Raises ``BadRequest`` where ``into`` is no folder or the new folder exists, and ``StorageError``.
    """
    distribution = f"ragstone-{name.replace('_', '-')}"
    package = f"ragstone_{name}"
    target = into / distribution
    if not into.is_dir():
        raise BadRequest("there is no such folder", where=str(into), hint="make it first, or name another with --into")
    if os.path.lexists(target):
        raise BadRequest("there is something of that name already", where=str(target), hint="nothing was changed")
    values = {
        "@NAME@": name,
        "@TITLE@": name.replace("_", " ").capitalize(),
        "@DISTRIBUTION@": distribution,
        "@PACKAGE@": package,
        "@RAGSTONE@": ".".join(metadata.version("ragstone").split(".")[:2]),
    }
    try:
        scratch = Path(tempfile.mkdtemp(prefix=f".{distribution}-", dir=into))
        try:
            files = tuple(_write_files(scratch, values))
            scratch.chmod(0o755)
            _rename(scratch, target)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    except OSError as error:
        failure = OSError(error.errno, error.strerror or str(error))  # without the name of a scratch file
        raise storage_error(failure, into, what="it cannot be made there") from error
    return NewPlugin(name, distribution, package, str(target), files)


def _rename(folder: Path, target: Path) -> None:
    """Rename the folder in one step; a target that exists by now is kept."""
    target.mkdir()  # fails where the target exists; a folder can replace only an empty folder
    try:
        folder.rename(target)
    except OSError:
        target.rmdir()
        raise


def _write_files(folder: Path, values: dict[str, str]) -> Iterator[str]:
    for path, text in sorted(_templates(resources.files(__package__) / "template", PurePosixPath())):
        for mark, word in values.items():
            text = text.replace(mark, word)
        named = [values["@PACKAGE@"] if part == "package" else part for part in path.parts[:-1]]
        if path.parts[-2:-1] == ("package",) and path.parts[-3:-2] == ("templates",):
            named[-1] = values["@NAME@"]  # the web front knows templates by the plugin's name
        name = path.name.removesuffix(_SUFFIX)
        relative = PurePosixPath(*named, f".{name}" if name == "gitignore" else name)
        file = folder / relative
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        yield str(relative)


def _templates(folder: Traversable, within: PurePosixPath) -> Iterator[tuple[PurePosixPath, str]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _templates(entry, within / entry.name)
        elif entry.name.endswith(_SUFFIX):
            yield within / entry.name, entry.read_text("utf-8")


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
