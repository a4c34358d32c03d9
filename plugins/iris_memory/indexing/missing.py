"""Missing files: stored, and not under the root any more. Most are removed; some stay until that is confirmed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ragstone.core.text import counted

from .documents import StoredFile
from .scan import FileTypes, Scan, is_below

#: So many files may disappear at once, whatever share of the memory they are.
_FEW = 3
_EMPTY = "is empty (is its disk mounted?)"


@dataclass(frozen=True)
class Missing:
    """Files that cannot be found or read and stay in the memory."""

    #: The folder that is the reason, relative to the root; ``"."`` is the root, ``""`` no folder in particular.
    folder: str
    reason: str
    files: list[str]
    #: Whether ``prune`` removes them: what cannot be read is never removed.
    prunable: bool

    def __str__(self) -> str:
        """One line of it."""
        files = self.files[0] if len(self.files) == 1 else counted(file=len(self.files))
        place = {"": "", ".": "the folder to remember "}.get(self.folder, f"{self.folder}/ ")
        return f"{files} not removed: {place}{self.reason}"


class MissingReason(NamedTuple):
    """Why a missing file stays in the memory."""

    #: As ``Missing`` has them.
    folder: str
    reason: str
    prunable: bool


def missing_files(
    scan: Scan, known: Mapping[str, StoredFile], under: str, types: FileTypes, kept_before: Mapping[str, MissingReason]
) -> tuple[list[str], dict[str, MissingReason]]:
    """Decide on every stored file at or below ``under`` that the scan did not find: those to remove, and those that
    stay, each with the reason.

    Removed are files that were deleted one by one or with their folder, that lie under another name now, or that the
    settings leave out. What lay in a folder that cannot be read stays. What lay in a folder that has become empty, more
    than half of all files at once, and what was reported before stays until that is confirmed.
    """
    removed: list[str] = []
    kept: dict[str, MissingReason] = {}
    moved = {each.stat[:1] + each.stat[2:] for path, each in scan.files.items() if path not in known}
    gone = [path for path in known if path not in scan.files and is_below(path, under)]
    doubtful = []
    for path in gone:
        stored, parts = known[path], path.split("/")
        above = ["/".join(parts[:depth]) for depth in range(len(parts) + 1)]
        stat = tuple(stored.indexing.get("stat") or ())
        unread = next((each for each in above if each in scan.unknown), None)
        if types.of(path) is None or any(types.excluded(each) for each in above[1:]):
            removed.append(path)
        elif unread is not None:
            folder = "" if unread == path else unread or "."
            kept[path] = MissingReason(folder, scan.unknown[unread], prunable=False)
        elif stored.left_out is not None or (stat and stat[:1] + stat[2:] in moved):
            removed.append(path)
        elif path in kept_before and kept_before[path].prunable:
            kept[path] = kept_before[path]
        else:
            doubtful.append(path)
    kept.update(_in_empty_folders(scan, known, doubtful))
    rest = [path for path in doubtful if path not in kept]
    remembered = sum(each.left_out is None for each in known.values())
    if len(rest) > _FEW and 2 * len(rest) > remembered:
        place = MissingReason("", f"{len(rest)} of {remembered} files are gone at once", prunable=True)
        kept.update(dict.fromkeys(rest, place))
    else:
        removed.extend(rest)
    return removed, kept


def _in_empty_folders(
    scan: Scan, known: Mapping[str, StoredFile], gone: list[str]
) -> Iterator[tuple[str, MissingReason]]:
    """Files that lay at or below a folder without entries, as a file system that is not mounted leaves one behind.

    Not the last file of a folder, and not what lay in folders of it that are deleted, as long as the empty folder is
    the same as before: it was emptied by hand then.
    """
    below: defaultdict[str, list[str]] = defaultdict(list)
    for path in gone:
        folder, depth = path.rpartition("/")[0], path.count("/")
        while folder and folder not in scan.empty:
            folder, depth = folder.rpartition("/")[0], depth - 1
        if folder not in scan.empty:
            continue
        is_direct = path.rpartition("/")[0] == folder
        inodes = known[path].indexing.get("folders") or ()
        same = inodes[depth : depth + 1] == [scan.empty[folder]]
        if not folder or not same:
            yield path, MissingReason(folder or ".", _EMPTY, prunable=True)
        elif is_direct:
            below[folder].append(path)
    for folder, paths in below.items():
        if len(paths) > 1:
            yield from ((path, MissingReason(folder, _EMPTY, prunable=True)) for path in paths)


def grouped(kept: Mapping[str, MissingReason]) -> list[Missing]:
    """Missing files that stay, by place."""
    groups: defaultdict[MissingReason, list[str]] = defaultdict(list)
    for path, place in kept.items():
        groups[place].append(path)
    return [
        Missing(place.folder, place.reason, sorted(paths), place.prunable) for place, paths in sorted(groups.items())
    ]
