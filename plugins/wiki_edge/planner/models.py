"""The three that may know, in the specification's order: a model on the robot, its shards, an agent elsewhere."""

from __future__ import annotations

import logging
import os
import re
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ragstone.core import LLMError
from ragstone.core.llm import ChatFailed, ChatServer, ask_chat
from ragstone.core.text import strip_hidden

from .ledger import CENT, Ledger, LedgerError, Refused
from .order_flags import HARMLESS, flags

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragstone.core.llm import ChatReply

    from .settings import RemoteSettings, SlmSettings
    from .situation import Passage, PlannerContext

_log = logging.getLogger(__name__)

ALLOWED = "ALLOW_REMOTE_AGENT"
BUDGET = "MAX_API_CENTS_PER_DAY"
#: Whole cents, written as digits and nothing else.
_CENTS = re.compile(r"[0-9]{1,9}", re.ASCII)
#: A token is a byte at least; what a server puts around a message is not more than this.
_AROUND = 64
#: Refusals that no server bills: it did not begin.
_NOT_BILLED = range(400, 500)
_TIMED_OUT = 408

_STATED = re.compile(r"\n?(?<![^\w\n])[^\w\n]*CONFIDENCE\W{0,5}(\d{1,3}(?:\.\d+)?)(?:\s*%)?\W*$", re.IGNORECASE)
_UNKNOWN = re.compile(r"\bI (?:DO NOT|DON[’']T) KNOW\b", re.IGNORECASE)
_MARKER = re.compile(r"\s?\[(\d{1,3})\]")
_FENCE = re.compile(r"quote-[0-9a-f]{16}", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
#: Nothing that a planner reads as text looks like this.
_NEVER = frozenset({"overrides", "role-marker", "tool-call", "json-action", "fence", "hidden-characters"})
_LEAST_WORDS = 4


@dataclass(frozen=True)
class ToolCall:
    """One call of a model, as an episode tells it."""

    tool: str
    name: str
    arguments: Mapping[str, Any]
    result: Mapping[str, Any]
    ok: bool
    #: Micro-cents: what it cost, and what it could have cost at most.
    cost: int = 0
    estimate: int = 0


@dataclass(frozen=True)
class Said:
    """What a model said, read."""

    text: str
    confidence: float
    #: Numbers of the passages that it cites, from 1.
    cited: tuple[int, ...]
    cost: int = 0


@dataclass
class Asked:
    """A model's answer or why there is none, and the call as it is told."""

    said: Said | None = None
    reason: str = ""
    cost: int = 0
    calls: list[ToolCall] = field(default_factory=list)


def ask_slm(settings: SlmSettings, context: PlannerContext) -> Asked:
    """Ask the model on the robot."""
    if settings.base is None:
        return Asked(reason="no local model is set")
    server = ChatServer(
        base=settings.base,
        model=settings.model,
        max_tokens=settings.max_tokens,
        timeout=settings.timeout,
        key_variables=(settings.key_variable,),
        logprobs=settings.logprobs,
    )
    asked = Asked()
    try:
        reply = ask_chat(server, context.prompt)
    except LLMError as error:
        asked.reason = str(error)
        asked.calls.append(_call("slm", server, asked.reason, None))
        return asked
    asked.calls.append(_call("slm", server, "", reply))
    _judge(asked, reply, context, settings.unstated_confidence)
    return asked


def remote_budget(settings: RemoteSettings, environ: Mapping[str, str] | None = None) -> int | str:
    """Micro-cents that a day may cost, or why the remote agent is not asked."""
    environ = os.environ if environ is None else environ
    if settings.base is None:
        return "no remote agent is set"
    if environ.get(ALLOWED) != "1":
        return f"{ALLOWED} is not 1"
    allowed = environ.get(BUDGET)
    if allowed is None:
        return f"{BUDGET} is not set"
    if not _CENTS.fullmatch(allowed):
        return f"{BUDGET} is no whole number of cents"
    return int(allowed) * CENT


def ask_remote(settings: RemoteSettings, ledger: Ledger, context: PlannerContext) -> Asked:
    """Ask the agent elsewhere, if that is allowed and the day's budget bears the dearest answer that it may give."""
    budget = remote_budget(settings)
    if isinstance(budget, str) or settings.base is None:
        return Asked(reason=str(budget))
    server = ChatServer(
        base=settings.base,
        model=settings.model,
        max_tokens=settings.max_tokens,
        timeout=settings.timeout,
        key_variables=(settings.key_variable,),
        limit=settings.limit,
        proxies=settings.base.startswith("https://"),
    )
    worst = price(settings, len(server.body(context.prompt)) + _AROUND, settings.max_tokens)
    try:
        taken = ledger.reserve(worst, cap=budget)
    except LedgerError as error:
        _log.warning("the remote agent is off: %s", error)
        return Asked(reason=f"the ledger {error.what}")
    if isinstance(taken, Refused):
        return Asked(reason=taken.reason)
    # From here on it is spent, unless we know better.
    asked, cost = Asked(), worst
    try:
        reply = ask_chat(server, context.prompt)
    except ChatFailed as error:
        billed = error.reached and (error.refused is None or error.refused not in _NOT_BILLED)
        cost = worst if billed or error.refused == _TIMED_OUT else 0
        asked.reason = str(error)
        asked.calls.append(_call("remote_agent", server, asked.reason, None, cost, worst))
    else:
        if reply.input_tokens is not None and reply.output_tokens is not None:
            cost = price(settings, reply.input_tokens, reply.output_tokens)
        asked.calls.append(_call("remote_agent", server, "", reply, cost, worst))
        _judge(asked, reply, context, settings.unstated_confidence)
    asked.cost = cost
    if cost != worst:
        try:
            ledger.settle(taken, cost)
        except LedgerError as error:
            _log.warning("what the remote agent did not cost stays reserved: %s", error)
    return asked


def price(settings: RemoteSettings, read: int, written: int) -> int:
    """Micro-cents of a call, rounded up: cents for a million tokens are micro-cents for one."""
    cost = (settings.input_price or Decimal(0)) * read + (settings.output_price or Decimal(0)) * written
    return int(cost.to_integral_value(ROUND_CEILING))


def _judge(asked: Asked, reply: ChatReply, context: PlannerContext, unstated: float) -> None:
    """Put what was said into ``asked``, or why it does not count."""
    text = strip_hidden(reply.text).strip()
    stated = _STATED.search(text)
    text = text[: stated.start()].strip() if stated else text
    asked.reason = _fault(text, context.passages)
    if asked.reason:
        return
    passages = len(context.passages)
    cited = tuple(dict.fromkeys(int(n) for n in _MARKER.findall(text) if 1 <= int(n) <= passages))
    text = _MARKER.sub(lambda marker: marker[0] if int(marker[1]) in cited else "", text).strip()
    confidence = float(stated[1]) / 100 if stated and float(stated[1]) <= 100 else unstated
    if passages and not cited:
        confidence = min(confidence, unstated)  # from nowhere
    if reply.likelihood is not None:
        confidence = min(confidence, reply.likelihood)
    asked.said = Said(text, confidence, cited, asked.cost)


def _fault(text: str, passages: Sequence[Passage]) -> str:
    if not text:
        return "it said nothing"
    if _UNKNOWN.search(text):
        return "it does not know"
    if _FENCE.search(text):
        return "it repeats a mark of the quotations"
    orders = [flag for flag in flags(text) if flag in _NEVER]
    if orders:
        return f"it reads like an order ({', '.join(orders)})"
    said = _bare(text)
    for passage in passages:
        if any(order in said for order in _orders(passage)):
            return f"it repeats an order that stands in {passage.id}"
    return ""


def _orders(passage: Passage) -> list[str]:
    """The sentences of a passage that read like orders, bare."""
    if not set(passage.flags) - HARMLESS:
        return []
    sentences = [each for each in _SENTENCE.split(strip_hidden(passage.text)) if set(flags(each)) - HARMLESS]
    return [bare for each in sentences if len((bare := _bare(each)).split()) >= _LEAST_WORDS]


def _bare(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _call(
    tool: str, server: ChatServer, fault: str, reply: ChatReply | None, cost: int = 0, estimate: int = 0
) -> ToolCall:
    arguments = {"host": urlsplit(server.base).netloc, "max_tokens": server.max_tokens}
    if reply is None:
        return ToolCall(tool, server.model, arguments, {"error": fault}, ok=False, cost=cost, estimate=estimate)
    result = {"text": reply.text, "input_tokens": reply.input_tokens, "output_tokens": reply.output_tokens}
    return ToolCall(tool, server.model, arguments, result, ok=True, cost=cost, estimate=estimate)
