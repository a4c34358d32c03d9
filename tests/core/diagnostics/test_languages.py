"""Books in a language that the encoder is not made for, in ``ragstone doctor`` and at ``ragstone book add``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from llama_index.core.base.embeddings.base import BaseEmbedding

from tests.core.text.test_languages import TEXTS
from tests.support.third_party_fakes import Here

REMEDY = 'pip install \'ragstone[huggingface]\'; [encoder] provider = "huggingface", model = "sentence-transformers/'


@pytest.fixture
def here(fast_here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Here:
    """The command in this process, with fast models that are made for English."""
    monkeypatch.setattr(BaseEmbedding, "languages", ("English",), raising=False)
    for name, words in (("motor", "German"), ("engine", "English")):
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\n{TEXTS[words]}\n", "utf-8")
    return fast_here


def checks(here: Here) -> dict[str, dict[str, object]]:
    found = json.loads(here("doctor", "--json").out)["checks"]
    return {check["name"]: check for check in found if check["name"].startswith("language of")}


def test_a_book_in_another_language_is_noted_once(here: Here) -> None:
    done = here("book", "add", "motor.md")
    assert done.code == 0
    assert "Note: it seems to be German; the encoder" in done.err
    assert f"is made for English, and finds less of it. -> {REMEDY}" in done.err
    assert "Note" not in here("book", "add", "motor.md").err, "nothing was embedded"
    assert here("book", "add", "engine.md").err == ""


def test_doctor_names_what_to_install(here: Here) -> None:
    here("book", "add", "engine.md")
    assert checks(here) == {}
    here("book", "add", "motor.md")
    (check,) = checks(here).values()
    assert check["ok"] is False, "half of the documents"
    assert str(check["detail"]).startswith("1 of 2 samples seem to be German; the encoder ")
    assert str(check["mend"]).startswith(REMEDY)
    assert str(check["mend"]).endswith("; ragstone corpus rebuild books")
    for number in range(3):
        here("book", "add", "engine.md", "--title", f"Engine {number}")
    (check,) = checks(here).values()
    assert check["ok"] is True, "a few of them are worth a word, and no failure"


def test_an_encoder_that_does_not_say_its_languages_is_not_compared(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BaseEmbedding, "languages", ())
    assert "Note" not in here("book", "add", "motor.md").err
    assert checks(here) == {}
