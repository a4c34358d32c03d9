"""Clients for the tests, with settings as the plugin has them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from ragstone.plugins.concept_tutor.mediawiki.client.client import WikiClient
from ragstone.plugins.concept_tutor.mediawiki.client.request_slots import RequestSlots
from tests.support.installed import plugin

WikiSettings: Any = type(plugin("concept_tutor").ragstone_settings()().wikis)
SiteSettings: Any = get_args(WikiSettings.model_fields["sites"].annotation)[1]


def wiki_client(
    url: str,
    folder: Path,
    *,
    site: Mapping[str, Any] | None = None,
    slots: RequestSlots | None = None,
    lookup: Any = None,
    **settings: Any,
) -> WikiClient:
    """The client of the wiki ``wiki``; ``site``: its own settings, ``settings``: those of all wikis."""
    named = SiteSettings(url=url, **({"licence": "CC BY-SA 4.0"} | dict(site or {})))
    made = WikiSettings(sites={"wiki": named}, **({"seconds": 20} | settings))
    return WikiClient("wiki", made, folder / "kept", slots=slots, **({"lookup": lookup} if lookup else {}))
