"""``--log-json``: one JSON object a line on stderr, also of other output."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.patience import HANG, until
from tests.support.third_party_fakes import RAGSTONE, Here, distribution, environment, fast_models


def records(output: str) -> list[dict[str, Any]]:
    """The objects, each on a line and whole."""
    found = [json.loads(line) for line in output.splitlines()]
    for record in found:
        assert [*record] == ["time", "level", "logger", "message", "fields"]
        assert datetime.fromisoformat(record["time"]).utcoffset() == timedelta(0)
        assert isinstance(record["fields"], dict)
    return found


def plugin(site: Path, monkeypatch: pytest.MonkeyPatch, body: str, before: str = "") -> None:
    """A plugin with a command ``speak``."""
    code = f"""
import logging, sys, warnings, click
from ragstone.core import hookimpl
{before}
@click.command()
def speak():
    {body}

@hookimpl
def ragstone_commands(cli):
    cli.add_command(speak)
"""
    monkeypatch.syspath_prepend(str(distribution(site, "speaker", code)))


def test_an_error_is_one_object_with_its_facts(here: Here) -> None:
    done = here("--log-json", "ask", "nobody", "What?")
    (record,) = records(done.err)
    assert (done.code, record["level"], record["logger"]) == (2, "ERROR", "ragstone")
    assert record["message"] == "there is no assistant 'nobody'"
    assert record["fields"]["error"] == "NotFound"
    assert record["fields"]["exit_code"] == 2
    assert record["fields"]["hint"].startswith("known: book_chat")


def test_what_is_printed_stays_what_it_was(here: Here) -> None:
    done = here("--log-json", "plugins", "--json")
    assert done.code == 0
    assert json.loads(done.out)
    assert records(done.err) == []


def test_a_failed_plugin_is_logged_before_its_command_is_looked_for(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(distribution(tmp_path / "b", "broken", "raise ValueError('a\\nb')")))
    done = here("--log-json", "book", "list")
    (record,) = records(done.err)
    assert (record["logger"], record["level"]) == ("ragstone.core.hooks.manager", "ERROR")
    assert "plugin broken is disabled" in record["message"]


def test_fields_and_tracebacks(here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = """
    log = logging.getLogger("ragstone.speaker")
    log.warning("seen %d", 3, extra={"seen": 3, "path": sys})
    try:
        1 / 0
    except ZeroDivisionError:
        log.exception("it failed")
"""
    plugin(tmp_path / "s", monkeypatch, body)
    first, second = records(here("--log-json", "speak").err)
    assert (first["message"], first["fields"]["seen"], "module" in first["fields"]["path"]) == ("seen 3", 3, True)
    assert second["fields"]["error"] == "ZeroDivisionError"
    assert second["fields"]["traceback"].startswith("Traceback (most recent call last):\n")


def test_what_is_written_past_the_log_is_a_record_a_line(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = """
    click.echo("first\\nsecond", err=True)
    sys.stderr.write("half a")
    print(" line", file=sys.stderr)
    sys.stderr.write("\\x1b[31mno end")
"""
    plugin(tmp_path / "s", monkeypatch, body, before="print('imported')")
    done = here("--log-json", "speak")
    assert [(r["logger"], r["message"]) for r in records(done.err)] == [
        ("stderr", "imported"),
        ("stderr", "first"),
        ("stderr", "second"),
        ("stderr", "half a line"),
        ("stderr", "\x1b[31mno end"),
    ]
    assert "\x1b" not in done.err, "a terminal must not be commanded"
    assert (done.code, done.out) == (0, "")


def test_a_bug_is_one_object(here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plugin(tmp_path / "s", monkeypatch, "raise KeyError('lost')")
    done = here("--log-json", "speak")
    (record,) = records(done.err)
    assert (done.code, record["level"]) == (1, "CRITICAL")
    assert record["fields"]["error"] == "KeyError"
    assert "speak" in record["fields"]["traceback"]


def test_a_command_that_was_written_wrongly(here: Here) -> None:
    done = here("--log-json", "ask")
    assert done.code == 2
    assert any("Missing argument" in record["message"] for record in records(done.err))


def test_afterwards_stderr_is_what_it_was(here: Here) -> None:
    before = sys.stderr
    here("--log-json", "ask", "nobody", "What?")
    assert sys.stderr is before
    assert here("ask", "nobody", "What?").line.startswith("there is no assistant")


def test_verbose_has_its_levels(here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plugin(tmp_path / "s", monkeypatch, "logging.getLogger('ragstone.x').info('on the way')")
    assert [r["level"] for r in records(here("--log-json", "-v", "speak").err)] == ["INFO"]
    assert here("--log-json", "speak").err == ""


def test_a_log_that_cannot_be_written_does_not_go_in_circles(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugin(tmp_path / "s", monkeypatch, "logging.getLogger('ragstone.x').warning('%d', 'no number')")
    done = here("--log-json", "speak")
    assert done.code == 0
    assert any("Logging error" in record["message"] for record in records(done.err))


def test_a_server_logs_json(tmp_path: Path) -> None:
    site = fast_models(tmp_path / "site")
    distribution(site, "broken", "raise ValueError('no')")
    command = [str(RAGSTONE), "--log-json", "-v", "serve", "--port", "0"]
    samples = ("RAGSTONE_PLUGINS__BOOK_CHAT__SAMPLE", "RAGSTONE_PLUGINS__CONCEPT_TUTOR__SAMPLE")
    given = environment(site, PYTHONUNBUFFERED="1", **dict.fromkeys(samples, "false"))
    out, err = tmp_path / "out", tmp_path / "err"
    with (
        out.open("wb") as to,
        err.open("wb") as log,
        subprocess.Popen(command, env=given, stdout=to, stderr=log) as running,
    ):
        try:
            until(lambda: running.poll() is not None or out.read_text("utf-8").endswith("\n"), "the server's start")
            running.send_signal(signal.SIGTERM)
            running.wait(HANG)
        finally:
            running.kill()
    assert out.read_text("utf-8").startswith("Ragstone ")
    found = records(err.read_text("utf-8"))
    assert any("plugin broken is disabled" in record["message"] for record in found)
    assert running.returncode == 0
