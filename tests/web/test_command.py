"""``ragstone serve`` as a process."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import pytest

COMMAND = Path(sys.executable).with_name("ragstone")


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    (folder / "ragstone.toml").write_text("[plugins]\nenabled = []\n", encoding="utf-8")
    return subprocess.Popen(
        [COMMAND, "serve", *arguments],
        cwd=folder,
        env={**os.environ, "RAGSTONE_DATA_DIR": str(folder / "data")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # a shell that runs the tests in the background lets its children ignore Ctrl+C
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )


def test_it_says_where_it_is_and_stops_cleanly(tmp_path: Path) -> None:
    with start(tmp_path, "--port", "0") as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            output = re.fullmatch(r"Ragstone (\S+) at (http://127\.0\.0\.1:\d+/) \(Ctrl\+C stops it\)\n", line)
            assert output, line
            with urllib.request.urlopen(f"{output[2]}health", timeout=60) as response:
                assert json.load(response)["version"] == output[1]
            process.send_signal(signal.SIGINT)
            rest, errors = process.communicate(timeout=60)
            assert (process.returncode, rest) == (0, "")
            assert "Traceback" not in errors
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("access", "message", "status"),
    [
        ("key-beyond-loopback", "Nobody can ask yet: a key is needed, and there is none. ragstone key add NAME\n", 401),
        ("open-to-everybody", "Everybody who reaches this machine can ask: [plugins.web] access says so.\n", 200),
    ],
)
def test_beyond_this_machine_it_says_who_may_ask_and_stops_cleanly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, access: str, message: str, status: int
) -> None:
    monkeypatch.setenv("RAGSTONE_PLUGINS__WEB__ACCESS", access)
    with start(tmp_path, "--host", "0.0.0.0", "--port", "0") as process:
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            port = urlsplit(process.stdout.readline().split()[3]).port
            assert process.stderr.readline() == message
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request("GET", "/v1/models")
            assert connection.getresponse().status == status
            connection.close()
            process.send_signal(signal.SIGTERM)
            rest, errors = process.communicate(timeout=60)
            assert (process.returncode, rest) == (0, "")
            assert "Traceback" not in errors
        finally:
            process.kill()


def test_its_help_has_an_example() -> None:
    done = subprocess.run([COMMAND, "serve", "--help"], capture_output=True, text=True, check=True)
    assert "Example: ragstone serve" in done.stdout


def test_a_busy_port_is_one_line_and_an_exit_code(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with start(tmp_path, "--port", str(port)) as process:
            output, errors = process.communicate(timeout=60)
    assert process.returncode not in (0, None)
    assert output == ""
    assert f"port {port} is in use" in errors
    assert "--port" in errors
    assert len(errors.strip().splitlines()) == 1, errors
