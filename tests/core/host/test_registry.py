from __future__ import annotations

import gc
from pathlib import Path

from ragstone.core import Host, Settings, hookimpl
from ragstone.core.host import first_host, open_hosts


class Noting:
    """A plugin that no other test has."""

    def __init__(self) -> None:
        self.seen: list[tuple[Host, ...]] = []

    @hookimpl
    def ragstone_opened(self, host: Host) -> None:
        self.seen.append(open_hosts("noting"))


def made(folder: Path, plugin: object, *enabled: str) -> Host:
    return Host(Settings(data_dir=folder, plugins=[*enabled]), plugins={"noting": plugin})


def test_hosts_are_found_from_their_opening_to_their_closing(tmp_path: Path) -> None:
    plugin = Noting()
    first, second = (made(tmp_path / name, plugin, "noting") for name in "ab")
    other = made(tmp_path / "c", plugin)
    assert open_hosts("noting") == ()
    with first, second, other:
        for host in (first, second, other):
            host.start()
        assert plugin.seen == [(first,), (first, second)], "a host whose deployment has not the plugin is none"
        assert first_host("noting") is first
        first.close()
        assert first_host("noting") is second
    assert open_hosts("noting") == ()


def test_a_host_that_nobody_has_any_more_is_forgotten(tmp_path: Path) -> None:
    made(tmp_path, object(), "noting").start()
    gc.collect()
    assert open_hosts("noting") == ()
