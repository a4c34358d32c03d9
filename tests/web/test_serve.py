from __future__ import annotations

import http.client
import socket
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest

from ragstone.web.serve import ListenError, bind, url_of

from .conftest import SpeakingHost


def test_a_free_port_is_found_and_reported() -> None:
    (listening,) = bind("127.0.0.1", 0)
    with listening:
        assert url_of(listening) == f"http://127.0.0.1:{listening.getsockname()[1]}/"


def test_every_address_is_reported_as_this_machine_s() -> None:
    (listening,) = bind("0.0.0.0", 0)
    with listening:
        assert url_of(listening).startswith("http://127.0.0.1:")


def test_a_name_listens_on_one_port_at_each_of_its_addresses() -> None:
    sockets = bind("localhost", 0)
    assert len({listening.getsockname()[1] for listening in sockets}) == 1
    for listening in sockets:
        listening.close()


def test_a_busy_port_is_one_line_that_helps() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ListenError) as caught:
            bind("127.0.0.1", port)
    assert str(caught.value) == (
        f"127.0.0.1:{port}: port {port} is in use (try --port {min(port + 1, 65535)}, or --port 0)"
    )
    assert caught.value.exit_code != 0


def test_an_address_of_another_machine_is_one_line() -> None:
    with pytest.raises(ListenError, match="cannot listen there"):
        bind("192.0.2.1", 8000)


def test_waitress_passes_large_bodies_to_flask_and_cuts_off_huge_ones(
    host: SpeakingHost, served: Callable[[], Any]
) -> None:
    host.settings = host.settings.model_copy(update={"max_body_bytes": 1000})
    with served() as url:
        for size, kind in ((2000, "application/problem+json"), (100_000, "text/plain")):
            connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
            connection.request("POST", "/query", b"x" * size, {"Content-Type": "application/json"})
            response = connection.getresponse()
            assert response.status == 413
            assert response.headers.get_content_type() == kind
            assert response.headers["Server"] is None
            connection.close()
