"""The web front's options: the table ``[plugins.web]`` of ``ragstone.toml``."""

from __future__ import annotations

import ipaddress
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from ragstone.core import Table


class WebSettings(Table):
    """Where the web front listens, and which requests it accepts."""

    host: str = Field("127.0.0.1", min_length=1, description="address to listen on; 0.0.0.0 for every one")
    port: int = Field(8000, ge=0, le=65535, description="TCP port; 0 takes a free one")
    threads: int = Field(8, ge=1, le=256, description="requests answered at the same time")
    queue_seconds: float = Field(
        3, gt=0, le=3600, description="longest wait for one of the threads; what would wait longer is refused (503)"
    )
    connections: int = Field(
        1000, ge=1, le=100_000, description="connections at the same time, at most half the files that may be open"
    )
    header_seconds: float = Field(20, gt=0, le=3600, description="time that a client has to send a request's headers")
    body_seconds: float = Field(20, gt=0, le=3600, description="time that a client has to send a request's body")
    body_bytes_per_second: int = Field(
        10_000, ge=1, description="a body has one more second for each so many bytes that have come"
    )
    request_cpu_seconds: float = Field(10, gt=0, le=3600, description="processor time that one request may use")
    embedding_tokens: int = Field(
        32_768, ge=256, le=10_000_000, description="tokens that one request to /v1/embeddings may have in all"
    )
    max_body_bytes: int = Field(1_000_000, ge=1_000, description="largest request body")
    allowed_hosts: list[str] = Field(
        default_factory=list,
        description="names by which browsers reach this server, besides its own; '*' for any",
    )

    origins: list[str] = Field(
        default_factory=list,
        description="origins of other sites whose pages may ask, such as https://book.example",
    )
    access: Literal["key-beyond-loopback", "key", "open-to-everybody"] = Field(
        "key-beyond-loopback",
        description="who may ask: with a key as soon as the server listens beyond this machine, with a key always, "
        "or every client that reaches it",
    )
    requests_per_minute: float = Field(240, ge=0, le=1_000_000, description="of one client; 0 for any number")
    burst: int = Field(120, ge=1, le=1_000_000, description="requests that a client may send at once")
    trusted_proxies: list[str] = Field(
        default_factory=list,
        description="addresses or networks of reverse proxies, whose X-Forwarded-For names the client",
    )
    conversations_per_key: int = Field(
        0,
        ge=0,
        le=10_000,
        description="conversations that the server keeps for each key; 0: the browsers keep them",
    )
    max_upload_bytes: int = Field(50_000_000, ge=1_000, description="largest request body where files are taken")

    @field_validator("origins")
    @classmethod
    def _are_origins(cls, listed: list[str]) -> list[str]:
        return [_origin(origin) for origin in listed]

    @field_validator("trusted_proxies")
    @classmethod
    def _are_networks(cls, listed: list[str]) -> list[str]:
        return [str(ipaddress.ip_network(address)) for address in listed]

    @field_validator("allowed_hosts", "origins", "trusted_proxies", mode="before")
    @classmethod
    def _split(cls, names: object) -> object:
        """Let the environment, which knows no lists, give names with commas between them."""
        if not isinstance(names, str):
            return names
        return [name.strip() for name in names.split(",") if name.strip()]


def _origin(origin: str) -> str:
    """Return ``origin`` if it is one. Raises ``ValueError`` with how one is written."""
    try:
        parts = urlsplit(origin)
        fine = parts.scheme in {"http", "https"} and parts.hostname and origin == f"{parts.scheme}://{parts.netloc}"
        fine = fine and "@" not in parts.netloc and (parts.port is None or parts.port > 0)
    except ValueError:
        fine = False
    if not fine:
        raise ValueError(f"{origin!r} is no origin: write it like https://book.example, without a path")
    return origin
