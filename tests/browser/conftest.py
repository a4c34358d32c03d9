"""A real ``ragstone serve`` over the sample book, and a real Chromium that notes every complaint."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.browser.audits import OUTLINE, Open, Snap, accessibility_faults, html_faults
from tests.support.needs import missing, needed
from tests.support.suites import can_run

sync_api = needed("playwright.sync_api")

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
#: The element of the widget on other people's pages, which are not ours to judge.
WIDGET = "ragstone-widget"
#: Playwright's own list, which this one replaces, without what is of other systems; then what a window of Chromium 156
#: prepares for its address bar, two pages and a process of their own, which cost more than the page that is opened.
_WITHOUT = (
    *("AimEnabled", "AvoidCorsURLLoaderRestartOnRedirect", "AvoidUnnecessaryBeforeUnloadCheckSync"),
    *("DestroyProfileOnBrowserClose", "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades", "LensOverlay"),
    *("MediaRouter", "NetworkTimeServiceQuerying", "OptimizationHints", "PaintHolding", "PreconnectToSearch"),
    "ThirdPartyStoragePartitioning",
    *("PreloadTopChromeWebUI", "SpareRendererForSitePerProcess"),
    *("WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup", "WebUIOmniboxPopup"),
)
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"),
    f"--disable-features={','.join(_WITHOUT)}",
]


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
def site(tmp_path_factory: pytest.TempPathFactory, first_start: Callable[[Path], Path]) -> Iterator[str]:
    """The address of a server over the sample book."""
    with serving(first_start(tmp_path_factory.mktemp("site"))) as address:
        yield address


@pytest.fixture
def open_page(chromium: Any, site: str, html: dict[str, str]) -> Iterator[Open]:
    """Open a page in a browser window of its own; whatever it complains of fails the test."""
    contexts: list[Any] = []
    complaints: list[str] = []
    addresses: dict[str, Any] = {}

    def open_(path: str = "/book_chat/", *, script: str | None = None, **options: Any) -> Any:
        options.setdefault("viewport", {"width": 1280, "height": 860})
        context = chromium.new_context(base_url=site, **options)
        context.set_default_timeout(15_000)
        contexts.append(context)
        page = context.new_page()
        page.without_script = options.get("java_script_enabled") is False
        page.on("console", note)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("requestfailed", failed)
        page.on("request", leave)
        page.on("response", note_page)
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

    def note_page(response: Any) -> None:
        if response.request.is_navigation_request() and response.request.method == "GET":
            addresses.setdefault(response.url, response.frame.page.context)

    def failed(request: Any) -> None:
        if request.failure != "net::ERR_ABORTED":
            complaints.append(f"{request.url}: {request.failure}")

    yield open_
    for address, context in addresses.items():
        if address not in html:
            answer = context.request.get(address, headers={"Accept": "text/html"}, fail_on_status_code=False)
            if answer.headers.get("content-type", "").startswith("text/html"):
                html[address] = answer.text()
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture(scope="session")
def audited() -> set[str]:
    """The states of pages that axe has seen."""
    return set()


@pytest.fixture(scope="session")
def html(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The text of every page that is opened, by its address; in the end the checker of HTML reads all of it at once."""
    pages: dict[str, str] = {}
    yield pages
    if can_run("vnu-jar", "java"):
        assert html_faults(tmp_path_factory.mktemp("html"), pages) == []


@pytest.fixture
def snap(audited: set[str]) -> Snap:
    """Have a state of a page looked at by axe, and save a screenshot, if the environment says where."""

    def audit(page: Any, name: str) -> None:
        if (outline := page.evaluate(OUTLINE)) not in audited:
            faults = accessibility_faults(page, WIDGET if page.locator(WIDGET).count() else None)
            assert faults == [], name
            audited.add(outline)

    def save(page: Any, name: str) -> None:
        # a page that may run no script cannot be looked at by one
        if can_run("axe-core") and not getattr(page, "without_script", False):
            try:
                audit(page, name)
            except sync_api.Error as error:  # it was loaded anew meanwhile, as the page of a gathering is at its end
                assert "context was destroyed" in error.message
                page.wait_for_load_state()
                audit(page, name)
        if folder := os.environ.get("RAGSTONE_SCREENSHOTS"):
            Path(folder).mkdir(parents=True, exist_ok=True)
            page.wait_for_timeout(400)  # for the scrolling to come to rest
            page.screenshot(path=Path(folder) / f"{name}.png")

    return save
