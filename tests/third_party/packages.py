"""The package beside this module, and a small book that it reads."""

from __future__ import annotations

import json
from pathlib import Path

WORKSHOP = Path(__file__).with_name("workshop")

_CHAPTER = """# Wheels

## Casters

A caster is a wheel that swivels about a vertical axis. They give no traction.

## Tyres

Rubber tyres grip wet concrete better than nylon tyres.
"""


def small_notebook(path: Path) -> Path:
    """A book of one chapter with two sections."""
    cells = [{"cell_type": "markdown", "source": _CHAPTER}]
    path.write_text(json.dumps({"cells": cells, "metadata": {"title": "Robot parts"}}), "utf-8")
    return path
