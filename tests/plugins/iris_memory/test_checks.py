"""What the memory says of itself to ``ragstone doctor`` and ``/health``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragstone.core import Check, Host
from ragstone.core.testing import open_host
from ragstone.plugins.iris_memory import memory_of


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Three notes in three folders."""
    folder = tmp_path / "files"
    for name in ("memory/a.md", "memory/deep/b.md", "memory/other/c.md"):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# Of {name}\n\nThe {name} tells of wheels that turn and of belts that slip.\n", "utf-8")
    return folder


def opened(tmp_path: Path, **options: Any) -> Any:
    return open_host(tmp_path, options={"iris_memory": options})


@pytest.fixture
def host(tmp_path: Path, root: Path) -> Iterator[Host]:
    with opened(tmp_path, root=root, watch=True) as host:
        yield host


def checks(host: Host) -> list[Check]:
    return [check for check in host.checks() if check.name.startswith("memory")]


def test_without_a_root_there_is_nothing_to_say(tmp_path: Path) -> None:
    with opened(tmp_path) as host:
        assert checks(host) == []


def test_what_is_there_is_well(host: Host, root: Path) -> None:
    before = checks(host)[0]
    assert (before.ok, before.detail, before.mend) == (True, "nothing is remembered yet", "ragstone memory update")
    memory_of(host).update()
    after = checks(host)[0]
    assert (after.ok, after.where) == (True, str(root))
    assert after.detail.startswith("3 files; looked at in whole 20")


@pytest.mark.parametrize("instead", [None, "a file"])
def test_a_root_that_is_away(host: Host, root: Path, instead: str | None) -> None:
    memory_of(host).update()
    root.rename(root.with_name("elsewhere"))
    if instead:
        root.write_text(instead, "utf-8")
    check = checks(host)[0]
    assert (check.ok, check.detail) == (False, "the folder to remember is not there")
    assert check.mend == "mount its disk, or set another [plugins.iris_memory] root"


def test_more_folders_than_may_be_watched(host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory_of(host).update()
    limit = tmp_path / "max_user_watches"
    monkeypatch.setattr("ragstone.plugins.iris_memory.checks._WATCHES", limit)
    for most, well in (("5", True), ("4", False)):
        limit.write_text(most, "ascii")
        watch = checks(host)[1]
        assert (watch.name, watch.ok) == ("memory watch", well), watch
    assert watch.mend == "sudo sysctl fs.inotify.max_user_watches=16"
    limit.unlink()
    assert len(checks(host)) == 1, "another system has other limits"


def test_without_what_watches(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    watch = checks(host)[1]
    assert (watch.ok, watch.detail, watch.mend) == (False, "needs watchfiles", "pip install 'ragstone[memory]'")


def test_without_watching_nobody_asks_for_it(tmp_path: Path, root: Path) -> None:
    with opened(tmp_path, root=root) as host:
        assert [check.name for check in checks(host)] == ["memory"]
