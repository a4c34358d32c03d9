"""The command line."""

from .app import Deployment, main

__all__ = ["Deployment", "main"]
