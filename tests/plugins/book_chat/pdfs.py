"""PDFs written by hand: each as small as what it is to show, the hostile ones included."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Pdf:
    """Objects by number (from 1), put together as a file whose trailer names ``root``."""

    objects: list[bytes] = field(default_factory=list)
    trailer: bytes = b""

    def add(self, body: str | bytes) -> int:
        """Append an object; its number."""
        self.objects.append(body.encode("latin-1") if isinstance(body, str) else body)
        return len(self.objects)

    def stream(self, data: bytes, extra: str = "") -> int:
        return self.add(f"<< /Length {len(data)} {extra} >>\nstream\n".encode() + data + b"\nendstream")

    def reserve(self) -> int:
        return self.add("null")

    def put(self, number: int, body: str) -> None:
        self.objects[number - 1] = body.encode("latin-1")

    def data(self, root: int) -> bytes:
        out, places = bytearray(b"%PDF-1.7\n"), []
        for number, body in enumerate(self.objects, 1):
            places.append(len(out))
            out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
        start = len(out)
        out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
        out += b"".join(b"%010d 00000 n \n" % place for place in places)
        out += b"trailer\n<< /Size %d /Root %d 0 R %s >>\n" % (len(places) + 1, root, self.trailer)
        return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)


@dataclass(frozen=True)
class Text:
    """Words at a place: points from the left and from the bottom, font F1 (Times), F2 (bold) or F3 (Courier)."""

    x: float
    y: float
    words: str
    size: float = 11
    font: str = "F1"

    def drawn(self) -> str:
        hexed = self.words.encode("cp1252").hex()
        return f"BT /{self.font} {self.size} Tf 1 0 0 1 {self.x} {self.y} Tm <{hexed}> Tj ET"


def lines(x: float, y: float, *words: str, size: float = 11, font: str = "F1", step: float = 13) -> list[Text]:
    return [Text(x, y - at * step, line, size, font) for at, line in enumerate(words)]


def rules(xs: list[float], ys: list[float]) -> str:
    """A grid of drawn lines."""
    across = [f"{xs[0]} {y} m {xs[-1]} {y} l S" for y in ys]
    return "\n".join([*across, *(f"{x} {ys[0]} m {x} {ys[-1]} l S" for x in xs)])


def make(
    pages: Sequence[Sequence[Text | str]],
    *,
    outline: list[tuple[str, int, float]] | None = None,
    levels: Sequence[int] = (),
    labels: str = "",
    title: str = "",
) -> bytes:
    """A PDF of these pages (612 by 792 points). ``outline``: titles with index of their page and height;
    ``levels``: of each, from 1, where they are not all the same."""
    pdf = Pdf()
    tree = pdf.reserve()
    bases = ("Times-Roman", "Times-Bold", "Courier")
    named = [
        pdf.add(f"<< /Type /Font /Subtype /Type1 /BaseFont /{base} /Encoding /WinAnsiEncoding >>") for base in bases
    ]
    fonts = " ".join(f"/F{at + 1} {number} 0 R" for at, number in enumerate(named))
    kids = []
    for page in pages:
        drawn = "\n".join(item if isinstance(item, str) else item.drawn() for item in page)
        content = pdf.stream(zlib.compress(drawn.encode("latin-1")), "/Filter /FlateDecode")
        kids.append(
            pdf.add(
                f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 612 792] /Contents {content} 0 R"
                f" /Resources << /Font << {fonts} >> >> >>"
            )
        )
    pdf.put(tree, f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] >>")
    extra = f" /PageLabels << /Nums [{labels}] >>" if labels else ""
    if outline:
        root = pdf.reserve()
        marks = [pdf.reserve() for _ in outline]
        below: dict[int, list[int]] = {root: []}  # the entries of each, in order
        above = [root]
        for mark, level in zip(marks, levels or [1] * len(marks), strict=True):
            above = [*above[:level], mark]
            below[above[-2]].append(mark)
            below[mark] = []
        ends = {mark: f"/First {own[0]} 0 R /Last {own[-1]} 0 R" if own else "" for mark, own in below.items()}
        for parent, own in below.items():
            for mark, following in zip(own, [*own[1:], None], strict=False):
                name, page_at, y = outline[marks.index(mark)]
                after = f"/Next {following} 0 R" if following else ""
                place = f"/Dest [{kids[page_at]} 0 R /XYZ 0 {y} 0]"
                pdf.put(mark, f"<< /Title ({name}) /Parent {parent} 0 R {after} {ends[mark]} {place} >>")
        pdf.put(root, f"<< /Type /Outlines {ends[root]} >>")
        extra += f" /Outlines {root} 0 R"
    catalog = pdf.add(f"<< /Type /Catalog /Pages {tree} 0 R{extra} >>")
    if title:
        pdf.trailer = f"/Info {pdf.add(f'<< /Title ({title}) >>')} 0 R".encode()
    return pdf.data(catalog)


def _one_page(pdf: Pdf, content: int, count: str = "1") -> int:
    tree = pdf.reserve()
    font = pdf.add("<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >>")
    page = pdf.add(
        f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 612 792] /Contents {content} 0 R"
        f" /Resources << /Font << /F1 {font} 0 R >> >> >>"
    )
    pdf.put(tree, f"<< /Type /Pages /Count {count} /Kids [{page} 0 R] >>")
    return pdf.add(f"<< /Type /Catalog /Pages {tree} 0 R >>")


def _packed(block: bytes, times: int) -> bytes:
    """zlib data of ``block`` so many times. A flushed piece may be repeated; the wrong sum comes after all of it."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    return b"\x78\xda" + piece * times + packer.flush() + bytes(4)


def bomb() -> bytes:
    """One page whose content is 900 MB of spaces, a thousandth of that in the file."""
    pdf = Pdf()
    return pdf.data(_one_page(pdf, pdf.stream(_packed(b" " * 1_000_000, 900), "/Filter /FlateDecode")))


def double_bomb() -> bytes:
    """The same packed twice: some kilobytes for 2 GB."""
    packed = zlib.compress(_packed(b"0 0 m " * 100_000, 3_500), 9)
    pdf = Pdf()
    return pdf.data(_one_page(pdf, pdf.stream(packed, "/Filter [/FlateDecode /FlateDecode]")))


def claims_pages(count: int) -> bytes:
    """A single page whose tree says that there are ``count``."""
    pdf = Pdf()
    return pdf.data(_one_page(pdf, pdf.stream(Text(72, 700, "The only page.").drawn().encode()), str(count)))


def page_tree_cycle() -> bytes:
    """A page tree whose only branch is itself."""
    pdf = Pdf()
    tree = pdf.reserve()
    branch = pdf.add(f"<< /Type /Pages /Parent {tree} 0 R /Count 3 /Kids [{tree} 0 R {tree} 0 R] >>")
    pdf.put(tree, f"<< /Type /Pages /Count 3 /Kids [{branch} 0 R {tree} 0 R] >>")
    return pdf.data(pdf.add(f"<< /Type /Catalog /Pages {tree} 0 R >>"))


def outline_cycle() -> bytes:
    """A readable page below an outline whose entries follow, and hold, each other."""
    pdf = Pdf()
    root = _one_page(pdf, pdf.stream(Text(72, 700, "Words that can be read all the same.").drawn().encode()))
    page = root - 1
    first, second, outlines = pdf.reserve(), pdf.reserve(), pdf.reserve()
    dest = f"/Dest [{page} 0 R /XYZ 0 720 0]"
    pdf.put(first, f"<< /Title (One) /Parent {outlines} 0 R /Next {second} 0 R /First {second} 0 R {dest} >>")
    pdf.put(second, f"<< /Title (Two) /Parent {first} 0 R /Next {first} 0 R /First {first} 0 R {dest} >>")
    pdf.put(outlines, f"<< /Type /Outlines /First {first} 0 R /Last {second} 0 R >>")
    tree = pdf.objects[root - 1].decode().replace(">>", f"/Outlines {outlines} 0 R >>")
    pdf.put(root, tree)
    return pdf.data(root)


_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


def encrypted() -> bytes:
    """Encrypted for the user password "secret": standard handler, revision 2, RC4 of 40 bits (ISO 32000-1, 7.6.3)."""
    password = (b"secret" + _PADDING)[:32]
    owner = _rc4(hashlib.md5(password).digest()[:5], password)
    file_id, permissions = b"0123456789abcdef", -4
    key = hashlib.md5(password + owner + permissions.to_bytes(4, "little", signed=True) + file_id).digest()[:5]
    pdf = Pdf()
    root = _one_page(pdf, pdf.stream(b"never read"))
    user = _rc4(key, _PADDING).hex()
    handler = pdf.add(f"<< /Filter /Standard /V 1 /R 2 /Length 40 /P {permissions} /O <{owner.hex()}> /U <{user}> >>")
    pdf.trailer = f"/Encrypt {handler} 0 R /ID [<{file_id.hex()}> <{file_id.hex()}>]".encode()
    return pdf.data(root)


def _rc4(key: bytes, data: bytes) -> bytes:
    state, j, out = list(range(256)), 0, bytearray()
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def scanned(data: bytes, pages: range | None = None, *, times: int = 1) -> bytes:
    """The pages of a PDF as pictures of 200 dots an inch, without a text layer, and so many times as wide and high."""
    import numpy as np
    import pypdfium2

    pdf = Pdf()
    tree, kids = pdf.reserve(), list[int]()
    with pypdfium2.PdfDocument(data) as document:
        for number in pages or range(len(document)):
            page = document[number]
            wide, high = (side * times for side in page.get_size())
            rows = np.ascontiguousarray(page.render(scale=200 / 72, grayscale=True).to_numpy())
            size = f"/Width {rows.shape[1]} /Height {rows.shape[0]} /ColorSpace /DeviceGray /BitsPerComponent 8"
            packed = zlib.compress(rows.tobytes())
            image = pdf.stream(packed, f"/Type /XObject /Subtype /Image {size} /Filter /FlateDecode")
            content = pdf.stream(f"q {wide} 0 0 {high} 0 0 cm /I Do Q".encode())
            resources = f"<< /XObject << /I {image} 0 R >> >>"
            kids.append(
                pdf.add(
                    f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 {wide} {high}] /Contents {content} 0 R"
                    f" /Resources {resources} >>"
                )
            )
    pdf.put(tree, f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] >>")
    return pdf.data(pdf.add(f"<< /Type /Catalog /Pages {tree} 0 R >>"))
