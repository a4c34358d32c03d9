"""The room as a whole: what a server begins with and ends with, and what its health is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragstone.core import Check, SettingsError

from .gathering import Gathering
from .plans.store import PlanStore
from .wikis import Wikis

if TYPE_CHECKING:
    from ragstone.core import Host


def checks(host: Host) -> list[Check]:
    """Whether there is a plan to learn from, and whether the wikis of the settings may be asked."""
    plans = host.once(PlanStore).plans()
    passages = sum(size.chunks for size in plans)
    told = f"{len(plans)} plans, {passages} passages" if plans else "none yet; ragstone tutor plan add"
    found = [Check("study plans", bool(plans), told)]
    for client in host.once(Wikis).searched:
        try:
            client.check()
        except SettingsError as error:
            # Plans that are there can be learned from all the same.
            found.append(Check(f"wiki {client.name}", True, f"is not asked: {error.what}"))
        else:
            found.append(Check(f"wiki {client.name}", True, "may be asked"))
    return found


def begin(host: Host) -> None:
    """What a server does first: it goes on with what was interrupted."""
    host.once(Gathering).resume()


def end(host: Host) -> None:
    """Nothing more is begun; what is under way goes on with the next server."""
    host.once(Gathering).stop()
