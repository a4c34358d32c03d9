"""Checks whether episodes are whole, and ends those whose writer died."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ragstone.core.runtime import storage_errors

from .steps import (
    METADATA,
    OPEN,
    STEPS,
    TORN,
    is_locked,
    lock_file,
    make_step,
    read_lines,
    read_object,
    step_files,
    write_metadata,
)

_ID = re.compile(r"\d{8}T\d{6}\.\d{6}Z-[0-9a-f]{8}")


@dataclass(frozen=True)
class Report:
    """The state of an episode."""

    id: str
    #: ``whole``, ``open`` (a process writes it), ``cut`` (its writer died), or ``damaged``.
    state: str
    steps: int
    faults: tuple[str, ...] = ()

    @property
    def turns(self) -> int:
        """Steps without the last one of a whole episode, whose action does not count."""
        return max(self.steps - 1, 0) if self.state == "whole" else self.steps


def check_episodes(root: Path) -> list[Report]:
    """Every episode in the folder, in order. Changes nothing."""
    return [_check(path.parent) for path in sorted(root.glob(f"*/{STEPS}"))]


def repair_episodes(root: Path) -> list[str]:
    """End the episodes whose writer died: cut the torn line, write the last step; returns their ids.

    Raises ``StorageError``.
    """
    repaired = []
    for folder, descriptor in _abandoned(root):
        try:
            with storage_errors(folder):
                _repair(folder)
        finally:
            os.close(descriptor)
        repaired.append(folder.name)
    return repaired


def _abandoned(root: Path) -> Iterator[tuple[Path, int]]:
    """Episodes whose writer died, each with the descriptor that holds its lock; to be closed by the caller."""
    for marker in sorted(root.glob(f"*/{OPEN}")):
        if not _ID.fullmatch(marker.parent.name) or any(path.is_symlink() for path in (marker, marker.parent)):
            continue  # not written by Ragstone
        with suppress(OSError):
            descriptor = lock_file(marker)
            if os.fstat(descriptor).st_nlink:
                yield marker.parent, descriptor
            else:  # its writer has just ended it
                os.close(descriptor)


def _repair(folder: Path) -> None:
    files = step_files(folder)
    steps, ended = 0, False
    for file in files:
        for _line, step, _fault in read_lines(file):
            steps += 1
            ended = step is not None and step.get("is_last") is True
    (folder / STEPS).mkdir(exist_ok=True)
    last = files[-1] if files else folder / STEPS / "000000.jsonl"
    with last.open("a+b") as out:
        out.seek(0)
        content = out.read()
        whole = content.rfind(b"\n") + 1
        steps -= whole < len(content)
        out.truncate(whole)
        if not ended:
            out.write(json.dumps(make_step(is_first=steps == 0, end=False)).encode() + b"\n")
            steps += 1
        out.flush()
        os.fsync(out.fileno())
    known = read_object(folder / METADATA) or {}
    write_metadata(folder, "cut", steps, {**known, "ended": None})
    (folder / OPEN).unlink(missing_ok=True)


def _check(folder: Path) -> Report:
    faults, steps, torn, last = [], 0, False, None
    if read_object(folder / METADATA) is None:
        faults.append(f"{METADATA}: is missing or no JSON object")
    files = step_files(folder)
    for number, file in enumerate(files):
        if file.name != f"{number:06}.jsonl":
            faults.append(f"{STEPS}/{file.name}: {number:06}.jsonl is missing before it")
        for line, step, fault in read_lines(file):
            place = f"{STEPS}/{file.name}:{line}"
            if fault == TORN and file == files[-1]:
                torn = True
                continue
            if fault is not None:
                faults.append(f"{place}: {fault}")
            elif step is not None:
                if step["is_first"] != (steps == 0):
                    faults.append(f"{place}: is_first is {step['is_first']}")
                if last is not None and last["is_last"]:
                    faults.append(f"{place}: follows the last step")
                last = step
            steps += 1
    ended = last is not None and last["is_last"]
    if is_locked(folder / OPEN):
        return Report(folder.name, "open", steps, tuple(faults))
    state = "damaged" if faults else "whole" if ended and not torn else "cut"
    return Report(folder.name, state, steps, tuple(faults))
