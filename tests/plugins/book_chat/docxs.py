"""Word's documents for tests, made part by part."""

from __future__ import annotations

import zipfile
from pathlib import Path

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_M = "http://schemas.openxmlformats.org/officeDocument/2006/math"
_RELS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPES = """<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/></Types>"""
_STYLES = "".join(
    f'<w:style w:type="paragraph" w:styleId="{style.replace(" ", "")}"><w:name w:val="{style}"/></w:style>'
    for style in ("Title", "heading 1", "heading 2", "Caption", "Code")
)


def paragraph(words: str, style: str = "") -> str:
    """A paragraph; ``words`` may hold runs of XML."""
    runs = words if words.startswith("<") else f"<w:r><w:t>{words}</w:t></w:r>"
    marked = f'<w:pPr><w:pStyle w:val="{style.replace(" ", "")}"/></w:pPr>' if style else ""
    return f"<w:p>{marked}{runs}</w:p>"


def table(*rows: tuple[str, ...]) -> str:
    """A table of one paragraph in each cell."""
    cells = ("".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


FORMULA = (
    "<w:r><w:t xml:space='preserve'>The energy is </w:t></w:r><m:oMath><m:r><m:t>E=m</m:t></m:r><m:sSup><m:e><m:r><m:t>"
    "c</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath><w:r><w:t>.</w:t></w:r>"
)
BODY = (
    paragraph("Robot parts", "Title"),
    paragraph("Wheels", "heading 1"),
    paragraph("Casters", "heading 2"),
    paragraph("A caster is a wheel that swivels about a vertical axis."),
    paragraph(FORMULA),
    paragraph("Figure 2: A caster", "Caption"),
    paragraph("turn(left)", "Code"),
    paragraph("stop()", "Code"),
    table(("Tyre", "Grip"), ("nylon", "low")),
    paragraph("Grippers", "heading 1"),
    paragraph("A gripper closes two jaws."),
)


def make_docx(path: Path, *body: str, document: str | None = None, relations: str | None = None) -> Path:
    """Write a document of these blocks, or with another main part or other relations of it."""
    spaces = f'xmlns:w="{_W}" xmlns:m="{_M}"'
    main = document or f"<w:document {spaces}><w:body>{''.join(body or BODY)}</w:body></w:document>"
    files = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": f'<Relationships xmlns="{_RELS}"><Relationship Id="r1" Type="{_OFFICE}/officeDocument"'
        ' Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": relations
        or f'<Relationships xmlns="{_RELS}"><Relationship Id="r1" Type="{_OFFICE}/styles"'
        ' Target="styles.xml"/></Relationships>',
        "word/styles.xml": f"<w:styles {spaces}>{_STYLES}</w:styles>",
        "word/document.xml": main,
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path
