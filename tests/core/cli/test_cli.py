"""The command line: what each command prints, on which stream, and with which exit code."""

from __future__ import annotations

import json
import logging
import os
import re
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from ragstone.core import Host
from ragstone.core.cli import show_json, show_table
from ragstone.core.cli.app import root_group
from tests.support.installed import BUILTINS, INTERFACES, PLUGINS, plugin
from tests.support.needs import missing
from tests.support.third_party_fakes import RAGSTONE, Here, distribution, environment, run, write_pages

QUESTION = "What is a caster wheel?"


def _commands(group: click.Group, context: click.Context, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from _commands(command, context, (*path, name))
        else:
            yield (*path, name)


def _leaves() -> list[tuple[str, ...]]:
    """Every command of the host's own and of book chat."""
    cli = root_group()
    plugin("book_chat").ragstone_commands(cli)
    return list(_commands(click.Group("ragstone", commands=cli.commands), click.Context(cli)))


# Help


@pytest.mark.parametrize("path", _leaves(), ids=" ".join)
def test_the_help_of_every_command_has_an_example_of_it(path: tuple[str, ...], here: Here) -> None:
    done = here(*path, "--help")
    assert (done.code, done.err) == (0, "")
    text = " ".join(done.out.split())
    assert f"Example: ragstone {' '.join(path)}" in text


def test_the_helps_examples_can_be_parsed(here: Here) -> None:
    """Each of them is a command that exists, with options that exist."""
    for path in _leaves():
        text = " ".join(here(*path, "--help").out.split())
        words = shlex.split(text.partition("Example: ragstone ")[2])
        asked = here(*words)
        assert "Usage:" not in asked.err, asked.err


@pytest.mark.parametrize(
    "group", ["", "book", "corpus", "eval", "key", "memory", "plugin", "tutor", "tutor plan", "wiki", "wiki episodes"]
)
def test_a_list_of_commands_has_whole_sentences(group: str, here: Here) -> None:
    done = here(*group.split(), "--help")
    assert done.code == 0
    assert "...\n" not in done.out.partition("Commands:")[2]


def test_help_lists_the_plugins_commands(here: Here) -> None:
    done = here("--help")
    assert done.code == 0
    for name in ("ask", "book", "corpus", "encoder", "plugins", "serve"):
        assert f"\n  {name} " in done.out
    assert "Begin with: ragstone book add FOLDER" in done.out
    assert "ragstone serve (pip install 'ragstone[server]')" in " ".join(done.out.split())


@pytest.mark.parametrize(("command", "extra"), [("serve", "server"), ("mcp", "mcp"), ("corpu", "mcp")])
def test_a_command_of_an_extra_that_is_not_installed_says_which(tmp_path: Path, command: str, extra: str) -> None:
    program = f"""
        import sys

        sys.modules["flask"] = sys.modules["mcp"] = None  # any import of them fails, as where they are not installed
        from ragstone.core.cli import main

        main(["{command}"])
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    output = " ".join(done.stderr.split())
    assert f"No such command '{command}'" in output
    assert f"(pip install 'ragstone[{extra}]')" in output
    suggests = hasattr(click.exceptions, "NoSuchCommand")  # from click 8.4 on
    assert ("Did you mean 'corpus'?" in output) == (suggests and command == "corpu")


def test_help_needs_no_data_folder(here: Here, tmp_path: Path) -> None:
    here("--help")
    here("ask", "--help")
    here("plugins")
    assert not (tmp_path / "data").exists()


def test_help_is_shown_even_when_the_settings_are_wrong(here: Here, tmp_path: Path) -> None:
    (tmp_path / "ragstone.toml").write_text("nonsense = 1\n", "utf-8")
    done = here("--help")
    assert done.code == 0
    assert "\n  plugins " in done.out


def test_version(here: Here) -> None:
    done = here("--version")
    assert done.code == 0
    assert done.out.startswith("ragstone, version ")


# plugins


def test_plugins(here: Here) -> None:
    done = here("plugins")
    assert (done.code, done.err) == (0, "")
    head, *rows = done.out.splitlines()
    assert head.split() == ["name", "version", "from", "state", "why"]
    names = [*INTERFACES, *PLUGINS, "fast_models", *BUILTINS]
    assert [row.split()[0] for row in rows] == names
    assert rows[names.index("fast_models")].split() == ["fast_models", "1.0", "fast-models", "loaded"]


def test_a_warning_goes_to_stderr_alone(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSTONE_DATADIR", "/nowhere")
    done = here("plugins", "--json")
    json.loads(done.out)
    assert done.err == "ragstone: RAGSTONE_DATADIR is not a setting; did you mean RAGSTONE_DATA_DIR?\n"


# encoder


def test_encoder_as_json() -> None:
    """The real one, in a process of its own."""
    done = run("encoder", "--json")
    assert (done.code, done.err) == (0, "")
    info = json.loads(done.out)
    assert info.keys() == {
        "model",
        "provider",
        "file",
        "origin",
        "sha256",
        "weights_sha256",
        "precision",
        "dimension",
        "window",
        "query_ms",
        "texts_per_second",
    }
    assert info["model"] == "all-MiniLM-L6-v2"
    assert info["weights_sha256"] == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    assert (info["dimension"], info["window"], info["precision"]) == (384, 256, "fp32")
    assert info["query_ms"] > 0


def test_encoder_as_a_table(here: Here) -> None:
    done = here("encoder")
    assert done.code == 0
    assert "words" in done.out
    assert "dimension" in done.out


# corpus


def test_corpus_list_and_check_of_nothing(here: Here) -> None:
    assert here("corpus", "list").out == "There is no corpus yet.\n"
    assert json.loads(here("corpus", "list", "--json").out) == []
    assert here("corpus", "check").code == 0


def test_corpus_list(with_book: Here) -> None:
    head, row = with_book("corpus", "list").out.splitlines()
    assert head.split() == ["name", "documents", "chunks", "state"]
    assert row.split() == ["books", "2", "4", "ready"]
    (info,) = json.loads(with_book("corpus", "list", "--json").out)
    assert (info["name"], info["documents"], info["chunks"], info["stale"]) == ("books", 2, 4, None)


def test_corpus_check_and_rebuild(with_book: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    done = with_book("corpus", "check", "books")
    assert done.code == 0
    assert done.out.splitlines()[0] == "books: 2 documents, 4 chunks, change 2"
    assert done.out.splitlines()[-1] == "  ready"

    monkeypatch.setenv("RAGSTONE_PLUGINS__BOOK_CHAT__CHUNK_TOKENS", "60")
    monkeypatch.setenv("RAGSTONE_PLUGINS__BOOK_CHAT__MIN_CHUNK_TOKENS", "20")
    stale = with_book("corpus", "check")
    assert stale.code == 1
    assert "STALE: made with parser" in stale.out
    assert stale.out.splitlines()[-1].endswith("ragstone corpus rebuild books")
    assert "stale" in with_book("corpus", "list").out
    assert with_book("corpus", "check", "--json").code == 1
    assert with_book("ask", "book_chat", QUESTION).out.startswith("A caster is a wheel")

    rebuilt = with_book("corpus", "rebuild", "books")
    assert rebuilt.code == 0
    assert rebuilt.out.startswith("books is rebuilt: 2 documents, ")
    assert with_book("corpus", "check").code == 0
    assert with_book("ask", "book_chat", QUESTION).out.startswith("A caster is a wheel")


@pytest.mark.parametrize("command", ["check", "rebuild"])
def test_an_unknown_or_empty_corpus(command: str, here: Here) -> None:
    line = here("corpus", command, "wiki").line
    assert line.startswith("there is no corpus 'wiki' (known: books, ")
    message = here("corpus", command, "books").line
    assert message == "the corpus 'books' is empty (put a book on the shelf: ragstone book add PATH)"


# book


def test_book_add_list_and_remove(here: Here, small_book: Path) -> None:
    assert here("book", "list").out == "The shelf is empty. Put a book on it: ragstone book add PATH\n"
    added = here("book", "add", str(small_book), "--title", "Robot parts", "--edition", "Second Edition")
    assert (added.code, added.err) == (0, "")
    assert added.out.splitlines() == [
        "'Robot parts' (Second Edition) is on the shelf as robot-parts-second-edition.",
        "Read as folder: 2 added; 4 passages embedded.",
        'Ask it: ragstone ask book_chat "…" --book robot-parts-second-edition',
    ]
    assert json.loads(here("book", "list", "--json").out) == [
        {
            "slug": "robot-parts-second-edition",
            "title": "Robot parts",
            "edition": "Second Edition",
            "chapters": 2,
            "chunks": 4,
            "files": 2,
            "kinds": {"explanation": 8},
        }
    ]
    assert "robot-parts-second-edition" in here("book", "list").out
    removed = here("book", "remove", "robot-parts-second-edition", "--yes")
    assert removed.out == "'Robot parts' (Second Edition) is off the shelf: 4 passages.\n"
    assert json.loads(here("book", "list", "--json").out) == []
    assert here("book", "remove", "robot-parts-second-edition").line.startswith("there is no book")


def test_adding_a_changed_book_again_embeds_what_changed_and_drops_what_went(with_book: Here, small_book: Path) -> None:
    again = json.loads(with_book("book", "add", str(small_book), "--title", "Robot parts", "--json").out)
    assert again["unchanged"] == ["01-wheels.md", "02-arms.md"]
    assert (again["added"], again["updated"], again["removed"], again["chunks"]) == ([], [], [], 0)

    write_pages(
        small_book,
        {
            "01-wheels.md": "# Wheels\n\nA mecanum wheel has rollers at 45 degrees to its axis.\n",
            "03-eyes.md": "# Eyes\n\nA stereo camera sees depth by parallax.\n",
        },
    )
    (small_book / "02-arms.md").unlink()
    changed = json.loads(with_book("book", "add", str(small_book), "--title", "Robot parts", "--json").out)
    assert (changed["added"], changed["updated"]) == (["03-eyes.md"], ["01-wheels.md"])
    assert (changed["unchanged"], changed["removed"], changed["chunks"]) == ([], ["02-arms.md"], 2)
    assert "45 degrees" in with_book("ask", "book_chat", "What are the rollers of a mecanum wheel?").out
    assert json.loads(with_book("ask", "book_chat", "What is the grip force of a gripper?", "--json").out)["refused"]


# ask


def test_ask(with_book: Here) -> None:
    done = with_book("ask", "book_chat", QUESTION)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "A caster is a wheel that swivels about a vertical axis. [1]",
        "",
        "[1] Robot parts · First Edition · Wheels · Casters",
    ]


def test_ask_as_json_has_exactly_these_keys(with_book: Here) -> None:
    found = json.loads(with_book("ask", "book_chat", QUESTION, "--json").out)
    assert list(found) == ["answer", "refused", "closest", "reason", "warnings", "citations", "dropped", "timings_ms"]
    assert list(found["timings_ms"]) == ["encode", "retrieve", "answer"]
    assert list(found["citations"][0]) == [
        "n",
        "chunk_id",
        "book_title",
        "edition",
        "chapter",
        "section",
        "page_label",
        "page_index",
        "content_type",
        "is_simulation",
        "setting",
        "licence",
        "url",
        "quote",
    ]
    citation = found["citations"][0]
    assert citation["n"] == 1
    assert citation["quote"] == "A caster is a wheel that swivels about a vertical axis."
    assert citation["url"] == f"/book_chat/source/{citation['chunk_id']}"
    assert (found["refused"], found["reason"]) == (False, None)


def test_ask_refuses_in_words_and_with_0(with_book: Here) -> None:
    found = json.loads(with_book("ask", "book_chat", "Who won the war of Troy?", "--json").out)
    assert found["refused"] is True
    assert found["answer"].startswith("As an AI tutor for 'Robot parts")
    assert "I can only answer questions related to the book's content." in found["answer"]
    assert found["citations"] == []
    assert found["reason"] == "nothing in the text answers this"
    assert with_book("ask", "book_chat", "Who won the war of Troy?").code == 0


@pytest.mark.parametrize("selection", [("--book", "robot-eyes"), ("--book=robot-eyes",)], ids=" ".join)
def test_ask_one_book(with_book: Here, tmp_path: Path, selection: tuple[str, ...]) -> None:
    other = write_pages(tmp_path / "eyes", {"01.md": "# Eyes\n\nA stereo camera sees depth by parallax.\n"})
    with_book("book", "add", str(other), "--title", "Robot eyes")
    answer = json.loads(with_book("ask", "book_chat", QUESTION, *selection, "--json").out)
    assert answer["refused"]
    assert "Robot eyes" in answer["answer"]
    assert not json.loads(with_book("ask", "book_chat", QUESTION, "--book", "robot-parts", "--json").out)["refused"]
    assert json.loads(with_book("ask", "book_chat", "How does a stereo camera see?", *selection, "--json").out)[
        "citations"
    ]


def test_ask_with_fewer_chunks(with_book: Here) -> None:
    found = json.loads(with_book("ask", "book_chat", QUESTION, "--top-k", "1", "--json").out)
    assert {citation["section"] for citation in found["citations"]} == {"Casters"}


def test_the_answer_of_the_whole_command_with_the_real_encoder(small_book: Path) -> None:
    assert run("book", "add", str(small_book)).code == 0
    done = run("ask", "book_chat", "What is a caster?")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("A caster is a wheel that swivels about a vertical axis.")


# Streams


LONG = "word " * 80


def test_what_goes_into_a_pipe_is_not_cut(here: Here, site: Path, tmp_path: Path) -> None:
    title = f"A book with a long title, {LONG.strip()}"[:250]
    book = write_pages(tmp_path / "long", {"01.md": f"# {LONG}\n\nA caster is a wheel that swivels. {LONG}\n"})
    assert here("book", "add", str(book), "--title", title).code == 0
    listed = run("book", "list", site=site, COLUMNS="40")
    assert title in listed.out
    asked = run("ask", "book_chat", "What is a caster?", site=site, COLUMNS="40")
    assert "\x1b" not in listed.out + asked.out
    assert len(max(asked.out.splitlines(), key=len)) > 80


def test_whoever_stops_reading_gets_no_complaint(site: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed:
        done = subprocess.run(
            [str(RAGSTONE), "plugins", "--json"],
            env=environment(site),
            stdout=closed,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_full_disk_under_the_output_and_a_path_that_cannot_be_looked_at_are_no_bugs(site: Path, here: Here) -> None:
    if not Path("/dev/full").exists():
        missing("the full device of Linux, /dev/full")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [str(RAGSTONE), "plugins"],
            env=environment(site),
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert (done.returncode, done.stderr) == (
        1,
        b"ragstone: a file, or the output: cannot be used: No space left on device\n",
    )
    looked = here("book", "watch", "a" * 300, "--once")
    assert (looked.code, looked.line) == (1, f"{'a' * 300}: cannot be used: File name too long")
    assert "Traceback" in here("--verbose", "book", "watch", "a" * 300, "--once").err


COMMANDING = "\x1b]0;owned\x07\x1b[31m\x9b31m\u202e"


def _is_calm(text: str) -> bool:
    return not any(char in text for char in "\x1b\x07\x9b\u202e\x08\x7f")


def test_what_a_document_says_does_not_command_the_terminal(here: Here, tmp_path: Path) -> None:
    text = f"# Wheels {COMMANDING}\n\nA caster is a wheel {COMMANDING} that swivels.\n"
    book = write_pages(tmp_path / "book", {"01.md": text})
    output = here("book", "add", str(book), "--title", "Calm")
    asked = here("ask", "book_chat", QUESTION)
    assert "that swivels" in asked.out
    assert "Wheels" in asked.out
    for done in (output, asked, here("book", "list"), here("corpus", "check"), here("corpus", "list")):
        assert _is_calm(done.out + done.err)


def test_nor_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    output = {"answer": f"café\n{COMMANDING}"}
    show_json(output)
    printed = capsys.readouterr().out
    assert json.loads(printed) == output
    assert "café" in printed
    assert _is_calm(printed)


def test_nor_in_the_name_of_a_file(here: Here, tmp_path: Path) -> None:
    book = write_pages(tmp_path / "book", {"01.md": "# Wheels\n\nA caster is a wheel.\n"})
    (book / f"{COMMANDING}.md").write_bytes(b"\xff")
    done = here("book", "add", str(book), "--title", "Calm")
    assert "is not UTF-8" in done.out
    assert _is_calm(done.out)


def test_nor_in_an_error(here: Here, tmp_path: Path) -> None:
    book = tmp_path / "book"
    book.mkdir()
    (book / f"{COMMANDING}.md").write_bytes(b"\xff")
    done = here("book", "add", str(book))
    assert "is not UTF-8" in done.err
    assert _is_calm(done.err)


def test_nor_in_the_log(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    def warn(_: object) -> None:
        logging.getLogger("ragstone.test").warning("left out: %s", f"{COMMANDING}\nragstone: all is well")

    monkeypatch.setattr(Host, "start", warn)
    done = here("corpus", "list")
    assert "\n  ragstone: all is well" in done.err
    assert _is_calm(done.err)


# Exit codes


def test_a_wrongly_written_command(here: Here) -> None:
    for words in (("nonsense",), ("ask",), ("ask", "book_chat"), ("plugins", "--jsn"), ("book", "list", "extra")):
        done = here(*words)
        assert done.code == 2
        assert done.out == ""
        assert "Error: " in done.err
        assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--book",), "--book needs a value"),
        (("--book", "one", "--book=two"), "--book may be given once"),
        (("--bok", "robot-parts"), "there is no option --bok (known: --book, --setting, --top-k, --after, --json)"),
        (("wheel?",), "unexpected argument 'wheel?' (put a question of several words in quotes)"),
    ],
)
def test_a_question_that_cannot_be_asked(with_book: Here, words: tuple[str, ...], message: str) -> None:
    done = with_book("ask", "book_chat", "What is a caster", *words)
    assert (done.code, done.line) == (2, message)


def test_an_option_before_the_assistant_is_said_to_be_no_assistant(here: Here) -> None:
    done = here("ask", "--config", "x.toml", "book_chat", QUESTION)
    assert done.code == 2
    assert done.line == (
        "--config is no assistant's name (its options follow its name, --config stands before the command)"
    )


def test_a_filter_may_stand_before_the_question(with_book: Here) -> None:
    before = with_book("ask", "book_chat", "--book", "robot-parts", QUESTION)
    assert before.code == 0
    assert before.out == with_book("ask", "book_chat", QUESTION, "--book=robot-parts").out
    assert with_book("ask", "book_chat", "--book", "robot-parts").line.startswith("there is no question")


def test_inspect_shows_sentences_and_the_verdict(with_book: Here) -> None:
    done = with_book("inspect", "book_chat", QUESTION)
    assert re.search(r"sentences:\n *score +words +cosine +kind +rank +text", done.out)
    assert "A caster is a wheel that swivels" in done.out.partition("sentences:")[2]
    assert done.out.rstrip().splitlines()[-2].endswith(": answered")
    found = json.loads(with_book("inspect", "book_chat", QUESTION, "--json").out)
    first = found["sentences"][0]
    assert first["kind"] == "explanation"
    assert first["parts"]["cosine"] > 0
    assert sum(first["parts"].values()) == pytest.approx(first["score"], abs=0.01)
    assert f"cosine {first['parts']['cosine']}" in done.out
    assert (found["gate"]["verdict"], found["gate"]["refused"]) == ("answered", False)
    done = with_book("inspect", "book_chat", "Is a caster faster than a wheel?")
    assert "missing: no sentence compares by what is asked for" in done.out


def test_inspect_shows_the_second_hop(here: Here, tmp_path: Path) -> None:
    texts = {
        "Hill Songs": "Hill Songs is an album by Mona Ward, recorded in a barn.",
        "Mona Ward": "She was born in the state of Oregon.",
        "John Oaks": "He was born in the state of Nevada, where albums are recorded.",
    }
    for title, text in texts.items():
        (tmp_path / f"{title}.md").write_text(f"# {title}\n\n{text}\n", "utf-8")
    assert here("book", "add", str(tmp_path), "--title", "Music").code == 0
    asked = ("inspect", "book_chat", "In which state was the singer of the album Hill Songs born?")
    chunks = json.loads(here(*asked, "--json").out)["passages"]
    assert chunks[0]["place"] == "Music › First Edition › Hill Songs"
    assert [chunk["place"] for chunk in chunks if chunk["linked"]] == ["Music › First Edition › Mona Ward"]
    hop = "\nsecond hop: the first passage names Music › First Edition › Mona Ward, which adds 0."
    assert hop in here(*asked).out


@pytest.mark.parametrize("command", ["ask", "search", "inspect"])
@pytest.mark.parametrize("top_k", ["-3", "0", "51"])
def test_no_command_takes_a_number_of_chunks_that_cannot_be(with_book: Here, command: str, top_k: str) -> None:
    done = with_book(command, "book_chat", "What is a caster", "--top-k", top_k)
    assert (done.code, done.line, done.out) == (2, f"top_k must be from 1 to 50, not {top_k}", "")


def test_the_question_cannot_be_replaced_by_a_selection(with_book: Here) -> None:
    done = with_book("ask", "book_chat", QUESTION, "--question", "Who was Napoleon?")
    assert done.code == 2


def test_ctrl_c(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ragstone.core.cli.output.table", interrupted)
    done = here("plugins")
    assert done.code == 130
    assert done.err.strip() == "ragstone: interrupted"


def test_a_terminal_folds_titles_and_keeps_names_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # counts as a terminal
    monkeypatch.setenv("COLUMNS", "50")
    slug, title = "programming-multiple-robots", "Programming Multiple Robots with ROS 2"
    show_table(("slug", "title", "passages"), [(slug, title, 375)], empty="")
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith(f"{slug}  Programming")
    assert max(map(len, lines[1:])) <= 50
    assert " ".join(" ".join(lines[1:]).split()) == f"{slug} Programming 375 Multiple Robots with ROS 2"
    show_table(("slug",), [(slug * 3,)], empty="")  # longer than a line: nothing of it is lost
    assert "".join("".join(capsys.readouterr().out.splitlines()[1:]).split()) == slug * 3


def test_a_bug_keeps_its_traceback(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("ragstone.core.cli.output.table", wrong)
    with pytest.raises(ZeroDivisionError):
        here("plugins")


def test_a_settings_file_that_is_not_there(here: Here) -> None:
    done = here("--config", "nowhere.toml", "plugins")
    assert (done.code, done.line) == (2, "nowhere.toml: cannot be read: No such file or directory")


def test_verbose_shows_where_a_plugin_failed(here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(distribution(tmp_path / "broken", "broken", "import no_such_package_anywhere")))
    quiet = here("plugins")
    assert quiet.err == (
        "ragstone: plugin broken is disabled: its import raised ModuleNotFoundError: "
        "No module named 'no_such_package_anywhere'\n"
    )
    loud = here("--verbose", "plugins")
    assert "Traceback" in loud.err
    assert loud.out == quiet.out
