"""Whether a language model's server can be reached and takes the key, without asking the model."""

from __future__ import annotations

import json
import urllib.parse
from typing import Any

import httpx

from ..errors import LLMError
from .chat_client import ChatFailed, ChatServer, ask_chat
from .errors import translate_error
from .keys import GEMINI_VARIABLE, OWN_VARIABLE, read_key
from .requests import Call, clients
from .settings import GeminiSettings, LLMSettings, OpenAILikeSettings

_GOOGLE = "https://generativelanguage.googleapis.com"
#: Seconds without a byte.
_SECONDS = 10.0
_NO_SUCH_ADDRESS = frozenset({404, 405, 501})


def check_server(settings: LLMSettings) -> str:
    """A short report on the server. Raises ``LLMError``.

    A provider of another plugin is not asked: that it was made is all that is known.
    """
    if isinstance(settings, OpenAILikeSettings):
        return _check_openai_like(settings)
    if isinstance(settings, GeminiSettings):
        base = (settings.api_base or _GOOGLE).rstrip("/")
        model = urllib.parse.quote(settings.model.removeprefix("models/"))
        address = f"{base}/v1beta/models/{model}"
        if _get(address, ("x-goog-api-key", ""), OWN_VARIABLE, GEMINI_VARIABLE) is None:
            raise LLMError(f"its server knows no model {settings.model!r}", hint="see [llm] model and api_base")
        return f"{settings.model}: its server answers and knows it"
    return f"{settings.provider}: it was made; only a question shows whether it answers"


def _check_openai_like(settings: OpenAILikeSettings) -> str:
    address = f"{settings.api_base.rstrip('/')}/models"
    body = _get(address, ("Authorization", "Bearer "), OWN_VARIABLE)
    if body is None:
        return _ask_one_token(settings)  # not every server lists its models
    known = _models(body)
    if known and settings.model not in known:
        return f"{settings.model}: its server answers, and does not list it ({', '.join(known[:5])[:200]})"
    return f"{settings.model}: its server answers"


def _ask_one_token(settings: OpenAILikeSettings) -> str:
    server = ChatServer(
        base=settings.api_base,
        model=settings.model,
        max_tokens=1,
        timeout=settings.timeout,
        key_variables=(OWN_VARIABLE,),
        proxies=True,
    )
    try:
        ask_chat(server, "Hello")
    except ChatFailed as error:
        if not error.reached or error.refused is not None:
            raise
    return f"{settings.model}: its server answers"


def _get(address: str, header: tuple[str, str], *key_variables: str) -> bytes | None:
    """The answer's body; ``None`` where the server answers that there is no such address. Raises ``LLMError``."""
    client, _ = clients(lambda: read_key(*key_variables), header, _SECONDS)
    try:
        with client:
            response = client.get(address)
        if response.status_code in _NO_SUCH_ADDRESS:
            return None
        response.raise_for_status()
        return response.content
    except httpx.HTTPError as error:
        raise translate_error(error, Call()) from None


def _models(body: bytes) -> list[str]:
    """The names of the models that the server lists; none where it sends something else."""
    try:
        listed: Any = json.loads(body)["data"]
        return [str(each["id"]) for each in listed]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []
