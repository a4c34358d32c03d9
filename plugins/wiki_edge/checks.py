"""Health checks: whether the installed shards can be searched, and are as they were installed."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator

from ragstone.core import Check, Host

from .retrievers import searcher_of
from .settings import places
from .shards.errors import ShardError
from .shards.manifest import NAME, Manifest
from .shards.verification import Faults, compare_sums

_MEND = "ragstone wiki verify names every fault; ragstone wiki install SOURCE puts a whole one in its place"
#: Of a thorough check. It is less than a hook may take.
_READ_SECONDS = 4.0


def checks(host: Host, *, thorough: bool = False) -> list[Check]:
    """Whether the installed shards can be searched; no check while there are none.

    A ``thorough`` check also compares their files with their checksums, as far as there is time to read them.
    """
    searcher = searcher_of(host)
    shards, refused = searcher.shards, searcher.refused
    if refused:
        detail = "; ".join(f"{each.place}: {each.reason}" for each in refused)
        return [Check("shards", ok=False, detail=f"refused: {detail}", mend=_MEND)]
    if not shards:
        return []
    rows = sum(entry.size for entry in shards)
    held = searcher.memory.used / 1e6
    found = [Check("shards", ok=True, detail=f"{len(shards)} with {rows:,} rows, {held:.0f} MB held in memory")]
    return [*found, *_files(host)] if thorough else found


def _files(host: Host) -> Iterator[Check]:
    ends, where = time.monotonic() + _READ_SECONDS, places(host)
    for root in dict.fromkeys(root for root in (where.wiki, where.episodic) if (root / NAME).exists()):
        faults, extent = Faults(root), "all files are as they were"
        try:
            for entry in Manifest.read(root / NAME).shards:
                compare_sums(entry, root / NAME, faults, {}, ends)
        except TimeoutError:
            extent = f"the first files are as they were; ragstone wiki verify {shlex.quote(str(root))} reads all"
        except ShardError as error:
            faults.add(error)
        detail = "; ".join(map(str, faults.found()))
        yield Check("files of shards", not detail, detail or extent, mend=_MEND if detail else None, where=str(root))
