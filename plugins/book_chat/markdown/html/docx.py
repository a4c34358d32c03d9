"""Word's documents, by way of mammoth's HTML."""

from __future__ import annotations

import io
import re
import zipfile
from collections import defaultdict
from html import unescape
from typing import IO, Any

from ragstone.core.runtime import Unanswered

from .archive import Archive
from .markup import words_of
from .text import Text, text_of_page

#: Styles that mean something and that mammoth leaves as paragraphs.
_STYLES = """
p[style-name='Title'] => h1.document-title:fresh
p[style-name='Subtitle'] => p:fresh
p[style-name='Caption'] => p.caption:fresh
p[style-name='caption'] => p.caption:fresh
p[style-name='Image Caption'] => p.caption:fresh
p[style-name='Table Caption'] => p.caption:fresh
p[style-name='Quote'] => blockquote > p:fresh
p[style-name='Intense Quote'] => blockquote > p:fresh
p[style-name='Code'] => pre:separator('\\n')
p[style-name='Source Code'] => pre:separator('\\n')
p[style-name='HTML Preformatted'] => pre:separator('\\n')
p[style-name='Block Text'] => blockquote > p:fresh
p[style-name='TOC Heading'] => !
p[style-name='toc 1'] => !
p[style-name='toc 2'] => !
p[style-name='toc 3'] => !
"""
#: Of the parts of a document those that hold text; pictures and macros are not even unpacked.
_SUFFIXES = (".xml", ".rels")
_TITLE = re.compile(r'<h1 class="document-title">(.*?)</h1>')
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
#: How a formula with parts is written on one line.
_FORMS = {
    "sSup": "{e}^{{{sup}}}",
    "sSub": "{e}_{{{sub}}}",
    "sSubSup": "{e}_{{{sub}}}^{{{sup}}}",
    "f": "({num})/({den})",
    "rad": "√({e})",
}
_OLE = b"\xd0\xcf\x11\xe0"


def read_docx(file: IO[bytes]) -> Text:
    """The document in ``file``. Raises ``Unanswered``."""
    import mammoth

    if file.read(4) == _OLE:
        raise Unanswered("encrypted", "is protected by a password, or of Word's format before 2007")
    file.seek(0)
    packed, title = _text_parts(Archive(file))
    try:
        html: str = mammoth.convert_to_html(
            packed,
            style_map=_STYLES,
            convert_image=mammoth.images.img_element(lambda _image: {"src": ""}),
            id_prefix="doc-",
        ).value
    except MemoryError:  # the process must end
        raise
    except Exception as error:  # mammoth reads attributes unchecked, and has no errors of its own
        raise Unanswered("broken", f"is no document that can be read: {type(error).__name__}") from error
    headed = _TITLE.search(html)
    if headed:  # it is the book's, and no chapter
        title = title or " ".join(re.sub(r"<[^>]*>", "", unescape(headed[1])).split())[:255]
        html = html[: headed.start()] + html[headed.end() :]
    text = text_of_page(f"<html><body>{html}</body></html>".encode(), title=title)
    if not text.text:
        raise Unanswered("empty", "has no text")
    return text


def _text_parts(archive: Archive) -> tuple[io.BytesIO, str | None]:
    """The parts that hold text as an archive of their own, within the limits, and the document's title."""
    if "word/document.xml" not in archive:
        raise Unanswered("broken", "is an archive without a document of Word")
    packed = io.BytesIO()
    title = None
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as out:
        for name in archive:
            if name.lower().endswith(_SUFFIXES):
                root = archive.xml(name)
                out.writestr(zipfile.ZipInfo(name), _with_formulas(root))  # without the clock, which may be at 1970
                if name == "docProps/core.xml":
                    title = next((words_of(each) for each in root.iter("{*}title")), "")[:255] or None
    packed.seek(0)
    return packed, title


def _with_formulas(root: Any) -> bytes:
    """A part whose formulas are words, as mammoth passes over them."""
    import lxml.etree

    for formula in list(root.iterdescendants(f"{_MATH}oMath")):
        run = lxml.etree.Element(f"{_WORD}r")
        text = lxml.etree.SubElement(run, f"{_WORD}t")
        text.text = _linear(formula)
        run.tail = formula.tail
        formula.getparent().replace(formula, run)
    for around in list(root.iterdescendants(f"{_MATH}oMathPara")):
        parent, at = around.getparent(), around.getparent().index(around)
        parent[at : at + 1] = list(around.iter(f"{_WORD}r"))
    return bytes(lxml.etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True))


def _linear(element: Any, depth: int = 0) -> str:
    """A formula on one line, with signs for powers, indices, roots and fractions."""
    name = str(element.tag).rpartition("}")[2]
    if name == "t" or depth > 50:
        return "".join(element.itertext())
    words = [(str(child.tag).rpartition("}")[2], _linear(child, depth + 1)) for child in element]
    form = _FORMS.get(name)
    return "".join(part for _, part in words) if form is None else form.format_map(defaultdict(str, words))
