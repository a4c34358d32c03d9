"""A reader with a key: a form asks for it once, and the session opens what the key does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from ragstone.core import Host, Settings
from ragstone.web.keys.store import Keys
from tests.browser.audits import Open, Snap

from .conftest import serving

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, first_start: Callable[[Path], Path]) -> Path:
    return first_start(tmp_path_factory.mktemp("keyed"))


@pytest.fixture(scope="module")
def key(folder: Path) -> str:
    with Host(Settings(data_dir=folder)) as host:
        host.start()
        return Keys(host).add("reader")


@pytest.fixture(scope="module")
def site(folder: Path, key: str) -> Iterator[str]:
    settings = {"RAGSTONE_PLUGINS__WEB__HOST": "0.0.0.0", "RAGSTONE_PLUGINS__WEB__CONVERSATIONS_PER_KEY": "20"}
    with serving(folder, **settings) as address:
        yield address


def test_a_reader_signs_in_once_and_asks(open_page: Open, snap: Snap, key: str) -> None:
    page = open_page("/book_chat/?book=physical-ai-humanoid-robotics-a-primer")
    assert page.get_by_role("navigation", name="Assistants").count() == 0, "nothing is told to those without a key"
    page.get_by_label("Your key").fill("ragstone_no_key")
    page.keyboard.press("Enter")
    page.get_by_role("alert").get_by_text("not known here").wait_for()
    snap(page, "sign-in")
    page.get_by_label("Your key").fill(key)
    page.keyboard.press("Enter")
    page.wait_for_url("**/book_chat/?book=*")
    page.wait_for_load_state()
    page.locator("[data-ask]").first.click()
    page.locator(".exchange .sources").wait_for()
    assert page.evaluate("document.cookie") == "", "no script sees the session"
    assert page.evaluate("Object.keys(localStorage)") == [], "the conversation is on the server"
    title = page.locator(".question").evaluate("e => e.lastChild.textContent")
    page.goto("/")
    page.goto("/book_chat/")
    page.get_by_role("button", name="Conversations").click()
    page.get_by_role("button", name=title, exact=True).click()
    page.locator(".exchange .sources").wait_for()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Your key").wait_for()
    page.goto("/book_chat/")
    assert page.get_by_label("Your key").is_visible()


def test_a_key_may_still_come_with_every_request(site: str, key: str) -> None:
    for authorization, status in ((f"Bearer {key}", 200), ("Bearer no", 401)):
        answer = httpx.get(site, headers={"Authorization": authorization}, timeout=60)
        assert answer.status_code == status
