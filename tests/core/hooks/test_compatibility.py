"""Plugins of another release: for later hooks they are refused, with older names they serve one release more."""

from __future__ import annotations

import inspect
import warnings
from importlib import metadata
from typing import TYPE_CHECKING

import pytest

from ragstone.core import HOOKS_VERSION, Check, Corpus, Host, hookimpl
from ragstone.core.hooks import spec
from ragstone.core.hooks.compatibility import Renamed
from ragstone.core.retrieval import HybridRetriever
from ragstone.core.testing import SmallCorpus, fill_small_corpus, open_host, plugin_state
from tests.support.third_party_fakes import distribution

if TYPE_CHECKING:
    from pathlib import Path

    from llama_index.core.retrievers import BaseRetriever

LATER = HOOKS_VERSION + 1
UPGRADE = "pip install --upgrade ragstone"
RENAMED = (
    Renamed("ragstone_checks", "ragstone_health", "ragstone_checks", "9.0"),
    Renamed("ragstone_retriever", "limit", "top_k", "9.0"),
)
HOOK_WORDS = "the plugin mine has ragstone_health, which is ragstone_checks now; the old name goes in Ragstone 9.0"
ARGUMENT_WORDS = (
    "the plugin mine takes the argument limit of ragstone_retriever, which is top_k now; "
    "the old name goes in Ragstone 9.0"
)


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
            f"it is made for version {LATER} of the hooks, and Ragstone {host.version} has version {HOOKS_VERSION} "
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
def test_what_is_no_version_is_told(version: object, tmp_path: Path) -> None:
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
def test_an_import_of_what_ragstone_has_not_is_told(
    code: str, later: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distribution(tmp_path / "site", "mine", code)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    with open_host(tmp_path) as host:
        state = plugin_state(host, "mine")
        words = f"; it may be made for a later Ragstone than {host.version} ({UPGRADE})"
        assert state.state == "failed"
        assert (state.reason or "").startswith("its import raised ")
        assert (state.reason or "").endswith(words) == later


# Older names


@pytest.fixture
def renamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if these names had been others in the release before."""
    monkeypatch.setattr(spec, "RENAMED", RENAMED)


class Old:
    """A plugin of the release before."""

    def __init__(self) -> None:
        self.limits: list[int] = []

    @hookimpl
    def ragstone_health(self) -> list[Check]:
        return [Check("fine", True, "well")]

    @hookimpl
    def ragstone_retriever(self, corpus: Corpus, limit: int) -> BaseRetriever:
        self.limits.append(limit)
        return HybridRetriever(corpus, top_k=limit)


def test_an_older_name_works_and_warns(renamed: None, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    mine = Old()
    plugins: dict[str, object] = {"mine": mine, "small_corpus": SmallCorpus()}
    with pytest.warns(DeprecationWarning) as warned, open_host(tmp_path, plugins=plugins) as host:
        assert plugin_state(host, "mine").state == "loaded"
        assert checked(host).count("fine") == 1
        fill_small_corpus(host)
        mine.limits.clear()
        assert host.assistant("small_corpus").ask("What is a caster wheel?", top_k=2).citations
        assert mine.limits == [2]
    own = [warning for warning in warned if "the plugin mine" in str(warning.message)]
    assert [str(warning.message) for warning in own] == [HOOK_WORDS, ARGUMENT_WORDS]
    assert {warning.filename for warning in own} == {__file__}  # they point at the plugin's own lines
    assert len({warning.lineno for warning in own}) == 2
    assert [record.getMessage() for record in caplog.records if "the plugin mine" in record.getMessage()] == [
        HOOK_WORDS,
        ARGUMENT_WORDS,
    ]


def test_who_says_its_name_with_specname_is_understood(renamed: None, tmp_path: Path) -> None:
    class Mine:
        @hookimpl(specname="ragstone_health")
        def how_it_is(self, host: Host) -> list[Check]:
            return [Check("fine", True, host.version)]

    with (
        pytest.warns(DeprecationWarning, match="has ragstone_health"),
        open_host(tmp_path, plugins={"mine": Mine()}) as host,
    ):
        assert "fine" in checked(host)


def test_a_plugin_for_both_releases_is_called_once_and_not_warned(renamed: None, tmp_path: Path) -> None:
    class Both(Fine):
        @hookimpl(optionalhook=True)
        def ragstone_health(self) -> list[Check]:
            return [Check("fine", True, "of old")]

    with warnings.catch_warnings(record=True) as warned, open_host(tmp_path, plugins={"mine": Both()}) as host:
        assert [check.detail for check in host.checks() if check.name == "fine"] == ["well"]
    assert not [each for each in warned if "the plugin mine" in str(each.message)]


def test_who_uses_the_present_names_is_not_warned(renamed: None, tmp_path: Path) -> None:
    class Mine(Fine):
        @hookimpl
        def ragstone_retriever(self, corpus: Corpus, top_k: int) -> BaseRetriever:
            return HybridRetriever(corpus, top_k=top_k)

    with warnings.catch_warnings(record=True) as warned, open_host(tmp_path, plugins={"mine": Mine()}) as host:
        assert plugin_state(host, "mine").state == "loaded"
    assert not [each for each in warned if "the plugin mine" in str(each.message)]


def test_a_plugin_of_old_names_that_raises_is_taken_out(renamed: None, tmp_path: Path) -> None:
    class Mine:
        @hookimpl
        def ragstone_health(self) -> list[Check]:
            raise ValueError("not today")

    with pytest.warns(DeprecationWarning), open_host(tmp_path, plugins={"mine": Mine(), "fine": Fine()}) as host:
        assert "fine" in checked(host)
        assert plugin_state(host, "mine").reason == "ragstone_checks raised ValueError: not today"


def test_when_a_name_is_gone_the_plugin_is_told_what_is_near(tmp_path: Path) -> None:
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


def faults_of(renamed: tuple[Renamed, ...]) -> list[str]:
    """What is wrong with a list of older names in this release."""
    specs = {name: spec for name, spec in vars(spec).items() if name.startswith("ragstone_")}
    now = [int(part) for part in metadata.version("ragstone").split(".")[:2]]
    found = []
    for each in renamed:
        arguments = inspect.signature(specs[each.hook]).parameters if each.hook in specs else {}
        if each.hook not in specs or (each.is_argument and each.new not in arguments):
            found.append(f"{each.old}: there is no {each.hook} with {each.new}")
        if each.old in specs or each.old in arguments:
            found.append(f"{each.old}: it is still there")
        if [int(part) for part in each.gone_in.split(".")] <= now:
            found.append(f"{each.old}: it should be gone since {each.gone_in}")
    return found


def test_the_list_of_older_names_is_right() -> None:
    assert faults_of(spec.RENAMED) == []
    assert faults_of(RENAMED) == []
    wrong = (
        Renamed("ragstone_check", "ragstone_health", "ragstone_check", "9.0"),
        Renamed("ragstone_retriever", "limit", "most", "9.0"),
        Renamed("ragstone_retriever", "corpus", "top_k", "9.0"),
        Renamed("ragstone_checks", "ragstone_health", "ragstone_checks", "0.0"),
    )
    assert faults_of(wrong) == [
        "ragstone_health: there is no ragstone_check with ragstone_check",
        "limit: there is no ragstone_retriever with most",
        "corpus: it is still there",
        "ragstone_health: it should be gone since 0.0",
    ]
