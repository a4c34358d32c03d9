"""What looks like a secret, and what the deployment names, is removed from texts and episodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ragstone.core.text import Redactor
from ragstone.plugins.wiki_edge.planner.episodes import Episode
from ragstone.plugins.wiki_edge.planner.steps import read_steps

if TYPE_CHECKING:
    from pathlib import Path

PLAIN = Redactor(environ={})
SECRETS = [
    "sk-proj-abcDEF1234567890",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "AKIAIOSFODNN7EXAMPLE",
    "hf_abcdefghijklmnop",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abcdefghij",
    "Authorization: Bearer abcdefgh12345678",
    "authorization: Basic dXNlcjpwYXNz",
    "api_key=abcdef",
    '"password": "hunter2"',
    "the password is hunter2",
    "https://user:hunter2@example.com/x",
    "-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "Xk29Qz7Lm4Vt8Rb1Nc6Wp3Yh5Jd0Gs2F",
]
KEPT = [
    "Rinse the mug with hot water and wipe it with a sponge.",
    "https://simple.wikipedia.org/wiki/List_of_countries_and_dependencies_by_population",
    "Pneumonoultramicroscopicsilicovolcanoconiosis is a long word.",
    "The secret of a clean mug: vinegar.",
    "Donaudampfschifffahrtsgesellschaftskapitän",
    "tokens: 512 of 1600",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_what_looks_like_a_secret_is_taken_out(secret: str) -> None:
    cleaned = PLAIN.text(f"Before {secret} behind.")
    assert cleaned.startswith("Before")
    assert "[redacted]" in cleaned
    for part in ("hunter2", "abcdef", "dXNl", "MIIE", "AKIA", "9f86", "Xk29", "C7e4", "eyJ"):
        assert part not in cleaned, cleaned


@pytest.mark.parametrize("text", KEPT)
def test_what_is_none_stays(text: str) -> None:
    assert PLAIN.text(text) == text


def test_values_of_the_environment_and_names_go_wherever_they_stand(tmp_path: Path) -> None:
    environ = {"MY_API_KEY": "blue-horse-7", "DB_PASSWORD": "open sesame", "PATH": "/usr/bin", "SHORT_KEY": "abc"}
    redactor = Redactor(["Anna", "home net"], environ)
    episode = Episode(tmp_path, redactor, file_bytes=10**6)
    episode.step(
        "Anna said: blue-horse-7; ANNAbelle stays. abc",
        "open sesame, /usr/bin",
        retrievals=[{"metadata": {"id": "anna", "title": "Home Net"}}],
        tool_calls=[{"tool": "x", "name": "x", "args_json": '{"k": "blue-horse-7"}', "result_json": "", "ok": True}],
    )
    episode.end("Anna left")
    [folder] = tmp_path.iterdir()
    for file in folder.rglob("*.json*"):
        result = file.read_text("utf-8").lower()
        for word in ("blue-horse", "sesame", "anna ", '"anna"', "home net"):
            assert word not in result, (file, word)
    step = next(iter(read_steps(folder)))
    assert "ANNAbelle stays. abc" in step["observation"]
    assert "/usr/bin" in step["action"]
