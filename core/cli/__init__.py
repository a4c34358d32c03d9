"""The command line."""

from .app import main
from .deployment import Deployment

__all__ = ["Deployment", "main"]
