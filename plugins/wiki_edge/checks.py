"""Health checks: whether the installed shards can be searched."""

from __future__ import annotations

from ragstone.core import Check, Host

from .retrievers import searcher_of


def checks(host: Host) -> list[Check]:
    """Whether the installed shards can be searched; no check while there are none."""
    searcher = searcher_of(host)
    shards, refused = searcher.shards, searcher.refused
    if refused:
        detail = "; ".join(f"{each.place}: {each.reason}" for each in refused)
        mend = "ragstone wiki verify names every fault; ragstone wiki install SOURCE puts a whole one in its place"
        return [Check("shards", ok=False, detail=f"refused: {detail}", mend=mend)]
    if not shards:
        return []
    rows = sum(entry.size for entry in shards)
    held = searcher.memory.used / 1e6
    return [Check("shards", ok=True, detail=f"{len(shards)} with {rows:,} rows, {held:.0f} MB held in memory")]
