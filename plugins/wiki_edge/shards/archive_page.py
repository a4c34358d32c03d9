"""The page about shards that are given away: one HTML file without scripts, links to nowhere else, and pictures."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ragstone.core.text import strip_hidden

from .archive import Archive

_TEMPLATES = Path(__file__).parents[1] / "templates" / "wiki_edge"


def page(archive: Archive, *, title: str = "", address: str = "") -> str:
    """The page. ``address``: of the folder on the web where the archive will lie, for the commands."""
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"plain": _plain, "size": _size}
    return environment.get_template("archive.html").render(
        archive=archive,
        title=title or ", ".join(each.entry.id for each in archive.shards),
        address=address.rstrip("/"),
        signers=list(dict.fromkeys(each.signer.key for each in archive.shards)),
        pem=public_pem(archive.key) if archive.key else "",
    )


def public_pem(key: str) -> str:
    """A public key in base64 as PEM, which OpenSSL reads."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    public = Ed25519PublicKey.from_public_bytes(b64decode(key))
    return public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode().strip()


def _plain(words: object, longest: int = 300) -> str:
    """Untrusted words in one line."""
    return " ".join(strip_hidden(str(words)).split())[:longest]


def _size(count: int) -> str:
    if count < 100_000:
        return f"{count / 1e3:,.1f} kB"
    return f"{count / 1e6:,.1f} MB" if count < 10**9 else f"{count / 1e9:,.2f} GB"
