"""The robot's profile with its paths moved into a folder."""

from __future__ import annotations

from pathlib import Path

PROFILE = Path(__file__).parents[2] / "deploy" / "pi5"
MEMORY = Path("opt/continuonos/brain/memory")


def moved(root: Path) -> Path:
    """``ragstone.toml`` as it is deployed, with every absolute path within ``root``; the file's place."""
    text = (PROFILE / "ragstone.toml").read_text("utf-8")
    root.mkdir(parents=True, exist_ok=True)
    made = root / "ragstone.toml"
    made.write_text(text.replace('= "/', f'= "{root}/'), "utf-8")
    return made
