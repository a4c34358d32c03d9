"""Processes, forks, locks, background work, limits of time and work, untrusted and atomic files."""

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .background import JobQueue, in_background
    from .files import (
        enable_wal,
        file_lock,
        new_file,
        open_regular,
        storage_error,
        storage_errors,
        sync_folder,
        write_atomically,
    )
    from .owned_files import OwnedFolders, remove_own_file
    from .request import (
        Budget,
        Deadline,
        Slots,
        check_budget,
        current_scope,
        in_scope,
        limited_to,
        set_budget,
        set_scope,
    )
    from .revision_cache import RevisionCache
    from .strict_json import parse_json
    from .subprocesses import limit_process, run_in_subprocess
    from .workers import Unanswered, WorkerDied, Workers, answer_json, answer_requests

__all__ = [
    "Budget",
    "Deadline",
    "JobQueue",
    "OwnedFolders",
    "RevisionCache",
    "Slots",
    "Unanswered",
    "WorkerDied",
    "Workers",
    "answer_json",
    "answer_requests",
    "check_budget",
    "current_scope",
    "enable_wal",
    "file_lock",
    "in_background",
    "in_scope",
    "lazy_names",
    "limit_process",
    "limited_to",
    "new_file",
    "open_regular",
    "parse_json",
    "remove_own_file",
    "run_in_subprocess",
    "set_budget",
    "set_scope",
    "storage_error",
    "storage_errors",
    "sync_folder",
    "write_atomically",
]

__getattr__, __dir__ = lazy_names(__name__)
