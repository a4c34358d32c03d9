"""The command line."""

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .app import main
    from .deployment import Deployment
    from .lazy_group import LazyGroup
    from .output import as_json as show_json
    from .output import counter as show_counter
    from .output import json_option, printable
    from .output import progress as show_progress
    from .output import table as show_table

__all__ = [
    "Deployment",
    "LazyGroup",
    "json_option",
    "main",
    "printable",
    "show_counter",
    "show_json",
    "show_progress",
    "show_table",
]

__getattr__, __dir__ = lazy_names(__name__)
