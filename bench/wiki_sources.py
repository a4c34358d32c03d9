"""``python -m bench.wiki_sources [ROUNDS]``: sources for twenty concepts from two real MediaWikis on this machine.

The first round finds the wikis cold: they render each page for the first time. In every round the client has nothing
kept. ``most`` is how many requests the wikis had at once by their own logs. The wikis, the pages' readers and Ragstone
share the machine's processors: its load is printed as well.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ragstone.core import Host, Settings
from ragstone.plugins.concept_tutor import Gathering, NewConcept, NewPlan, PlanStore
from tests.plugins.concept_tutor.plans.gathering.test_real_wiki import NAMES
from tests.support.mediawiki import BOOKS, Wiki, server

if TYPE_CHECKING:
    from tests.support.mediawiki import Server

_REPOSITORY = Path(__file__).parents[1]
_DUMP = "mediawiki/dumps/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"


def main(rounds: int) -> None:
    """Print a row for each round."""
    data = Path(os.environ.get("RAGSTONE_DATA", _REPOSITORY.parent / "shared" / "data"))
    with server(Wiki("Wikipedia", dump=data / _DUMP)) as wikipedia, server(Wiki("Wikibooks", pages=BOOKS)) as wikibooks:
        print(f"round{'sources s':>10}{'cpu s':>7}{'requests':>9}{'most':>5}{'found':>6}{'load':>6}")
        for number in range(rounds):
            with TemporaryDirectory() as folder:
                _round(number, Path(folder), wikipedia, wikibooks)


def _round(number: int, folder: Path, wikipedia: Server, wikibooks: Server) -> None:
    sites = {
        "wikipedia": {"url": wikipedia.url, "licence": "CC BY-SA 4.0"},
        "wikibooks": {"url": wikibooks.url, "licence": "CC BY-SA 4.0"},
    }
    options = {"concept_tutor": {"wikis": {"sites": sites, "seconds": 600, "patience": 600}, "sample": False}}
    with Host(Settings(data_dir=folder / "data", cache_dir=folder / "cache", plugins=options)) as host:
        host.start()
        _ = host.hooks.encoder  # its model is made once for a machine
        store = host.once(PlanStore)
        store.add(NewPlan("p", "P", tuple(NewConcept(f"k{at}", name) for at, name in enumerate(NAMES))))
        before = [wiki.requests for wiki in (wikipedia, wikibooks)]
        cpu, began = _cpu(), time.perf_counter()
        host.once(Gathering).run("p")
        seconds = time.perf_counter() - began
        logs = [
            entry
            for wiki, known in zip((wikipedia, wikibooks), before, strict=True)
            for entry in wiki.requests[len(known) :]
        ]
        found = store.size("p").states.get("found", 0)
    now = most = 0
    for what, *_ in sorted(logs, key=lambda entry: (entry[1], entry[0] == "begin")):
        now += 1 if what == "begin" else -1
        most = max(most, now)
    print(
        f"{number:5}{seconds:10.1f}{_cpu() - cpu:7.1f}{len(logs) // 2:9}{most:5}{found:6}{os.getloadavg()[0]:6.1f}",
        flush=True,
    )


def _cpu() -> float:
    """Seconds of processor of this process and the readers that it started."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4)
