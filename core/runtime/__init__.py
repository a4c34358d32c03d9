"""Processes, forks, locks, limits of time and work, and files that are replaced in one piece."""

from ..lazy_names import lazy_names
from .budget import Budget, Places, check_budget, set_budget
from .owned_files import OwnedFolders, remove_own_file, sync_folder, write_atomically
from .sqlite_files import write_ahead
from .subprocesses import apart
from .workers import WorkerDied, Workers, answer_requests

__all__ = [
    "Budget",
    "OwnedFolders",
    "Places",
    "WorkerDied",
    "Workers",
    "answer_requests",
    "apart",
    "check_budget",
    "lazy_names",
    "remove_own_file",
    "set_budget",
    "sync_folder",
    "write_ahead",
    "write_atomically",
]
