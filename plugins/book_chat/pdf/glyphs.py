"""A page's words and drawn lines, as PDFium knows them."""

from __future__ import annotations

import ctypes
import math
import unicodedata
from collections.abc import Callable
from typing import Any

import pypdfium2.raw as pdfium

from .fonts import Fonts
from .model import Page, Rule, Word

#: Glyphs and drawn objects of one page that are looked at; no page that a person reads has more.
MAX_GLYPHS = 100_000
MAX_OBJECTS = 50_000

_WORD_GAP = 0.17  # of the type size; TeX's tightest space between words is 0.2
_THIN = 2.5
_LIGATURES = {chr(0xFB00 + at): text for at, text in enumerate(("ff", "fi", "fl", "ffi", "ffl", "st", "st"))}
# Symbol fonts have their bullets in the private use area; its other characters have no meaning.
_BULLETS = dict.fromkeys("\uf0b7\uf0a7\uf076\uf0d8\uf0a8\uf06e\uf071", "•")
_ACCENTS = dict(zip("´`¨ˆ˜¸ˇ˚¯", "\u0301\u0300\u0308\u0302\u0303\u0327\u030c\u030a\u0304", strict=True))
_SPACES = frozenset((0x20, 0x0D, 0x0A, 0x09, 0xA0))
_HYPHENS = "\x02\xad\u2010"


def read_page(document: Any, number: int, label: str) -> Page:
    """Page ``number`` (from 1) of an open document. A page that PDFium cannot load is empty."""
    raw = pdfium.FPDF_LoadPage(document, number - 1)
    if not raw:
        return Page(number, label, 612.0, 792.0, [], [], drawn=False, origin=None, broken=True)
    try:
        place = _Coordinates(raw)
        words = _words(raw, place)
        rules, drawn = _rules(raw, place)
        return Page(number, label, *place.size, words, rules, drawn, place.high if place.turned == 0 else None)
    finally:
        pdfium.FPDF_ClosePage(raw)


class _Coordinates:
    """From PDF space to the page as it is displayed: turned by ``/Rotate``, y downwards."""

    def __init__(self, raw: Any) -> None:
        rect = pdfium.FS_RECTF()
        pdfium.FPDF_GetPageBoundingBox(raw, rect)
        box = (rect.left, rect.bottom, rect.right, rect.top)
        if not all(map(math.isfinite, box)) or box[2] - box[0] < 1 or box[3] - box[1] < 1:
            box = (0.0, 0.0, 612.0, 792.0)
        self.left, self.low, self.right, self.high = box
        self.turned = turned = pdfium.FPDFPage_GetRotation(raw) % 4
        size = (self.right - self.left, self.high - self.low)
        self.size = size if turned % 2 == 0 else size[::-1]

    def __call__(self, left: float, low: float, right: float, high: float) -> tuple[float, float, float, float]:
        match self.turned:
            case 1:
                return low - self.low, left - self.left, high - self.low, right - self.left
            case 2:
                return self.right - right, low - self.low, self.right - left, high - self.low
            case 3:
                return self.high - high, self.right - right, self.high - low, self.right - left
        return left - self.left, self.high - high, right - self.left, self.high - low


def _words(raw: Any, place: _Coordinates) -> list[Word]:
    text = pdfium.FPDFText_LoadPage(raw)
    if not text:
        return []
    try:
        return _read_words(text, place)
    finally:
        pdfium.FPDFText_ClosePage(text)


def _read_words(text: Any, place: _Coordinates) -> list[Word]:
    count = min(pdfium.FPDFText_CountChars(text), MAX_GLYPHS)
    unicode_of: Callable[[Any, int], int] = pdfium.FPDFText_GetUnicode
    box_of, object_of = pdfium.FPDFText_GetLooseCharBox, pdfium.FPDFText_GetTextObject
    generated = pdfium.FPDFText_IsGenerated
    rect, fonts, words = pdfium.FS_RECTF(), Fonts(place.turned), _Words()
    for at in range(count):
        code = unicode_of(text, at)
        if code in _SPACES:
            words.end(is_guess=generated(text, at))  # PDFium's guess; the positions of the glyphs decide
            continue
        shown = _shown_text(code)
        thing = object_of(text, at) if shown else None
        if not thing or not box_of(text, at, rect):
            continue
        size, upright, mono, bold = fonts.of(thing)
        if upright:
            words.add(shown, place(rect.left, rect.bottom, rect.right, rect.top), (size, mono, bold))
        else:
            words.end()
    words.end()
    return [word for word in words.found if word.text.strip()]


def _shown_text(code: int) -> str:
    """The text displayed for one character; empty for an invisible one."""
    if code < 0x20 and code != 0x02:
        return ""
    shown = chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else ""
    if shown in _HYPHENS:
        return "\xad" if code == 0xAD else "-"
    if shown in _LIGATURES:
        return _LIGATURES[shown]
    if shown in _BULLETS:
        return _BULLETS[shown]
    if (
        code in (0xFFFD, 0xFFFE, 0xFFFF)
        or 0x7F <= code < 0xA0
        or unicodedata.category(shown or "\0") in ("Co", "Cn", "Cf")
    ):
        return ""
    return shown


class _Words:
    """Joins glyphs into words; small raised or lowered ones are marked as exponents or indices."""

    def __init__(self) -> None:
        self.found: list[Word] = []
        self._word: Word | None = None  # the open one
        self._base = (0.0, 0.0, 0.0)  # top, bottom and size of its full-size glyphs
        self._last = (0.0, 0.0)  # edges of the glyph before
        self._run = self._sign = ""
        self._suspected = False

    def end(self, *, is_guess: bool = False) -> None:
        """End the open word; or note that it may end here."""
        if self._word is not None and is_guess:
            self._suspected = True
        elif self._word is not None:
            self._flush(self._word)
            self._word = None

    def add(self, shown: str, box: tuple[float, float, float, float], font: tuple[float, bool, bool]) -> None:
        """Add a glyph to the open word, or to a new one. ``font``: size, whether monospaced, whether bold."""
        if self._word is not None and self._continues(self._word, box, font[0]):
            self._append(self._word, shown, box, font[0])
            return
        self.end()
        self._word = Word(shown, *box, *font)
        self.found.append(self._word)
        self._base, self._last = (box[1], box[3], font[0]), (box[0], box[2])
        self._suspected = False

    def _continues(self, word: Word, box: tuple[float, float, float, float], size: float) -> bool:
        x0, top, x1, bottom = box
        high, low, base = self._base
        left, right = self._last
        if abs(x0 - left) < 0.01 and abs(x1 - right) < 0.01:  # another letter of the same ligature
            return True
        gap, em = x0 - right, max(base, size)
        widest = 0.08 if self._suspected else _WORD_GAP * (1.6 if word.mono else 1.0)
        overlap = min(low, bottom) - max(high, top)
        return -0.7 * em < gap < widest * em and overlap > 0.25 * min(low - high, bottom - top)

    def _append(self, word: Word, shown: str, box: tuple[float, float, float, float], size: float) -> None:
        x0, top, x1, bottom = box
        high, low, base = self._base
        shift = ((high + low) - (top + bottom)) / 2 / max(base, 0.1)
        sign = "" if size > 0.87 * base else "^" if shift > 0.1 else "_" if shift < -0.15 else ""
        if size > 1.15 * base:  # the word began with something small
            self._base, word.size, word.top, word.bottom = (top, bottom, size), size, top, bottom
        if sign != self._sign:
            self._flush(word)
            self._sign = sign
        overlaps = x0 < self._last[1] - 0.2 * size
        if sign:
            self._run = _accented(self._run, shown) if overlaps else self._run + shown
        else:
            word.text = _accented(word.text, shown) if overlaps else word.text + shown
        word.x1, self._last, self._suspected = max(word.x1, x1), (x0, x1), False

    def _flush(self, word: Word) -> None:
        if self._run:
            # After a word of prose a raised number is a footnote's mark: it stays as it is printed.
            note = self._sign == "^" and self._run.isdigit() and word.text[-3:].isalpha() and len(word.text) > 2
            run = self._run if len(self._run) == 1 else f"{{{self._run}}}"
            word.text += self._run if note else self._sign + run
        self._run = self._sign = ""


def _accented(text: str, shown: str) -> str:
    """``text`` and a glyph that is printed over its last one: an accent and its letter, in either order."""
    if text[-1:] in _ACCENTS and shown.isalpha():
        return text[:-1] + unicodedata.normalize("NFC", shown + _ACCENTS[text[-1]])
    if shown in _ACCENTS and text[-1:].isalpha():
        return text[:-1] + unicodedata.normalize("NFC", text[-1] + _ACCENTS[shown])
    return text + shown


def _rules(raw: Any, place: _Coordinates) -> tuple[list[Rule], bool]:
    """The drawn lines of a page, and whether anything but text is drawn on it."""
    rules: list[Rule] = []
    drawn = False
    edges = [ctypes.c_float() for _ in range(4)]
    for at in range(min(pdfium.FPDFPage_CountObjects(raw), MAX_OBJECTS)):
        thing = pdfium.FPDFPage_GetObject(raw, at)
        kind = pdfium.FPDFPageObj_GetType(thing)
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            continue
        drawn = True
        if kind == pdfium.FPDF_PAGEOBJ_PATH and pdfium.FPDFPageObj_GetBounds(thing, *edges):
            x0, top, x1, bottom = place(*(edge.value for edge in edges))
            wide, high = x1 - x0, bottom - top
            if min(wide, high) <= _THIN and max(wide, high) >= 6:
                rules.append(Rule(x0, top, x1, bottom))
            elif wide > 20 and high > 8 and pdfium.FPDFPath_CountSegments(thing) <= 6:
                # A drawn box is four lines.
                rules += [Rule(x0, top, x1, top), Rule(x0, bottom, x1, bottom)]
                rules += [Rule(x0, top, x0, bottom), Rule(x1, top, x1, bottom)]
    return rules, drawn
