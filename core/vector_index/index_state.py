"""The folder of one corpus's vector index, and the state file in it."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from ..runtime.files import TEMPORARY, write_atomically
from ..runtime.owned_files import OwnedFolders

_FILE = "state.json"


@dataclass(frozen=True)
class IndexState:
    """The state file of an index's folder; written atomically, after all other changes."""

    corpus_id: int = 0
    applied: int = 0
    #: Rows of the store when it was closed; while it is open, those that were ever added.
    vectors: int = 0
    #: Folder of the store beside this file. A new store gets a new one, because Chroma caches clients by path.
    store: str = ""
    #: ``False`` while a process has the store open, and after that process was killed.
    clean: bool = True
    #: Digest of the store's files when it was closed.
    digest: str = ""

    @classmethod
    def read(cls, folder: Path) -> IndexState:
        """The state of the index in the folder; the defaults where there is none that can be read."""
        try:
            return cls(**json.loads((folder / _FILE).read_text("utf-8")))
        except (OSError, ValueError, TypeError):
            return cls()

    def write(self, folder: Path) -> None:
        """Replace the state file. Raises ``OSError``."""
        write_atomically(folder / _FILE, json.dumps(asdict(self)).encode())


def index_folders(folder: Path) -> OwnedFolders:
    """The folders of the corpora's indexes in ``folder``."""
    names = rf"{re.escape(_FILE)}(\.new)?|store-[0-9a-f]{{8}}|{re.escape(TEMPORARY)}.*"
    return OwnedFolders(folder, "vector index", names, home=folder.parent)
