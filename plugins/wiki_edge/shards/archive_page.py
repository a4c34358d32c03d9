"""The page about shards that are given away: one HTML file without scripts, links to nowhere else, and pictures."""

from __future__ import annotations

from base64 import b64decode, b64encode
from html import escape
from typing import TYPE_CHECKING

from ragstone.core.text import strip_hidden

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .archive import Archive, Contents

_LONGEST = 300
#: RFC 8410: what stands before the 32 bytes of an Ed25519 key in its public form.
_PUBLIC_PREFIX = bytes.fromhex("302a300506032b6570032100")
_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
p { margin: .5rem 0; }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: .25rem 1rem; margin: .5rem 0; }
dt { opacity: .75; }
dd { margin: 0; overflow-wrap: anywhere; }
pre, table { background: var(--soft); border: 1px solid var(--line); border-radius: .4rem; }
pre { padding: .75rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .875rem; }
code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; }
th, td { text-align: left; padding: .35rem .6rem; border-top: 1px solid var(--line); vertical-align: top; }
thead th { border-top: 0; }
td code { overflow-wrap: anywhere; }
td.number { text-align: right; white-space: nowrap; }
ul { padding-left: 1.2rem; margin: .5rem 0; }
""".strip()


def page(archive: Archive, *, title: str = "", address: str = "") -> str:
    """The page. ``address``: of the folder on the web where the archive will lie, for the commands."""
    name = title or ", ".join(each.entry.id for each in archive.shards)
    many = "one shard" if len(archive.shards) == 1 else f"{len(archive.shards)} shards"
    articles = sum(each.articles for each in archive.shards)
    held = f"{many}, {articles:,} articles, {sum(each.entry.size for each in archive.shards):,} passages"
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
            f"<title>{_text(name)}</title>",
            f"<style>\n{_STYLE}\n</style>",
            "</head>",
            "<body>",
            "<main>",
            f"<h1>{_text(name)}</h1>",
            f"<p>Texts with their vectors for offline search with Ragstone: {held}.</p>",
            *_download(archive),
            *_installation(archive, address.rstrip("/")),
            *(line for each in archive.shards for line in _shard(each)),
            "</main>",
            "</body>",
            "</html>",
            "",
        ]
    )


def public_pem(key: str) -> str:
    """A public key in base64 as PEM, which OpenSSL reads."""
    return (
        f"-----BEGIN PUBLIC KEY-----\n{b64encode(_PUBLIC_PREFIX + b64decode(key)).decode()}\n-----END PUBLIC KEY-----"
    )


def _download(archive: Archive) -> Iterable[str]:
    signers = dict.fromkeys(each.signer.key for each in archive.shards)
    files = [(archive.file.name, f"{_size(archive.bytes)} to download"), (archive.checksum.name, "its SHA-256")]
    if archive.signature is not None:
        files.append((archive.signature.name, "signature of that (Ed25519)"))
    yield "<h2>Files</h2>"
    yield "<ul>"
    for name, what in files:
        yield f'<li><a href="{escape(name)}">{_text(name)}</a>: {what}</li>'
    yield "</ul>"
    yield "<dl>"
    yield from _facts(
        ("SHA-256", f"<code>{archive.sha256}</code>"),
        ("Unpacked", _size(sum(each.bytes for each in archive.shards))),
        ("Signed by", "<br>".join(f"<code>{_text(key)}</code>" for key in signers)),
    )
    yield "</dl>"


def _installation(archive: Archive, address: str) -> Iterable[str]:
    name = archive.file.name
    signers = list(dict.fromkeys(each.signer.key for each in archive.shards))
    commands = [f"curl -fO {address}/{name}", f"curl -fO {address}/{archive.checksum.name}"] if address else []
    commands += [
        f"sha256sum --check {archive.checksum.name}",
        f"ragstone wiki install {name}{''.join(f' --key {key}' for key in signers)}",
        "ragstone wiki info",
    ]
    yield "<h2>Installing</h2>"
    yield f"<pre><code>{_lines(commands)}</code></pre>"
    yield (
        "<p>Every file is verified before anything changes. Take the key from somebody whom you trust, not from this "
        "page alone; <code>trusted_keys</code> under <code>[plugins.wiki_edge]</code> in <code>ragstone.toml</code> "
        "keeps it.</p>"
    )
    if archive.signature is not None and archive.key is not None:
        files = f"-in {archive.checksum.name} -sigfile {archive.signature.name}"
        checks = [
            f"curl -fO {address}/{archive.signature.name}" if address else "",
            f"cat > publisher.pem <<'END'\n{public_pem(archive.key)}\nEND",
            f"openssl pkeyutl -verify -pubin -inkey publisher.pem -rawin {files}",
        ]
        yield "<h3>Checking the signature without Ragstone</h3>"
        yield f"<pre><code>{_lines(filter(None, checks))}</code></pre>"


def _shard(shard: Contents) -> Iterable[str]:
    entry, source, encoder = shard.entry, shard.entry.source, shard.entry.encoder
    yield f"<h2>{_text(entry.id)}</h2>"
    yield "<dl>"
    yield from _facts(
        ("Source", _text(source.name) if source else ""),
        ("Its date", _text(source.date or "") if source else ""),
        ("Its revision", _text(source.revision or "") if source else ""),
        ("Its SHA-256", f"<code>{_text(source.sha256)}</code>" if source and source.sha256 else ""),
        ("Licence", _text(entry.license)),
        ("Language", _text(entry.language or "")),
        ("Domain", _text(entry.domain or "")),
        ("Articles", f"{shard.articles:,}"),
        ("Passages", f"{entry.size:,}"),
        ("Encoder", _text(encoder.model) if encoder else ""),
        ("Values in a vector", str(entry.dim)),
        ("Revision", str(entry.revision or "")),
        ("Built", _text(entry.built or "")),
    )
    yield "</dl>"
    yield "<h3>Some of its articles</h3>"
    yield f"<p>{_text(' · '.join(title[:80] for title in shard.titles), longest=4_000)}</p>"
    yield "<h3>Its files</h3>"
    yield '<div class="wide" tabindex="0">'
    yield "<table>"
    yield '<thead><tr><th scope="col">File</th><th scope="col">Bytes</th><th scope="col">SHA-256</th></tr></thead>'
    yield "<tbody>"
    for name, sums in sorted((entry.files or {}).items()):
        numbers = f'<td class="number">{sums.bytes:,}</td><td><code>{sums.sha256}</code></td>'
        yield f"<tr><td>{_text(name)}</td>{numbers}</tr>"
    yield "</tbody></table>"
    yield "</div>"


def _facts(*pairs: tuple[str, str]) -> Iterable[str]:
    return (f"<dt>{name}</dt><dd>{value}</dd>" for name, value in pairs if value)


def _lines(commands: Iterable[str]) -> str:
    return escape("\n".join(commands))


def _text(words: str, longest: int = _LONGEST) -> str:
    """Untrusted words as HTML."""
    return escape(" ".join(strip_hidden(words).split())[:longest])


def _size(count: int) -> str:
    if count < 100_000:
        return f"{count / 1e3:,.1f} kB"
    return f"{count / 1e6:,.1f} MB" if count < 10**9 else f"{count / 1e9:,.2f} GB"
