"""The web front: one Flask app over a host, and ``ragstone serve``."""

from .app import create_app

__all__ = ["create_app"]
