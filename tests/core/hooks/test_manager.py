"""Plugins out of real distributions: one that is broken is named, and the rest serve."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from importlib import metadata
from pathlib import Path
from typing import Any

import click
import pytest

from ragstone.core import HOOKS_VERSION, Host, MissingExtra, PluginState, Settings, hookimpl, require_extra
from ragstone.core.hooks.discovery import installed_plugins
from tests.support.installed import BUILTINS, INTERFACES, PLUGINS
from tests.support.third_party_fakes import add_book, distribution, fast_models, run

FINE = """
    from ragstone.core import Check, hookimpl

    @hookimpl
    def ragstone_checks(host):
        return [Check("fine", True, "well")]
"""
TAKES_SERVE = """
    from ragstone.core import hookimpl

    @hookimpl
    def ragstone_commands(cli):
        cli.command("serve")(lambda: None)
"""
FAILS_TO_IMPORT = "import no_such_package_anywhere"
EXITS = """
    import sys

    sys.exit("goodbye")
"""
UNKNOWN_HOOK = """
    from ragstone.core import hookimpl

    @hookimpl
    def ragstone_reader():
        return {}
"""
RAISES = """
    from ragstone.core import hookimpl

    @hookimpl
    def ragstone_settings():
        raise ValueError("no settings today")
"""
RAISES_LATER = """
    from ragstone.core import hookimpl

    @hookimpl
    def ragstone_opened(host):
        raise ValueError("no opening today")
"""
MISSES_ITS_EXTRA = """
    from ragstone.core import require_extra

    require_extra("wiki", "no_such_package_anywhere", "json", distribution="misses-extra")
"""

LATER = HOOKS_VERSION + 1
MADE_FOR_LATER = f"ragstone_hooks = {LATER}"
RELEASE = f"Ragstone {metadata.version('ragstone')}"
UPGRADE = "pip install --upgrade ragstone"

#: Distribution → its code, and the state and reason that follow.
BROKEN: dict[str, tuple[str, str, str]] = {
    "exits": (EXITS, "failed", "its import raised SystemExit('goodbye'): a plugin must not end the process"),
    "fails-to-import": (
        FAILS_TO_IMPORT,
        "failed",
        "its import raised ModuleNotFoundError: No module named 'no_such_package_anywhere'",
    ),
    "made-for-later": (
        MADE_FOR_LATER,
        "failed",
        f"it is made for version {LATER} of the hooks, and {RELEASE} has version {HOOKS_VERSION} ({UPGRADE})",
    ),
    "misses-extra": (
        MISSES_ITS_EXTRA,
        "disabled",
        "needs no_such_package_anywhere (pip install 'misses-extra[wiki]')",
    ),
    "raises": (RAISES, "failed", "ragstone_settings raised ValueError: no settings today"),
    "unknown-hook": (UNKNOWN_HOOK, "failed", "unknown hook ragstone_reader; did you mean ragstone_readers?"),
}
#: What is to be typed to mend them.
MENDED_BY = {"made-for-later": UPGRADE, "misses-extra": "pip install 'misses-extra[wiki]'"}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder of distributions, with the plugin of fast models in it."""
    return fast_models(tmp_path / "site")


def on_path(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(site))


def opened(tmp_path: Path, **settings: Any) -> Host:
    named: dict[str, Any] = {"data_dir": tmp_path / "data", "index": {"store": "none"}, **settings}
    host = Host(Settings(**named))
    host.start()
    return host


def states(host: Host) -> dict[str, tuple[str, str | None]]:
    return {state.name: (state.state, state.reason) for state in host.plugins}


def assert_serves(host: Host, book: Path) -> None:
    add_book(host, book)
    assert host.assistant("book_chat").ask("What is a caster wheel?").text.startswith("A caster is a wheel")


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_plugin_is_named_and_the_rest_serve(
    name: str, site: Path, tmp_path: Path, small_book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, state, reason = BROKEN[name]
    distribution(site, name, code)
    distribution(site, "fine", FINE)
    on_path(site, monkeypatch)
    with opened(tmp_path) as host:
        assert states(host)[name] == (state, reason)
        assert states(host)["fine"] == ("loaded", None)
        assert_serves(host, small_book)
        assert "fine" in {check.name for check in host.checks()}


def test_all_at_once(site: Path, tmp_path: Path, small_book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, (code, _state, _reason) in BROKEN.items():
        distribution(site, name, code)
    distribution(site, "fine", FINE)
    distribution(site, "raises-later", RAISES_LATER)
    on_path(site, monkeypatch)
    with opened(tmp_path) as host:
        listed = states(host)
        assert {name: listed[name] for name in BROKEN} == {name: state[1:] for name, state in BROKEN.items()}
        assert listed["raises-later"] == ("failed", "ragstone_opened raised ValueError: no opening today")
        assert [name for name, (state, _) in listed.items() if state == "loaded"] == [
            *INTERFACES,
            *PLUGINS,
            "fast_models",
            "fine",
            *BUILTINS,
        ]
        assert_serves(host, small_book)


def test_the_command_lists_them_and_the_rest_serve(
    site: Path, tmp_path: Path, small_book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, (code, _state, _reason) in BROKEN.items():
        distribution(site, name, code)
    done = run("plugins", "--json", site=site)
    assert done.code == 0
    listed = {state["name"]: state for state in json.loads(done.out)}
    assert list(listed) == [*INTERFACES, *PLUGINS, *sorted([*BROKEN, "fast_models"]), *BUILTINS]
    for name, (_code, state, reason) in BROKEN.items():
        assert listed[name] == {
            "name": name,
            "version": "1.0",
            "origin": name,
            "state": state,
            "reason": reason,
            "install": MENDED_BY.get(name),
        }
    assert "Traceback" not in done.err
    assert [line for line in done.err.splitlines() if "exits" in line] == [
        f"ragstone: plugin exits is disabled: {BROKEN['exits'][2]}"
    ]
    on_path(site, monkeypatch)
    with opened(tmp_path) as host:
        add_book(host, small_book)
    asked = run("ask", "book_chat", "What is a caster wheel?", site=site)
    assert (asked.code, asked.out.splitlines()[0]) == (
        0,
        "A caster is a wheel that swivels about a vertical axis. [1]",
    )


def test_the_state_of_a_plugin(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distribution(site, "fine-parts", FINE, plugin="fine")
    on_path(site, monkeypatch)
    given = type("Given", (), {"__version__": "7"})()
    host = Host(Settings(data_dir=tmp_path / "data"), plugins={"mine": given})
    assert PluginState("fine", "1.0", "fine-parts", "loaded") in host.plugins
    assert PluginState("mine", "7", "given", "loaded") in host.plugins


def test_two_of_one_name(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distribution(site, "b-parts", FINE, plugin="parts")
    distribution(site, "a-parts", FINE, plugin="parts")
    on_path(site, monkeypatch)
    with opened(tmp_path) as host:
        assert [state for state in host.plugins if state.name.startswith("parts")] == [
            PluginState("parts", "1.0", "a-parts", "loaded"),
            PluginState("parts", "1.0", "b-parts", "failed", "the name parts is taken by the plugin of a-parts"),
        ]
        assert [check.name for check in host.checks()].count("fine") == 1


def test_one_package_under_two_names_is_one_plugin(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distribution(site, "parts", FINE, plugin="first")
    points = site / "parts-1.0.dist-info" / "entry_points.txt"
    target = points.read_text("utf-8").splitlines()[1].partition(" = ")[2]
    points.write_text(f"[ragstone]\nfirst = {target}\nsecond = {target}\n", "utf-8")
    on_path(site, monkeypatch)
    with opened(tmp_path) as host:
        assert states(host)["first"] == ("loaded", None)
        assert states(host)["second"][0] == "failed"
        assert [check.name for check in host.checks()].count("fine") == 1


def test_what_is_installed_is_read_again_when_it_changes(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distribution(site, "ant", FINE)
    on_path(site, monkeypatch)
    read = installed_plugins()
    assert "ant" in {candidate.state.name for candidate in read["ragstone"]}
    assert installed_plugins() is read
    distribution(site, "bee", FINE)
    assert "bee" in {candidate.state.name for candidate in installed_plugins()["ragstone"]}


def test_a_hook_with_an_argument_that_there_is_not_says_which(tmp_path: Path) -> None:
    class Mine:
        @hookimpl
        def ragstone_readers(self, hots: Host) -> dict[str, object]:
            return {}

    host = Host(Settings(data_dir=tmp_path / "data"), plugins={"mine": Mine()})
    state, reason = states(host)["mine"]
    assert state == "failed"
    assert "hots" in (reason or "")
    assert "unknown hook" not in (reason or "")


# Order


def test_the_order_is_the_deployments(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ant", "bee", "cow"):
        distribution(site, name, FINE)
    on_path(site, monkeypatch)
    with opened(tmp_path, plugins=["cow", "fast_models", "ant", "book_chat"]) as host:
        assert [(state.name, state.state) for state in host.plugins] == [
            *((name, "loaded") for name in INTERFACES),
            ("cow", "loaded"),
            ("fast_models", "loaded"),
            ("ant", "loaded"),
            ("book_chat", "loaded"),
            *((name, "disabled") for name in sorted(["bee", *PLUGINS]) if name != "book_chat"),
            *((name, "loaded") for name in BUILTINS),
        ]
        assert states(host)["bee"][1] == "not in the deployment's list of plugins"


def test_without_a_list_ragstones_own_come_first_and_then_the_others_by_name(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("cow", "ant"):
        distribution(site, name, FINE)
    on_path(site, monkeypatch)
    host = Host(Settings(data_dir=tmp_path / "data"), plugins={"aardvark": object()})
    assert list(states(host)) == [*INTERFACES, *PLUGINS, "ant", "cow", "fast_models", "aardvark", *BUILTINS]


def test_another_distribution_cannot_take_the_name_of_one_of_ragstones_own(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distribution(site, "a-books", FINE, plugin="book_chat")
    on_path(site, monkeypatch)
    with opened(tmp_path) as host:
        assert [(state.origin, state.state, state.reason) for state in host.plugins if state.name == "book_chat"] == [
            ("ragstone", "loaded", None),
            ("a-books", "failed", "the name book_chat is taken by the plugin of ragstone"),
        ]


def test_the_deployments_order_says_who_keeps_a_command(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distribution(site, "cow", TAKES_SERVE)
    on_path(site, monkeypatch)
    for order, loser, reason in (
        (None, "cow", "both web and cow give a command 'serve'"),
        (["cow"], "cow", "both web and cow give a command 'serve'"),
        (["cow", "web"], "web", "both cow and web give a command 'serve'"),
    ):
        with opened(tmp_path, **({} if order is None else {"plugins": order})) as host:
            host.hooks.commands.add(click.Group("ragstone"))
            assert states(host)[loser] == ("failed", reason)


def test_an_interface_may_be_put_in_its_place(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distribution(site, "gate", FINE, group="ragstone.doors")
    on_path(site, monkeypatch)
    with opened(tmp_path, plugins=["web", "book_chat"]) as host:
        loaded = [name for name, (state, _) in states(host).items() if state == "loaded"]
        assert loaded == [*(name for name in INTERFACES if name != "web"), "web", "book_chat", "gate", *BUILTINS]


def test_disabled_by_the_settings(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distribution(site, "exits", EXITS)
    on_path(site, monkeypatch)
    with opened(tmp_path, plugins={"disabled": ["exits", "web"]}) as host:
        assert states(host)["exits"] == states(host)["web"] == ("disabled", "disabled by the settings")
        assert not [name for name in sys.modules if name.startswith("exits_")]  # not even imported


def test_no_plugin_at_all(tmp_path: Path) -> None:
    with opened(tmp_path, plugins=[]) as host:
        assert dict(host.hooks.assistants) == {}
        assert states(host)["book_chat"][0] == "disabled"


def test_an_unknown_name_is_listed_with_the_closest_one(tmp_path: Path) -> None:
    with opened(tmp_path, plugins=["bok_chat", "zzz", "book_chat"]) as host:
        assert tuple(host.plugins)[len(INTERFACES) : len(INTERFACES) + 2] == (
            PluginState("bok_chat", "-", "-", "failed", "no such plugin is installed; did you mean book_chat?"),
            PluginState("zzz", "-", "-", "failed", "no such plugin is installed"),
        )
        assert "book_chat" in host.hooks.assistants


def test_a_name_twice_in_the_list_counts_once(tmp_path: Path) -> None:
    with opened(tmp_path, plugins=["book_chat", "book_chat"]) as host:
        assert [state.name for state in host.plugins if state.state == "loaded"] == [
            *INTERFACES,
            "book_chat",
            *BUILTINS,
        ]
        assert [state.name for state in host.plugins].count("book_chat") == 1
        assert states(host)["book_chat"] == ("loaded", None)


# require_extra


def test_require_extra_of_what_is_there() -> None:
    require_extra("server", "json", "email.message")


def test_require_extra_names_all_that_is_missing() -> None:
    with pytest.raises(MissingExtra) as caught:
        require_extra("x", "json", "no_such_a", "no_such_b")
    assert caught.value.missing == ("no_such_a", "no_such_b")


def test_require_extra_of_a_module_in_a_package_that_is_missing() -> None:
    with pytest.raises(MissingExtra):
        require_extra("x", "no_such_package.module")


def test_require_extra_imports_nothing(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (site / "never_imported.py").write_text("raise RuntimeError", "utf-8")
    on_path(site, monkeypatch)
    require_extra("x", "never_imported")


def test_without_flask_the_web_front_is_disabled_with_what_to_install(tmp_path: Path) -> None:
    program = """
        import sys

        sys.modules["flask"] = None  # any import of it fails, as where it is not installed
        from ragstone.core import Host, Settings

        state = next(state for state in Host(Settings()).plugins if state.name == "web")
        print(state.state, state.install, state.reason)
        import ragstone.web

        assert not [name for name in sys.modules if name.startswith("werkzeug")]
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("disabled pip install 'ragstone[server]' needs flask")
