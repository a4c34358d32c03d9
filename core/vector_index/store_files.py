"""What an index's folder holds, read while no process has it open."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .probe import digest_of

if TYPE_CHECKING:
    from pathlib import Path


def index_damage(folder: Path) -> str | None:
    """Why the index in the folder is not what it was when it was closed; ``None`` for one that is, or was left open.

    One that was left open is made anew by whoever opens it next.
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
