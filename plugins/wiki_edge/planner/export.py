"""Exports whole episodes without secrets: as JSON lines, or as a TFDS data set through another interpreter."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragstone.core import MissingExtra, NotFound, SourceError
from ragstone.core.runtime import new_file, storage_errors, write_atomically
from ragstone.core.text import Redactor

from .episode_check import check_episodes
from .steps import AGENT, METADATA, read_object, read_steps

EPISODES = "episodes.jsonl"
_FEATURES = {
    "steps": {
        **dict.fromkeys(("observation", "action"), "text"),
        **dict.fromkeys(("reward", "discount"), "float32"),
        **dict.fromkeys(("is_first", "is_last", "is_terminal"), "bool"),
        "step_metadata": {"retrievals": "text (JSON)", "tool_calls": "text (JSON)"},
    },
    "episode_metadata": dict.fromkeys(("episode_id", "agent_id", "state", "started", "ended"), "text"),
}
#: Steps of the shortest episode that is exported: a turn and the last step.
_FEWEST_STEPS = 2
#: Seconds for TFDS, which may take minutes to import and to write.
_TFDS_TIMEOUT = 1800


@dataclass(frozen=True)
class Exported:
    """What was written, and what was left out with the reason."""

    folder: Path
    episodes: int
    steps: int
    left_out: tuple[str, ...] = ()


def export_episodes(root: Path, out: Path, redactor: Redactor) -> Exported:
    """Write every whole episode to ``out/episodes.jsonl``, and the features to ``out/metadata.json``.

    A line is ``{"episode_metadata": {…}, "steps": [{…}, …]}``. Secrets are removed once more, because the deployment
    may name more of them by now. Raises ``SourceError``, ``NotFound``, ``StorageError``.
    """
    reports = check_episodes(root)
    if not reports:
        raise NotFound("there are no episodes", where=str(root))
    if out.exists() and any(out.iterdir() if out.is_dir() else [out]):
        raise SourceError("is not empty", where=str(out), hint="give a new folder")
    left_out, episodes, steps = [], 0, 0
    with storage_errors(out):
        out.mkdir(parents=True, exist_ok=True)
        with new_file(out / EPISODES) as lines:
            for report in reports:
                if report.state != "whole" or report.steps < _FEWEST_STEPS:
                    left_out.append(f"{report.id}: {report.faults[0] if report.faults else report.state}")
                    continue
                episode = _episode(root / report.id, redactor)
                lines.write(json.dumps(episode, ensure_ascii=False).encode() + b"\n")
                episodes += 1
                steps += len(episode["steps"])
        about = {"format": "rlds-jsonl", "version": 1, "episodes": episodes, "steps": steps, "features": _FEATURES}
        write_atomically(out / METADATA, json.dumps(about, indent=1).encode() + b"\n")
    return Exported(out, episodes, steps, tuple(left_out))


def _episode(folder: Path, redactor: Redactor) -> dict[str, Any]:
    steps = []
    for step in read_steps(folder):
        metadata = {key: redactor.known(text) for key, text in step["step_metadata"].items()}
        texts = {key: redactor.text(step[key]) for key in ("observation", "action")}
        steps.append({**step, **texts, "step_metadata": metadata})
    known = read_object(folder / METADATA) or {}
    metadata = {name: str(known.get(name) or "") for name in ("state", "started", "ended")}
    return {"episode_metadata": {"episode_id": folder.name, "agent_id": AGENT, **metadata}, "steps": steps}


def to_tfds(exported: Path, out: Path, *, python: str) -> Path:
    """Write what ``export_episodes`` wrote as a TFDS data set, and return its folder.

    ``python``: an interpreter whose environment has the extra ``rlds``; TFDS pins packages too old for ours. Raises
    ``MissingExtra``, ``SourceError``.
    """
    command = [python, "-I", str(Path(__file__).with_name("tfds_writer.py")), str(exported / EPISODES), str(out)]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_TFDS_TIMEOUT)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SourceError(f"{type(error).__name__}: the interpreter does not do it", where=python) from error
    if ran.returncode != 0:
        last = (ran.stderr.strip().splitlines() or ["without a message"])[-1]
        if last.startswith(("ModuleNotFoundError", "ImportError")):
            raise MissingExtra("rlds", ("tensorflow", "tensorflow-datasets"))
        raise SourceError(f"TFDS failed: {last}", where=str(out))
    return Path(ran.stdout.strip().splitlines()[-1])
