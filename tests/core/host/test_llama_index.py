"""Assistants and corpora inside stock LlamaIndex: a router, an agent, a query engine of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.base_selector import BaseSelector, SelectorResult, SingleSelection
from llama_index.core.llms import ChatMessage, ChatResponse, LLMMetadata, MockLLM
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.query_engine import RetrieverQueryEngine, RouterQueryEngine
from llama_index.core.response_synthesizers import CompactAndRefine
from llama_index.core.retrievers import BaseRetriever, RouterRetriever
from llama_index.core.tools import QueryEngineTool, RetrieverTool
from pydantic import PrivateAttr

from ragstone.core import Host
from ragstone.core.testing import open_host
from tests.core.hooks.test_hooks import Notes, note
from tests.support.loops import finished
from tests.support.patience import HANG
from tests.support.third_party_fakes import add_book

CASTER = "A caster is a wheel that swivels about a vertical axis."


class ByWord(BaseSelector):
    """Chooses the tool whose description has most of the question's words."""

    def _select(self, choices: Sequence[Any], query: Any) -> SelectorResult:
        words = set(query.query_str.lower().split())
        shared = [len(words & set(choice.description.lower().split())) for choice in choices]
        return SelectorResult(selections=[SingleSelection(index=shared.index(max(shared)), reason="words")])

    async def _aselect(self, choices: Sequence[Any], query: Any) -> SelectorResult:
        return self._select(choices, query)

    def _get_prompts(self) -> dict[str, Any]:
        return {}

    def _update_prompts(self, prompts_dict: Any) -> None:
        """It has none."""


class Caller(FunctionCallingLLM):
    """A model that calls the tool it is told to, and then repeats what the tool said."""

    tool: str
    question: str
    _heard: list[str] = PrivateAttr(default_factory=list)

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(is_function_calling_model=True)

    def _prepare_chat_with_tools(self, tools: Any, *_: Any, **kwargs: Any) -> dict[str, Any]:
        assert self.tool in {tool.metadata.name for tool in tools}
        history = list(kwargs.get("chat_history") or [])
        asked = kwargs.get("user_msg")
        return {"messages": [*history, *([ChatMessage(content=asked)] if asked else [])]}

    def get_tool_calls_from_response(self, response: ChatResponse, *args: Any, **kwargs: Any) -> list[ToolSelection]:
        calls: list[ToolSelection] = response.message.additional_kwargs.get("calls", [])
        return calls

    async def astream_chat_with_tools(self, tools: Any, *_: Any, **kwargs: Any) -> Any:
        messages = self._prepare_chat_with_tools(tools, **kwargs)["messages"]

        async def stream() -> Any:
            output = [message.content for message in messages if message.role == "tool"]
            if output:
                reply = ChatMessage(role="assistant", content=output[-1])
            else:
                call = ToolSelection(tool_id="1", tool_name=self.tool, tool_kwargs={"input": self.question})
                reply = ChatMessage(role="assistant", content="", additional_kwargs={"calls": [call]})
            yield ChatResponse(message=reply, delta=reply.content or "", raw={})

        return stream()

    def chat(self, messages: Any, **kwargs: Any) -> Any:
        raise AssertionError("not this way")

    achat = astream_chat = stream_chat = complete = acomplete = chat  # type: ignore[assignment,pydantic-field]
    stream_complete = astream_complete = chat  # type: ignore[assignment,pydantic-field]


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    (tmp_path / "wheels.md").write_text(f"# Wheels\n\n## Casters\n\n{CASTER} Casters give no traction.\n", "utf-8")
    options = {"book_chat": {"sample": False}}
    with open_host(tmp_path, plugins={"notes": Notes()}, options=options) as opened:
        add_book(opened, tmp_path / "wheels.md")
        opened.find_corpus("notes").ingest([note("The key of the workshop hangs behind the door.")])
        yield opened


def as_tools(host: Host) -> list[QueryEngineTool]:
    result = {"book_chat": "what a caster is and other parts", "notes": "where the workshop key hangs"}
    return [
        QueryEngineTool.from_defaults(host.assistant(name), name=name, description=description)
        for name, description in result.items()
    ]


def test_assistants_in_a_stock_router(host: Host) -> None:
    router = RouterQueryEngine(ByWord(), as_tools(host), llm=MockLLM())
    wheels = router.query("what is a caster ?")
    assert CASTER in str(wheels)
    result: Any = wheels.metadata
    assert result["selector_result"].selections[0].index == 0
    assert result["answer"]["citations"][0]["book_title"] == "Robot parts"
    assert wheels.source_nodes[0].node.get_content().startswith(CASTER)
    key = router.query("where does the workshop key hang ?")
    assert str(key) == "The key of the workshop hangs behind the door. [1]"
    assert str(finished(router.aquery("what is a caster ?"))) == str(wheels)


def test_a_refusal_stays_one_in_a_router(host: Host) -> None:
    refused = RouterQueryEngine(ByWord(), as_tools(host), llm=MockLLM()).query("who won the workshop war of Troy ?")
    result: Any = refused.metadata
    assert result["answer"]["refused"]
    assert str(refused) == "The notes do not say."


def test_assistants_as_tools_of_a_stock_agent(host: Host) -> None:
    llm = Caller(tool="book_chat", question="What is a caster?")
    agent = FunctionAgent(tools=as_tools(host), llm=llm, streaming=True)

    async def run() -> Any:
        return await asyncio.wait_for(agent.run(user_msg="Tell me about casters."), HANG)

    done = finished(run())
    assert CASTER in str(done)
    (called,) = done.tool_calls
    assert called.tool_name == "book_chat"
    assert called.tool_output.raw_output.metadata["answer"]["citations"]


def test_a_corpus_s_retriever_in_stock_llama_index(host: Host) -> None:
    books = host.hooks.retriever(host.find_corpus("books"), 2)
    notes = host.hooks.retriever(host.find_corpus("notes"), 2)
    assert isinstance(books, BaseRetriever)
    tools = [
        RetrieverTool.from_defaults(books, name="books", description="what a caster is"),
        RetrieverTool.from_defaults(notes, name="notes", description="where the key hangs"),
    ]
    found = RouterRetriever(ByWord(), tools, llm=MockLLM()).retrieve("what is a caster ?")
    assert found[0].node.get_content().startswith(CASTER)
    engine = RetrieverQueryEngine(books, response_synthesizer=CompactAndRefine(llm=MockLLM()))
    answered = engine.query("What is a caster?")
    assert answered.source_nodes[0].node.metadata["book_title"] == "Robot parts"
    assert CASTER in str(answered), "the model that only repeats has been given the passage"
