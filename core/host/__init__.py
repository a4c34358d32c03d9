"""The host: one open deployment, and which of them are open in this process."""

from .host import first_host, open_hosts

__all__ = ["first_host", "open_hosts"]
