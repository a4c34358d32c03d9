"""The page map: the pages of a document's text, in the compact form that is stored with it."""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import Any

#: The key of a document's metadata below which all of this lies. Chunks do not have it.
KEY = "pdf"
#: The key below which the printed pages of a file lie that is no PDF: numbers from 1 in their order, and labels.
LISTED = "printed_pages"


@dataclass(frozen=True)
class PageMap:
    """Physical pages (from 1) and their labels by the offset at which their text begins."""

    pages: tuple[int, ...]
    offsets: tuple[int, ...]
    labels: tuple[str, ...]

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> PageMap | None:
        """The map in a document's metadata; None without one."""
        stored = metadata.get(KEY) or metadata.get(LISTED)
        try:
            starts, labels = stored["starts"], stored["labels"]  # type: ignore[index]
            pages = tuple(accumulate(int(step) for step in starts[::2]))
            offsets = tuple(accumulate(int(step) for step in starts[1::2]))
            return cls(pages, offsets, tuple(_unpack(labels))) if len(pages) == len(offsets) else None
        except (TypeError, KeyError, ValueError, AttributeError):
            return None

    def at(self, offset: int) -> tuple[int, str] | None:
        """Physical page and label of the character at ``offset``; without labels a page's number is its label."""
        found = bisect.bisect_right(self.offsets, offset) - 1
        if not self.pages:
            return None
        page = self.pages[max(found, 0)]
        label = self.labels[page - 1] if page <= len(self.labels) else ""
        return page, label or str(page)


def packed(starts: Sequence[tuple[int, int]], labels: Sequence[str]) -> dict[str, Any]:
    """Pages with the offsets at which they begin, and all labels, as they are stored.

    Steps instead of places, and labels as runs (``["", 1, 145]``).
    """
    steps: list[int] = []
    for (page, offset), (before, start) in zip(starts, [(0, 0), *starts], strict=False):
        steps += [page - before, offset - start]
    return {"starts": steps, "labels": _pack(labels)}


def _pack(labels: Sequence[str]) -> list[str | int]:
    """Runs of decimal labels as prefix, first number and count; other labels one by one with count 0."""
    runs: list[tuple[str, int, int]] = []
    for label in labels:
        prefix = label.rstrip("0123456789")
        digits = label[len(prefix) :]
        if not (digits and digits.isascii() and len(digits) < 10 and str(int(digits)) == digits):
            runs.append((label, 0, 0))
        elif runs and runs[-1][2] and runs[-1][0] == prefix and sum(runs[-1][1:]) == int(digits):
            runs[-1] = (prefix, runs[-1][1], runs[-1][2] + 1)
        else:
            runs.append((prefix, int(digits), 1))
    return [part for run in runs for part in run]


def _unpack(runs: Sequence[Any]) -> list[str]:
    if len(runs) % 3:
        raise ValueError(runs)
    out: list[str] = []
    for at in range(0, len(runs), 3):
        prefix, number, count = str(runs[at]), int(runs[at + 1]), int(runs[at + 2])
        out += [prefix] if count == 0 else [f"{prefix}{number + step}" for step in range(min(count, 100_000))]
    return out


def ranges(pages: Sequence[int]) -> str:
    """Page numbers for people: ``1–3, 7``."""
    runs = (list(run) for _, run in groupby(enumerate(pages), key=lambda at: at[1] - at[0]))
    return ", ".join(str(run[0][1]) if len(run) == 1 else f"{run[0][1]}–{run[-1][1]}" for run in runs)
