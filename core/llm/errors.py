"""Translates errors of SDKs and servers, whose messages may repeat a key, into errors that may be shown."""

from __future__ import annotations

import email.utils
import logging
import math
import time
import traceback
from collections.abc import Iterator, Sequence
from types import UnionType
from typing import Any

import httpx

from ..errors import LLMError
from .keys import GEMINI_VARIABLE, OWN_VARIABLE
from .redaction import Oversized
from .requests import Call

_log = logging.getLogger(__name__)

#: Seconds before the second try where the server names none.
_PAUSE = 0.5
_LONGEST_MESSAGE = 300
_NOT_SENT = (
    ConnectionRefusedError | httpx.ConnectError | httpx.ConnectTimeout | httpx.UnsupportedProtocol | httpx.InvalidURL
)
NO_SUCH_SERVER = "is that the address of such a server?"


class Failed(LLMError):
    """A language model's server gave no reply."""

    def __init__(
        self,
        what: str,
        *,
        hint: str | None = None,
        pause: float | None = None,
        reached: bool = True,
        refused: int | None = None,
    ) -> None:
        super().__init__(what, hint=hint)
        #: Seconds after which it may be asked again; ``None`` where that would not help.
        self.pause = pause
        #: Whether the request may have come to the server, and the HTTP status with which it was refused.
        self.reached, self.refused = reached, refused


def translate_error(
    error: BaseException, call: Call, key_variables: Sequence[str] = (OWN_VARIABLE, GEMINI_VARIABLE)
) -> Failed:
    """The error of httpx or an SDK as one that may be shown. ``key_variables``: where the key belongs, for its hint."""
    if isinstance(error, Failed):
        return error
    chain = list(_chain(error))
    _log_chain(chain, call)
    for link in chain:
        status = _status(link)
        if status is not None:
            return _refused(status, link, key_variables)
    if _has(chain, _NOT_SENT):
        what, hint = "the language model's server cannot be reached", "is it running, and is api_base its address?"
        return Failed(what, hint=hint, pause=_PAUSE, reached=False)
    if _has(chain, httpx.TimeoutException):
        return timed_out(None)
    if oversized := _has(chain, Oversized):
        return Failed(f"the language model: {oversized}", hint=NO_SUCH_SERVER)
    if _has(chain, httpx.TransportError | ConnectionError):
        return Failed("the language model's server broke off", pause=_PAUSE)
    return Failed(f"the language model failed ({type(error).__name__})", hint="see the log, or take another model")


def timed_out(seconds: float | None) -> Failed:
    """The deadline has passed."""
    within = f" within {seconds:g} s" if seconds is not None else " in time"
    return Failed(f"the language model did not finish{within}", hint="raise its timeout, or take a faster model")


def unfinished() -> Failed:
    """The stream ended without the end that the protocol demands."""
    return Failed("the language model's server ended its answer before the end", pause=_PAUSE)


def empty() -> Failed:
    """The reply ended as it should, without any text."""
    return Failed("the language model's answer is empty", hint=NO_SUCH_SERVER)


def _refused(status: int, error: BaseException, key_variables: Sequence[str]) -> Failed:
    pause = None
    if status in {401, 403}:
        what, hint = "refuses the key", f"set {' or '.join(key_variables) or 'its key'}"
    elif status == 404:
        what, hint = "knows no such address or model", "see its model and its address, which mostly ends in /v1"
    elif status == 429:
        what, hint, pause = "takes no more requests now", "ask again later", _asked_pause(error)
    elif status >= 500:
        what, hint, pause = "failed", "ask again", _asked_pause(error)
    else:
        what, hint = "refused the request", "ragstone -v shows its reason"
    return Failed(f"the language model's server {what} ({status})", hint=hint, pause=pause, refused=status)


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


def _has(chain: list[BaseException], kind: type[BaseException] | UnionType) -> BaseException | None:
    return next((link for link in chain if isinstance(link, kind)), None)


def _log_chain(chain: list[BaseException], call: Call) -> None:
    """Log what was raised; the messages only of a request whose key is known and can be removed."""
    for link in chain:
        raised = traceback.extract_tb(link.__traceback__, limit=-1)
        place = "".join(f" in {frame.filename}:{frame.lineno}" for frame in raised)
        message = ""
        if call.known:
            # First the key, then the cut: half a key would not be found.
            whole = str(link) if call.key is None else call.key.removed_from(str(link))
            message = ": " + "".join(c if c.isprintable() else " " for c in whole)[:_LONGEST_MESSAGE]
        _log.info("the language model: %s%s%s", type(link).__name__, place, message)
