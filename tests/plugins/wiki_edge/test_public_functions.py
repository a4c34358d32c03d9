"""The public functions of shards name the argument that is of the wrong type."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragstone.core import BadRequest, Host
from ragstone.plugins.wiki_edge import (
    BuildOptions,
    ExportOptions,
    build_shard,
    export_corpus,
    install_shards,
    searcher_of,
    verify_shards,
)

_BUILD: dict[str, Any] = {"source": Path("no-such.jsonl"), "out": Path("no-such-folder"), "id": "x"}
_EXPORT: dict[str, Any] = {"corpus": "books", "out": Path("no-such-folder"), "id": "x"}
RIGHT: dict[Callable[..., object], dict[str, Any]] = {
    BuildOptions: _BUILD,
    ExportOptions: _EXPORT,
    build_shard: {"options": BuildOptions(**_BUILD)},
    export_corpus: {"options": ExportOptions(**_EXPORT)},
    searcher_of: {},
    install_shards: {"source": Path("no-such.tar"), "root": Path("no-such-folder")},
    verify_shards: {"path": Path("no-such-folder")},
}


@pytest.mark.parametrize("function", RIGHT)
def test_an_argument_of_the_wrong_type(function: Callable[..., object], fast_host: Host) -> None:
    parameters = inspect.signature(function).parameters
    host = {"host": fast_host} if "host" in parameters else {}
    for name, how in parameters.items():
        if function not in {install_shards, verify_shards} or how.kind is not how.KEYWORD_ONLY:
            for wrong in ([], object(), [1, None]):
                with pytest.raises(BadRequest, match=f"^{name} must be "):
                    function(**{**RIGHT[function], **host, name: wrong})
