"""Episodes given away: whole, without secrets, one line an episode; and through TFDS where it is installed."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragstone.core import MissingExtra, NotFound, SourceError

from .episode_check import check, read_steps
from .episodes import AGENT, METADATA
from .journal import explained

if TYPE_CHECKING:
    from .redaction import Redactor

EPISODES = "episodes.jsonl"
_FEATURES = {
    "steps": {
        "observation": "text",
        "action": "text",
        "reward": "float32",
        "discount": "float32",
        "is_first": "bool",
        "is_last": "bool",
        "is_terminal": "bool",
        "step_metadata": {"retrievals": "text (JSON)", "tool_calls": "text (JSON)"},
    },
    "episode_metadata": {"episode_id": "text", "agent_id": "text", "state": "text", "started": "text", "ended": "text"},
}
_SHORTEST = 2
#: TFDS of one environment may take minutes to import and to write.
_SECONDS = 1800


@dataclass(frozen=True)
class Exported:
    """What was written, and what was left out with the reason."""

    folder: Path
    episodes: int
    steps: int
    left_out: tuple[str, ...] = ()


def export(root: Path, out: Path, redactor: Redactor) -> Exported:
    """Write every whole episode to ``out/episodes.jsonl``, and what they are made of to ``out/metadata.json``.

    A line is ``{"episode_metadata": {…}, "steps": [{…}, …]}``. Secrets and names are taken out once more: the
    deployment may name more of them now. Raises ``SourceError``, ``NotFound``, ``StorageError``.
    """
    reports = check(root)
    if not reports:
        raise NotFound("there are no episodes", where=str(root))
    if out.exists() and any(out.iterdir() if out.is_dir() else [out]):
        raise SourceError("is not empty", where=str(out), hint="give a new folder")
    left_out, episodes, steps = [], 0, 0
    try:
        out.mkdir(parents=True, exist_ok=True)
        with (out / EPISODES).open("x", encoding="utf-8") as lines:
            for report in reports:
                if report.state != "whole" or report.steps < _SHORTEST:
                    left_out.append(f"{report.id}: {report.faults[0] if report.faults else report.state}")
                    continue
                episode = _episode(root / report.id, redactor)
                lines.write(json.dumps(episode, ensure_ascii=False) + "\n")
                episodes += 1
                steps += len(episode["steps"])
        told = {"format": "rlds-jsonl", "version": 1, "episodes": episodes, "steps": steps, "features": _FEATURES}
        (out / METADATA).write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    except OSError as error:
        raise explained(error, out) from error
    return Exported(out, episodes, steps, tuple(left_out))


def _episode(folder: Path, redactor: Redactor) -> dict[str, Any]:
    steps = []
    for step in read_steps(folder):
        metadata = {key: redactor.known(told) for key, told in step["step_metadata"].items()}
        texts = {key: redactor.text(step[key]) for key in ("observation", "action")}
        steps.append({**step, **texts, "step_metadata": metadata})
    known = json.loads((folder / METADATA).read_bytes())
    metadata = {
        "episode_id": folder.name,
        "agent_id": AGENT,
        **{name: str(known.get(name) or "") for name in ("state", "started", "ended")},
    }
    return {"episode_metadata": metadata, "steps": steps}


def to_tfds(exported: Path, out: Path, *, python: str) -> str:
    """Write what ``export`` wrote as a TFDS data set, by another interpreter: TFDS pins packages that we do not want.

    ``python``: an environment with the extra ``rlds``. What it printed. Raises ``MissingExtra``, ``SourceError``.
    """
    script = Path(__file__).with_name("tfds_writer.py")
    try:
        known = subprocess.run(  # noqa: S603 - the interpreter is the caller's choice
            [python, "-I", "-c", "import tensorflow, tensorflow_datasets"],
            capture_output=True,
            check=False,
            timeout=_SECONDS,
        )
        if known.returncode != 0:
            raise MissingExtra("rlds", ("tensorflow", "tensorflow-datasets"))
        ran = subprocess.run(  # noqa: S603
            [python, "-I", str(script), str(exported / EPISODES), str(out)],
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SourceError(f"{type(error).__name__}: the interpreter does not do it", where=python) from error
    if ran.returncode != 0:
        last = ran.stderr.strip().splitlines()[-1:] or ["it said nothing"]
        raise SourceError(f"TFDS failed: {last[0]}", where=str(out))
    return ran.stdout.strip().splitlines()[-1] if ran.stdout.strip() else ""
