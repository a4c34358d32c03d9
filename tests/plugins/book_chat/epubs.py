"""EPUBs for tests, made part by part."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

CONTAINER = """<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
  <rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>"""
_XHTML = 'xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"'
PACKAGE = """<?xml version="1.0"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0">
  <metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
    <dc:title>Robot  parts</dc:title><dc:creator>Ada Smith</dc:creator>
  </metadata>
  <manifest>
    <item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
    <item id="cover" href="text/cover.xhtml" media-type="application/xhtml+xml"/>
    <item id="wheels" href="text/wheels.xhtml" media-type="application/xhtml+xml"/>
    <item id="more" href="text/more%20wheels.xhtml" media-type="application/xhtml+xml"/>
    <item id="grip" href="text/grip.xhtml" media-type="application/xhtml+xml"/>
  </manifest>
  <spine><itemref idref="cover"/><itemref idref="nav"/><itemref idref="grip"/><itemref idref="wheels"/>
    <itemref idref="more"/><itemref idref="gone"/></spine>
</package>"""
NAV = f"""<html {_XHTML}><body><nav epub:type="toc"><h1>Contents</h1><ol>
  <li><a href="text/grip.xhtml">1. Grippers</a></li>
  <li><a href="text/wheels.xhtml">2. Wheels</a><ol><li><a href="text/wheels.xhtml#casters">Casters</a></li></ol></li>
</ol></nav><nav epub:type="page-list" hidden=""><ol>
  <li><a href="text/grip.xhtml#p1">xi</a></li><li><a href="text/wheels.xhtml">12</a></li>
  <li><a href="text/wheels.xhtml#p13">13</a></li>
</ol></nav></body></html>"""
PARTS: dict[str, str | bytes] = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": CONTAINER,
    "OEBPS/book.opf": PACKAGE,
    "OEBPS/nav.xhtml": NAV,
    "OEBPS/text/cover.xhtml": f'<html {_XHTML}><body epub:type="cover"><p>A cover</p></body></html>',
    "OEBPS/text/grip.xhtml": f"""<html {_XHTML}><head><title/><script src="x"/></head><body>
      <h2>Chapter 1</h2><h1>Grippers</h1><p id="p1">A parallel gripper closes two jaws along one line.<a
      epub:type="noteref" href="#n1">1</a> It holds 5&nbsp;kg.</p>
      <aside epub:type="footnote" id="n1"><p><a href="#r1">1</a>. Jaws of rubber close softly.</p></aside>
      </body></html>""",
    "OEBPS/text/wheels.xhtml": f"""<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html {_XHTML}><body>
      <h1>Wheels</h1><p>Wheels carry a robot.</p><section id="casters"><h2>Casters</h2>
      <p>A caster is a wheel that <em>swivels</em> about a vertical axis. <span
      epub:type="pagebreak" id="p13" title="13"/>
      Its fork trails behind.<script>alert(1)</script></p><h3>Forks</h3>
      <figure><img src="a.png" alt="A fork with its wheel and two bearings"/></figure></section></body></html>""",
    "OEBPS/text/more wheels.xhtml": f"""<html {_XHTML}><body><p>Rubber tyres grip wet concrete.</p>
      <section class="exercises"><p>Which tyre grips best?</p></section></body></html>""",
}


def make_epub(path: Path, changed: Mapping[str, str | bytes | None] | None = None) -> Path:
    """Write the book, with parts changed, added, or left out (``None``)."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**PARTS, **(changed or {})}.items():
            if content is not None:
                archive.writestr(name, content)
    return path
