"""deploy/server/compose.yaml and its Dockerfile, read without a container engine."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

SERVER = Path(__file__).parents[2] / "deploy" / "server"
WORKERS = ("web-1", "web-2")
#: What ``.env`` holds: the test's loopback is the network of the services.
VARIABLES = {
    "RAGSTONE_NAME": "books.example.org",
    "POSTGRES_PASSWORD": "a $trange: pass@word",
    "RAGSTONE_ADMIN_KEY": "long-enough-to-be-a-key",
    "RAGSTONE_SUBNET": "127.0.0.0/8",
}
#: The same with a Chroma server in the place of pgvector.
WITH_CHROMA = {**VARIABLES, "RAGSTONE_INDEX_STORE": "auto", "RAGSTONE_CHROMA": "http://chroma:8001"}
_VARIABLE = re.compile(r"\$(?:(?P<escaped>\$)|\{(?P<name>\w+)(?:(?P<how>:[-?])(?P<rest>[^}]*))?\})")


def compose(variables: Mapping[str, str] = VARIABLES) -> dict[str, Any]:
    """The file as Compose reads it: merged, variables put in. Raises ``KeyError`` where a needed one is missing."""
    read: dict[str, Any] = _put_in(yaml.safe_load((SERVER / "compose.yaml").read_text("utf-8")), variables)
    return read


def _put_in(value: Any, variables: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: _put_in(inner, variables) for name, inner in value.items()}
    if isinstance(value, list):
        return [_put_in(inner, variables) for inner in value]
    if not isinstance(value, str):
        return value

    def found(match: re.Match[str]) -> str:
        if match["escaped"]:
            return "$"
        given = variables.get(match["name"], "")
        if given or match["how"] is None:
            return given
        if match["how"] == ":?":
            raise KeyError(match["name"])
        return match["rest"]

    return _VARIABLE.sub(found, value)


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions with their words, lines joined, comments left out."""
    text = re.sub(r"^\s*#.*\n", "", (SERVER / "Dockerfile").read_text("utf-8"), flags=re.MULTILINE)
    lines = re.sub(r"\\\n", " ", text).splitlines()
    return [(word, " ".join(rest.split())) for word, _, rest in (line.partition(" ") for line in lines) if word]


def image_command(instruction: str) -> list[str]:
    """The words of the Dockerfile's last ``ENTRYPOINT`` or ``CMD``."""
    command: list[str] = json.loads([rest for word, rest in instructions() if word == instruction][-1])
    return command
