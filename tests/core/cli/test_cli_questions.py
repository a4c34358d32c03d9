"""``ragstone search``, ``ragstone completion``, ``--json`` everywhere, and the exit codes that the README promises."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import click
import pytest
from click.testing import CliRunner

from ragstone.core.cli import Deployment, LazyGroup
from ragstone.core.cli.app import root_group
from tests.support.needs import missing
from tests.support.patience import HANG
from tests.support.third_party_fakes import RAGSTONE, Here, environment

QUESTION = "What is a caster wheel?"
#: Commands that print no result: they serve, work, talk with a person, or what they print is itself for a program.
NO_RESULT = {"book work", "completion", "mcp", "serve", "tutor export", "tutor learn"}


# search


def test_search_prints_the_chunks_and_where_they_stand(with_book: Here) -> None:
    done = with_book("search", "book_chat", QUESTION, "--top-k", "2")
    assert (done.code, done.err) == (0, "")
    place = "Robot parts › First Edition › Wheels › Casters"
    assert done.out.startswith(f"[1] {place}\n    A caster is a wheel that swivels")
    assert "\n[2] Robot parts" in done.out
    assert "\n[3]" not in done.out


def test_search_as_json(with_book: Here) -> None:
    found = json.loads(with_book("search", "book_chat", QUESTION, "--book", "robot-parts", "--json").out)
    first, second = found["passages"][:2]
    assert (first["n"], first["section"], found["enough"]) == (1, "Casters", True)
    assert first["text"].startswith("A caster is a wheel")
    assert first["score"] >= second["score"]
    assert first["url"].endswith(first["chunk_id"])


def test_search_says_when_it_is_not_enough(with_book: Here) -> None:
    done = with_book("search", "book_chat", "Who won the war of Troy?")
    assert done.code == 0
    assert done.out.endswith("This is not enough to answer from.\n")


# completion


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_for_every_shell(here: Here, shell: str) -> None:
    done = here("completion", shell)
    assert (done.code, done.err) == (0, "")
    assert f"_RAGSTONE_COMPLETE={shell}_complete" in done.out


def test_bash_takes_the_script(here: Here) -> None:
    bash = which("bash")
    if bash is None:
        missing("bash")
    script = here("completion", "bash").out
    subprocess.run([bash, "-c", f"{script}\ncomplete -p ragstone"], check=True, capture_output=True, timeout=HANG)


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("ragstone s", {"search", "serve"}),
        ("ragstone book ", {"add", "list", "remove"}),
        ("ragstone ask book", {"book_chat"}),
        ("ragstone search wi", {"wiki_edge"}),
        ("ragstone key add x --door ", {"web", "openai", "mcp"}),
        ("ragstone ask book_chat x --js", {"--json"}),
    ],
)
def test_completions_of_a_shell(here: Here, monkeypatch: pytest.MonkeyPatch, words: str, completed: set[str]) -> None:
    monkeypatch.setenv("_RAGSTONE_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    done = here()
    assert (done.code, done.err) == (0, "")
    assert {line.split(",")[1] for line in done.out.splitlines()} >= completed


def test_a_shell_gets_no_warnings(site: Path) -> None:
    asked = environment(site, _RAGSTONE_COMPLETE="bash_complete", COMP_WORDS="ragstone s", COMP_CWORD="1")
    asked["RAGSTONE_NONSENSE"] = "1"  # warned of when the settings are read
    done = subprocess.run([str(RAGSTONE)], env=asked, capture_output=True, text=True, timeout=HANG, check=False)
    assert "search" in done.stdout and done.stderr == ""


def test_a_shell_hears_nothing_of_wrong_settings(site: Path, tmp_path: Path) -> None:
    (tmp_path / "ragstone.toml").write_text("nonsense = 1\n", "utf-8")
    asked = environment(site, _RAGSTONE_COMPLETE="bash_complete", COMP_WORDS="ragstone ask ", COMP_CWORD="2")
    done = subprocess.run([str(RAGSTONE)], env=asked, capture_output=True, text=True, timeout=HANG, check=False)
    assert done.stdout.strip() == ""
    assert "Traceback" not in done.stderr


# --json


def _commands(
    group: click.Group, ctx: click.Context, path: tuple[str, ...] = ()
) -> Iterator[tuple[str, click.Command]]:
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        if isinstance(command, click.Group):
            yield from _commands(command, click.Context(command, parent=ctx), (*path, name))
        elif command is not None:
            yield " ".join((*path, name)), command


def test_every_command_that_has_a_result_gives_it_as_json() -> None:
    cli = root_group()
    ctx = click.Context(cli, obj=Deployment(None))
    without = {
        name
        for name, command in _commands(cli, ctx)
        if not any("--json" in parameter.opts for parameter in command.params)
    }
    assert without == NO_RESULT


def test_what_changes_something_tells_it_as_json(with_book: Here) -> None:
    assert json.loads(with_book("corpus", "rebuild", "books", "--json").out)["name"] == "books"
    removed = json.loads(with_book("book", "remove", "robot-parts", "--yes", "--json").out)
    assert (removed["removed"], removed["title"]) == ("robot-parts", "Robot parts")


# Exit codes


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["ask", "book_chat", QUESTION], 0),
        (["ask", "book_chat", "Who won the war of Troy?"], 0),
        (["search", "book_chat", QUESTION], 0),
        (["search", "nobody", QUESTION], 2),
        (["search", "book_chat", ""], 2),
        (["search", "book_chat", "x" * 4001], 2),
        (["search", "book_chat", QUESTION, "--top-k", "0"], 2),
        (["search", "book_chat", QUESTION, "--colour", "red"], 2),
        (["search"], 2),
        (["nothing"], 2),
        (["completion", "powershell"], 2),
        (["book", "add", "/nowhere/at/all"], 1),
        (["corpus", "check", "none"], 2),
        (["--config", "/nowhere.toml", "plugins"], 2),
    ],
)
def test_the_exit_codes_of_the_readme(with_book: Here, arguments: list[str], code: int) -> None:
    done = with_book(*arguments)
    assert done.code == code, done.err
    assert "Traceback" not in done.err
    assert (done.err == "") == (code == 0)


# What another command is made of


def test_a_command_of_a_lazy_group_is_imported_when_it_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = 'import click\n\n@click.command()\ndef song():\n    """One of them."""\n    click.echo("la")\n'
    (tmp_path / "some_songs.py").write_text(code, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "some_songs", raising=False)

    def cli(group: click.Group) -> click.Group:
        return click.Group("cli", commands={"sing": group})

    def lazy(**paths: str) -> LazyGroup:
        return LazyGroup("sing", help="Songs.", epilog="Example: sing song", lazy_subcommands=paths)

    run = CliRunner().invoke
    sing = lazy(song="some_songs.song", lost="no_such_module.lost")
    for unused in (["nothing"], ["sing", "nothing"]):
        assert run(cli(sing), unused).exit_code == 2
    assert "Songs." in run(cli(sing), ["--help"]).output
    assert "some_songs" not in sys.modules
    assert run(cli(sing), ["sing", "song"]).output == "la\n"
    assert isinstance(run(cli(sing), ["sing", "lost"]).exception, ModuleNotFoundError)

    sing, song = lazy(song="some_songs.song"), sys.modules["some_songs"].song
    eager = click.Group("sing", help="Songs.", epilog="Example: sing song", commands={"song": song})
    for arguments in (["--help"], ["sing", "--help"], ["sing", "nothing"], ["sing", "sog"]):
        assert run(cli(sing), arguments).output == run(cli(eager), arguments).output
    context = click.Context(cli(sing))
    assert sing.list_commands(context) == ["song"]
    assert sing.get_command(context, "song") is song
    assert sing.to_info_dict(context) == eager.to_info_dict(context)


def test_no_command_waits_for_those_of_other_plugins(site: Path) -> None:
    code = """
import sys
from ragstone.core.cli.app import main
try:
    main(["memory", "status", "--help"])
finally:
    print(*(name for name in sys.modules if name.startswith("ragstone.plugins.")), file=sys.stderr)
"""
    ran = subprocess.run(
        [sys.executable, "-c", code], env=environment(site), capture_output=True, text=True, timeout=HANG, check=True
    )
    brought = {name.split(".")[2] for name in ran.stderr.split() if ".commands" in name}
    assert brought == {"iris_memory"}
