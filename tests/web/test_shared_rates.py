"""Rate limits of several web workers on one PostgreSQL count together."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragstone.core import Host
from ragstone.core.testing import open_host
from ragstone.web import create_app
from ragstone.web.rates import Buckets, share
from tests.support.patience import until
from tests.support.postgresql import Server


@pytest.fixture
def workers(postgresql: Server, tmp_path: Path) -> Iterator[tuple[Host, Host]]:
    options = {"web": {"requests_per_minute": 60, "burst": 6}}
    with (
        postgresql.emptied() as name,
        open_host(tmp_path, database=postgresql.url(name), options=options) as one,
        open_host(tmp_path, database=postgresql.url(name), options=options) as other,
    ):
        yield one, other


def test_what_one_worker_answers_the_other_counts(workers: tuple[Host, Host]) -> None:
    apps = [create_app(host) for host in workers]
    for app, host in zip(apps, workers, strict=True):
        share(app, host.catalog.shared.notices)
    one, other = (app.test_client() for app in apps)

    def refused() -> bool:  # the first messages may be sent before the other one listens
        one.get("/")
        return other.get("/").status_code == 429

    until(refused, "a request that the other worker's count refuses")
    alone = create_app(workers[0]).test_client()
    assert [alone.get("/").status_code for _ in range(5)] == [200] * 5  # and not for any other reason


def test_a_noted_token_is_taken_and_the_debt_is_bounded() -> None:
    buckets = Buckets(60, 2, clock=lambda: 0.0)
    buckets.note("a")
    assert [buckets.take("a"), buckets.take("a")] == [0, 1]
    for _ in range(100):
        buckets.note("a")
    assert buckets.take("a") == 3
    assert buckets.take("b") == 0


def test_an_upload_is_followed_on_the_worker_that_does_not_have_it(
    workers: tuple[Host, Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSTONE_ADMIN_KEY", "a-key-of-sixteen-signs")
    held = {"Authorization": "Bearer a-key-of-sixteen-signs"}
    one, other = (create_app(host).test_client() for host in workers)
    from io import BytesIO

    book = {"file": (BytesIO(b"# Casters\n\nA caster is a wheel that swivels.\n"), "wheels.md")}
    job = one.post("/api/books", data=book, headers=held).get_json()["job"]
    told = other.get(f"/api/books/jobs/{job['id']}/events", headers=held, buffered=True).text
    assert '"state": "done"' in told or '"state":"done"' in told
    (known,) = other.get("/api/books/jobs", headers=held).get_json()["jobs"]
    assert known["id"] == job["id"]
    assert known["report"] is not None
