"""A language model asked by a plugin for its own purposes."""

from __future__ import annotations

import pytest
from llama_index.core.base.llms.types import ChatMessage

from ragstone.core import LLMError, ask_model
from ragstone.core.testing import ScriptedLLM

ASKED = [ChatMessage(role="user", content="Name three casters.")]


def test_all_that_it_says_is_given() -> None:
    llm = ScriptedLLM()
    llm.enqueue("Rigid, swivel and ball casters.")
    assert ask_model(llm, ASKED, 5) == "Rigid, swivel and ball casters."
    assert "Name three casters." in llm.prompts[0]


def test_what_goes_wrong_is_one_kind_of_error() -> None:
    llm = ScriptedLLM()
    llm.enqueue(RuntimeError("a key might stand here"))
    with pytest.raises(LLMError, match="failed") as caught:
        ask_model(llm, ASKED, 5)
    assert "a key" not in str(caught.value)


def test_an_answer_without_an_end_is_cut() -> None:
    llm = ScriptedLLM()
    llm.enqueue("word " * 20_000)
    assert len(ask_model(llm, ASKED, 30)) < 25_000
