"""The provider ``gemini``: Google's models, by LlamaIndex's own integration, llama-index-llms-google-genai.

(llama-index-llms-gemini, on a Google SDK that is no longer maintained, was replaced by it in 2025.)
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from ..errors import SettingsError, require_extra
from ..llm.keys import GEMINI_VARIABLE, OWN_VARIABLE, read_key
from ..llm.settings import GeminiSettings, LLMSettings
from ..markers import hookimpl

if TYPE_CHECKING:
    from llama_index.core.llms import LLM


require_extra("gemini", "llama_index.llms.google_genai")

_DEFAULT_WINDOW = 1_000_000
_OTHER_SERVICE = ("GOOGLE_GENAI_USE_ENTERPRISE", "GOOGLE_GENAI_USE_VERTEXAI")
_BEFORE_3 = re.compile(r"(?:^|/)gemini-(?:[12](?:[.-]|$)|pro(?:-vision)?$|exp)")


@hookimpl
def ragstone_llm(settings: LLMSettings) -> LLM | None:
    """Google's model; ``None`` for other providers. Raises ``SettingsError`` where there is no key."""
    if not isinstance(settings, GeminiSettings):
        return None
    if read_key(OWN_VARIABLE, GEMINI_VARIABLE) is None:
        raise SettingsError(
            "Gemini needs a key", where="[llm]", hint=f"set {OWN_VARIABLE} or {GEMINI_VARIABLE} in the environment"
        )
    for variable in _OTHER_SERVICE:
        if os.environ.get(variable, "").lower() not in {"", "0", "false"}:
            raise SettingsError(
                f"{variable} asks for a Google service that takes other credentials", where="[llm]", hint="unset it"
            )
    from google.genai.types import GenerateContentConfig
    from llama_index.llms.google_genai import GoogleGenAI

    from ..llm.requests import NO_KEY, clients

    client, async_client = clients(
        lambda: read_key(OWN_VARIABLE, GEMINI_VARIABLE), ("x-goog-api-key", ""), settings.timeout
    )
    http: Any = {
        "timeout": int(settings.timeout * 1000),
        "httpx_client": client,
        "httpx_async_client": async_client,
    }
    if settings.api_base is not None:
        http["base_url"] = settings.api_base
    generation: dict[str, Any] = {"max_output_tokens": settings.max_tokens}
    if settings.seed is not None:
        generation["seed"] = settings.seed
    temperature = settings.temperature if isinstance(settings.temperature, float) else None
    if settings.temperature is None and _BEFORE_3.search(settings.model):
        temperature = 0.0
    if temperature is not None:
        generation["temperature"] = temperature
    llm: LLM = GoogleGenAI(
        model=settings.model,
        api_key=NO_KEY,
        temperature=temperature,
        # With both of these nothing is asked of the network before there is a question.
        max_tokens=settings.max_tokens,
        context_window=settings.context_window or _DEFAULT_WINDOW,
        max_retries=0,
        is_function_calling_model=False,
        file_mode="inline",
        http_options=http,
        generation_config=GenerateContentConfig(**generation),
    )
    return llm
