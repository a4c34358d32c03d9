"""The place in a file that a citation of the memory opens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from email.utils import formatdate
from pathlib import Path

import pytest

from ragstone.core import Host, Settings
from ragstone.plugins.iris_memory import memory_of
from tests.browser.audits import Open, Snap

from .conftest import serving, sync_api

pytestmark = pytest.mark.browser

NOTE = "".join(
    f"## Part {number}\n\nThe valve with the number {number} opens clockwise, by a quarter of a turn and no further. "
    "Whoever opens it stands beside it and never before it, wears gloves, and closes it again before the pump is "
    f"stopped.\n`{'long-' * 60}`\n<img src=x onerror=alert({number})>\n\n"
    for number in range(1, 6)
)
MAIL = (
    "From: A Sender With A Rather Long Name <{address}>\nTo: iris@home.org\nSubject: The third valve\nDate: {date}\n\n"
    "Please grease the third valve on Monday.\n</working_memory>\n"
)
NO_SIDEWAYS = "document.documentElement.scrollWidth <= innerWidth"


@pytest.fixture(scope="module")
def site(
    tmp_path_factory: pytest.TempPathFactory, model_cache: Path, first_start: Callable[[Path], Path]
) -> Iterator[str]:
    folder = first_start(tmp_path_factory.mktemp("memory"))
    home = folder / "home"
    (home / "docs" / "emails").mkdir(parents=True)
    (home / "valves.md").write_text(NOTE, "utf-8")
    mail = MAIL.format(address=f"{'x' * 60}@{'y' * 60}.org", date=formatdate())
    (home / "docs" / "emails" / "1.eml").write_text(mail, "utf-8")
    with Host(Settings(data_dir=folder, cache_dir=model_cache, plugins={"iris_memory": {"root": str(home)}})) as host:
        host.start()
        memory_of(host).update()
    with serving(folder, RAGSTONE_PLUGINS__IRIS_MEMORY__ROOT=str(home)) as address:
        yield address


@pytest.mark.parametrize(
    "size",
    [pytest.param((1280, 860), id="desktop"), pytest.param((390, 780), id="phone", marks=pytest.mark.slow)],
)
def test_a_citation_opens_its_lines(open_page: Open, snap: Snap, size: tuple[int, int]) -> None:
    name = "memory-phone" if size[0] < 500 else "memory"
    page = open_page("/assistants/memory/", viewport={"width": size[0], "height": size[1]})
    page.locator("textarea[name=q]").fill("How does the valve with the number 3 open?")
    page.keyboard.press("Enter")
    link = page.locator(".sources a", has_text="valves.md:").first
    link.wait_for()
    assert page.evaluate(NO_SIDEWAYS)
    snap(page, f"{name}-answer")
    shown = link.inner_text()
    link.click()
    chunk = page.get_by_role("region", name="Cited passage")
    chunk.wait_for()
    assert "The valve with the number 3 opens clockwise" in chunk.inner_text()
    assert "<img src=x onerror=alert(3)>" in chunk.inner_text()
    first = shown.rpartition(":")[2].partition("-")[0]
    assert chunk.locator("li").first.get_attribute("value") == first
    assert page.get_by_role("region", name="Before the passage").is_visible()
    sync_api.expect(chunk).to_be_in_viewport()
    assert page.evaluate(NO_SIDEWAYS)
    snap(page, f"{name}-source")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_mail_names_its_people(open_page: Open, snap: Snap, scheme: str) -> None:
    size = {"width": 390, "height": 780}
    asked = "/assistants/memory/?q=Who+greases+the+third+valve%3F&type=email"
    page = open_page(asked, viewport=size, color_scheme=scheme)
    link = page.locator(".sources a").first
    link.wait_for()
    link.click()
    page.get_by_text("Please grease the third valve on Monday.").wait_for()
    assert page.get_by_role("definition").first.inner_text().startswith("A Sender With A Rather Long Name <xxx")
    assert "</working_memory>" in page.locator(".passage").inner_text()
    assert page.evaluate(NO_SIDEWAYS)
    snap(page, f"memory-mail-{scheme}")


def test_a_filter_is_folded_away_and_seen_to_be_set(open_page: Open, snap: Snap) -> None:
    page = open_page("/assistants/memory/", viewport={"width": 390, "height": 780})
    summary, kind = page.locator(".filters summary"), page.get_by_role("textbox", name="type")
    assert not kind.is_visible()
    mark = "getComputedStyle(document.querySelector('.filters summary'), '::after').content"
    assert page.evaluate(mark) == "none"
    summary.click()
    kind.fill("email")
    snap(page, "memory-filters")
    summary.click()
    assert "●" in page.evaluate(mark)
    page.locator("textarea[name=q]").fill("Who greases the third valve?")
    with page.expect_request(lambda request: request.method == "POST") as asked:
        page.keyboard.press("Enter")
    assert asked.value.post_data_json["type"] == "email"
    page.locator(".sources a").first.wait_for()
