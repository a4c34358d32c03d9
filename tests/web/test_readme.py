"""The web front's README names every setting with its default."""

from __future__ import annotations

import json
from pathlib import Path

import ragstone.web
from ragstone.web.settings import WebSettings

README = Path(ragstone.web.__file__).parent / "README.md"


def test_every_setting_is_reported_with_its_default() -> None:
    text = README.read_text("utf-8")
    for name, default in WebSettings().model_dump().items():
        result = int(default) if isinstance(default, float) else default
        assert f"| `{name}` | `{json.dumps(result)}` |" in text
