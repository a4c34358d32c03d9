"""The health checks, for ``ragstone doctor`` and ``/health``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from ragstone.core import Check, Host, MissingExtra, require_extra
from ragstone.core.text import counted

from . import fields
from .indexing.memory import Memory, memory_of

#: In which Linux has the number of folders that a user may watch.
_WATCHES = Path("/proc/sys/fs/inotify/max_user_watches")


def checks(host: Host) -> list[Check]:
    """Whether the root is there, and can be watched where the settings ask for it; none without a root."""
    memory = memory_of(host)
    if memory.settings.root is None:
        return []
    return [_remembered(memory), *(_watched(memory) if memory.settings.watch else ())]


def _remembered(memory: Memory) -> Check:
    root = memory.root
    if not os.path.isdir(root):  # noqa: PTH112 - unlike Path.is_dir it never raises
        mend = "mount its disk, or set another [plugins.iris_memory] root"
        return Check("memory", False, "the folder to remember is not there", mend=mend, where=str(root))
    try:
        is_empty = next(root.iterdir(), None) is None
        os.stat(f"{root}/.")  # noqa: PTH116 - may be entered; pathlib drops the dot
    except OSError:
        mend = f"give the user {os.geteuid()} the right to read it"
        return Check("memory", False, "the folder to remember may not be read", mend=mend, where=str(root))
    if not memory.corpus.contents.exists:
        return Check("memory", True, "nothing is remembered yet", mend="ragstone memory update", where=str(root))
    state, paths = memory.state, _paths(memory)
    if paths and is_empty:
        mend = "mount its disk, or ragstone memory update --prune"
        return Check("memory", False, "the folder to remember is empty", mend=mend, where=str(root))
    if missing := state.missing():
        mend = "ragstone memory status names them, ragstone memory update --prune removes them"
        detail = f"{counted(file=len(missing))} missing or unreadable, and not removed"
        return Check("memory", False, detail, mend=mend, where=str(root))
    last = state.last()
    when = "" if last is None else f"; looked at in whole {datetime.fromtimestamp(last.at, UTC):%Y-%m-%d %H:%M UTC}"
    return Check("memory", True, f"{counted(file=len(paths))}{when}", where=str(root))


def _watched(memory: Memory) -> Iterator[Check]:
    """Linux watches folders one by one, and each user only so many."""
    try:
        require_extra("memory", "watchfiles")
    except MissingExtra as error:
        yield Check("memory watch", False, error.what, mend=error.install)
        return
    try:
        most = int(_WATCHES.read_text("ascii"))
    except (OSError, ValueError):  # another system, with other limits
        return
    folders = {above for path in _paths(memory) for above in PurePosixPath(path).parents}
    detail = f"{len(folders)} folders of the {most} that a user may watch"
    if len(folders) < most:
        yield Check("memory watch", True, detail)
    else:
        yield Check("memory watch", False, detail, mend=f"sudo sysctl fs.inotify.max_user_watches={4 * len(folders)}")


def _paths(memory: Memory) -> list[str]:
    return [str(path) for (path,), _count in memory.corpus.contents.facets(fields.PATH)]
