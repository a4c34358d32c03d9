"""Translates errors of SDKs and servers, whose messages may repeat a key, into errors that may be shown."""

from __future__ import annotations

import email.utils
import logging
import math
import time
from typing import TYPE_CHECKING, Any

import httpx

from ..errors import LLMError
from .keys import GEMINI_VARIABLE, OWN_VARIABLE
from .redaction import Oversized

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .requests import Call

_log = logging.getLogger(__name__)

#: Seconds before the second try where the server names none.
_PAUSE = 0.5
_LONGEST_MESSAGE = 300


class Failed(LLMError):
    """An ``LLMError`` that knows whether asking again can help."""

    def __init__(self, what: str, *, hint: str | None = None, pause: float | None = None) -> None:
        super().__init__(what, hint=hint)
        #: Seconds after which it may be asked again; ``None`` where that would not help.
        self.pause = pause


def translate_error(error: BaseException, call: Call) -> Failed:
    """The error of an SDK as one that may be shown."""
    chain = list(_chain(error))
    _log_chain(chain, call)
    for link in chain:
        status = _status(link)
        if status is not None:
            return _refused(status, link)
    kinds = tuple(type(link) for link in chain)
    if any(issubclass(kind, httpx.ConnectError | ConnectionRefusedError) for kind in kinds):
        return Failed(
            "the language model's server cannot be reached",
            hint="is it running, and is [llm] api_base its address?",
            pause=_PAUSE,
        )
    if any(issubclass(kind, httpx.TimeoutException) for kind in kinds):
        return timed_out(None)
    oversized = next((link for link in chain if isinstance(link, Oversized)), None)
    if oversized is not None:
        return Failed(f"the language model: {oversized}", hint="is [llm] api_base the address of such a server?")
    if any(issubclass(kind, httpx.TransportError | ConnectionError) for kind in kinds):
        return Failed("the language model's server broke off", pause=_PAUSE)
    return Failed(f"the language model failed ({type(error).__name__})", hint="see the log, or set another [llm]")


def timed_out(seconds: float | None) -> Failed:
    """The deadline has passed."""
    within = f" within {seconds:g} s" if seconds is not None else " in time"
    return Failed(f"the language model did not finish{within}", hint="raise [llm] timeout, or set a faster model")


def unfinished() -> Failed:
    """The stream ended without the end that the protocol demands."""
    return Failed("the language model's server ended its answer before the end", pause=_PAUSE)


def empty() -> Failed:
    """The stream ended as it should, without any text."""
    return Failed("the language model's answer is empty", hint="is [llm] api_base the address of such a server?")


def _refused(status: int, error: BaseException) -> Failed:
    if status in {401, 403}:
        return Failed(
            f"the language model's server refuses the key ({status})", hint=f"set {OWN_VARIABLE} or {GEMINI_VARIABLE}"
        )
    if status == 404:
        return Failed(
            "the language model's server knows no such address or model (404)",
            hint="see [llm] model and api_base, which mostly ends in /v1",
        )
    if status == 429:
        return Failed(
            "the language model's server takes no more requests now (429)",
            hint="ask again later",
            pause=_asked_pause(error),
        )
    if status >= 500:
        return Failed(f"the language model's server failed ({status})", hint="ask again", pause=_asked_pause(error))
    return Failed(f"the language model's server refused the request ({status})", hint="ragstone -v shows its reason")


def _status(error: BaseException) -> int | None:
    """The HTTP status, as openai (``status_code``), google-genai (``code``) and httpx (``response``) carry it."""
    response = getattr(error, "response", None)
    for holder, name in ((error, "status_code"), (error, "code"), (response, "status_code")):
        status = getattr(holder, name, None)
        if isinstance(status, int) and not isinstance(status, bool) and 300 <= status <= 599:
            return status
    return None


def _asked_pause(error: BaseException) -> float:
    """Seconds that the server asks to wait: ``Retry-After`` (RFC 9110, 10.2.3), or Google's ``RetryInfo``."""
    headers: Any = getattr(getattr(error, "response", None), "headers", None)
    asked = headers.get("retry-after") if headers is not None and hasattr(headers, "get") else None
    for seconds in (_seconds(asked), _retry_info(getattr(error, "details", None))):
        if seconds is not None:
            return seconds
    return _PAUSE


def _seconds(asked: object) -> float | None:
    if not isinstance(asked, str):
        return None
    try:
        seconds = float(asked)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(asked).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def _retry_info(details: object) -> float | None:
    inner = details.get("error") if isinstance(details, dict) else None
    for detail in (inner.get("details") or ()) if isinstance(inner, dict) else ():
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(delay, str) and delay.endswith("s"):
            return _seconds(delay[:-1])
    return None


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or link.__context__


def _log_chain(chain: list[BaseException], call: Call) -> None:
    """Log what was raised; the messages only of a request whose key is known and can be removed."""
    for link in chain:
        trace = link.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        code = trace.tb_frame.f_code if trace is not None else None
        place = f" in {code.co_filename}:{trace.tb_lineno}" if code is not None and trace is not None else ""
        message = ""
        if call.known:
            # First the key, then the cut: half a key would not be found.
            whole = str(link) if call.key is None else call.key.removed_from(str(link))
            message = ": " + "".join(c if c.isprintable() else " " for c in whole)[:_LONGEST_MESSAGE]
        _log.info("the language model: %s%s%s", type(link).__name__, place, message)
