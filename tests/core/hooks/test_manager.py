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
from tests.support.third_party_fakes import add_book, distribution, run

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


def opened(tmp_path: Path, **settings: Any) -> Host:
    named: dict[str, Any] = {"data_dir": tmp_path / "data", "index": {"store": "none"}, **settings}
    host = Host(Settings(**named))
    host.start()
    return host


def states(host: Host) -> dict[str, tuple[str, str | None]]:
    return {state.name: (state.state, state.reason) for state in host.plugins}


def test_the_command_lists_them_and_the_rest_serve(fast_site: Path, tmp_path: Path, small_book: Path) -> None:
    for name, (code, _state, _reason) in BROKEN.items():
        distribution(fast_site, name, code)
    done = run("plugins", "--json", site=fast_site)
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
    with opened(tmp_path) as host:
        add_book(host, small_book)
    asked = run("ask", "book_chat", "What is a caster wheel?", site=fast_site)
    assert (asked.code, asked.out.splitlines()[0]) == (
        0,
        "A caster is a wheel that swivels about a vertical axis. [1]",
    )


def test_the_state_of_a_plugin(fast_site: Path, tmp_path: Path) -> None:
    distribution(fast_site, "fine-parts", FINE, plugin="fine")
    given = type("Given", (), {"__version__": "7"})()
    host = Host(Settings(data_dir=tmp_path / "data"), plugins={"mine": given})
    assert PluginState("fine", "1.0", "fine-parts", "loaded") in host.plugins
    assert PluginState("mine", "7", "given", "loaded") in host.plugins


def test_two_of_one_name(fast_site: Path, tmp_path: Path) -> None:
    distribution(fast_site, "b-parts", FINE, plugin="parts")
    distribution(fast_site, "a-parts", FINE, plugin="parts")
    with opened(tmp_path) as host:
        assert [state for state in host.plugins if state.name.startswith("parts")] == [
            PluginState("parts", "1.0", "a-parts", "loaded"),
            PluginState("parts", "1.0", "b-parts", "failed", "the name parts is taken by the plugin of a-parts"),
        ]
        assert [check.name for check in host.checks()].count("fine") == 1


def test_one_package_under_two_names_is_one_plugin(fast_site: Path, tmp_path: Path) -> None:
    distribution(fast_site, "parts", FINE, plugin="first")
    points = fast_site / "parts-1.0.dist-info" / "entry_points.txt"
    target = points.read_text("utf-8").splitlines()[1].partition(" = ")[2]
    points.write_text(f"[ragstone]\nfirst = {target}\nsecond = {target}\n", "utf-8")
    with opened(tmp_path) as host:
        assert states(host)["first"] == ("loaded", None)
        assert states(host)["second"][0] == "failed"
        assert [check.name for check in host.checks()].count("fine") == 1


def test_what_is_installed_is_read_again_when_it_changes(fast_site: Path) -> None:
    distribution(fast_site, "ant", FINE)
    read = installed_plugins()
    assert "ant" in {candidate.state.name for candidate in read["ragstone"]}
    assert installed_plugins() is read
    distribution(fast_site, "bee", FINE)
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


def test_the_order_is_the_deployments(fast_site: Path, tmp_path: Path) -> None:
    for name in ("ant", "bee", "cow"):
        distribution(fast_site, name, FINE)
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


def test_without_a_list_ragstones_own_come_first_and_then_the_others_by_name(fast_site: Path, tmp_path: Path) -> None:
    for name in ("cow", "ant"):
        distribution(fast_site, name, FINE)
    host = Host(Settings(data_dir=tmp_path / "data"), plugins={"aardvark": object()})
    assert list(states(host)) == [*INTERFACES, *PLUGINS, "ant", "cow", "fast_models", "aardvark", *BUILTINS]


def test_another_distribution_cannot_take_the_name_of_one_of_ragstones_own(fast_site: Path, tmp_path: Path) -> None:
    distribution(fast_site, "a-books", FINE, plugin="book_chat")
    with opened(tmp_path) as host:
        assert [(state.origin, state.state, state.reason) for state in host.plugins if state.name == "book_chat"] == [
            ("ragstone", "loaded", None),
            ("a-books", "failed", "the name book_chat is taken by the plugin of ragstone"),
        ]


def test_the_deployments_order_says_who_keeps_a_command(fast_site: Path, tmp_path: Path) -> None:
    distribution(fast_site, "cow", TAKES_SERVE)
    for order, loser, reason in (
        (None, "cow", "both web and cow give a command 'serve'"),
        (["cow"], "cow", "both web and cow give a command 'serve'"),
        (["cow", "web"], "web", "both cow and web give a command 'serve'"),
    ):
        with opened(tmp_path, **({} if order is None else {"plugins": order})) as host:
            host.hooks.commands.add(click.Group("ragstone"))
            assert states(host)[loser] == ("failed", reason)


def test_an_interface_may_be_put_in_its_place(fast_site: Path, tmp_path: Path) -> None:
    distribution(fast_site, "gate", FINE, group="ragstone.doors")
    with opened(tmp_path, plugins=["web", "book_chat"]) as host:
        loaded = [name for name, (state, _) in states(host).items() if state == "loaded"]
        assert loaded == [*(name for name in INTERFACES if name != "web"), "web", "book_chat", "gate", *BUILTINS]


def test_disabled_by_the_settings(fast_site: Path, tmp_path: Path) -> None:
    distribution(fast_site, "exits", EXITS)
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


def test_require_extra_imports_nothing(fast_site: Path) -> None:
    (fast_site / "never_imported.py").write_text("raise RuntimeError", "utf-8")
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
