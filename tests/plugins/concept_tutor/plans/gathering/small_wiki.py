"""A wiki of a few pages on loopback that answers by path, counts its requests, and can be held or made to fail."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

PARAGRAPH = (
    "{name} is explained in this sentence, and {name} is what the whole page is about. "
    "It has a first property, which follows from the definition, and a second one, which does not. "
    "Whoever reads about {name} for the first time should look at an example and work it out by hand. "
    "The example number {number} of this section is a small one, so that it can be checked without a machine."
)


def page(name: str, *sections: str, revision: int = 7, links: tuple[str, ...] = (), extra: str = "") -> bytes:
    """A page as Parsoid writes it, with a lead and sections of some seventy words each."""
    about = f"https://wiki.example/wiki/Special:Redirect/revision/{revision}"
    linked = " ".join(f'<a rel="mw:WikiLink" href="./{link}" title="{link}">{link}</a>' for link in links)
    parts = [f'<section data-mw-section-id="0"><p>{PARAGRAPH.format(name=name, number=0)} {linked}</p></section>']
    parts += [
        f'<section data-mw-section-id="{number}"><h2 id="{title}">{title}</h2>'
        f"<p>{PARAGRAPH.format(name=name, number=number)}</p></section>"
        for number, title in enumerate(sections, start=1)
    ]
    head = f'<html about="{about}"><head><meta charset="utf-8"/><title>{name}</title></head>'
    return f'<!DOCTYPE html>\n{head}<body lang="en">{"".join(parts)}{extra}</body></html>'.encode()


class SmallWiki:
    """``pages`` by title; a search finds the pages whose text holds all words of the question."""

    def __init__(self, pages: dict[str, bytes] | None = None) -> None:
        self.pages = dict(pages or {})
        #: Answer these titles' pages with this status.
        self.refused: dict[str, int] = {}
        #: Titles that a search finds although they are no pages.
        self.ghosts: list[str] = []
        #: Called with the path before each answer.
        self.before: Callable[[str], None] = lambda _path: None
        self.asked: list[str] = []
        self._lock = threading.Lock()
        self._now = self.most_at_once = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    def pages_asked(self) -> list[str]:
        return [unquote(path.split("/")[-2]) for path in self.asked if path.endswith("/html")]

    def options(self, **more: Any) -> dict[str, Any]:
        """The table ``[plugins]`` of a deployment that asks this wiki alone."""
        wikis = {"sites": {"wiki": {"url": self.url, "licence": "CC BY-SA 4.0"}}, **more}
        return {"concept_tutor": {"wikis": wikis, "sample": False}}

    def __enter__(self) -> SmallWiki:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                with owner._lock:
                    owner.asked.append(self.path)
                    owner._now += 1
                    owner.most_at_once = max(owner.most_at_once, owner._now)
                try:
                    owner.before(self.path)
                    status, kind, body = owner._answer(self.path)
                finally:
                    with owner._lock:
                        owner._now -= 1
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def _answer(self, path: str) -> tuple[int, str, bytes]:
        parts = urlsplit(path)
        if parts.path.endswith("/search/page"):
            words = parse_qs(parts.query)["q"][0].casefold().split()
            titles = [t for t, body in self.pages.items() if all(w in body.decode().casefold() for w in words)]
            titles = sorted(titles, key=lambda title: title.casefold() != " ".join(words)) + self.ghosts
            hits = [{"key": t, "title": t, "excerpt": "", "description": None} for t in titles]
            limit = int(parse_qs(parts.query)["limit"][0])
            return 200, "application/json", json.dumps({"pages": hits[:limit]}).encode()
        title = unquote(parts.path.split("/")[-2]).replace("_", " ")
        if title in self.refused:
            return self.refused[title], "text/html; charset=utf-8", b""
        if title not in self.pages:
            return 404, "application/json", b"{}"
        return 200, "text/html; charset=utf-8", self.pages[title]
