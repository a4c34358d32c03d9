"""A deployment's typed settings; see ``settings_file`` for where they are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import urlsplit

from platformdirs import user_cache_path, user_data_path
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from .llm.settings import LLMSettings, server_address, typed
from .tables import Table


class EncoderSettings(Table):
    """``[encoder]``: the model that embeds texts."""

    #: ``minilm`` is all-MiniLM-L6-v2 in ONNX Runtime; ``huggingface`` needs the extra of that name.
    provider: Literal["minilm", "huggingface"] = "minilm"
    #: Hugging Face name or folder of the model; only for ``provider = "huggingface"``.
    model: str | None = None
    #: Folder with model.safetensors and tokenizer.json of all-MiniLM-L6-v2.
    folder: Path | None = None
    #: Of all vectors. By default ``fp32``, and for a corpus whose plugin asks for it ``int8``.
    precision: Literal["fp32", "int8"] | None = None
    #: Maximum threads of the model; 0: one for each processor.
    threads: int = Field(default=0, ge=0, le=256)


class RetrievalSettings(Table):
    """``[retrieval]``: the retrieval of chunks."""

    #: Weight of dense against lexical scores in the fusion, 0 to 1.
    dense_weight: float = Field(default=0.5, ge=0, le=1)
    #: Chunks from each of dense and lexical search before fusion.
    candidates: int = Field(default=100, ge=1, le=5000)
    #: Evidence below which a question is refused, 0 to 2 (see ``evidence_gate``); by default each corpus is calibrated.
    threshold: float | None = Field(default=None, ge=0, le=2)
    #: Likelihood of the best sentence below which it comes closest, but does not answer. Default: the model's own.
    least_likelihood: float | None = Field(default=None, ge=0, le=1)


class IndexSettings(Table):
    """``[index]``: the vector index that follows the catalog in a long-lived host."""

    #: ``auto`` is Chroma from ``from_chunks`` chunks on. With fewer, exact search is quicker and needs an eighth of
    #: the memory: at 20,000 chunks 4 ms and 48 MB. ``pgvector`` keeps vectors in the catalog's PostgreSQL alone.
    store: Literal["auto", "chroma", "pgvector", "none"] = "auto"
    from_chunks: int = Field(default=100_000, ge=0)
    #: Address of a Chroma server (``chroma run``) that holds the index instead of a folder, at any size.
    server: str | None = None

    @field_validator("server")
    @classmethod
    def _checked_server(cls, value: str | None) -> str | None:
        address = value if value is None else server_address(value, keys="Chroma's server knows no keys")
        if address is not None and urlsplit(address).path:
            raise ValueError("scheme, host and port alone: http://127.0.0.1:8001")
        return address

    @model_validator(mode="after")
    def _one_index(self) -> Self:
        if self.store == "pgvector" and self.server is not None:
            raise ValueError('server is the address of a Chroma server: leave it unset with store = "pgvector"')
        return self


class LimitsSettings(Table):
    """``[limits]``: seconds that plugins may take before they are disabled; 0 is no limit."""

    #: For the import of a plugin.
    import_seconds: float = Field(default=30.0, ge=0, le=86_400)
    #: For one call of a hook, and of the objects that it returned.
    hook_seconds: float = Field(default=10.0, ge=0, le=86_400)
    #: For loading a model, and for the host's own work while a hook waits for it.
    model_seconds: float = Field(default=600.0, ge=0, le=86_400)


class PluginsTable(BaseModel):
    """``[plugins]``: the plugins, their order, and a table of options for each."""

    model_config = ConfigDict(extra="allow", frozen=True)

    #: Names in calling order; ``None`` means every installed one.
    enabled: tuple[str, ...] | None = None
    disabled: tuple[str, ...] = ()

    @property
    def options(self) -> dict[str, dict[str, Any]]:
        return dict(self.model_extra or {})

    @field_validator("enabled", "disabled", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        if value.lstrip().startswith("["):
            return json.loads(value)
        return [part.strip() for part in value.split(",") if part.strip()]


class Settings(Table):
    """All settings of a deployment. The constructor ignores file and environment; ``read_settings`` reads them."""

    data_dir: Path = Field(default_factory=lambda: user_data_path("ragstone"))
    cache_dir: Path = Field(default_factory=lambda: user_cache_path("ragstone"))
    #: SQLAlchemy URL of the catalog; by default SQLite in the data folder. It may contain a password.
    database: str | None = Field(default=None, repr=False)
    plugins: PluginsTable = PluginsTable()
    encoder: EncoderSettings = EncoderSettings()
    llm: LLMSettings = LLMSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    index: IndexSettings = IndexSettings()
    limits: LimitsSettings = LimitsSettings()
    #: Prompt templates by name, which replace the plugins' own.
    prompts: dict[str, str] = Field(default_factory=dict)

    @field_validator("plugins", mode="before")
    @classmethod
    def _list_of_plugins(cls, value: object) -> object:
        """``plugins = ["a", "b"]`` is short for ``[plugins] enabled = ["a", "b"]``."""
        return {"enabled": value} if isinstance(value, list | tuple) else value

    @field_validator("llm", mode="before")
    @classmethod
    def _of_its_provider(cls, value: object) -> object:
        """``[llm]`` is validated by the model of its provider."""
        return typed(value)

    @field_validator("data_dir", "cache_dir")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        return value.expanduser().absolute()
