"""What a language model says, whole, for plugins that want data of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from llama_index.core.llms import ChatMessage

from ragstone.core import Host, LLMError, Settings
from ragstone.core.llm import ask_llm
from ragstone.core.testing import ScriptedLLM, TestModels, open_host
from tests.support.llm_server import Server, drop, say, stall


def test_it_is_asked_the_right_way_and_all_of_its_answer_comes(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    llm.enqueue('{"concepts": ["Mean", "Median"]}')
    with open_host(tmp_path, llm=llm) as host:
        assert ask_llm(host.hooks.llm, host.settings.llm, "Name two.") == '{"concepts": ["Mean", "Median"]}'
    assert "Name two." in llm.prompts[0]


def test_the_messages_of_a_template_are_asked_too(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    llm.enqueue("Mean")
    asked = [ChatMessage(role="system", content="You name things."), ChatMessage(role="user", content="Name one.")]
    with open_host(tmp_path, llm=llm) as host:
        assert ask_llm(host.hooks.llm, host.settings.llm, asked) == "Mean"
    assert "You name things." in llm.prompts[0]


def test_without_a_model_it_says_so(fast_host: Host) -> None:
    with pytest.raises(LLMError, match="no language model is set"):
        ask_llm(fast_host.hooks.llm, fast_host.settings.llm, "Name two.")


def _host(folder: Path, server: Server, timeout: float) -> Host:
    llm = {"provider": "openai_like", "model": "m", "api_base": server.base, "timeout": timeout}
    return Host(Settings(data_dir=folder / "data", llm=llm), plugins={"test_models": TestModels()})


def test_an_answer_that_breaks_off_is_none(tmp_path: Path) -> None:
    with Server() as server, _host(tmp_path, server, 20) as host:
        host.start()
        server.acts(drop("half of", " it"), say("all of", " it"))
        with pytest.raises(LLMError):
            ask_llm(host.hooks.llm, host.settings.llm, "Name two.")
        assert ask_llm(host.hooks.llm, host.settings.llm, "Name two.") == "all of it"


def test_a_server_that_says_nothing_is_left_at_the_deadline(tmp_path: Path) -> None:
    with Server() as server, _host(tmp_path, server, 0.5) as host:
        host.start()
        server.acts(stall())
        with pytest.raises(LLMError, match=r"0\.5 s"):
            ask_llm(host.hooks.llm, host.settings.llm, "Name two.")
