"""The address of a language model's server."""

from __future__ import annotations

from urllib.parse import urlsplit


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
