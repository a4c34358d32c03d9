"""The language models that a planner may ask: one on the robot, and a remote agent within the day's budget."""

from __future__ import annotations

import json
import logging
import os
import re
from dataclasses import replace
from decimal import ROUND_CEILING, Decimal
from typing import Any
from urllib.parse import urlsplit

from ragstone.core.llm import ChatFailed, ChatReply, ChatServer, ask_chat

from ..settings import RemoteSettings, SlmSettings
from .drafts import Draft, ToolCall, read_reply
from .ledger import CENT, Ledger, LedgerError
from .situation import PlannerContext

_log = logging.getLogger(__name__)

_ALLOWED = "ALLOW_REMOTE_AGENT"
_BUDGET = "MAX_API_CENTS_PER_DAY"
#: Whole cents, digits only.
_CENTS = re.compile(r"[0-9]{1,9}", re.ASCII)
#: Tokens that a server adds to a message at most. A token of the message itself has at least one byte.
_ADDED_TOKENS = 64
#: HTTP statuses of refusals, which no server bills; 408 comes after it began.
_NOT_BILLED = frozenset(range(400, 500)) - {408}


def ask_slm(settings: SlmSettings, context: PlannerContext) -> Draft:
    """The draft of the language model on the robot."""
    if settings.base is None:
        return Draft("no local model is set")
    server = _server(settings, settings.base, logprobs=settings.logprobs)
    try:
        reply = ask_chat(server, context.prompt)
    except ChatFailed as error:
        return Draft(str(error), call=_call("slm", server, error))
    draft = read_reply(reply, context, settings.unstated_confidence)
    return replace(draft, call=_call("slm", server, reply))


def ask_remote(settings: RemoteSettings, ledger: Ledger, context: PlannerContext) -> Draft:
    """The draft of the remote agent, if it is allowed and the day's budget covers the most that the call can cost."""
    if settings.base is None:
        return Draft("no remote agent is set")
    budget = _daily_budget()
    if isinstance(budget, str):
        return Draft(budget)
    server = _server(settings, settings.base, limit=settings.limit, proxies=settings.base.startswith("https://"))
    most = _price(settings, len(server.body(context.prompt)) + _ADDED_TOKENS, settings.max_tokens)
    try:
        reserved = ledger.reserve(most, cap=budget)
    except LedgerError as error:
        _log.warning("the remote agent is off: %s", error)
        return Draft(f"the ledger {error.what}")
    if isinstance(reserved, str):
        return Draft(reserved)
    cost = most  # unless the reply or the error shows another cost
    try:
        reply = ask_chat(server, context.prompt)
    except ChatFailed as error:
        if not error.reached or error.refused in _NOT_BILLED:
            cost = 0
        draft = Draft(str(error), call=_call("remote_agent", server, error, cost, most))
    else:
        if reply.input_tokens is not None and reply.output_tokens is not None:
            cost = _price(settings, reply.input_tokens, reply.output_tokens)
        draft = read_reply(reply, context, settings.unstated_confidence)
        draft = replace(draft, call=_call("remote_agent", server, reply, cost, most))
    if cost != most:
        try:
            ledger.settle(reserved, cost)
        except LedgerError as error:
            _log.warning("what the remote agent did not cost stays reserved: %s", error)
    return draft


def _daily_budget() -> int | str:
    """Micro-cents that a day may cost, or why the remote agent is not allowed."""
    if os.environ.get(_ALLOWED) != "1":
        return f"{_ALLOWED} is not 1"
    cents = os.environ.get(_BUDGET)
    if cents is None:
        return f"{_BUDGET} is not set"
    if not _CENTS.fullmatch(cents):
        return f"{_BUDGET} is no whole number of cents"
    return int(cents) * CENT


def _price(settings: RemoteSettings, read: int, written: int) -> int:
    """Micro-cents of a call, rounded up: cents for a million tokens are micro-cents for one."""
    cost = (settings.input_price or Decimal(0)) * read + (settings.output_price or Decimal(0)) * written
    return int(cost.to_integral_value(ROUND_CEILING))


def _server(settings: SlmSettings | RemoteSettings, base: str, **more: Any) -> ChatServer:
    return ChatServer(
        base=base,
        model=settings.model,
        max_tokens=settings.max_tokens,
        timeout=settings.timeout,
        key_variables=(settings.key_variable,),
        **more,
    )


def _call(tool: str, server: ChatServer, outcome: ChatReply | ChatFailed, cost: int = 0, estimate: int = 0) -> ToolCall:
    arguments = {"host": urlsplit(server.base).netloc, "max_tokens": server.max_tokens}
    is_reply = isinstance(outcome, ChatReply)
    names = ("text", "input_tokens", "output_tokens")
    result = {name: getattr(outcome, name) for name in names} if is_reply else {"error": str(outcome)}
    asked, given = (json.dumps(each, ensure_ascii=False) for each in (arguments, result))
    return ToolCall(tool, server.model, asked, given, is_reply, cost, estimate)
