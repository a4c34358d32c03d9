"""A disk that can be filled: a tmpfs of its own, and a file on it that takes the free space.

A quota or ``RLIMIT_FSIZE`` would need no right to mount, but gives other errors (EDQUOT, EFBIG with a signal) than a
full disk, and SQLite and Chroma treat them otherwise. So where nothing may be mounted the scenarios are skipped.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.needs import missing

_PAGE = 4096
_CAP_SYS_ADMIN = 21


@dataclass(frozen=True)
class Disk:
    """A mounted tmpfs."""

    folder: Path

    @property
    def free(self) -> int:
        """Bytes."""
        result = os.statvfs(self.folder)
        return result.f_bavail * result.f_frsize

    @contextmanager
    def left(self, bytes_left: int) -> Iterator[None]:
        """Within, only so many bytes are free, in whole pages."""
        filler = self.folder / ".filler"
        with filler.open("wb") as file:
            takes = self.free - bytes_left
            assert takes > 0, f"only {self.free} bytes are free before it is filled"
            os.posix_fallocate(file.fileno(), 0, takes // _PAGE * _PAGE)
        try:
            yield
        finally:
            filler.unlink()


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Disk]:
    """Mount one there. Skips with words where this process may not mount; a machine of CI that may must manage it."""
    if not _may_mount():
        pytest.skip("a full disk needs the right to mount one (CAP_SYS_ADMIN)")
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=700", "ragstone-faults", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        missing(f"mounting a small disk ({done.stderr.strip()})")
    try:
        yield Disk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _may_mount() -> bool:
    try:
        status = Path("/proc/self/status").read_text("utf-8")
    except OSError:
        return False
    held = next((line.split()[1] for line in status.splitlines() if line.startswith("CapEff:")), "0")
    return bool(int(held, 16) >> _CAP_SYS_ADMIN & 1)
