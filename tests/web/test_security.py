from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from ragstone.web.security import HEADERS, HostNames

from .conftest import Speaker


@pytest.mark.parametrize(
    "path", ["/", "/health", "/nowhere", "/query", "/static/ragstone/chat.js", "/assistants/book_chat/?q=x"]
)
def test_every_response_carries_the_headers(client: FlaskClient, path: str) -> None:
    with client.get(path) as response:
        for name, value in HEADERS.items():
            assert response.headers[name] == value
        assert response.headers["Cache-Control"] in {"no-store", "no-cache", "private, no-cache"}
        assert "Set-Cookie" not in response.headers


def test_the_policy_lets_nothing_in_from_elsewhere() -> None:
    policy = HEADERS["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "http" not in policy


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "http://localhost"}, 200),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "none"}, 200),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://localhost:3000"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Origin": "http://localhost", "Sec-Fetch-Site": "cross-site"}, 403),
    ],
)
def test_another_site_s_page_cannot_ask(
    client: FlaskClient, speaker: Speaker, headers: dict[str, str], status: int
) -> None:
    assert client.post("/query", json={"question": "q"}, headers=headers).status_code == status
    assert bool(speaker.heard) == (status == 200)


@pytest.mark.parametrize(
    ("mode", "dest", "status"),
    [
        ("navigate", "document", 200),
        ("navigate", "object", 403),
        ("no-cors", "image", 403),
        ("cors", "empty", 403),
    ],
)
def test_another_site_may_lead_here_but_embed_nothing(
    client: FlaskClient, speaker: Speaker, mode: str, dest: str, status: int
) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest}
    assert client.get("/assistants/book_chat/?q=x", headers=headers).status_code == status
    assert bool(speaker.heard) == (status == 200)


@pytest.mark.parametrize(
    ("listen", "allowed", "host", "fine"),
    [
        ("127.0.0.1", [], "localhost:8000", True),
        ("127.0.0.1", [], "LOCALHOST", True),
        ("127.0.0.1", [], "localhost.:8000", True),
        ("127.0.0.1", [], "books.localhost:8000", True),
        ("127.0.0.1", [], "127.0.0.1:8000", True),
        ("127.0.0.1", [], "[::1]:8000", True),
        ("127.0.0.1", [], "evil.example", False),
        ("127.0.0.1", [], "localhost.evil.example", False),
        ("127.0.0.1", [], "192.168.1.5", False),
        ("127.0.0.1", [], "", False),
        ("127.0.0.1", [], "[::1", False),
        ("127.0.0.1", ["books.example"], "books.example:443", True),
        ("127.0.0.1", ["books.example"], "other.example", False),
        ("127.0.0.1", ["*"], "anything.example", True),
        ("0.0.0.0", [], "192.168.1.5:8000", True),
        ("0.0.0.0", [], "[fe80::1]:8000", True),
        ("0.0.0.0", [], "localhost", True),
        ("0.0.0.0", [], "evil.example", False),
        ("::", [], "10.0.0.1", True),
        ("books.lan", [], "books.lan:8000", True),
    ],
)
def test_a_request_must_name_this_server(listen: str, allowed: list[str], host: str, fine: bool) -> None:
    assert HostNames(listen, allowed).allow(host) is fine


def test_a_wrong_name_is_refused_and_the_setting_named(client: FlaskClient) -> None:
    response = client.get("/health", headers={"Host": "evil.example"})
    assert response.status_code == 421
    assert "allowed_hosts" in response.text


def test_this_machine_s_own_name_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "Pi.lan")
    names = HostNames("0.0.0.0", [])
    assert [names.allow(host) for host in ("pi.lan:8000", "pi", "pi.local", "pi.evil.example")] == [
        True,
        True,
        True,
        False,
    ]
