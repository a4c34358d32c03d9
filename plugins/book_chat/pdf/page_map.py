"""The page map: the pages of a document's text, in the compact form that is stored with it."""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .messages import Read

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
        packed = metadata.get(KEY) or metadata.get(LISTED)
        try:
            starts, labels = packed["starts"], packed["labels"]  # type: ignore[index]
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


def packed(read: Read) -> dict[str, Any]:
    """The page map of a PDF as it is stored."""
    return packed_pages(read.starts, read.labels)


def packed_pages(starts: Sequence[tuple[int, int]], labels: Sequence[str]) -> dict[str, Any]:
    """Pages with the offsets at which they begin, and all labels, as they are stored.

    Steps instead of places, and labels as runs (``["", 1, 145]``).
    """
    steps: list[int] = []
    for (page, offset), (before, start) in zip(starts, [(0, 0), *starts], strict=False):
        steps += [page - before, offset - start]
    return {"starts": steps, "labels": _pack(labels)}


def _pack(labels: Sequence[str]) -> list[str | int]:
    """Runs of decimal labels as prefix, first number and count; other labels one by one with count 0."""

    def split(label: str) -> tuple[str, int | None]:
        bare = label.rstrip("0123456789")
        digits = label[len(bare) :]
        fits = digits.isascii() and digits.isdecimal() and len(digits) < 10 and str(int(digits)) == digits
        return (bare, int(digits)) if fits else (label, None)

    out: list[str | int] = []
    parts = [split(label) for label in labels]
    run = 0
    keys = []
    for at, (prefix, number) in enumerate(parts):
        before = parts[at - 1] if at else None
        follows = before is not None and number is not None and before[0] == prefix and before[1] == number - 1
        run += not follows
        keys.append(run)
    for _, group in groupby(zip(keys, parts, strict=True), key=lambda pair: pair[0]):
        members = [part for _, part in group]
        prefix, number = members[0]
        out += [prefix, 0, 0] if number is None else [prefix, number, len(members)]
    return out


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
    groups: list[list[int]] = []
    for page in pages:
        if groups and page == groups[-1][-1] + 1:
            groups[-1].append(page)
        else:
            groups.append([page])
    return ", ".join(str(g[0]) if len(g) == 1 else f"{g[0]}–{g[-1]}" for g in groups)
