"""A reader with a key: the browser asks for it once, and sends it with all that the page fetches."""

from __future__ import annotations

import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.third_party_fakes import run

from .conftest import serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Open = Callable[..., Any]
    Snap = Callable[[Any, str], None]

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> str:
    return run("key", "add", "reader", RAGSTONE_DATA_DIR=str(tmp_path_factory.getbasetemp() / "keyed")).out.strip()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, key: str) -> Iterator[str]:
    folder = tmp_path_factory.getbasetemp() / "keyed"
    with serving(folder, RAGSTONE_PLUGINS__WEB__HOST="0.0.0.0") as address:
        yield address


def test_a_reader_signs_in_and_asks(open_page: Open, key: str) -> None:
    page = open_page(http_credentials={"username": "anybody", "password": key})
    page.wait_for_load_state()
    page.locator("[data-ask]").first.click()
    page.locator(".exchange .sources").wait_for()
    assert page.evaluate("document.cookie") == ""


def test_without_a_key_there_is_a_page_that_says_so(open_page: Open, snap: Snap, site: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(site, timeout=60)
    assert refused.value.code == 401
    refused.value.close()
    page = open_page(http_credentials={"username": "anybody", "password": "ragstone_no_key"})
    assert "This server does not know this key." in page.locator("main").inner_text()
    snap(page, "no-key")
