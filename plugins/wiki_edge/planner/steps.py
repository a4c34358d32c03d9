"""The stored form of an episode, which is RLDS's: ``ID/metadata.json`` and ``ID/steps/000000.jsonl`` and on.

The action of the last step does not count, so N turns are N + 1 steps. ``step_metadata`` holds ``retrievals`` and
``tool_calls`` as JSON text on every step: data sets need the same keys everywhere and do not batch lists of records
(RLDS: arXiv:2111.02767).
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Json, ValidationError

from ragstone.core.runtime import parse_json, write_atomically


def lock_file(path: Path, flags: int = 0) -> int:
    """A descriptor that holds the file's lock until it is closed or its process ends. Raises ``OSError``."""
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | flags, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def is_locked(path: Path) -> bool:
    """Whether a process holds the file's lock."""
    with suppress(OSError):
        try:
            os.close(lock_file(path))
        except BlockingIOError:
            return True
    return False


def read_object(path: Path) -> dict[str, Any] | None:
    """The JSON object in the file; ``None`` where there is none."""
    try:
        found = parse_json(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


METADATA = "metadata.json"
STEPS = "steps"
#: Held locked while the episode is written; removed when it has ended.
OPEN = "open"
AGENT = "ragstone.wiki_edge.planner"
#: The fault of a last line whose writing was interrupted.
TORN = "is cut off"
_VERSION = 1


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _ToolCall(_Record):
    model_config = ConfigDict(extra="allow")

    tool: str
    name: str
    args_json: str
    result_json: str
    ok: bool


class _StepMetadata(_Record):
    retrievals: Json[list[dict[str, Any]]]
    tool_calls: Json[list[_ToolCall]]


class Step(_Record):
    """A step as it is stored."""

    observation: str
    action: str
    reward: float
    discount: float
    is_first: bool
    is_last: bool
    is_terminal: bool
    step_metadata: _StepMetadata


def make_step(
    observation: str = "",
    action: str = "",
    metadata: Mapping[str, str] | None = None,
    *,
    is_first: bool,
    end: bool | None = None,
) -> dict[str, Any]:
    """A step. ``end``: of the last one, whether the goal was reached or given up."""
    return {
        "observation": observation,
        "action": action,
        "reward": 0.0,
        "discount": 0.0 if end else 1.0,
        "is_first": is_first,
        "is_last": end is not None,
        "is_terminal": bool(end),
        "step_metadata": dict(metadata or {"retrievals": "[]", "tool_calls": "[]"}),
    }


def write_metadata(folder: Path, state: str, steps: int, known: Mapping[str, Any]) -> None:
    """Write ``metadata.json``. ``known``: what it already has of ``started`` and ``ended``.

    ``state``: ``open``, ``ended``, or ``cut`` for an episode that its writer did not end. Raises ``OSError``.
    """
    metadata = {
        "episode_id": folder.name,
        "agent_id": AGENT,
        "version": _VERSION,
        "state": state,
        "steps": steps,
        "started": known.get("started"),
        "ended": known.get("ended"),
        "about": known.get("about") or {},
    }
    write_atomically(folder / METADATA, json.dumps(metadata, ensure_ascii=False, indent=1).encode("utf-8") + b"\n")


def step_files(folder: Path) -> list[Path]:
    """The episode's files of steps, in order."""
    return sorted((folder / STEPS).glob("*.jsonl"))


def read_steps(folder: Path) -> Iterator[dict[str, Any]]:
    """The episode's steps without faults, in order."""
    for file in step_files(folder):
        yield from (step for _line, step, fault in read_lines(file) if step is not None and fault is None)


def read_lines(file: Path) -> Iterator[tuple[int, dict[str, Any] | None, str | None]]:
    """Each line's number, its step if it is one, and its fault if it has one."""
    with file.open("rb") as lines:
        for number, raw in enumerate(lines, 1):
            if not raw.endswith(b"\n"):
                yield number, None, TORN
                return
            try:
                step = parse_json(raw.decode())
            except ValueError:
                yield number, None, "is not JSON"
                continue
            yield number, step if isinstance(step, dict) else None, _fault(step)


def _fault(step: object) -> str | None:
    try:
        Step.model_validate(step)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(map(str, first['loc'])) or 'step'}: {first['msg']}"
    return None
