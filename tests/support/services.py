"""The services of deploy/server/compose.yaml, without a container engine: its own commands, on this machine's loopback.

What a container has of its own (a name, a folder, a port) is moved to a place of the test's; everything else is what
the file says, so that a file that is wrong fails here too.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stdout
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest

from ragstone.core.cli import main
from tests.support import postgresql
from tests.support.composed import SERVER, VARIABLES, compose, image_command
from tests.support.needs import missing
from tests.support.patience import HANG, until
from tests.support.third_party_fakes import restored_log

#: Paths and addresses inside a container: each needs a replacement in ``_moved``.
_OF_A_CONTAINER = re.compile(
    r"(?<![\w/])/(?:var|etc|usr|backups|books)/|\b(?:web-\d|chroma|postgres):\d|@postgres\b|0\.0\.0\.0"
)


def free_port() -> int:
    """A free TCP port on loopback."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass
class Process:
    """A service's process. It ends with the one that started it, even when that is killed."""

    command: list[str]
    environment: dict[str, str]
    log: Path
    #: Answers with success as soon as the service works.
    address: str
    _running: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def begin(self) -> None:
        """Start it."""
        with self.log.open("ab") as log:
            self._running = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *self.command],
                env=self.environment,
                cwd=self.log.parent,
                stdout=log,
                stderr=log,
            )

    def start(self) -> None:
        """Start it and wait until it answers."""
        self.begin()
        self.ready()

    def ready(self) -> None:
        """Wait until it answers."""
        until(self._answers, f"an answer of {self.address}")

    def _answers(self) -> bool:
        assert self._running is not None
        assert self._running.poll() is None, f"it ended:\n{self.log.read_text('utf-8')[-2000:]}"
        try:
            return httpx.get(self.address, timeout=HANG).is_success
        except httpx.TransportError:
            return False

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int | None:
        """End it, in order or not; its exit code."""
        running, self._running = self._running, None
        if running is None:
            return None
        running.send_signal(how)
        try:
            return running.wait(HANG)
        finally:
            running.kill()


class Stack:
    """PostgreSQL and the workers, as the file has them; the Chroma server too where the variables ask for it."""

    def __init__(
        self, folder: Path, cache: Path, database: postgresql.Server, variables: Mapping[str, str], workers: int
    ) -> None:
        """``folder``: the machine's root for the services. ``cache``: where the encoder's model is made already.

        ``workers``: how many; those that the file does not have are like its first one.
        """
        self.folder = folder
        self.database = database
        self._services: dict[str, Any] = compose(variables)["services"]
        self.workers = tuple(f"web-{number + 1}" for number in range(workers))
        for name in self.workers:
            self._services.setdefault(name, self._services["web-1"])
        self.has_chroma = bool(variables.get("RAGSTONE_CHROMA"))
        self.ports = {name: free_port() for name in (*self.workers, "chroma")}
        self._moves = {
            self._services["web-1"]["environment"]["RAGSTONE_DATABASE"]: database.url("ragstone"),
            "http://chroma:8001": f"http://127.0.0.1:{self.ports['chroma']}",
            "0.0.0.0": "127.0.0.1",
            "/usr/local/lib/ragstone": str(SERVER),
            "/var/lib": f"{folder}/var/lib",
            "/etc/ragstone": f"{folder}/etc/ragstone",
            "/backups": f"{folder}/backups",
            "/books": f"{folder}/books",
            **{f"{name}:8000": f"127.0.0.1:{self.ports[name]}" for name in self.workers},
        }
        for made in (
            "home",
            "tmp",
            "books",
            "backups",
            "etc/ragstone",
            "var/lib/ragstone",
            "var/lib/chroma",
            "var/cache",
        ):
            (folder / made).mkdir(parents=True)
        (folder / "var/cache/ragstone").symlink_to(cache)
        settings = (SERVER / "ragstone.toml").read_text("utf-8").replace('= "/', f'= "{folder}/')
        (folder / "etc/ragstone/ragstone.toml").write_text(settings, "utf-8")
        started = ("chroma", *self.workers) if self.has_chroma else self.workers
        self.processes = {name: self._process(name) for name in started}

    @property
    def data(self) -> Path:
        """The data folder that the workers share."""
        return self.folder / "var/lib/ragstone"

    def address(self, worker: str) -> str:
        """Where a worker is reached past the proxy."""
        return f"http://127.0.0.1:{self.ports[worker]}"

    def command(self, service: str, *instead: str) -> list[str]:
        """What a service's container runs; ``instead`` of its command, as with ``docker compose run``."""
        options = self._services[service]
        words = [*options.get("entrypoint", image_command("ENTRYPOINT") if "build" in options else [])]
        words += list(instead) or [str(word) for word in options["command"]]
        program, *rest = map(self._moved, words)
        beside = Path(sys.executable).with_name(program)
        return [str(beside if beside.exists() else program), *rest]

    def environment(self, service: str) -> dict[str, str]:
        """What a service's container finds in its environment; a home of its own, in which nothing may be written."""
        variables = self._services[service].get("environment", {})
        moved = {name: self._moved(str(value)) for name, value in variables.items()}
        if "PGHOST" in moved:
            assert moved["PGHOST"] == "postgres"
            moved["PGHOST"] = str(self.database.folder)
        # The image has not all the extras that the tests have.
        if "build" in self._services[service]:
            moved["RAGSTONE_PLUGINS__DISABLED"] = "mcp,gemini,huggingface,openai_like"
        if service in self.workers:
            moved["RAGSTONE_PLUGINS__WEB__PORT"] = str(self.ports[service])
            moved["RAGSTONE_PLUGINS__WEB__REQUESTS_PER_MINUTE"] = "0"  # all readers here are one client
        own = {"HOME": str(self.folder / "home"), "TMPDIR": str(self.folder / "tmp"), "HF_HUB_OFFLINE": "1"}
        path = os.pathsep.join([str(self.database.programs), os.environ["PATH"]])
        return {"PATH": path, "LANG": "C.UTF-8", **own, **moved}

    def run(self, service: str, *instead: str) -> subprocess.CompletedProcess[str]:
        """``docker compose run --rm SERVICE …``."""
        return subprocess.run(
            self.command(service, *instead),
            env=self.environment(service),
            cwd=self.folder / "tmp",
            capture_output=True,
            text=True,
            timeout=HANG,
            check=False,
        )

    def is_healthy(self, service: str) -> bool:
        """Whether the service's own check says so, where it is a line for a shell."""
        kind, line = self._services[service]["healthcheck"]["test"]
        assert kind == "CMD-SHELL"
        return subprocess.run(["sh", "-c", self._moved(line)], timeout=HANG, check=False).returncode == 0

    def here(self, *arguments: str) -> str:
        """The standard output of the command line, run in this process, which is quicker. It must succeed."""
        output = io.StringIO()
        with pytest.MonkeyPatch.context() as patch, restored_log(), redirect_stdout(output):
            for name in [name for name in os.environ if name.startswith("RAGSTONE_")]:
                patch.delenv(name)
            for name, value in self.environment("ragstone").items():
                patch.setenv(name, value)
            with pytest.raises(SystemExit) as ended:
                main([self._moved(argument) for argument in arguments])
        assert ended.value.code == 0, output.getvalue()
        return output.getvalue()

    def begin(self, service: str, *instead: str) -> subprocess.Popen[str]:
        """The same, without waiting for it."""
        return subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", *self.command(service, *instead)],
            env=self.environment(service),
            cwd=self.folder / "tmp",
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def start(self) -> None:
        """Start all at once, as Compose does, and wait until they answer."""
        for process in self.processes.values():
            process.begin()
        for process in self.processes.values():
            process.ready()

    def stop(self) -> None:
        """End whatever runs."""
        for process in reversed(self.processes.values()):
            process.stop(signal.SIGKILL)

    def _process(self, service: str) -> Process:
        port = str(self.ports[service])
        command = [port if word == "8001" else word for word in self.command(service)]
        # What the service's health check asks.
        asked = re.search(r"http://127\.0\.0\.1:\d+(/[\w/]+)", str(self._services[service]["healthcheck"]["test"]))
        assert asked is not None
        address = f"http://127.0.0.1:{port}{asked[1]}"
        return Process(command, self.environment(service), self.folder / f"{service}.log", address)

    def _moved(self, words: str) -> str:
        for theirs, ours in self._moves.items():
            words = words.replace(theirs, ours) if ours not in words else words
        left = _OF_A_CONTAINER.search(words.replace(str(self.folder), "HERE").replace(str(SERVER), "HERE"))
        assert left is None, f"there is no replacement for {left[0]}: {words}"
        return words


@contextmanager
def stacked(
    folder: Path, cache: Path, *, variables: Mapping[str, str] = VARIABLES, workers: int = 2
) -> Iterator[Stack]:
    """The services' folders and PostgreSQL; the other processes are the test's to start. Skips without PostgreSQL."""
    if shutil.which("setpriv") is None:
        missing("setpriv (Debian: util-linux)")
    command = compose()["services"]["postgres"]["command"]
    options = [value for flag, value in pairwise(command) if flag == "-c"]
    # On a socket alone, as the tests' own servers are, and without waiting for the disk.
    with ExitStack() as closing:
        database = closing.enter_context(
            postgresql.server(
                options=("listen_addresses=", "fsync=off", "full_page_writes=off", *options), pgvector=True
            )
        )
        with database.connect("postgres") as admin:
            admin.execute("CREATE DATABASE ragstone")
        folder.mkdir(parents=True, exist_ok=True)
        stack = Stack(folder, cache, database, variables, workers)
        closing.callback(stack.stop)
        yield stack
