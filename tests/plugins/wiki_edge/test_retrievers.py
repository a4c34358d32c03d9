"""The shards of a deployment: one searcher for each host, for as long as the host is there."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING
from weakref import ref

from ragstone.core.testing import open_host
from ragstone.plugins.wiki_edge import searcher_of

if TYPE_CHECKING:
    from pathlib import Path


def test_the_librarian_does_not_keep_its_host(tmp_path: Path) -> None:
    with open_host(tmp_path) as host:
        assert searcher_of(host) is searcher_of(host)
        assert "wiki_edge" in host.hooks.assistants
        host.checks()
        left = ref(host)
    del host
    gc.collect()
    assert left() is None
