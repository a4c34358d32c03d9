"""The web front's options: the table ``[plugins.web]`` of ``ragstone.toml``."""

from __future__ import annotations

from pydantic import Field, field_validator

from ragstone.core import Table


class WebSettings(Table):
    """Where the web front listens, and what it lets through."""

    host: str = Field("127.0.0.1", min_length=1, description="address to listen on; 0.0.0.0 for every one")
    port: int = Field(8000, ge=0, le=65535, description="TCP port; 0 takes a free one")
    threads: int = Field(8, ge=1, le=256, description="requests answered at the same time")
    max_body_bytes: int = Field(1_000_000, ge=1_000, description="largest request body")
    allowed_hosts: list[str] = Field(
        default_factory=list,
        description="names by which browsers reach this server, besides its own; '*' for any",
    )

    @field_validator("allowed_hosts", mode="before")
    @classmethod
    def _split(cls, names: object) -> object:
        """Let the environment, which knows no lists, give names with commas between them."""
        if not isinstance(names, str):
            return names
        return [name.strip() for name in names.split(",") if name.strip()]
