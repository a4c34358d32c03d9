"""Plugins of another release: those for later hooks are refused."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest

from ragstone.core import HOOKS_VERSION, Check, Host, hookimpl
from ragstone.core.testing import SmallCorpus, fill_small_corpus, open_host, plugin_state
from tests.support.third_party_fakes import distribution

LATER = HOOKS_VERSION + 1
VERSION = metadata.version("ragstone")
UPGRADE = "pip install --upgrade ragstone"


class Fine:
    """A plugin with one check, written for some version of the hooks."""

    def __init__(self, version: object = None) -> None:
        if version is not None:
            self.ragstone_hooks = version

    @hookimpl
    def ragstone_checks(self) -> list[Check]:
        return [Check("fine", True, "well")]


def checked(host: Host) -> list[str]:
    return [check.name for check in host.checks()]


# Later hooks


@pytest.mark.parametrize("version", [None, 1, HOOKS_VERSION])
def test_a_plugin_for_these_hooks_is_loaded(version: int | None, tmp_path: Path) -> None:
    with open_host(tmp_path, plugins={"mine": Fine(version)}) as host:
        assert plugin_state(host, "mine").state == "loaded"
        assert "fine" in checked(host)


def test_a_plugin_for_later_hooks_is_refused_with_words_and_the_others_serve(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with open_host(tmp_path, plugins={"mine": Fine(LATER), "small_corpus": SmallCorpus()}) as host:
        state = plugin_state(host, "mine")
        assert (state.state, state.install) == ("failed", UPGRADE)
        assert state.reason == (
            f"it is made for version {LATER} of the hooks, and Ragstone {VERSION} has version {HOOKS_VERSION} "
            f"({UPGRADE})"
        )
        assert f"plugin mine is disabled: {state.reason}" in caplog.messages
        assert "fine" not in checked(host)
        fill_small_corpus(host)
        assert host.assistant("small_corpus").ask("What is a caster wheel?").citations


def test_a_module_says_its_version_as_an_object_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "site"
    distribution(site, "sooner", f"ragstone_hooks = {HOOKS_VERSION}")
    distribution(site, "later", f"ragstone_hooks = {LATER}")
    monkeypatch.syspath_prepend(str(site))
    with open_host(tmp_path) as host:
        assert plugin_state(host, "sooner").state == "loaded"
        assert f"made for version {LATER} of the hooks" in (plugin_state(host, "later").reason or "")


@pytest.mark.parametrize("version", ["1", 1.0, True, 0, -1, (1,)])
def test_a_wrong_version_is_named(version: object, tmp_path: Path) -> None:
    with open_host(tmp_path, plugins={"mine": Fine(version)}) as host:
        state = plugin_state(host, "mine")
        assert (state.state, state.install) == ("failed", None)
        assert state.reason == f"its ragstone_hooks is {version!r}, not a version of the hooks, such as {HOOKS_VERSION}"


def test_a_version_that_raises_harms_nobody_else(tmp_path: Path) -> None:
    class Mine:
        @property
        def ragstone_hooks(self) -> int:
            raise ValueError("no version today")

    with open_host(tmp_path, plugins={"mine": Mine(), "fine": Fine()}) as host:
        assert plugin_state(host, "mine").reason == "it cannot be registered: ValueError: no version today"
        assert "fine" in checked(host)


@pytest.mark.parametrize(
    ("code", "later"),
    [
        ("from ragstone.core import no_such_name", True),
        ("import ragstone.core.no_such_module", True),
        ("import no_such_package_anywhere", False),
        ("raise ImportError('of its own')", False),
    ],
)
def test_an_import_that_ragstone_lacks_is_named(
    code: str, later: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distribution(tmp_path / "site", "mine", code)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    with open_host(tmp_path) as host:
        state = plugin_state(host, "mine")
        words = f"; it may be made for a later Ragstone than {metadata.version('ragstone')} ({UPGRADE})"
        assert state.state == "failed"
        assert (state.reason or "").startswith("its import raised ")
        assert (state.reason or "").endswith(words) == later


def test_for_a_name_that_is_gone_the_error_has_the_closest_one(tmp_path: Path) -> None:
    class Mine:
        @hookimpl
        def ragstone_check(self) -> list[Check]:
            return []

    with open_host(tmp_path, plugins={"mine": Mine()}) as host:
        assert plugin_state(host, "mine").reason == "unknown hook ragstone_check; did you mean ragstone_checks?"


def test_a_hook_of_later_that_is_optional_harms_no_plugin_here(tmp_path: Path) -> None:
    class Mine(Fine):
        @hookimpl(optionalhook=True)
        def ragstone_something_of_later(self) -> None:
            raise AssertionError("nobody calls it")

    with open_host(tmp_path, plugins={"mine": Mine()}) as host:
        assert plugin_state(host, "mine").state == "loaded"
        assert "fine" in checked(host)
