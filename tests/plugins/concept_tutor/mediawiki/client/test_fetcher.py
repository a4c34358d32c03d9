"""The wiki client against a server that misbehaves, over real sockets."""

from __future__ import annotations

import email.utils
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ragstone.core import SettingsError, SourceError
from ragstone.core.runtime import Deadline
from ragstone.plugins.concept_tutor.mediawiki.client.client import WikiClient
from ragstone.plugins.concept_tutor.mediawiki.client.errors import (
    WikiError,
    WikiForbidden,
    WikiInvalidAnswer,
    WikiPageMissing,
    WikiRateLimited,
    WikiTooLarge,
    WikiUnavailable,
)
from ragstone.plugins.concept_tutor.mediawiki.client.request_slots import RequestSlots
from tests.plugins.concept_tutor.mediawiki.client.clients import SiteSettings, WikiSettings, wiki_client
from tests.plugins.concept_tutor.mediawiki.client.wiki_server import (
    HTML,
    Server,
    answer,
    drip,
    html,
    moved,
    packed,
    page,
    stall,
)
from tests.support.patience import until, without_hanging

Opened = Callable[..., WikiClient]


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(page()) as running:
        yield running


@pytest.fixture
def opened(server: Server, tmp_path: Path) -> Opened:
    slots = RequestSlots()

    def make(url: str | None = None, lookup: Any = None, **settings: Any) -> WikiClient:
        return wiki_client(url or server.url, tmp_path, slots=slots, lookup=lookup, **settings)

    return make


def test_a_request_says_who_asks_and_nothing_else(
    server: Server, opened: Opened, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "netrc").write_text("default login user password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    server.acts(page(Set_Cookie="id=7"))
    client = opened(contact="me@example.org", fresh_hours=0)
    client.page("Dog")
    client.page("Dog")
    line, headers = server.asked[1]
    assert line == "GET /w/rest.php/v1/page/Dog/html HTTP/1.1"
    assert headers.pop("user-agent").endswith("(concept tutor; me@example.org)")
    assert set(headers) == {"host", "accept", "accept-encoding", "connection"}


def test_the_environments_proxies_are_used_where_the_settings_say_so(
    server: Server, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", server.url)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    client = opened("http://wiki.example", contact="me@example.org", environment_proxies=True)
    assert client.page("Dog").url == "http://wiki.example/wiki/Dog"
    assert server.asked[0][0].startswith("GET http://wiki.example/w/rest.php/v1/page/Dog/html ")


def test_a_contact_is_required_but_for_loopback(server: Server, opened: Opened) -> None:
    for url in ("https://wiki.example", "http://10.0.0.1", "http://127.0.0.1.wiki.example"):
        with pytest.raises(SettingsError, match="contact") as raised:
            opened(url).page("Dog")
        assert raised.value.where == "[plugins.concept_tutor.wikis]"
    opened().check()
    assert not server.asked


def test_a_busy_wiki_is_asked_again_after_the_time_it_says(server: Server, opened: Opened) -> None:
    server.acts(answer(429, Retry_After="1"), page())
    assert opened().page("Dog").revision == "7"
    assert server.times[1] - server.times[0] >= 1.0


def test_a_date_says_it_as_well(server: Server, opened: Opened) -> None:
    at = int(time.time()) + 2
    rested = time.monotonic() + at - time.time()
    server.acts(answer(503, Retry_After=email.utils.formatdate(at, usegmt=True)), page())
    assert opened().page("Dog").revision == "7"
    assert server.times[1] > rested - 0.1


def test_a_rest_longer_than_the_deadline_is_an_error_at_once_and_for_everybody(server: Server, opened: Opened) -> None:
    server.acts(answer(429, Retry_After="600"), page())
    with pytest.raises(WikiRateLimited) as raised:
        opened().page("Dog")
    assert raised.value.retry_after == pytest.approx(600, abs=5)
    with pytest.raises(WikiRateLimited):
        opened().page("Cat")
    assert len(server.asked) == 1


def test_a_failing_wiki_is_asked_three_times(server: Server, opened: Opened) -> None:
    server.acts(answer(500), answer(503), page())
    assert opened().page("Dog").revision == "7"
    server.acts(answer(502))
    with pytest.raises(WikiUnavailable, match="answers with 502") as raised:
        opened().page("Cat")
    assert len(server.asked) == 6
    assert isinstance(raised.value, SourceError)
    assert raised.value.hint
    assert server.url in (raised.value.where or "")


def test_a_wiki_that_is_not_there_is_away(opened: Opened) -> None:
    with Server(page()) as gone:
        url = gone.url
    with pytest.raises(WikiUnavailable, match="cannot be reached"):
        opened(url).page("Dog")


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 418])
def test_what_will_not_change_is_asked_once(server: Server, opened: Opened, status: int) -> None:
    server.acts(answer(status))
    with pytest.raises(WikiPageMissing if status == 404 else WikiError):
        opened().page("Dog")
    assert len(server.asked) == 1


_BEGUN = f"HTTP/1.1 200 OK\r\nContent-Type: {HTML}\r\nContent-Length: 100000\r\n\r\n".encode()


@pytest.mark.parametrize(
    "act",
    [
        stall(),
        stall(_BEGUN + b"<html"),
        drip(_BEGUN),
        drip(b"HTTP/1.1 200 OK\r\nX: "),
        drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        drip(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/html\r\n\r\n", b"1\r\nx\r\n"),
    ],
    ids=["silence", "stall", "drip", "drip-in-a-header", "endless-continue", "drip-of-chunks"],
)
def test_the_deadline_holds_over_all(server: Server, opened: Opened, act: Any) -> None:
    server.acts(act)
    with pytest.raises(WikiUnavailable, match=r"within 0\.5 s"), without_hanging():
        opened(seconds=0.5).page("Dog")


def test_a_name_server_that_does_not_answer_is_cut_as_well(opened: Opened) -> None:
    held = threading.Event()

    def lookup(host: str, port: int) -> list[str]:
        held.wait(20)
        return []

    with pytest.raises(WikiUnavailable, match="name server"):
        opened(lookup=lookup, seconds=0.2).page("Dog")
    held.set()


def test_endless_headers_end(server: Server, opened: Opened) -> None:
    server.acts(drip(b"HTTP/1.1 200 OK\r\n", b"X-Header: " + b"x" * 60_000 + b"\r\n", pause=0))
    with pytest.raises(WikiUnavailable):
        opened().page("Dog")


def test_redirects_on_the_wiki_are_followed_to_the_pages_own_key(server: Server, opened: Opened) -> None:
    server.acts(moved("/w/rest.php/v1/page/Canis%20familiaris/html?redirect=no", 307), page("Canis familiaris"))
    given = opened().page("Dog")
    assert (given.key, given.title) == ("Canis_familiaris", "Canis familiaris")
    assert given.url == f"{server.url}/wiki/Canis_familiaris"


def test_redirects_anywhere_else_are_not(server: Server, opened: Opened) -> None:
    with Server(page()) as other:
        for target in (
            "http://169.254.169.254/latest/meta-data/",
            f"{other.url}/w/rest.php/v1/page/Dog/html",
            f"//127.0.0.1:{other.port}/",
            "file:///etc/passwd",
            f"http://user@127.0.0.1:{server.port}/",
            f"http://localhost:{server.port}/",
            "http://[",
            "http://127.0.0.1:99999999/",
        ):
            server.acts(moved(target))
            with pytest.raises(WikiForbidden):
                opened().page("Dog")
        assert not other.asked


def test_redirects_end(server: Server, opened: Opened) -> None:
    server.acts(moved("/w/rest.php/v1/page/Dog/html"))
    with pytest.raises(WikiForbidden, match="5 times"):
        opened().page("Dog")
    assert len(server.asked) == 6
    server.acts(answer(302))
    with pytest.raises(WikiInvalidAnswer, match="nowhere"):
        opened().page("Cat")


def test_a_gzip_bomb_is_cut(server: Server, opened: Opened) -> None:
    server.acts(packed(b"\0" * 20_000_000))
    with pytest.raises(WikiTooLarge, match="unpacks to more than 1,000,000 bytes") as raised:
        opened(unpacked_mb=1).page("Dog")
    assert "unpacked_mb" in (raised.value.hint or "")


@pytest.mark.parametrize("result", [True, False])
def test_a_long_answer_is_cut_while_it_comes(server: Server, opened: Opened, result: bool) -> None:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {HTML}\r\n" + ("Content-Length: 99999999999\r\n" if result else "")
    server.acts(drip(f"{head}\r\n".encode(), b"x" * 100_000, pause=0))
    with pytest.raises(WikiTooLarge, match="sends more than 1,000,000 bytes"):
        opened(sent_mb=1).page("Dog")


def test_packed_pages_are_unpacked(server: Server, opened: Opened) -> None:
    server.acts(packed(html()))
    assert opened().page("Dog").html == html()


def test_a_truncated_answer_is_asked_for_again(server: Server, opened: Opened) -> None:
    server.acts(answer(body=html(), Content_Length=str(len(html()) + 10)), page())
    assert opened().page("Dog").html == html()
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (answer(body=html(), kind="application/json"), "text/html was asked for"),
        (answer(body=html(), kind="text/html; charset=ISO-8859-1"), "iso-8859-1"),
        (answer(body=html() + b"\xff"), "not UTF-8"),
        (answer(body=html(), Content_Encoding="gzip"), "cannot be unpacked"),
        (answer(body=html(), Content_Encoding="br"), "not asked for"),
        (answer(body=b"<html><title>Dog</title></html>"), "revision"),
        (answer(body=html()[:-10]), "ends too early"),
        (answer(body=b"\x1f\x8b\x08", Content_Encoding="gzip"), "too early"),
    ],
    ids=["type", "charset", "bytes", "no-gzip", "brotli", "no-revision", "short-page", "short-gzip"],
)
def test_an_answer_of_another_kind_is_garbled(server: Server, opened: Opened, act: Any, message: str) -> None:
    server.acts(act)
    with pytest.raises(WikiInvalidAnswer, match=message):
        opened().page("Dog")
    assert len(server.asked) == 1


@pytest.mark.parametrize("body", [b'{"pages": [{"key": "Do', b"[]", b'{"pages": 7}', b"null", b"[" * 100_000, b"{}"])
def test_a_search_that_is_no_list_of_pages_is_garbled(server: Server, opened: Opened, body: bytes) -> None:
    server.acts(answer(body=body, kind="application/json"))
    with pytest.raises(WikiInvalidAnswer, match="list of pages"):
        opened().search("dogs")


@pytest.mark.parametrize(
    "address",
    [
        "10.0.0.1",
        "127.0.0.1",
        "169.254.169.254",
        "192.168.1.1",
        "0.0.0.0",
        "100.64.0.1",
        "::1",
        "fe80::1",
        "fd00::1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
        "2002:0a00:0001::",
        "224.0.0.1",
        "fd00:ec2::254",
    ],
)
def test_addresses_inside_are_refused_before_anything_is_sent(server: Server, opened: Opened, address: str) -> None:
    client = opened("http://wiki.example", lambda *_: ["93.184.215.14", address], contact="me@example.org")
    with pytest.raises(WikiForbidden, match="not one of the public network"):
        client.page("Dog")


def test_a_schools_own_wiki_may_lie_inside_but_never_at_a_clouds_secrets(server: Server, opened: Opened) -> None:
    asked: list[str] = []

    def lookup(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["169.254.169.254"]  # as in DNS rebinding

    url = f"http://wiki.school.lan:{server.port}"
    client = opened(url, lookup, contact="me@example.org", private_hosts=("wiki.school.lan",), fresh_hours=0)
    assert client.page("Dog").url == f"{url}/wiki/Dog"
    assert asked == ["wiki.school.lan"]
    assert server.asked[0][1]["host"] == f"wiki.school.lan:{server.port}"
    with pytest.raises(WikiForbidden):
        client.page("Dog")


def test_three_requests_at_once_over_all_clients_and_threads(server: Server, opened: Opened) -> None:
    counting = threading.Lock()
    now = most = 0

    def counted(connection: socket.socket) -> None:
        nonlocal now, most
        with counting:
            now += 1
            most = max(most, now)
        time.sleep(0.05)
        with counting:  # before the answer: it gives the place to the next one
            now -= 1
        page()(connection)

    server.acts(counted)
    threads = [threading.Thread(target=opened().page, args=(f"Page {n}",)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(server.asked) == 12
    assert most == 3


def test_waiting_for_a_place_ends_with_the_deadline(server: Server, opened: Opened) -> None:
    server.acts(stall())
    threads = [threading.Thread(target=_away, args=(opened(seconds=4), n)) for n in range(3)]
    for thread in threads:
        thread.start()
    until(lambda: len(server.asked) == 3)
    with pytest.raises(WikiUnavailable, match="place"):
        opened(seconds=0.1).page("Dog")
    for thread in threads:
        thread.join()


def _away(client: WikiClient, number: int) -> None:
    with pytest.raises(WikiUnavailable):
        client.page(f"Page {number}")


def test_a_fork_has_slots_of_its_own() -> None:
    slots = RequestSlots(count=1)
    with slots.acquire("wiki", Deadline(1)):
        child = os.fork()
        if child == 0:
            with slots.acquire("wiki", Deadline(1)):
                os._exit(0)
        assert os.waitpid(child, 0)[1] == 0


def test_a_server_that_says_a_year_is_believed_for_an_hour() -> None:
    slots = RequestSlots()
    slots.pause("wiki", 3e7)
    with pytest.raises(WikiRateLimited) as raised, slots.acquire("wiki", Deadline(1)):
        pass
    assert 3500 < raised.value.retry_after <= 3600


@pytest.mark.parametrize("url", ["ftp://a", "https://u@a", "https://a/w", "https://", "https://a:99999", "a"])
def test_a_wikis_url_is_a_host(url: str) -> None:
    with pytest.raises(ValueError, match="url"):
        SiteSettings(url=url, licence="x")


@pytest.mark.parametrize(
    ("page_path", "address"),
    [
        ("/wiki/", "/wiki/C++_&_D%3F"),
        ("/wiki", "/wiki/C++_&_D%3F"),
        ("/w/index.php?title=", "/w/index.php?title=C%2B%2B_%26_D%3F"),
    ],
)
def test_a_pages_address_is_its_key_behind_the_path(page_path: str, address: str) -> None:
    site = SiteSettings(url="https://wiki.example", licence="x", page_path=page_path)
    assert site.page_url("C++_&_D?") == f"https://wiki.example{address}"


@pytest.mark.parametrize("contact", ["me", "", "a@b.c\r\nX: y", "ä@b.c"])
def test_a_contact_is_an_address(contact: str) -> None:
    with pytest.raises(ValueError, match="contact"):
        WikiSettings(contact=contact)
