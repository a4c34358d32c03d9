"""The provider ``openai_like``: llama.cpp, Ollama, vLLM, any server of OpenAI's chat completions protocol.

By LlamaIndex's own integration, llama-index-llms-openai-like.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import require_extra
from ..llm.keys import OWN_VARIABLE, read_key
from ..llm.settings import LLMSettings, OpenAILikeSettings
from ..markers import hookimpl

if TYPE_CHECKING:
    from llama_index.core.llms import LLM


require_extra("openai-like", "llama_index.llms.openai_like")

#: LlamaIndex's default.
_DEFAULT_WINDOW = 4096


@hookimpl
def ragstone_llm(settings: LLMSettings) -> LLM | None:
    """The server's model; ``None`` for other providers."""
    if not isinstance(settings, OpenAILikeSettings):
        return None
    from llama_index.llms.openai_like import OpenAILike
    from openai import NOT_GIVEN

    from ..llm.requests import NO_KEY, clients

    client, async_client = clients(lambda: read_key(OWN_VARIABLE), ("Authorization", "Bearer "), settings.timeout)
    more: dict[str, Any] = {} if settings.seed is None else {"seed": settings.seed}
    if settings.temperature == "default":
        more["temperature"] = NOT_GIVEN
    llm: LLM = OpenAILike(
        model=settings.model,
        api_base=settings.api_base,
        api_key=NO_KEY,
        is_chat_model=True,
        is_function_calling_model=False,
        temperature=settings.temperature if isinstance(settings.temperature, float) else 0.0,
        max_tokens=settings.max_tokens,
        context_window=settings.context_window or _DEFAULT_WINDOW,
        timeout=settings.timeout,
        max_retries=0,  # the answer's own deadline knows whether there is time for another try
        additional_kwargs=more,
        http_client=client,
        async_http_client=async_client,
    )
    return llm
