"""Whether episodes are whole, and ending those whose writer died."""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .episodes import METADATA, OPEN, STEPS, left_open, made_metadata, made_step, tell_metadata
from .journal import explained

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_STEP = {
    "observation": str,
    "action": str,
    "reward": float,
    "discount": float,
    "is_first": bool,
    "is_last": bool,
    "is_terminal": bool,
    "step_metadata": dict,
}
_IN_METADATA = {"retrievals", "tool_calls"}
_CALL = {"tool": str, "name": str, "args_json": str, "result_json": str, "ok": bool}


@dataclass(frozen=True)
class Report:
    """What is known of an episode."""

    id: str
    #: ``whole``, ``open`` (somebody writes it), ``cut`` (its writer died), or ``damaged``.
    state: str
    steps: int
    faults: tuple[str, ...] = ()

    @property
    def turns(self) -> int:
        """Steps without the last one, whose action counts no more."""
        return max(self.steps - 1, 0) if self.state == "whole" else self.steps


def mend(root: Path) -> list[str]:
    """End the episodes whose writer died: cut the torn line, write the last step. Gives their ids.

    Raises ``StorageError``.
    """
    mended = []
    for folder, descriptor in left_open(root):
        try:
            _mend(folder)
            mended.append(folder.name)
        except OSError as error:
            raise explained(error, folder) from error
        finally:
            os.close(descriptor)
    return mended


def _mend(folder: Path) -> None:
    files = sorted((folder / STEPS).glob("*.jsonl"))
    steps, ended = 0, False
    for file in files:
        for _line, step, _fault in _lines(file):
            steps += 1
            ended = step is not None and step.get("is_last") is True
    if files:
        content = files[-1].read_bytes()
        whole = content.rfind(b"\n") + 1
        steps -= whole < len(content)
        with files[-1].open("r+b") as out:
            out.truncate(whole)
            if not ended:
                out.seek(whole)
                last = made_step("", "", None, is_first=steps == 0, is_last=True)
                out.write(json.dumps(last).encode() + b"\n")
                steps += 1
            out.flush()
            os.fsync(out.fileno())
    known = _metadata(folder) or {}
    about = known.get("about")
    started = known.get("started")
    tell_metadata(
        folder, made_metadata(folder.name, "cut", steps, started, None, about if isinstance(about, dict) else {})
    )
    (folder / OPEN).unlink(missing_ok=True)


def check(root: Path) -> list[Report]:
    """Every episode in the folder, in order. Changes nothing."""
    return [_checked(path.parent) for path in sorted(root.glob(f"*/{STEPS}"))]


def read_steps(folder: Path) -> Iterator[dict[str, Any]]:
    """The episode's steps that are as they should be, in order."""
    for file in sorted((folder / STEPS).glob("*.jsonl")):
        yield from (step for _line, step, fault in _lines(file) if step is not None and fault is None)


def _checked(folder: Path) -> Report:
    faults, steps, torn, last = [], 0, False, None
    metadata = _metadata(folder)
    if metadata is None:
        faults.append(f"{METADATA}: is missing or no JSON object")
    files = sorted((folder / STEPS).glob("*.jsonl"))
    for number, file in enumerate(files):
        if file.name != f"{number:06}.jsonl":
            faults.append(f"{STEPS}/{file.name}: {number:06}.jsonl is missing before it")
        for line, step, fault in _lines(file):
            place = f"{STEPS}/{file.name}:{line}"
            if step is None and fault == _TORN and file == files[-1]:
                torn = True
                continue
            if fault is not None:
                faults.append(f"{place}: {fault}")
            if step is not None and fault is None:
                if step["is_first"] != (steps == 0):
                    faults.append(f"{place}: is_first is {step['is_first']}")
                if last is not None and last["is_last"]:
                    faults.append(f"{place}: follows the last step")
                last = step
            steps += 1
    ended = last is not None and last["is_last"]
    if _is_held(folder / OPEN):
        return Report(folder.name, "open", steps, tuple(faults))
    state = "damaged" if faults else "whole" if ended and not torn else "cut"
    return Report(folder.name, state, steps, tuple(faults))


_TORN = "is cut off"


def _lines(file: Path) -> Iterator[tuple[int, dict[str, Any] | None, str | None]]:
    """Number, step where there is one, and what is wrong with the line."""
    with file.open("rb") as lines:
        for number, raw in enumerate(lines, 1):
            if not raw.endswith(b"\n"):
                yield number, None, _TORN
                return
            try:
                step = json.loads(raw)
            except (ValueError, RecursionError):
                yield number, None, "is not JSON"
                continue
            fault = _wrong_with(step)
            yield number, step if isinstance(step, dict) else None, fault


def _wrong_with(step: object) -> str | None:
    if not isinstance(step, dict) or set(step) != set(_STEP):
        return "has other keys than a step"
    for key, kind in _STEP.items():
        if not isinstance(step[key], kind):
            return f"its {key} is no {kind.__name__}"
    metadata = step["step_metadata"]
    if set(metadata) != _IN_METADATA:
        return f"its step_metadata has other keys than {' and '.join(sorted(_IN_METADATA))}"
    for key, told in metadata.items():
        try:
            records = json.loads(told)
        except (TypeError, ValueError, RecursionError):
            return f"its {key} is no JSON text"
        if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
            return f"its {key} is no list of records"
        for record in records if key == "tool_calls" else ():
            if not all(isinstance(record.get(name), kind) for name, kind in _CALL.items()):
                return f"a tool call is not {{{', '.join(_CALL)}}}"
    return None


def _metadata(folder: Path) -> dict[str, Any] | None:
    try:
        found = json.loads((folder / METADATA).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _is_held(marker: Path) -> bool:
    with suppress(OSError):
        descriptor = os.open(marker, os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            os.close(descriptor)
    return False
