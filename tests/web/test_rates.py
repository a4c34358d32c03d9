"""No client asks more often than the settings say, and none is taken for another."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Blueprint, Flask

from ragstone.web.rates import MOST_CLIENTS, Buckets, client_of
from ragstone.web.settings import WebSettings

from .conftest import Speaker, SpeakingHost


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_empties_and_fills_again() -> None:
    clock = Clock()
    buckets = Buckets(per_minute=30, burst=3, clock=clock)
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 2]
    assert buckets.take("b") == 0, "another client has a bucket of its own"
    clock.now += 1.5
    assert buckets.take("a") == 1
    clock.now += 0.5
    assert [buckets.take("a"), buckets.take("a")] == [0, 2]
    clock.now += 3600
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 2], "never more than the burst"


def test_the_number_of_clients_is_bounded_and_the_oldest_is_forgotten() -> None:
    buckets = Buckets(per_minute=1, burst=1, clock=Clock())
    for client in range(MOST_CLIENTS + 10):
        buckets.take(str(client))
    assert len(buckets) == MOST_CLIENTS
    assert buckets.take(str(MOST_CLIENTS + 9)) > 0
    assert buckets.take("0") == 0


PROXIES = [ipaddress.ip_network("10.0.0.0/8")]


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("1.2.3.4", "", "1.2.3.4"),
        ("1.2.3.4", "9.9.9.9", "1.2.3.4"),
        ("10.0.0.1", "9.9.9.9", "9.9.9.9"),
        ("10.0.0.1", "6.6.6.6, 9.9.9.9", "9.9.9.9"),
        ("10.0.0.1", "6.6.6.6, 9.9.9.9, 10.0.0.2", "9.9.9.9"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "10.0.0.7", "10.0.0.7"),
        ("10.0.0.1", "not an address", "not an address"),
        ("2001:db8:1:2:3:4:5:6", "", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "", "2001:db8:1:2::/64"),
        ("::ffff:1.2.3.4", "", "1.2.3.4"),
        ("", "", ""),
    ],
)
def test_who_the_client_is(peer: str, forwarded: str, client: str) -> None:
    assert client_of(peer, forwarded, PROXIES) == client


def test_too_often_is_a_problem_that_says_when_to_come_again(
    host: SpeakingHost, speaker: Speaker, app_of: Callable[[SpeakingHost], Flask], tmp_path: Path
) -> None:
    (tmp_path / "own.css").write_text("p {}")
    host.add_pages("own", Blueprint("own", "test.own", static_folder=tmp_path, static_url_path="/own/static"))
    host.settings = WebSettings(requests_per_minute=1, burst=2, origins=["https://book.example"])
    client = app_of(host).test_client()
    ask = {"question": "q"}
    assert [client.post("/query", json=ask).status_code for _ in range(3)] == [200, 200, 429]
    refused = client.post("/query", json=ask, headers={"Origin": "https://book.example"})
    assert refused.mimetype == "application/problem+json"
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert refused.headers["Access-Control-Allow-Origin"] == "https://book.example"
    assert refused.headers["Access-Control-Expose-Headers"] == "Retry-After"
    assert len(speaker.heard) == 2
    assert client.get("/").status_code == 429
    for free in ("/health", "/static/ragstone/chat.js", "/favicon.ico", "/own/static/own.css"):
        with client.get(free) as response:
            assert response.status_code == 200
    # whoever comes from elsewhere is another client; a header that anybody can send makes none
    assert client.get("/", headers={"X-Forwarded-For": "9.9.9.9"}).status_code == 429
    assert client.get("/", environ_base={"REMOTE_ADDR": "9.9.9.9"}).status_code == 200


def test_nobody_is_refused_where_there_is_no_limit(host: SpeakingHost, app_of: Callable[[SpeakingHost], Flask]) -> None:
    host.settings = WebSettings(requests_per_minute=0, burst=1)
    client = app_of(host).test_client()
    assert {client.get("/").status_code for _ in range(5)} == {200}
