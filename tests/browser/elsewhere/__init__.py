"""Two books of another site, with the widget on their pages, behind a strict content security policy."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

_HERE = Path(__file__).parent
_KINDS = {".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript"}


class Elsewhere:
    """A site on a port of its own. Its name is not the server's, so that the two are of different sites."""

    def __init__(self, port: int) -> None:
        self.origin = f"http://localhost:{port}"
        #: What stands in for ``{server}`` and ``{book}`` in the pages.
        self.server = ""
        self.book = ""

    @property
    def policy(self) -> str:
        """What the pages may load: their own files, and of the server its script and its answers."""
        return (
            f"default-src 'none'; script-src 'self' {self.server}; connect-src {self.server}; style-src 'self'; "
            "img-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; "
            "trusted-types 'none'"
        )


@contextmanager
def elsewhere() -> Iterator[Elsewhere]:
    """Serve the pages on a free port."""

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.split("?")[0].strip("/")
            path = _HERE / name / "index.html" if "." not in name else _HERE / name
            found = path.is_file() and path.resolve().is_relative_to(_HERE)
            body = path.read_text("utf-8") if found else ""
            if path.suffix == ".html":
                body = body.replace("{server}", site.server).replace("{book}", site.book)
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", _KINDS.get(path.suffix, "text/plain"))
            self.send_header("Content-Security-Policy", site.policy)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        site = Elsewhere(server.server_port)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield site
        finally:
            server.shutdown()
            thread.join(10)
