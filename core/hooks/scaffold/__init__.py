"""Creates the package of a new plugin."""

from .generator import NewPlugin, make_plugin
from .names import valid_name

__all__ = ["NewPlugin", "make_plugin", "valid_name"]
