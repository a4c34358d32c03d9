"""The table ``[llm]``: which language model, and the typed keys of the built-in providers."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, ConfigDict, Field, field_validator, model_validator

from ..tables import Table
from .keys import OWN_VARIABLE

_SECRET = re.compile(r"(?:^|_)(?:key|token|secret|password)$", re.IGNORECASE)
_MOST_TOKENS = 10_000_000

#: ``"default"`` leaves the temperature out of the request, for models that take none.
Temperature = float | Literal["default"]


class LLMSettings(Table):
    """``[llm]``: the language model; a provider of another plugin gets its keys in ``model_extra``."""

    model_config = ConfigDict(extra="allow")

    #: ``extractive`` answers with the chunks' own sentences and needs no model.
    provider: str = "extractive"
    #: Seconds for one whole answer: every request, every wait and the last word of the stream lie within.
    timeout: float = Field(default=60.0, gt=0, le=3600)
    #: Whether the same question over the same chunks is answered from the catalog; see ``answering.answer_cache``.
    remember: bool = True

    @model_validator(mode="before")
    @classmethod
    def _no_keys(cls, value: object) -> object:
        """A settings file is copied, shown and committed: no place for a key."""
        for name in value if isinstance(value, dict) else ():
            if _SECRET.search(str(name)):
                raise ValueError(f"{name}: a key is never in the settings; set {OWN_VARIABLE} in the environment")
        return value

    @property
    def window(self) -> int | None:
        """Tokens that question, chunks and answer must fit into; ``None`` where it is unknown."""
        return None

    @property
    def longest_answer(self) -> int:
        """Tokens that an answer may have."""
        return 0


class ModelSettings(LLMSettings):
    """What the built-in providers have in common."""

    model_config = ConfigDict(extra="forbid")

    model: str = Field(min_length=1)
    #: Without one 0; see the provider for its exceptions.
    temperature: Temperature | None = None
    #: Sent along, for a server that supports it and then repeats its answers.
    seed: int | None = None
    #: Tokens of one answer.
    max_tokens: int = Field(default=1024, ge=1, le=_MOST_TOKENS)
    #: Tokens that the model reads and writes in all. Chunks that do not fit are not offered.
    context_window: int | None = Field(default=None, ge=256, le=_MOST_TOKENS)

    @field_validator("temperature")
    @classmethod
    def _in_range(cls, value: Temperature | None) -> Temperature | None:
        if isinstance(value, float) and not 0 <= value <= 2:
            raise ValueError('a number from 0 to 2, or "default"')
        return value

    @property
    def window(self) -> int | None:
        return self.context_window

    @property
    def longest_answer(self) -> int:
        return self.max_tokens


def server_address(value: str, *, keys: str) -> str:
    """The address of a server of OpenAI's protocol, without a slash at its end. Raises ``ValueError``.

    Addresses appear in logs, so one with a key in it is refused; ``keys``: the hint where keys belong.
    """
    try:
        parts = urlsplit(value)
        _ = parts.port
    except ValueError:
        raise ValueError("not an address; it looks like http://127.0.0.1:8080/v1") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("not an address; it looks like http://127.0.0.1:8080/v1")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise ValueError(f"no name, key or query belongs in the address; {keys}")
    return value.rstrip("/")


_Address = Annotated[
    str, AfterValidator(lambda value: server_address(value, keys=f"set {OWN_VARIABLE} in the environment"))
]


class OpenAILikeSettings(ModelSettings):
    """``[llm]`` with ``provider = "openai_like"``: llama.cpp, Ollama, vLLM or any other server of that protocol."""

    #: Where the server is, the version's part included: ``http://127.0.0.1:11434/v1``.
    api_base: _Address


class GeminiSettings(ModelSettings):
    """``[llm]`` with ``provider = "gemini"``.

    Without a temperature it is 0 for the models before Gemini 3, and the model's own from there on: Google advises
    against any other, and newer models refuse one.
    """

    #: Thinking counts as well.
    max_tokens: int = Field(default=8192, ge=1, le=_MOST_TOKENS)
    #: In the place of Google's own address, for a gateway.
    api_base: _Address | None = None


_BUILT_IN: dict[str, type[LLMSettings]] = {"openai_like": OpenAILikeSettings, "gemini": GeminiSettings}


def typed(value: Any) -> Any:
    """The table by its provider's model, where that is a built-in one."""
    if not isinstance(value, dict):
        return value
    provider = value.get("provider")
    model = _BUILT_IN.get(provider, LLMSettings) if isinstance(provider, str) else LLMSettings
    return model.model_validate(value)
