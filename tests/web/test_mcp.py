"""The SDK's own client against ``/mcp`` and ``ragstone mcp``."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from llama_index.core.base.llms.types import DocumentBlock, ImageBlock
from llama_index.core.prompts import BasePromptTemplate, PromptTemplate
from llama_index.core.tools import BaseTool, FunctionTool

from ragstone.core import Assistant, CitationFormat, Host, NotFound, Profile, hookimpl
from ragstone.core.testing import open_host
from ragstone.web import create_app
from ragstone.web.keys.access import EVERYTHING
from ragstone.web.keys.store import Keys
from ragstone.web.settings import WebSettings
from tests.support.loops import finished
from tests.support.needs import needed
from tests.support.patience import HANG
from tests.support.third_party_fakes import RAGSTONE, distribution, environment, fast_models, run

from .conftest import BOOK, QUESTION, SENTENCE, running, wheels_host

mcp = needed("mcp")
mcp_server = needed("ragstone.web.mcp.server")
mcp_prompts = needed("ragstone.web.mcp.prompts")
mcp_tools = needed("ragstone.web.mcp.tools")
streamable_http = needed("mcp.client.streamable_http")

POST = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


class Abacus:
    """A plugin with tools."""

    def __init__(self) -> None:
        self.waiting, self.going_on = threading.Event(), threading.Event()

    @hookimpl
    def ragstone_tools(self, host: Host) -> list[BaseTool]:
        def add(a: int, b: int = 1) -> dict[str, int]:
            """Add two numbers."""
            return {"sum": a + b}

        def fail(how: str) -> str:
            """Fail in one way or the other."""
            if how == "kindly":
                raise NotFound("there is no such number")
            raise RuntimeError("secret insides")

        def wait() -> str:
            """Say nothing until told."""
            self.waiting.set()
            self.going_on.wait(HANG)
            return "done"

        def draw() -> list[Any]:
            """Return what is linked, what is linked with its type, and a document that is no text."""
            page = "http://127.0.0.1:9/never-fetched"
            return [ImageBlock(url=page), DocumentBlock(url=page, title="A page"), DocumentBlock(data=b"\xff\0")]

        return [FunctionTool.from_defaults(each) for each in (add, fail, wait, draw)]

    @hookimpl
    def ragstone_prompts(self) -> dict[str, BasePromptTemplate]:
        def broken(**_given: Any) -> str:
            raise RuntimeError("secret insides")

        metadata = {"description": "Count."}
        wrong = PromptTemplate("{it}", metadata=dict(metadata), function_mappings={"it": broken})
        given = {"count": PromptTemplate("Count {what}.", metadata=dict(metadata)), "inner": PromptTemplate("{what}")}
        return {**given, "broken": wrong}


@pytest.fixture(scope="module")
def abacus() -> Abacus:
    return Abacus()


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory, abacus: Abacus) -> Iterator[Host]:
    plugins = {"abacus": abacus}
    with wheels_host(tmp_path_factory.mktemp("mcp"), plugins=plugins, max_body_bytes=100_000) as opened:
        yield opened


@pytest.fixture(scope="module")
def address(host: Host) -> Iterator[str]:
    with running(create_app(host), host.hooks.options(WebSettings)) as url:
        yield f"{url}mcp"


def talk(work: Coroutine[Any, Any, Any]) -> Any:
    """Run it, and give up on what hangs."""
    return finished(asyncio.wait_for(work, HANG))


@asynccontextmanager
async def keyed_client(address: str, key: str) -> AsyncIterator[Any]:
    create = needed("mcp.shared._httpx_utils").create_mcp_http_client
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        create(headers=headers) as web,
        mcp.Client(streamable_http.streamable_http_client(address, http_client=web)) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def stdio(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """How ``ragstone mcp`` is started, with a plugin that prints whenever it can."""
    folder = tmp_path_factory.mktemp("stdio")
    site = fast_models(folder / "site")
    noisy = """
        import os
        from ragstone.core import hookimpl

        print("I was imported")


        @hookimpl
        def ragstone_opened(host):
            print("I was opened")


        @hookimpl
        def ragstone_postprocessors(host, corpus):
            print("I was asked")
            os.system("echo a child was asked")
            return []
    """
    distribution(site, "noisy", noisy)
    (folder / "wheels.md").write_text(BOOK, "utf-8")
    kept = str(folder / "data")
    added = run("book", "add", str(folder / "wheels.md"), "--title", "Robot parts", site=site, RAGSTONE_DATA_DIR=kept)
    assert (added.code, "I was imported" in added.out) == (0, False), added
    env = environment(site, RAGSTONE_DATA_DIR=kept)
    return mcp.StdioServerParameters(command=str(RAGSTONE), args=["mcp"], env=env, cwd=folder)


# Over both transports, in both ages of the protocol


@pytest.fixture(params=["http auto", "http legacy", "stdio auto", "stdio legacy"])
def connected(request: pytest.FixtureRequest) -> Callable[[], Any]:
    transport, mode = request.param.split()
    server = request.getfixturevalue({"http": "address"}.get(transport, transport))
    return lambda: mcp.Client(server, mode=mode)


def test_every_assistant_can_be_searched_and_asked(connected: Callable[[], Any], host: Host) -> None:
    async def work() -> None:
        pieces = []

        async def progress(_done: float, _total: float | None, message: str | None) -> None:
            pieces.append(message or "")

        async with connected() as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert set(tools) >= {f"{what}_{name}" for name in host.hooks.assistants for what in ("search", "ask")}
            assert tools["ask_book_chat"].input_schema["required"] == ["question"]
            assert tools["ask_book_chat"].annotations.read_only_hint

            found = await client.call_tool("search_book_chat", {"question": QUESTION, "top_k": 1})
            (chunk,) = found.structured_content["passages"]
            assert chunk["text"] in found.content[0].text
            read = await client.read_resource(chunk["uri"])
            assert read.contents[0].text == chunk["text"]
            (template,) = (await client.list_resource_templates()).resource_templates
            assert template.uri_template == "ragstone://{assistant}/passage/{chunk_id}"
            assert (await client.list_resources()).resources == []

            asked = await client.call_tool("ask_book_chat", {"question": QUESTION}, progress_callback=progress)
            assert not asked.is_error
            result = asked.structured_content
            assert asked.content[0].text.startswith(result["answer"])
            assert "\n\nSources:\n[1] " in asked.content[0].text
            assert result["citations"][0]["uri"].startswith("ragstone://book_chat/passage/")
            assert "".join(pieces) == result["answer"]

            refused = await client.call_tool("ask_book_chat", {"question": "Who was Napoleon's sister?"})
            assert (refused.is_error, refused.structured_content["refused"]) == (False, True)
            assert refused.content[0].text == refused.structured_content["answer"]

            for arguments, words in (
                ({"question": ""}, "the question is empty"),
                ({"question": "x" * 5000}, "4,000 are allowed"),
                ({}, "question is missing"),
                ({"question": "q", "colour": "red"}, "unknown key 'colour'"),
                ({"question": "q", "top_k": 100}, "top_k must be from 1"),
                ({"question": "q", "book": "nowhere"}, "no book"),
            ):
                wrong = await client.call_tool("ask_book_chat", arguments)
                assert (wrong.is_error, words in wrong.content[0].text) == (True, True), (arguments, wrong.content)
            with pytest.raises(mcp.MCPError, match="There is no tool 'nothing'"):
                await client.call_tool("nothing", {})
            for uri in ("ragstone://book_chat/passage/none", "ragstone://nobody/passage/x", "file:///etc/passwd", "x"):
                with pytest.raises(mcp.MCPError, match="there is no"):
                    await client.read_resource(uri)

    talk(work())


# HTTP


def test_an_answer_of_a_book(address: str) -> None:
    async def work() -> None:
        async with mcp.Client(address) as client:
            asked = await client.call_tool("ask_book_chat", {"question": QUESTION, "book": "robot-parts"})
            assert SENTENCE in asked.structured_content["answer"]
            follow = {"question": "and its traction?", "history": [{"question": QUESTION, "answer": SENTENCE}]}
            asked = await client.call_tool("ask_book_chat", follow)
            assert asked.structured_content["answer"].startswith("Casters give no traction.")

    talk(work())


def test_tools_of_plugins_are_called_and_fail_in_words(address: str, caplog: pytest.LogCaptureFixture) -> None:
    async def work() -> None:
        async with mcp.Client(address) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert tools["add"].description.endswith("Add two numbers.")
            assert tools["add"].input_schema["required"] == ["a"]
            done = await client.call_tool("add", {"a": 2})
            assert (done.structured_content, done.is_error) == ({"sum": 3}, False)
            for name, arguments, words in (
                ("add", {"a": "many"}, "a: Input should be a valid integer"),
                ("add", {}, "a: Field required"),
                ("fail", {"how": "kindly"}, "there is no such number"),
                ("fail", {"how": "badly"}, "The plugin abacus failed. Ragstone's log says why."),
            ):
                wrong = await client.call_tool(name, arguments)
                assert (wrong.is_error, words in wrong.content[0].text) == (True, True), wrong.content
                assert "secret" not in wrong.content[0].text

    talk(work())
    assert "the tool fail of the plugin abacus failed" in caplog.text


def test_a_tool_gives_links_and_documents_and_nothing_is_fetched(address: str) -> None:
    async def work() -> None:
        async with mcp.Client(address) as client:
            done = await client.call_tool("draw", {})
            kinds = [type(each).__name__ for each in done.content]
            assert (done.is_error, kinds) == (False, ["ResourceLink", "ResourceLink", "EmbeddedResource"])
            assert [done.content[1].name, done.content[1].uri] == ["A page", "http://127.0.0.1:9/never-fetched"]
            assert done.content[2].resource.blob == "/wA="

    talk(work())


def test_prompts_are_for_the_clients_own_model(address: str, host: Host) -> None:
    async def work() -> None:
        async with mcp.Client(address) as client:
            prompts = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
            assert set(prompts) == {*host.hooks.assistants, "count", "broken"}
            arguments = {argument.name: argument.required for argument in prompts["book_chat"].arguments}
            assert (arguments["question"], arguments["book"]) == (True, None)

            given = await client.get_prompt("book_chat", {"question": QUESTION, "book": "robot-parts", "setting": ""})
            rules, asked = (message.content.text for message in given.messages)
            assert "they are quotations" in rules.lower()
            assert SENTENCE in asked
            assert asked.endswith(f"The reader asks: {QUESTION}")
            given = await client.get_prompt("count", {"what": "the {sheep}"})
            assert [message.content.text for message in given.messages] == ["Count the {sheep}."]

            for name, words, text in (
                ("book_chat", {"question": "Who was Napoleon's sister?"}, "only answer"),
                ("book_chat", {}, "question is missing"),
                ("book_chat", {"question": "q", "colour": "red"}, "unknown key 'colour'"),
                ("count", {}, "'what' is missing or unknown"),
                ("count", {"what": "x", "why": "y"}, "'why' is missing or unknown"),
                ("inner", {"what": "x"}, "there is no prompt 'inner'"),
                ("broken", {"it": "x"}, "^(?!.*secret)"),
            ):
                with pytest.raises(mcp.MCPError, match=text):
                    await client.get_prompt(name, words)

    talk(work())


def test_an_assistant_without_a_template_has_no_prompt(tmp_path: Path) -> None:
    class Bare:
        @hookimpl
        def ragstone_assistants(self, host: Host) -> list[Assistant]:
            profile = Profile(
                name="without_template",
                title="Without a template",
                description="Has no template for a language model.",
                citations=CitationFormat(("title",), url=lambda node: f"/{node.node_id}"),
                refusal=lambda _filters: "No.",
                prompt="nobody/gives",
            )
            return [Assistant(host, host.corpus("nothing", kind="book"), profile)]

    with open_host(tmp_path, plugins={"bare": Bare()}) as host:
        assert "without_template" in host.hooks.assistants
        names = [prompt.name for prompt in mcp_prompts.prompts(host, EVERYTHING)]
        assert names == [name for name in host.hooks.assistants if name != "without_template"]
        with pytest.raises(NotFound, match="no prompt 'without_template'"):
            mcp_prompts.prompt(host, EVERYTHING, "without_template", {"question": "q"})


def test_arguments_are_completed(address: str) -> None:
    async def work() -> None:
        prompt, template = needed("mcp_types").PromptReference, needed("mcp_types").ResourceTemplateReference
        chunk = template(uri="ragstone://{assistant}/passage/{chunk_id}")
        async with mcp.Client(address) as client:
            for reference, argument, typed, values in (
                (prompt(name="book_chat"), "setting", "HARD", ["hardware"]),
                (prompt(name="book_chat"), "book", "", []),
                (prompt(name="nobody"), "question", "", []),
                (chunk, "assistant", "book", ["book_chat"]),
                (chunk, "chunk_id", "", []),
            ):
                done = await client.complete(reference, {"name": argument, "value": typed})
                assert done.completion.values == values, (reference, argument)

    talk(work())


def test_many_clients_at_once(address: str) -> None:
    async def one(number: int) -> str:
        async with mcp.Client(address, mode="legacy" if number % 2 else "auto") as client:
            asked = await client.call_tool("ask_book_chat", {"question": QUESTION})
            return str(asked.structured_content["answer"])

    async def work() -> list[str]:
        return await asyncio.gather(*(one(number) for number in range(12)))

    assert len(set(talk(work()))) == 1


def test_a_client_that_dies_leaves_the_others_alone(address: str, abacus: Abacus) -> None:
    abacus.waiting.clear()
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "wait", "arguments": {}}}
    sent = json.dumps(body).encode()
    where = (urlsplit(address).hostname, urlsplit(address).port)
    dying = [socket.create_connection(where) for _ in range(12)]  # more than the server has threads
    head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" + "".join(f"{name}: {value}\r\n" for name, value in POST.items())
    try:
        for each in dying:
            each.sendall(f"{head}Content-Length: {len(sent)}\r\n\r\n".encode() + sent)
        assert abacus.waiting.wait(HANG)
    finally:
        for each in dying:
            each.close()

    async def work() -> None:
        async with mcp.Client(address) as client:
            assert (await client.list_tools()).tools

    talk(work())
    abacus.going_on.set()


def test_a_client_that_leaves_in_the_middle_is_no_failure(host: Host, caplog: pytest.LogCaptureFixture) -> None:
    def report(_: str) -> None:
        raise mcp_server.ClientLeft("the client has left")

    offers = mcp_tools.offers(host, EVERYTHING)
    assert mcp_tools.called(offers["ask_book_chat"], {"question": QUESTION}, report).failed
    assert caplog.text == ""


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_nothing_is_reported_unasked(address: str, method: str) -> None:
    result = httpx.request(method, address, headers=POST, timeout=HANG)
    assert (result.status_code, result.json()["jsonrpc"]) == (405, "2.0")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "evil.example"}, 421),
        ({"Host": "evil.example:80", "Origin": "http://evil.example"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Content-Type": "text/plain"}, 400),
        ({"Accept": "text/html"}, 406),
    ],
)
def test_host_and_origin_are_checked(address: str, headers: dict[str, str], status: int) -> None:
    result = httpx.post(address, headers={**POST, **headers}, json=LIST, timeout=HANG)
    assert result.status_code == status
    assert "access-control-allow-origin" not in result.headers


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"", 400),
        (b"[]", 400),
        (b"7", 400),
        (b'{"jsonrpc": "2.0"}', 400),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "tools/list"}', 400),
        (b"\xff\xfe", 400),
        (b"[" * 50_000, 400),
        (b"x" * 200_000, 413),
    ],
)
def test_what_is_no_request_is_refused(address: str, body: bytes, status: int) -> None:
    result = httpx.post(address, headers=POST, content=body, timeout=HANG)
    assert result.status_code == status
    assert "Traceback" not in result.text


def test_a_closed_host_answers_no_more(tmp_path: Path) -> None:
    with open_host(tmp_path) as host:
        client = create_app(host).test_client()
        with client.post("/mcp", headers=POST, json=LIST) as result:
            assert result.status_code == 200
        assert "mcp" in {thread.name for thread in threading.enumerate()}
        before = [thread for thread in threading.enumerate() if thread.name == "mcp"]
    assert any(not thread.is_alive() for thread in before)
    assert client.post("/mcp", headers=POST, json=LIST).status_code == 503


def test_a_key_opens_its_assistants_tools_and_no_others(tmp_path: Path, abacus: Abacus) -> None:
    with (
        open_host(tmp_path, options={"web": {"access": "key"}}, plugins={"abacus": abacus}) as host,
        running(create_app(host), host.hooks.options(WebSettings)) as url,
    ):
        whole, some = Keys(host).add("whole", doors=["mcp"]), Keys(host).add("some", assistants=["book_chat"])
        other = Keys(host).add("other", doors=["openai"])
        for key, status in (("nothing", 401), ("ragstone_1_2", 401), (other, 403), (some, 200)):
            headers = {**POST, "Authorization": f"Bearer {key}"}
            assert httpx.post(f"{url}mcp", headers=headers, json=LIST, timeout=HANG).status_code == status

        async def tools(key: str) -> set[str]:
            async with keyed_client(f"{url}mcp", key) as client:
                return {tool.name for tool in (await client.list_tools()).tools}

        assert talk(tools(whole)) >= {"ask_book_chat", "ask_wiki_edge", "add"}
        assert talk(tools(some)) == {"ask_book_chat", "search_book_chat"}

        async def beyond() -> None:
            async with keyed_client(f"{url}mcp", some) as client:
                for name in ("ask_wiki_edge", "add"):
                    with pytest.raises(mcp.MCPError, match="There is no tool"):
                        await client.call_tool(name, {"question": "q"})
                with pytest.raises(mcp.MCPError, match="no such resource"):
                    await client.read_resource("ragstone://wiki_edge/passage/x:1")
                assert [prompt.name for prompt in (await client.list_prompts()).prompts] == ["book_chat"]
                for name in ("wiki_edge", "count"):
                    with pytest.raises(mcp.MCPError, match="there is no prompt"):
                        await client.get_prompt(name, {"question": "q", "what": "x"})

        talk(beyond())


def test_a_memory_is_updated_and_queried(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "tank.md").write_text("# Tank\n\nThe lid of the left tank is open.\n", "utf-8")
    options = {"iris_memory": {"root": str(home)}}
    with (
        open_host(tmp_path, options=options) as host,
        running(create_app(host), host.hooks.options(WebSettings)) as url,
    ):

        async def work() -> None:
            async with mcp.Client(f"{url}mcp") as client:
                report = await client.call_tool("memory_update", {})
                assert (report.is_error, report.structured_content["added"]) == (False, ["tank.md"])
                asked = await client.call_tool("ask_memory", {"question": "How is the lid of the left tank?"})
                assert asked.structured_content["answer"].startswith("The lid of the left tank is open. [1]")

                (home / "tank.md").write_text("# Tank\n\nThe lid of the left tank is shut.\n", "utf-8")
                report = await client.call_tool("memory_update", {})
                assert report.structured_content["updated"] == ["tank.md"]
                asked = await client.call_tool("ask_memory", {"question": "How is the lid of the left tank?"})
                assert asked.structured_content["answer"].startswith("The lid of the left tank is shut. [1]")
                block = await client.call_tool("working_memory", {"about": "the lid of the left tank"})
                assert "The lid of the left tank is shut." in block.content[0].text

        talk(work())


@pytest.mark.slow
def test_a_server_that_is_killed_is_an_error_and_the_next_one_serves(stdio: Any, tmp_path: Path) -> None:
    def serving() -> tuple[subprocess.Popen[bytes], str]:
        command = [stdio.command, "serve", "--port", "0"]
        process = subprocess.Popen(
            command, env=stdio.env, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert process.stdout is not None
        return process, process.stdout.readline().decode().split()[3]

    async def answer(url: str) -> str:
        async with mcp.Client(f"{url}mcp") as client:
            asked = await client.call_tool("ask_book_chat", {"question": QUESTION})
            return str(asked.structured_content["answer"])

    def completed(url: str) -> str:
        client = needed("openai").OpenAI(base_url=f"{url}v1", api_key="x", max_retries=0, timeout=HANG)
        messages = [{"role": "user", "content": QUESTION}]
        result = client.chat.completions.create(model="book_chat", messages=messages)
        return str(result.ragstone["answer"])

    process, url = serving()
    try:
        before = talk(answer(url))
        assert completed(url) == before
    finally:
        process.kill()
        process.communicate()
    with pytest.raises(Exception, match=r"\w") as lost:  # a kind of the SDK's own, in a group of exceptions
        talk(answer(url))
    assert not isinstance(lost.value, TimeoutError), "it hung"
    with pytest.raises(needed("openai").APIConnectionError):
        completed(url)
    process, url = serving()
    try:
        assert talk(answer(url)) == completed(url) == before
    finally:
        process.terminate()
        process.communicate(timeout=HANG)
    assert process.returncode == 0


# stdio


def started(stdio: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [stdio.command, *stdio.args],
        env=stdio.env,
        cwd=stdio.cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )


def line(**message: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"


CLIENT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
HELLO = line(id=1, method="initialize", params=CLIENT) + line(method="notifications/initialized")
ASK = line(id=2, method="tools/call", params={"name": "ask_book_chat", "arguments": {"question": QUESTION}})


def test_nothing_but_the_protocol_is_on_stdout_and_it_ends_with_its_client(stdio: Any) -> None:
    with started(stdio) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(HELLO + b"this is no JSON\n" + ASK)
        process.stdin.flush()
        result: list[dict[str, Any]] = []
        while not any(message.get("id") == 2 for message in result):
            result.append(json.loads(process.stdout.readline()))
        out, err = process.communicate(timeout=HANG)
    assert process.returncode == 0
    assert all(json.loads(each)["jsonrpc"] == "2.0" for each in out.splitlines())
    assert b"Traceback" not in err
    for output in (b"I was imported", b"I was opened", b"I was asked", b"a child was asked"):
        assert output in err


@pytest.mark.parametrize(
    "sent", [b"this is no JSON", b"{}", b"[" * 5_000, line(id=2, method="\ud800").strip(), b"\xff"]
)
def test_what_is_no_message_is_answered(stdio: Any, sent: bytes) -> None:
    answers: dict[Any, dict[str, Any]] = {}
    with started(stdio) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(HELLO + sent + b"\n" + line(id=3, method="ping"))
        process.stdin.flush()
        while not answers.keys() >= {None, 3}:
            message = json.loads(process.stdout.readline())
            answers[message.get("id")] = message
        _, err = process.communicate(timeout=HANG)
    assert answers[None]["error"]["code"] == -32700
    assert "result" in answers[3]
    assert process.returncode == 0
    assert b"Traceback" not in err


@pytest.mark.parametrize("how", ["closes stdout", "is interrupted", "leaves in the middle"])
def test_a_client_that_goes_without_a_word(stdio: Any, how: str) -> None:
    with started(stdio) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(HELLO)
        process.stdin.flush()
        process.stdout.readline()
        if how == "closes stdout":
            process.stdout.close()
            process.stdin.write(ASK)
            process.stdin.close()
        elif how == "is interrupted":
            process.send_signal(signal.SIGINT)
        else:
            process.stdin.write(ASK[: len(ASK) // 2])
            process.stdin.close()
        code = process.wait(HANG)
        err = process.stderr.read() if process.stderr is not None else b""
    assert b"Traceback" not in err, err.decode()
    assert code == (130 if how == "is interrupted" else 0)


def test_wrong_settings_are_one_line(stdio: Any, tmp_path: Path) -> None:
    (tmp_path / "ragstone.toml").write_text("nonsense = 1\n", "utf-8")
    done = subprocess.run(
        [stdio.command, *stdio.args], env=stdio.env, cwd=tmp_path, capture_output=True, timeout=HANG, check=False
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"ragstone: ")
