"""A MediaWiki of the tests' own: SQLite in a folder in /tmp, on loopback, gone with the process that started it."""

from __future__ import annotations

import bz2
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from tests.support.needs import missing

_SECONDS = 60
_PASSWORD = "for-a-wiki-of-the-tests"
#: Appended to the settings that the installation writes. Pages are given by the same Parsoid as Wikipedia's.
_SETTINGS = r"""
wfLoadExtension( 'Parsoid', "$IP/vendor/wikimedia/parsoid/extension.json" );
$wgArticlePath = '/wiki/$1';
$wgUsePathInfo = true;
$wgMainCacheType = CACHE_NONE;
$wgParserCacheType = CACHE_DB;
$wgSessionCacheType = CACHE_DB;
$wgJobRunRate = 0;
// What is lost with the power need not be kept.
$wgDBservers = [ [ 'type' => 'sqlite', 'dbname' => $wgDBname, 'dbDirectory' => $wgSQLiteDataDir, 'load' => 1,
	'flags' => DBO_DEFAULT, 'trxMode' => 'IMMEDIATE', 'variables' => [ 'synchronous' => 'OFF' ] ] ];
$wgShowExceptionDetails = true;
"""
#: PHP's own server takes an encoded slash and a dot in a page's name for a file's: everything goes by MediaWiki.
_ROUTER = r"""<?php
$root = getenv( 'RAGSTONE_WIKI_ROOT' );
$path = parse_url( $_SERVER['REQUEST_URI'], PHP_URL_PATH );
$scripts = [
	'/w/rest.php' => 'rest.php', '/w/api.php' => 'api.php',
	'/w/index.php' => 'index.php', '/wiki' => 'index.php',
];
foreach ( $scripts as $prefix => $script ) {
	if ( $path === $prefix || str_starts_with( $path, "$prefix/" ) ) {
		$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = "/w/$script";
		$_SERVER['SCRIPT_FILENAME'] = "$root/$script";
		$_SERVER['PATH_INFO'] = rawurldecode( substr( $path, strlen( $prefix ) ) );
		$log = function ( $what ) {
			$entry = [ $what, microtime( true ), $_SERVER['REQUEST_URI'], $_SERVER['HTTP_USER_AGENT'] ?? '' ];
			file_put_contents( __DIR__ . '/requests', json_encode( $entry ) . "\n", FILE_APPEND | LOCK_EX );
		};
		$log( 'begin' );
		register_shutdown_function( $log, 'end' );
		chdir( $root );
		require "$root/$script";
		return true;
	}
}
http_response_code( 404 );
return true;
"""

_GROUP = 'trap "kill -KILL 0" TERM; php -d opcache.enable_cli=1 -S "$0" "$1" & wait'

#: Pages of a wiki that plays Wikibooks, by title.
BOOKS = {
    "Guitar/Chords": "A '''chord''' is played on the [[fretboard]] with several strings.\n\n== Open chords ==\n"
    "An open chord has at least one string that is not fretted.",
    "Guitars": "#REDIRECT [[Guitar/Chords]]",
    "100% & more?": "A page whose name needs care.",
    "C++ by example": "A '''class''' is declared with <code>class</code>.",
    "Ägypten: 'Kö\"ln'": "A page whose name is not ASCII.",
}


@dataclass(frozen=True)
class Wiki:
    """What one wiki is to hold: a dump (``.xml.bz2``) and pages of wikitext by title."""

    name: str = "Wiki"
    language: str = "en"
    dump: Path | None = None
    pages: Mapping[str, str] = field(default_factory=dict)


class Server:
    """One running wiki. ``stop`` it to see what becomes of those who use it."""

    def __init__(self, programs: Path, folder: Path, wiki: Wiki) -> None:
        self._programs = programs
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.port = _free_port()
        self._install(wiki)
        if wiki.dump is not None:
            unpacked = bz2.decompress(wiki.dump.read_bytes())  # PHP would need one more extension for it
            self._maintain("importDump.php", "--no-updates", stdin=unpacked)
        for title, text in wiki.pages.items():
            self._maintain("edit.php", "--user", "Admin", "--summary", "made by a test", title, stdin=text.encode())
        self._maintain("rebuildtextindex.php")

    @property
    def url(self) -> str:
        """What ``url`` of the wiki's settings is to be."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        """What the server wrote, a line for every request among it."""
        return (self._folder / "log").read_text("utf-8", "replace")

    @property
    def requests(self) -> list[tuple[str, float, str, str]]:
        """Begin and end of every request, with time, address and user agent, in the order in which they were."""
        lines = (self._folder / "requests").read_text("utf-8").splitlines()
        return sorted((tuple(json.loads(line)) for line in lines), key=lambda request: request[1])

    def most_at_once(self, since: int = 0) -> int:
        """How many requests were served at the same time, from the ``since``-th entry of ``requests`` on."""
        now = most = 0
        for what, *_ in self.requests[since:]:
            now += 1 if what == "begin" else -1
            most = max(most, now)
        return most

    def start(self) -> None:
        """Start it and wait until it answers."""
        env = self._environment() | {"PHP_CLI_SERVER_WORKERS": "4", "RAGSTONE_WIKI_ROOT": str(self._programs)}
        router = self._folder / "router.php"
        router.write_text(_ROUTER, "utf-8")
        with (self._folder / "log").open("ab") as log:
            # It ends when this process does, even when that is killed, with its group: its workers would outlive it.
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", "sh", "-c", _GROUP, f"127.0.0.1:{self.port}", str(router)],
                stdout=log,
                stderr=log,
                cwd=self._folder,
                env=env,
                start_new_session=True,
            )
        ends = time.monotonic() + _SECONDS
        while not self._answers():
            if time.monotonic() > ends or self._process.poll() is not None:
                raise RuntimeError(f"MediaWiki does not answer: {self.log[-2000:]}")
            time.sleep(0.05)

    def stop(self) -> None:
        """End it and its workers."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGTERM)
            self._process.wait(_SECONDS)
            self._process = None

    def edit(self, title: str, text: str) -> None:
        """A new revision of a page."""
        self._maintain("edit.php", "--user", "Admin", "--summary", "edited by a test", title, stdin=text.encode())

    def _install(self, wiki: Wiki) -> None:
        (self._folder / "data").mkdir()
        self._run(
            self._programs / "maintenance" / "install.php",
            *("--dbtype", "sqlite", "--dbname", "wiki", "--dbpath", str(self._folder / "data")),
            *("--confpath", str(self._folder), "--server", self.url, "--scriptpath", "/w"),
            *("--lang", wiki.language, "--pass", _PASSWORD, wiki.name, "Admin"),
            env=os.environ | {"MW_CONFIG_FILE": str(self._folder / "none.php")},
        )
        with (self._folder / "LocalSettings.php").open("a", encoding="utf-8") as settings:
            settings.write(_SETTINGS)

    def _maintain(self, script: str, *arguments: str, stdin: bytes = b"") -> None:
        self._run(self._programs / "maintenance" / script, *arguments, env=self._environment(), stdin=stdin)

    def _run(self, script: Path, *arguments: str, env: Mapping[str, str], stdin: bytes = b"") -> None:
        done = subprocess.run(
            ["php", str(script), *arguments],
            input=stdin,
            capture_output=True,
            check=False,
            cwd=self._folder,
            env=dict(env),
        )
        if done.returncode:
            raise RuntimeError(f"{script.name}: {(done.stderr + done.stdout).decode(errors='replace')[-2000:]}")

    def _environment(self) -> dict[str, str]:
        return os.environ | {"MW_CONFIG_FILE": str(self._folder / "LocalSettings.php")}

    def _answers(self) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_SECONDS)
        try:
            connection.request("GET", f"/w/rest.php/v1/search/page?q={quote('anything')}&limit=1")
            answer = connection.getresponse()
            return answer.status == 200 and "pages" in json.loads(answer.read())
        except OSError:
            return False
        finally:
            connection.close()


@contextmanager
def server(wiki: Wiki) -> Iterator[Server]:
    """A running wiki; skips, or fails where every part must be there, without MediaWiki's programs."""
    programs = Path("/usr/share/mediawiki")
    if not (programs / "rest.php").exists() or not all(map(shutil.which, ("php", "setpriv"))):
        missing("MediaWiki (Debian: mediawiki php-cli php-sqlite3 php-xml php-mbstring php-intl php-curl)")
    folder = Path(tempfile.mkdtemp(prefix="ragstone-wiki-", dir="/tmp"))
    try:
        made = Server(programs, folder, wiki)
        made.start()
        try:
            yield made
        finally:
            made.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
