"""What runs on Ray: one part of a plan in one task. The finished part's folder is all that it leaves."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from ragstone.core import Host, RagstoneError, read_settings

from .parts import PartBuilder
from .plan import read_plan
from .work import PartCounts

#: Seconds without a step after which the driver ends itself: Ray may hang with its cluster.
SILENCE_S = 120
#: Seconds that ``ray.wait`` waits, and for the cluster's processors to come back.
_WAIT_S, _AWAY_S = 0.5, 20.0
#: Seconds after which a part that another worker holds is tried again.
_HELD_S = 3.0


def open_deployment(config: Path | None) -> Host:
    """The deployment's host in a task: one thread, as Ray gives a task one processor."""
    settings = read_settings(config)
    return Host(settings.model_copy(update={"encoder": settings.encoder.model_copy(update={"threads": 1})}))


@cache
def _builder(folder: Path, open_host: Callable[[], Host]) -> PartBuilder:
    """One for each process of Ray, which runs one task after the other."""
    return PartBuilder(read_plan(folder), open_host())


def build_part(folder: Path, number: int, open_host: Callable[[], Host]) -> dict[str, Any]:
    """Build one part; ``state``: ``done``, ``held`` by another worker, or ``refused`` with the error's fields."""
    try:
        return {"state": "done" if _builder(folder, open_host).build_free([number]) else "held"}
    except RagstoneError as error:
        return {"state": "refused", **{name: getattr(error, name) for name in ("what", "where", "hint")}}


def drive(folder: Path, address: str, open_host: Callable[[], Host], seconds: float, say: Callable[..., None]) -> None:
    """Give Ray a task for each part until all are built, and report by ``say`` what becomes of them.

    ``seconds``: that a part may take. Ray retries nothing by itself: a task that failed is reported with its reason,
    and given again. Ends, with parts left, where Ray has no processors any more.
    """
    import ray

    ray.init(address=address, include_dashboard=False, log_to_driver=False, configure_logging=False)
    task = ray.remote(num_cpus=1, max_retries=0)(build_part)
    counts, away = PartCounts(read_plan(folder)), time.monotonic()
    #: Tasks with their part and when they were given; parts and when they may be given again.
    pending: dict[Any, tuple[int, float]] = {}
    later: dict[int, float] = {}
    while missing := counts.missing:
        say("alive")
        now = time.monotonic()
        # A raylet that was killed shows here: the tasks that it had would be waited for in vain.
        nodes: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]
        slots = int(sum(node["Resources"].get("CPU", 0) for node in nodes if node["Alive"]))
        away = now if slots else away
        if now - away > _AWAY_S:
            say("ended", why="Ray has no processors any more")
            return
        given = {number for number, _ in pending.values()}
        free = (number for number in missing if number not in given and later.get(number, 0.0) <= now)
        # As many as there are processors, and some that wait.
        for number in islice(free, max(0, slots + slots // 4 + 1 - len(pending)) if slots else 0):
            pending[task.remote(folder, number, open_host)] = (number, now)
        if not pending:
            time.sleep(_WAIT_S)
        for reference in ray.wait(list(pending), timeout=_WAIT_S)[0] if pending else ():
            number, _ = pending.pop(reference)
            event, fields = _outcome(ray, reference)
            if event == "held":
                later[number] = now + _HELD_S
            elif event != "done":
                say(event, part=number, **fields)
        for reference, (number, begun) in list(pending.items()):
            if now - begun > seconds:
                ray.cancel(reference, force=True)
                del pending[reference]
                say("failed", part=number, why=f"it took longer than {seconds:g} s")
        counts.look()
    ray.shutdown()


def _outcome(ray: Any, reference: Any) -> tuple[str, dict[str, Any]]:
    """A task's ``state`` and the fields with it; ``failed`` where it gave none."""
    try:
        result = dict(ray.get(reference))
    except Exception as error:  # whatever Ray has for a process or a machine that died
        reason = next((line for line in reversed(str(error).splitlines()) if line.strip()), "")
        return "failed", {"why": f"{type(error).__name__}: {reason.strip()[:300]}"}
    return result.pop("state"), result


def main() -> None:
    """The request comes pickled on stdin, from ``ray_work``; each message is a JSON object a line."""
    import pickle

    from ragstone.plugins.wiki_edge.shards.building import ray_task  # by its name, as Ray's processes import it

    out = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)  # what Ray prints is no message

    def say(event: str, **fields: Any) -> None:
        signal.alarm(SILENCE_S)  # this process ends where there is no next message in time
        out.write(json.dumps({"event": event, **fields}) + "\n")

    say("alive")
    folder, address, open_host, seconds = pickle.load(sys.stdin.buffer)  # noqa: S301 - our own parent's
    ray_task.drive(folder, address, open_host, seconds, say)


if __name__ == "__main__":
    main()
