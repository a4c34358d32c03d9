"""The memory's vectors are int8 by default; a memory that was made in fp32 goes on answering while it is made anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragstone.core import Host, Settings
from ragstone.plugins.iris_memory import memory_of, query_memory, update_memory_for_file
from tests.plugins.iris_memory.memories import write
from tests.support.patience import until


@pytest.fixture
def settings(tmp_path: Path, model_cache: Path) -> dict[str, Any]:
    home = tmp_path / "home"
    write(
        home,
        "notes/boiler.md",
        "# Boiler\n\nThe boiler in the cellar is emptied every spring.\n",
    )
    write(home, "notes/bees.md", "# Bees\n\nThe hives stand behind the barn and are fed with syrup in October.\n")
    memory = {"enabled": ["iris_memory"], "iris_memory": {"root": str(home)}}
    return {"data_dir": tmp_path / "data", "cache_dir": model_cache, "plugins": memory}


def _opened(settings: dict[str, Any], **more: Any) -> Host:
    host = Host(Settings(**settings, **more))
    host.start()
    return host


def _encoder(host: Host) -> str:
    return str(memory_of(host).corpus.info().fingerprint["encoder"])


def test_an_fp32_memory_answers_by_meaning_until_a_server_has_made_it_anew(settings: dict[str, Any]) -> None:
    with _opened(settings, encoder={"precision": "fp32"}) as host:
        memory_of(host).update()
        assert "/fp32/" in _encoder(host)
    with _opened(settings) as host:
        home = memory_of(host).root
        # No word of the question is in the note: without vectors it would not be found.
        assert query_memory("draining the heating", host=host)[0].path == "notes/boiler.md"
        write(home, "notes/well.md", "# Well\n\nThe well got a new pump.\n")
        update_memory_for_file(str(home / "notes/well.md"), host=host)
        assert query_memory("hydraulic lifting of groundwater", min_relevance=0, host=host)[0].path == "notes/well.md"
        assert "/fp32/" in _encoder(host)  # one file's update does not wait for all others
        host.serve()
        until(lambda: "/int8/" in _encoder(host), "the memory in int8")
        assert memory_of(host).corpus.info().stale is None
        assert query_memory("draining the heating", host=host)[0].path == "notes/boiler.md"
        assert query_memory("hydraulic lifting of groundwater", min_relevance=0, host=host)[0].path == "notes/well.md"


def test_the_deployments_precision_is_the_memorys(settings: dict[str, Any]) -> None:
    with _opened(settings, encoder={"precision": "fp32"}) as host:
        assert memory_of(host).corpus.encoder is host.hooks.encoder


def test_one_model_is_loaded_where_there_is_nothing_but_a_memory(settings: dict[str, Any]) -> None:
    with _opened(settings) as host:
        memory_of(host).update()
        (check,) = [check for check in host.checks() if check.name == "encoder"]
        assert "/int8/" in check.detail
        assert "encoder" not in host._encoders.__dict__
