"""Measures one robot process from start to answers. Run as a file by ``edge_process``, without imports of the tests.

``python edge_child.py CONFIG QUESTIONS CALLS STARTED``; STARTED is the monotonic clock when the process was started.
"""

from __future__ import annotations

import json
import sys
import time


def _since(started: float) -> float:
    return round(time.clock_gettime(time.CLOCK_MONOTONIC) - started, 3)


def _memory() -> dict[str, float]:
    """Megabytes: the greatest RSS of this program (ru_maxrss would count its parent), and the current one."""
    with open("/proc/self/status", encoding="ascii") as lines:  # noqa: PTH123 - before anything is imported
        result = {name: value.split() for name, _, value in (line.partition(":") for line in lines)}
    names = {"peak_rss_mb": "VmHWM", "rss_mb": "VmRSS", "anonymous_mb": "RssAnon", "files_mb": "RssFile"}
    return {name: round(int(result[key][0]) / 1000, 1) for name, key in names.items()}


def main(config: str, questions: str, calls: int, started: float) -> dict[str, object]:
    """Seconds since the process was started, megabytes, and milliseconds of each later call."""
    with open(questions, encoding="utf-8") as file:  # noqa: PTH123
        asked: list[str] = json.load(file)
    found: dict[str, object] = {"interpreter_s": _since(started), "interpreter": _memory()}
    from ragstone.plugins.wiki_edge import Planner, Situation

    found |= {"imported_s": _since(started), "imported": _memory()}

    def situation(goal: str) -> Situation:
        return Situation(
            goal=goal,
            detections=[{"label": "coffee mug", "confidence": 0.91}, "table"],
            pose={"x": 1.2, "y": 0.4, "yaw": 1.57},
            context="The kitchen; the floor is dry.",
            safety="Arm speed is limited to 0.25 m/s.",
        )

    with Planner.open(config) as planner:
        found["opened_s"] = _since(started)
        context = planner.context(situation(asked[0]))
        found["first_context_s"] = _since(started)
        answer = planner.answer(situation(asked[0]))
        found |= {"first_answer_s": _since(started), "first_answer": _memory(), "facts": len(context.facts)}
        found |= {"notes": list(context.notes), "origin": answer.origin}
        milliseconds = []
        for number in range(calls):
            called = time.perf_counter()
            planner.answer(situation(asked[(number + 1) % len(asked)]))
            milliseconds.append((time.perf_counter() - called) * 1000)
        found["after"] = _memory()
        # Nothing takes the encoder more memory than the longest text that it is given.
        planner.remember("The longest memory that is taken says the same again. " * 370)
        found["after_longest_memory"] = _memory()
    milliseconds.sort()
    at = {name: milliseconds[min(calls - 1, int(calls * share))] for name, share in (("p50", 0.5), ("p99", 0.99))}
    found |= {"answer_ms": {name: round(value, 1) for name, value in at.items()}}
    return found


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))))
