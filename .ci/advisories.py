"""Whether a known advisory concerns what is installed: pip-audit, with the dated exceptions of advisories.toml."""

from __future__ import annotations

import json
import sys
import tempfile
import threading
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, date, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from commands import REPOSITORY, Failed, Skipped, run

#: An advisory that no service has, and what is audited where it is known: it concerns the first of both.
_MADE_UP = "RAGSTONE-MADE-UP"
_REHEARSED = {"chromadb": "1.5.9", "pluggy": "1.6.0"}


def exceptions(today: date) -> list[str]:
    """Identifiers of the advisories that do not count on this day. Raises :class:`Failed` when one has ended."""
    written = tomllib.loads((REPOSITORY / ".ci" / "advisories.toml").read_text("utf-8")).get("exception", [])
    ended = [f"{each['id']} ({each['package']}), until {each['until']}" for each in written if each["until"] < today]
    if ended:
        raise Failed(f"exceptions in .ci/advisories.toml have ended: {'; '.join(ended)}")
    return [each["id"] for each in written]


def audit(pins: dict[str, str]) -> str:
    """No known advisory concerns these versions, but for the dated exceptions."""
    excepted = exceptions(datetime.now(UTC).date())
    return audited(_report(pins, excepted), len(excepted))


def _report(
    pins: dict[str, str], excepted: list[str], variables: Mapping[str, str] | None = None
) -> list[dict[str, object]]:
    """What pip-audit says of each package. Raises :class:`Failed` with what it found."""
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder, "pins.txt")
        listed.write_text("".join(f"{name}=={version}\n" for name, version in pins.items()), "utf-8")
        command = [Path(sys.executable).with_name("pip-audit"), "--no-deps", "--disable-pip", "--requirement", listed]
        command += ["--progress-spinner", "off", "--format", "json"]
        for advisory in excepted:
            command += ["--ignore-vuln", advisory]
        try:
            printed = run(*command, variables=variables)
        except Failed as error:
            if "Connection" in str(error) or "ServiceError" in str(error):
                raise Skipped("the advisory service cannot be reached here") from error
            raise
    found: list[dict[str, object]] = json.loads(printed)["dependencies"]
    return found


def audited(dependencies: list[dict[str, object]], excepted: int) -> str:
    """The summary of pip-audit's report. Raises :class:`Skipped` when its service knew none of the packages."""
    known = [each for each in dependencies if "skip_reason" not in each]
    if not known:
        raise Skipped(f"the advisory service cannot be reached here: it knows none of {len(dependencies)} packages")
    return f"{len(known)} of {len(dependencies)} packages known to the service, {excepted} dated exceptions"


def rehearse() -> str:
    """The same audit finds what its service knows, and an exception holds: asked of a service of our own with a made-up
    advisory, in OSV's protocol. Where no other service can be reached, this is what shows that the audit can fail."""
    concerned = next(iter(_REHEARSED))
    with _osv(concerned) as (variables, asked):
        try:
            _report(_REHEARSED, [], variables)
        except Failed as error:
            if _MADE_UP not in str(error):
                raise
        else:
            raise Failed(f"pip-audit says nothing of {_MADE_UP}, which concerns {concerned}")
        if asked != set(_REHEARSED.items()):
            raise Failed(f"pip-audit asked for {sorted(asked)}")
        found = _report(_REHEARSED, [_MADE_UP], variables)
    return f"a made-up advisory on {concerned} is found, and excepted; {audited(found, 1)}"


@contextmanager
def _osv(concerned: str) -> Iterator[tuple[dict[str, str], set[tuple[str, str]]]]:
    """A service on loopback: the variables with which pip-audit asks it, and the packages that it was asked for."""
    asked: set[tuple[str, str]] = set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            query = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.add((query["package"]["name"], query["version"]))
            affected = [{"package": {"name": concerned, "ecosystem": "PyPI"}}]
            known = query["package"]["name"] == concerned
            answer = {"vulns": [{"id": _MADE_UP, "summary": "Made up.", "affected": affected}]} if known else {}
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the base class's name
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        url = f"http://127.0.0.1:{server.server_port}/v1/query"
        yield {"PIP_AUDIT_VULNERABILITY_SERVICE": "osv", "PIP_AUDIT_OSV_URL": url, "NO_PROXY": "127.0.0.1"}, asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
