"""What looks like a secret, and what the deployment names, is removed from texts."""

from __future__ import annotations

import pytest

from ragstone.core.text import Redactor

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
