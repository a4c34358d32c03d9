"""For those who write plugins: a package to begin with."""

from .generator import NewPlugin, make_plugin
from .names import checked_name

__all__ = ["NewPlugin", "checked_name", "make_plugin"]
