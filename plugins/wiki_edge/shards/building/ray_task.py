"""What runs on Ray: one part of a plan in one task. The finished part's folder is all that it leaves."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from ragstone.core import Host, RagstoneError, read_settings

from .leases import Leases
from .parts import PartBuilder, finished
from .plan import read_plan, reader_of
from .work import PartCounts

#: Seconds that ``ray.wait`` waits, between two looks at the cluster, and for its processors to come back.
_WAIT_S, _LOOK_S, _AWAY_S = 0.5, 2.0, 20.0
#: Seconds after which a part that another worker holds is tried again.
_HELD_S = 3.0


def open_deployment(config: Path | None) -> Host:
    """The deployment's host in a task: one thread, as Ray gives a task one processor."""
    settings = read_settings(config)
    return Host(settings.model_copy(update={"encoder": settings.encoder.model_copy(update={"threads": 1})}))


@cache
def _host(open_host: Callable[[], Host]) -> Host:
    """One for each process of Ray, which runs one task after the other."""
    return open_host()


@cache
def _leases(folder: Path) -> Leases:
    """As long as the process: it sees whether another worker renews a lease."""
    return Leases(folder)


def build_part(folder: Path, number: int, open_host: Callable[[], Host]) -> dict[str, Any]:
    """Build one part; ``state``: ``done``, ``held`` by another worker, or ``refused`` with the error's fields."""
    try:
        plan, leases, host = read_plan(folder), _leases(folder), _host(open_host)
        taken = leases.take([number])
        if taken is None:
            return {"state": "held"}
        with taken[1]:
            if number not in finished(plan):
                builder = PartBuilder(plan, host.hooks.encoder, reader_of(plan, host), leases.worker)
                builder.build(plan.parts[number], lambda *_: None)
        return {"state": "done"}
    except RagstoneError as error:
        return {"state": "refused", **{name: getattr(error, name) for name in ("what", "where", "hint")}}


class Driver:
    """Gives Ray a task for each part; prints what becomes of them, a JSON object a line.

    Ray retries nothing by itself: a task that failed is reported with its reason, and given again.
    """

    def __init__(self, folder: Path, address: str, open_host: Callable[[], Host], seconds: float) -> None:
        """``seconds``: that a part may take."""
        self._counts = PartCounts(read_plan(folder))
        self._folder = folder
        self._address = address
        self._open_host = open_host
        self._seconds = seconds
        self._out = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
        os.dup2(2, 1)  # what Ray prints is no message
        #: Tasks with their part and when they were given.
        self._pending: dict[Any, tuple[int, float]] = {}
        #: Parts and when they may be given again.
        self._later: dict[int, float] = {}
        self._slots, self._looked = 0, 0.0

    def run(self) -> None:
        """Until every part is built. Ends, with parts left, where Ray has no processors any more."""
        import ray

        ray.init(address=self._address, include_dashboard=False, log_to_driver=False, configure_logging=False)
        task = ray.remote(num_cpus=1, max_retries=0)(build_part)
        self._say("connected", processors=int(ray.cluster_resources().get("CPU", 0)))  # type: ignore[no-untyped-call]
        away = time.monotonic()
        while not self._counts.done.issuperset(self._counts.wanted):
            if self._look(ray):
                away = time.monotonic()
            elif time.monotonic() - away > _AWAY_S:
                self._say("ended", why="Ray has no processors any more")
                return
            for number in self._next():
                self._pending[task.remote(self._folder, number, self._open_host)] = (number, time.monotonic())
            if not self._pending:
                time.sleep(_WAIT_S)
                continue
            for reference in ray.wait(list(self._pending), timeout=_WAIT_S)[0]:
                self._ended(ray, reference)
            for reference, (number, begun) in list(self._pending.items()):
                if time.monotonic() - begun > self._seconds:
                    ray.cancel(reference, force=True)
                    del self._pending[reference]
                    self._say("failed", part=number, why=f"it took longer than {self._seconds:g} s")
        self._say("finished")
        ray.shutdown()

    def _look(self, ray: Any) -> bool:
        """Look at the cluster and the folder now and then; whether there are processors."""
        if time.monotonic() - self._looked > _LOOK_S:
            self._looked = time.monotonic()
            # A raylet that was killed shows here: the tasks that it had would be waited for in vain.
            alive = [node for node in ray.nodes() if node["Alive"]]
            self._slots = int(sum(node["Resources"].get("CPU", 0) for node in alive))
            self._counts.look()
            self._say("alive")
        return self._slots > 0

    def _next(self) -> list[int]:
        """Parts to be given now: as many as there are processors, and some that wait."""
        known = self._counts.done.union(number for number, _ in self._pending.values())
        now, room = time.monotonic(), self._slots + self._slots // 4 + 1 - len(self._pending)
        found: list[int] = []
        for number in self._counts.wanted if room > 0 else ():
            if number not in known and self._later.get(number, 0.0) <= now:
                found.append(number)
                if len(found) >= room:
                    break
        return found

    def _ended(self, ray: Any, reference: Any) -> None:
        number, _ = self._pending.pop(reference)
        try:
            result = ray.get(reference)
        except Exception as error:  # whatever Ray has for a process or a machine that died
            reason = next((line for line in reversed(str(error).splitlines()) if line.strip()), "")
            self._say("failed", part=number, why=f"{type(error).__name__}: {reason.strip()[:300]}")
            return
        if result["state"] == "refused":
            self._say("refused", part=number, **{name: result[name] for name in ("what", "where", "hint")})
        elif result["state"] == "held":
            self._later[number] = time.monotonic() + _HELD_S
        else:
            self._counts.look()

    def _say(self, event: str, **fields: Any) -> None:
        self._out.write(json.dumps({"event": event, **fields}) + "\n")


def main() -> None:
    """The request comes pickled on stdin, from ``ray_work``."""
    import pickle

    from ragstone.plugins.wiki_edge.shards.building import ray_task  # by its name, as Ray's processes import it

    folder, address, open_host, seconds = pickle.load(sys.stdin.buffer)  # noqa: S301 - our own parent's
    ray_task.Driver(folder, address, open_host, seconds).run()


if __name__ == "__main__":
    main()
