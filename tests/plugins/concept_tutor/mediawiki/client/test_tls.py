"""The wiki client over TLS: the name is checked although an address is connected to, and the deadline holds."""

from __future__ import annotations

import datetime as dt
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from ragstone.plugins.concept_tutor.mediawiki.client.client import WikiClient
from ragstone.plugins.concept_tutor.mediawiki.client.errors import WikiForbidden, WikiUnavailable
from tests.plugins.concept_tutor.mediawiki.client.clients import wiki_client
from tests.plugins.concept_tutor.mediawiki.client.wiki_server import Server, drip, moved, page, stall
from tests.support.patience import without_hanging

_NAME = "wiki.school.lan"


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, _NAME)])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(_NAME)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (tmp_path / "server.pem").write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    path = tmp_path / "certificate.pem"
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.fixture
def server(certificate: Path) -> Iterator[Server]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.with_name("server.pem"))
    with Server(page(), tls=context) as running:
        yield running


def client(port: int, folder: Path, certificates: Path | None, name: str = _NAME, seconds: float = 20) -> WikiClient:
    return wiki_client(
        f"https://{name}:{port}",
        folder,
        site={"certificates": certificates},
        lookup=lambda *_: ["127.0.0.1"],
        contact="me@example.org",
        private_hosts=(name,),
        seconds=seconds,
        fresh_hours=0,
    )


def test_the_name_is_the_one_that_is_checked(server: Server, certificate: Path, tmp_path: Path) -> None:
    assert client(server.port, tmp_path, certificate).page("Dog").revision == "7"
    with pytest.raises(WikiUnavailable, match="certificate"):
        client(server.port, tmp_path, certificate, name="wiki.other.lan").page("Dog")
    with pytest.raises(WikiUnavailable, match="certificate"):
        client(server.port, tmp_path, None).page("Cat")
    assert len(server.asked) == 1


def test_https_does_not_become_http(server: Server, certificate: Path, tmp_path: Path) -> None:
    server.acts(moved("/w/rest.php/v1/page/Cat/html"), page("Cat"))
    assert client(server.port, tmp_path, certificate).page("Dog").key == "Cat"
    server.acts(moved(f"http://{_NAME}:{server.port}/w/rest.php/v1/page/Cat/html"))
    with pytest.raises(WikiForbidden, match="which is not what it was"):
        client(server.port, tmp_path, certificate).page("Hound")


def test_the_deadline_holds_over_tls(server: Server, certificate: Path, tmp_path: Path) -> None:
    server.acts(drip(b"HTTP/1.1 200 OK\r\nX: "))
    with pytest.raises(WikiUnavailable, match=r"within 0\.5 s"), without_hanging():
        client(server.port, tmp_path, certificate, seconds=0.5).page("Dog")


def test_the_deadline_holds_over_the_handshake(certificate: Path, tmp_path: Path) -> None:
    with Server(stall()) as silent, pytest.raises(WikiUnavailable, match=r"within 0\.5 s"), without_hanging():
        client(silent.port, tmp_path, certificate, seconds=0.5).page("Dog")
