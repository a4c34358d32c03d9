"""MCP over stdin and stdout, for a program that starts Ragstone itself."""

from __future__ import annotations

import atexit
import os
import signal

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import PARSE_ERROR, ErrorData, JSONRPCError

from ragstone.core import Host

from ..process_exit import end_process
from .server import server_of

_INTERRUPTED = 130
_UNREADABLE = SessionMessage(
    JSONRPCError(
        jsonrpc="2.0",
        id=None,
        error=ErrorData(code=PARSE_ERROR, message="The line is no message of JSON-RPC: one JSON object, in UTF-8."),
    )
)


def talk(host: Host) -> None:
    """Serve the assistants as tools over stdin and stdout, until the client closes them."""
    atexit.register(end_process)
    try:
        anyio.run(_serve, host)
    except* (BrokenPipeError, anyio.BrokenResourceError):  # the client has closed the pipes
        pass


async def _serve(host: Host) -> None:
    server = server_of(host)
    _end_on_signals(host)
    # The SDK keeps stdout for the protocol, and lets everything else that is printed go to stderr.
    async with stdio_server() as (incoming, outgoing), anyio.create_task_group() as tasks:
        messages, received = anyio.create_memory_object_stream[SessionMessage | Exception]()

        async def receive() -> None:
            async with messages:
                async for message in incoming:
                    # The SDK drops what is no message, and its client would wait for an answer without end.
                    await (outgoing.send(_UNREADABLE) if isinstance(message, Exception) else messages.send(message))

        tasks.start_soon(receive)
        await server.run(received, outgoing, server.create_initialization_options())


def _end_on_signals(host: Host) -> None:
    """End the process at once: a thread that waits for the client's next line cannot be interrupted."""

    def end(number: int, _frame: object) -> None:
        host.close()
        os._exit(_INTERRUPTED if number == signal.SIGINT else 0)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
