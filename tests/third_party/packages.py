"""The packages beside this module, and a small book for one of them."""

from __future__ import annotations

import zipfile
from pathlib import Path

HERE = Path(__file__).parent
EPUB, NUMPY_STORE = HERE / "epub", HERE / "numpy_store"

_CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
_PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title>Robot parts</dc:title></metadata><manifest>
<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="a"/></spine></package>"""
_CHAPTER = """<html><body><h1>Wheels</h1><h2>Casters</h2>
<p>A caster is a wheel that swivels about a vertical axis. They give no traction.</p>
<h2>Tyres</h2><p>Rubber tyres grip wet concrete better than nylon tyres.</p></body></html>"""


def small_epub(path: Path) -> Path:
    """A book of one chapter with two sections."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", _CONTAINER)
        archive.writestr("book.opf", _PACKAGE)
        archive.writestr("a.xhtml", _CHAPTER)
    return path
