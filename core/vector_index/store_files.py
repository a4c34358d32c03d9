"""Checks the files of an index while no process has it open."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .probe import digest_of

if TYPE_CHECKING:
    from pathlib import Path


def index_damage(folder: Path) -> str | None:
    """How the index's files differ from those at its closing; ``None`` if they do not, or if it was not closed.

    An index that was not closed is rebuilt when it is opened next.
    """
    try:
        state = json.loads((folder / "state.json").read_text("utf-8"))
        if not state["clean"] or not state["digest"]:
            return None
        same = digest_of(folder / state["store"]) == state["digest"]
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        return f"what it says of itself cannot be read ({type(error).__name__})"
    return None if same else "its files are not those that were closed"
