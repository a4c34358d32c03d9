"""Other people's clients, and ``llm-comply``, against ``/v1``."""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from tests.support.needs import needed
from tests.support.patience import HANG
from tests.support.suites import suites_python

EXPECTED = Path(__file__).with_name("llm_comply_expected_failures.yml")
QUESTION = "What is a caster?"
SENTENCE = "A caster is a wheel that swivels about a vertical axis. [1]"
LANGCHAIN = """
import json, sys
from langchain_core.messages import AIMessage, HumanMessage
from langchain_openai import ChatOpenAI

model = ChatOpenAI(model="book_chat", base_url=sys.argv[1], api_key="x", max_retries=0)
whole = model.invoke(sys.argv[2])
streamed = None
for piece in model.stream(sys.argv[2]):
    streamed = piece if streamed is None else streamed + piece
follow = model.invoke([HumanMessage(sys.argv[2]), AIMessage(whole.content), HumanMessage("and its traction?")])
print(json.dumps({"whole": whole.content, "streamed": streamed.content, "follow": follow.content,
    "usage": whole.usage_metadata}))
"""


def test_llm_comply(url: str) -> None:
    arguments = ("--format", "openai-chat", "-u", f"{url}v1", "-k", "x", "-m", "book_chat", "--json")
    done = suites_python("-m", "llm_comply.cli", *arguments, timeout=4 * HANG)
    results = {result["id"]: result for result in json.loads(done.stdout)["results"]}
    print({name: result["status"] for name, result in results.items()})
    expected = yaml.safe_load(EXPECTED.read_text("utf-8"))
    assert {name for name, result in results.items() if result["status"] != "passed"} == expected.keys(), done.stdout


def test_langchain(url: str) -> None:
    done = suites_python("-c", LANGCHAIN, f"{url}v1", QUESTION, timeout=2 * HANG)
    assert done.returncode == 0, done.stderr[-2000:]
    result = json.loads(done.stdout)
    assert result["whole"].startswith(SENTENCE)
    assert result["streamed"] == result["whole"]
    assert result["follow"].startswith("Casters give no traction. [1]")
    assert result["usage"]["total_tokens"] > result["usage"]["input_tokens"] > 0


def test_llama_index(url: str) -> None:
    model = needed("llama_index.llms.openai_like").OpenAILike(
        model="book_chat", api_base=f"{url}v1", api_key="x", is_chat_model=True, max_retries=0
    )
    whole = model.complete(QUESTION).text
    assert whole.startswith(SENTENCE)
    assert "".join(piece.delta for piece in model.stream_complete(QUESTION)) == whole


def test_openais_client_and_open_webui_have_the_citations_as_annotations(url: str) -> None:
    """Open WebUI shows the ``url_citation``s of a stream's deltas as sources, numbered as they come."""
    client = needed("openai").OpenAI(base_url=f"{url}v1", api_key="x", max_retries=0)
    messages = [{"role": "user", "content": QUESTION}]
    message = client.chat.completions.create(model="book_chat", messages=messages).choices[0].message
    (first, *_) = [each.url_citation for each in message.annotations]
    assert message.content[first.start_index : first.end_index] == "[1]"
    assert first.title.startswith("Robot parts")
    assert first.url.startswith(f"{url}book_chat/")

    stream = client.chat.completions.create(model="book_chat", messages=messages, stream=True)
    deltas = [chunk.choices[0].delta.to_dict() for chunk in stream]
    streamed = [each for delta in deltas for each in delta.get("annotations", [])]
    assert streamed == [each.to_dict() for each in message.annotations]

    refused = client.chat.completions.create(
        model="book_chat", messages=[{"role": "user", "content": "Who was Napoleon's sister?"}]
    )
    assert refused.choices[0].message.annotations == []
