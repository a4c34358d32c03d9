"""The command line."""

from .app import main
from .deployment import Deployment
from .lazy_group import LazyGroup
from .output import as_json as show_json
from .output import json_option, printable
from .output import progress as show_progress
from .output import table as show_table

__all__ = [
    "Deployment",
    "LazyGroup",
    "json_option",
    "main",
    "printable",
    "show_json",
    "show_progress",
    "show_table",
]
