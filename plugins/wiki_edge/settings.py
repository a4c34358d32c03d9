"""The options of ``[plugins.wiki_edge]``, and the folders and keys that they name."""

from __future__ import annotations

import ipaddress
import re
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from ragstone.core import Host, SettingsError, Table
from ragstone.core.llm import server_address

#: The corpus of the shards, its kind, and the assistant.
NAME = "wiki_edge"
#: What a question may be filtered by.
FILTERS = ("domain", "language")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{0,99}")


def _variable(value: str) -> str:
    if not _VARIABLE.fullmatch(value):
        raise ValueError("the name of an environment variable, like WIKI_EDGE_REMOTE_KEY; never a key itself")
    return value


Address = Annotated[str, AfterValidator(partial(server_address, keys="keys are read from the environment"))]
Variable = Annotated[str, AfterValidator(_variable)]
#: Cents for a million tokens: the same number as micro-cents for one.
Price = Annotated[Decimal, Field(ge=0, le=1_000_000, allow_inf_nan=False)]


def is_loopback(address: str) -> bool:
    """Whether the address is of this machine, without a look-up of its name."""
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class PlannerSettings(Table):
    """``[plugins.wiki_edge.planner]``: the prompt, the thresholds of confidence, and the memory."""

    #: Passages of the encyclopedia and of the robot's own memory in a prompt.
    facts: int = Field(default=5, ge=0, le=50)
    recalls: int = Field(default=3, ge=0, le=50)
    #: Tokens, as the encoder counts them, of the whole prompt.
    prompt_tokens: int = Field(default=1600, ge=128, le=1_000_000)
    #: Confidence, 0 to 1, below which the next in the order is asked.
    slm_threshold: float = Field(default=0.5, ge=0, le=1)
    rag_threshold: float = Field(default=0.45, ge=0, le=1)
    #: Id of the shard in the episodic folder that ``remember`` writes.
    episodic_id: str = Field(default="episodic", pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")
    #: New memories in the journal beside the shard before they become part of it.
    compact_after: int = Field(default=256, ge=1, le=100_000)


class SlmSettings(Table):
    """``[plugins.wiki_edge.slm]``: a language model on the robot, behind OpenAI's protocol. Without a base: none."""

    base: Address | None = None
    model: str = "local"
    max_tokens: int = Field(default=256, ge=1, le=100_000)
    timeout: float = Field(default=20.0, gt=0, le=3600)
    #: Hosts beside this machine that count as the robot's own.
    allowed_hosts: tuple[str, ...] = ()
    key_variable: Variable = "WIKI_EDGE_SLM_KEY"
    #: Ask for the probabilities of the tokens; the confidence is then at most their geometric mean.
    logprobs: bool = False
    #: Confidence of an answer that states none.
    unstated_confidence: float = Field(default=0.4, ge=0, le=1)

    @model_validator(mode="after")
    def _local(self) -> Self:
        host = urlsplit(self.base).hostname if self.base else None
        if self.base and not is_loopback(self.base) and host not in {each.lower() for each in self.allowed_hosts}:
            raise ValueError(f"{host} is not this machine; name it in allowed_hosts if it is the robot's own")
        return self


class RemoteSettings(Table):
    """``[plugins.wiki_edge.remote]``: the agent that is asked last, and what it costs. Without a base: none.

    It is asked only with ``ALLOW_REMOTE_AGENT=1`` and ``MAX_API_CENTS_PER_DAY`` in the environment.
    """

    base: Address | None = None
    model: str = ""
    max_tokens: int = Field(default=512, ge=1, le=100_000)
    #: What the protocol calls that limit; newer models take the second alone.
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    timeout: float = Field(default=30.0, gt=0, le=3600)
    key_variable: Variable = "WIKI_EDGE_REMOTE_KEY"
    #: Whether the robot's own memories may be sent there.
    recalls: bool = False
    #: Cents for a million tokens read and written.
    input_price: Price | None = None
    output_price: Price | None = None
    #: Of earlier settings, without effect: days never come back, whatever the clock shows.
    clock: Literal["auto", "always", "never"] = "auto"
    ledger: Path | None = None
    #: Confidence of an answer that states none.
    unstated_confidence: float = Field(default=0.5, ge=0, le=1)

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.base is None:
            return self
        if not self.base.startswith("https://") and not is_loopback(self.base):
            raise ValueError("base must be https")
        if not self.model:
            raise ValueError("model is missing")
        if self.input_price is None or self.output_price is None:
            raise ValueError("input_price and output_price are missing: without them nothing can be budgeted")
        return self


class EpisodesSettings(Table):
    """``[plugins.wiki_edge.episodes]``: the planner's steps, recorded in the form of RLDS."""

    enabled: bool = True
    #: By default ``episodes`` in the data folder.
    folder: Path | None = None
    #: Megabytes of one file of steps.
    file_mb: int = Field(default=16, ge=1, le=1024)
    #: Whether the passages' texts are recorded, not only their ids and sources.
    passages: bool = False
    #: Further words to be removed: names of people, places, networks.
    redact: tuple[str, ...] = ()


class WikiEdgeSettings(Table):
    """Without any of them the shards lie in the data folder."""

    #: Folders of the manifests; by default ``wiki`` and ``episodic`` in the data folder.
    wiki: Path | None = None
    episodic: Path | None = None
    #: Megabytes that shards may hold in memory; the rest is read from disk.
    cache_mb: int = Field(default=64, ge=8, le=65536)
    #: Passages that an answer may draw on.
    top_k: int = Field(default=5, ge=1, le=50)
    #: Base64 of the Ed25519 public keys whose shards are trusted.
    trusted_keys: tuple[str, ...] = ()
    #: Take no shard without a trusted signature. Without trusted keys nothing can be required.
    require_signature: bool = False
    #: Files with these suffixes are read by every plugin that reads files, beside ``.zim``, ``.xml.bz2``, ``.xml.gz``.
    reader_suffixes: tuple[Annotated[str, Field(pattern=r"^\.[a-z0-9.]{1,20}$")], ...] = ()
    planner: PlannerSettings = PlannerSettings()
    slm: SlmSettings = SlmSettings()
    remote: RemoteSettings = RemoteSettings()
    episodes: EpisodesSettings = EpisodesSettings()


class Places(NamedTuple):
    """Folders and files of a deployment; they may not exist yet."""

    #: They hold ``manifest.json``.
    wiki: Path
    episodic: Path
    #: Of the planner: its steps, and the remote agent's budget.
    episodes: Path
    ledger: Path


class Trust(NamedTuple):
    """Base64 of the trusted public keys, and whether shards without a signature by one of them are refused."""

    keys: tuple[str, ...]
    is_required: bool


def places(host: Host) -> Places:
    """Where the deployment has its shards, and its planner's files."""
    options, data = host.hooks.options(WikiEdgeSettings), host.settings.data_dir
    return Places(
        (options.wiki or data / "wiki").expanduser().absolute(),
        (options.episodic or data / "episodic").expanduser().absolute(),
        (options.episodes.folder or data / "episodes").expanduser(),
        (options.remote.ledger or data / "wiki_edge" / "ledger.sqlite").expanduser(),
    )


def trust(host: Host, more: tuple[str, ...] = ()) -> Trust:
    """The deployment's trusted keys and ``more``. Raises ``SettingsError``, ``BadRequest`` for an invalid key."""
    from .shards.keys import trusted_key

    options = host.hooks.options(WikiEdgeSettings)
    keys = (*options.trusted_keys, *more)
    for key in keys:
        trusted_key(key)
    if options.require_signature and not keys:
        raise SettingsError(
            "require_signature is set, but no key is trusted",
            where="[plugins.wiki_edge]",
            hint='trusted_keys = ["…"]; ragstone wiki keygen prints the line for a new key',
        )
    return Trust(keys, options.require_signature)
