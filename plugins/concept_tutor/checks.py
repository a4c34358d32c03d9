"""Health checks: whether there is a plan to learn from, and whether the wikis answer."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from ragstone.core import Check, Host, SettingsError
from ragstone.core.text import counted

from .mediawiki.client.client import WikiClient
from .mediawiki.wikis import Wikis
from .plans.store import PlanStore, damaged_plans

#: Of a check that asks the wikis. It is less than a hook may take.
_PROBE_SECONDS = 4.0


def checks(host: Host, *, thorough: bool) -> list[Check]:
    """How many plans there are to learn from, none being no fault, and whether the wikis may be asked and answer.

    Only a ``thorough`` check asks the wikis, all at the same time; others report this process's last requests.
    """
    store = host.once(PlanStore)
    plans = store.plans()
    chunks = sum(size.chunks for size in plans)
    found = [Check("study plans", True, counted(plan=len(plans), passage=chunks))]
    if not plans:
        found = [Check("study plans", True, "none yet", mend="ragstone tutor plan add FILE")]
    if damaged := damaged_plans(store):
        mend = f"restore a backup, or: ragstone tutor plan remove {damaged[0]}"
        found.append(Check("damaged study plans", False, ", ".join(damaged), mend=mend))
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
