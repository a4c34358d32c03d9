"""Book chat's health checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragstone.core import Check

from .library.shelf import Shelf

if TYPE_CHECKING:
    from ragstone.core import Host


def checks(host: Host) -> list[Check]:
    """How many books there are to ask; an empty shelf is no fault."""
    books = Shelf(host).books()
    if not books:
        return [Check("books", True, "none yet", mend="ragstone book add PATH")]
    return [Check("books", True, f"{len(books)} on the shelf")]
