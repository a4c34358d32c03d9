"""The room as a whole: what a server begins with and ends with, and what its health is."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.core import Check, RagstoneError, SettingsError

from .gathering import Gathering
from .plans.corpus import bring_up_to_date
from .plans.store import PlanStore
from .settings import ConceptTutorSettings
from .wikis import Wikis

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragstone.core import Host, IngestProgress

    from .importing import Imported
    from .plans.records import Plan
    from .wiki import WikiClient

_log = logging.getLogger(__name__)

#: Of a check that asks the wikis. It is less than a hook may take.
_PROBE_SECONDS = 4.0
SAMPLE = Path(__file__).parent / "sample" / "elementary-statistics.json"


def checks(host: Host, *, thorough: bool) -> list[Check]:
    """How many plans there are to learn from, none being no fault, and whether the wikis may be asked and answer.

    Only a ``thorough`` check asks the wikis, all at the same time; others report this process's last requests.
    """
    plans = host.once(PlanStore).plans()
    passages = sum(size.chunks for size in plans)
    found = [Check("study plans", True, f"{len(plans)} plans, {passages} passages")]
    if not plans:
        found = [Check("study plans", True, "none yet", mend="ragstone tutor plan add FILE")]
    wikis = host.once(Wikis).searched
    if thorough and wikis:
        with ThreadPoolExecutor(len(wikis), "ragstone-wiki-check") as threads:
            list(threads.map(lambda client: client.probe(_PROBE_SECONDS), wikis))
    return [*found, *map(_check_of, wikis)]


def _check_of(client: WikiClient) -> Check:
    name = f"wiki {client.name}"
    try:
        client.check()
    except SettingsError as error:
        # Plans that are there can be learned from all the same.
        return Check(name, True, f"is not asked: {error.what}", mend=error.hint)
    outcome = client.last_outcome
    if outcome is None:
        return Check(name, True, "may be asked")
    when = f"{outcome.at:%Y-%m-%d %H:%M} UTC"
    if outcome.error is None:
        return Check(name, True, f"answered at {when}")
    return Check(name, False, f"failed at {when}: {outcome.error.what}", mend=outcome.error.hint)


def begin(host: Host) -> None:
    """What a server does first: a first start gets a plan to learn from, and what was interrupted goes on."""
    put_sample_on_empty_deployment(host)
    host.once(Gathering).resume()


def add_plan(host: Host, made: Imported, on_embedded: Callable[[IngestProgress], None] | None = None) -> Plan:
    """Store a plan with the passages that came with it, and embed these for the chat.

    Raises ``BadRequest`` where there is a plan of that slug.
    """
    plan = host.once(PlanStore).add(made.plan, made.sources)
    if made.sources:
        bring_up_to_date(host, [plan.slug], on_embedded)
    return plan


def put_sample_on_empty_deployment(host: Host) -> None:
    """Give a first start something to learn. Where the sample was removed by hand, nothing comes back."""
    from .importing import read_plan_file

    if not host.options(ConceptTutorSettings).sample or not host.once(PlanStore).is_untouched():
        return
    try:
        add_plan(host, read_plan_file(SAMPLE))
    except RagstoneError as error:
        _log.warning("the sample plan was not added: %s", error)
