"""Runs each measurement in a process of its own, so that neither peaks of memory nor caches mix.

Standard library only. Linux counts the starting process's memory into the peak of the one that it starts, so the
runner must stay smaller than whatever it measures.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

_REPOSITORY = Path(__file__).parents[1]
#: A measurement that takes longer than this hangs.
_LONGEST_S = 3600


class Failed(Exception):
    """A measurement's process failed; the message is the end of its output."""


@dataclass(frozen=True)
class Done:
    """What a process left behind."""

    result: Any
    seconds: float
    #: ru_maxrss of the process, or of the greatest of those that it started itself.
    peak_mb: float


def measure(function: str, /, **arguments: Any) -> dict[str, Any]:
    """Call ``module.function`` of this package in a fresh process; its result with ``peak_mb``. Raises ``Failed``."""
    done = run_function(function, **arguments)
    return {**done.result, "peak_mb": round(done.peak_mb, 1)}


def run_function(function: str, /, *, python: str = sys.executable, **arguments: Any) -> Done:
    """The same by this interpreter or another one, as the process leaves it."""
    return run([python, "-m", "bench.children", function, json.dumps(arguments)], cwd=_REPOSITORY)


def run(command: list[str], *, cwd: Path, variables: dict[str, str] | None = None) -> Done:
    """Run the command to its end; its last line on stdout, or all of it, must be JSON. Raises ``Failed``."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as log:
        started = time.perf_counter()
        process = subprocess.Popen(command, cwd=cwd, env=_environment(variables or {}), stdout=out, stderr=log)
        watchdog = threading.Timer(_LONGEST_S, process.kill)
        watchdog.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            process.wait()
            raise
        finally:
            watchdog.cancel()
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        log.seek(0)
        reply = out.read().decode("utf-8", "replace").strip()
        if process.returncode:
            end = "\n".join(log.read().decode("utf-8", "replace").strip().splitlines()[-12:])
            raise Failed(f"{' '.join(command)[:200]} ended with {process.returncode}\n{end}")
    return Done(_json_in(reply), seconds, usage.ru_maxrss / 1024)


def _json_in(reply: str) -> Any:
    for text in (reply, reply.rpartition("\n")[2]):
        try:
            return json.loads(text)
        except ValueError:
            continue
    raise Failed(f"no JSON, but: {reply[-300:]}")


def _environment(variables: dict[str, str]) -> dict[str, str]:
    """Nothing of the user's settings, and no network."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RAGSTONE_")}
    kept.pop("TIKTOKEN_CACHE_DIR", None)  # set, it makes LlamaIndex's splitter ask the network
    fixed = {
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "ANONYMIZED_TELEMETRY": "False",
    }
    return {**kept, **fixed, **variables}


def _call(function: str, arguments: str) -> None:
    """In the process: call the function with the arguments, a JSON object; its result is the last line."""
    module, _, name = function.rpartition(".")
    result = getattr(import_module(f"bench.{module}"), name)(**json.loads(arguments))
    sys.stdout.flush()
    print(f"\n{json.dumps(result)}")


if __name__ == "__main__":
    _call(*sys.argv[1:3])
