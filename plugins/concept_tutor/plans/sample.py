"""The sample plan that a first start gets."""

from __future__ import annotations

import logging
from pathlib import Path

from ragstone.core import Host, RagstoneError
from ragstone.core.answering import check_type

from ..settings import ConceptTutorSettings
from .importers import read_plan_file
from .store import PlanStore

_log = logging.getLogger(__name__)

SAMPLE = Path(__file__).parents[1] / "sample" / "elementary-statistics.json"


def add_sample(host: Host) -> None:
    """Add the sample to a deployment that never had a plan, unless the settings say otherwise."""
    check_type(host, "host", Host, "an open Host")
    store = host.once(PlanStore)
    if not host.hooks.options(ConceptTutorSettings).sample or not store.is_untouched():
        return
    try:
        made = read_plan_file(SAMPLE)
        store.add(made.plan, made.sources)
    except RagstoneError as error:
        _log.warning("the sample plan was not added: %s", error)
