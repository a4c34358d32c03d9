"""A real ``ragstone serve`` over the sample book, and a real Chromium that notes every complaint."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.needs import missing, needed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

sync_api = needed("playwright.sync_api")

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser. Where there is none, the tests are skipped, but not on the CI machine."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        missing(f"a browser ({', '.join(NAMES)})")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def serving(folder: Path, **variables: str) -> Iterator[str]:
    """A server of our own over the books in the folder, else the sample; gives its address without a last slash."""
    process = subprocess.Popen(
        [Path(sys.executable).with_name("ragstone"), "serve", "--port", "0"],
        env={**os.environ, "RAGSTONE_DATA_DIR": str(folder), "PYTHONUNBUFFERED": "1", **variables},
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        output = process.stdout.readline()
        address = re.search(r"http://\S+", output)
        assert address, f"ragstone serve said {output!r}"
        yield address[0].rstrip("/")
    finally:
        process.send_signal(signal.SIGTERM)
        process.stdout.close()
        assert process.wait(30) == 0


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server over the sample book."""
    with serving(tmp_path_factory.mktemp("site")) as address:
        yield address


@pytest.fixture
def open_page(chromium: Any, site: str) -> Iterator[Callable[..., Any]]:
    """Open a page in a browser window of its own; whatever it complains of fails the test."""
    contexts: list[Any] = []
    complaints: list[str] = []

    def open_(path: str = "/book_chat/", *, script: str | None = None, **options: Any) -> Any:
        options.setdefault("viewport", {"width": 1280, "height": 860})
        context = chromium.new_context(base_url=site, **options)
        context.set_default_timeout(15_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", note)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("requestfailed", failed)
        page.on("request", leave)
        if script:
            page.add_init_script(script)
        page.goto(path)
        return page

    def note(message: Any) -> None:
        # Chromium calls any status from 400 on an error, also the ones that a test asks for
        expected = message.text.startswith("Failed to load resource: the server responded with a status of 4")
        if message.type in {"error", "warning"} and not expected:
            complaints.append(message.text)

    def leave(request: Any) -> None:
        if not request.url.startswith(site):
            complaints.append(f"asked elsewhere: {request.url}")

    def failed(request: Any) -> None:
        if request.failure != "net::ERR_ABORTED":
            complaints.append(f"{request.url}: {request.failure}")

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def snap(request: pytest.FixtureRequest) -> Callable[[Any, str], None]:
    """Save a screenshot, if the environment says where."""

    def save(page: Any, name: str) -> None:
        if folder := os.environ.get("RAGSTONE_SCREENSHOTS"):
            Path(folder).mkdir(parents=True, exist_ok=True)
            page.wait_for_timeout(400)  # for the scrolling to come to rest
            page.screenshot(path=Path(folder) / f"{name}.png")

    return save
