"""The robot's profile with its paths moved into a folder."""

from __future__ import annotations

from pathlib import Path

PROFILE = Path(__file__).parents[2] / "deploy" / "pi5"
MEMORY = Path("opt/continuonos/brain/memory")


def moved(root: Path, cache: Path | None = None) -> Path:
    """``ragstone.toml`` as it is deployed, with every absolute path within ``root``; the file's place.

    ``cache``: where the encoder's model is made already.
    """
    text = (PROFILE / "ragstone.toml").read_text("utf-8")
    root.mkdir(parents=True, exist_ok=True)
    if cache is not None:
        (root / "var/cache").mkdir(parents=True)
        (root / "var/cache/ragstone").symlink_to(cache)
    made = root / "ragstone.toml"
    made.write_text(text.replace('= "/', f'= "{root}/'), "utf-8")
    return made
