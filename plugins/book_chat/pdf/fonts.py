"""The fonts of text objects: size, direction, monospaced, bold."""

from __future__ import annotations

import ctypes
import math
import re
from typing import Any

import pypdfium2.raw as pdfium

_FIXED_PITCH, _FORCE_BOLD = 1, 1 << 18  # ISO 32000-1, table 123
# Parts of names, and beginnings of the names of TeX's fonts.
_MONO = re.compile(
    "mono|courier|nimbusmon|consol|menlo|typewriter|cmtt|sltt|inconsolata|letter gothic"
    "|^(?:ectt|lmtt|sftt|txtt|ntxtt|zi4|t1-zi4|fvmm)"
)
_BOLD = re.compile("bold|black|heavy|semib|demi|^(?:cmb|ecbx|sfbx|cmssbx)")


class Fonts:
    """Size, spacing and weight of text objects, each looked up once."""

    def __init__(self, turned: int) -> None:
        self._turned = turned
        self._objects: dict[int, tuple[float, bool, bool, bool]] = {}
        self._fonts: dict[int, tuple[bool, bool]] = {}

    def of(self, thing: Any) -> tuple[float, bool, bool, bool]:
        """Size in points, whether upright, monospaced, bold."""
        at = ctypes.cast(thing, ctypes.c_void_p).value or 0
        if at not in self._objects:
            self._objects[at] = self._read(thing)
        return self._objects[at]

    def _read(self, thing: Any) -> tuple[float, bool, bool, bool]:
        size, matrix = ctypes.c_float(), pdfium.FS_MATRIX()
        pdfium.FPDFTextObj_GetFontSize(thing, size)
        pdfium.FPDFPageObj_GetMatrix(thing, matrix)
        angle = math.degrees(math.atan2(matrix.b, matrix.a)) + 90 * -self._turned
        upright = abs((angle + 180) % 360 - 180) < 10
        printed = abs(size.value) * math.hypot(matrix.c, matrix.d)
        font = pdfium.FPDFTextObj_GetFont(thing)
        key = ctypes.cast(font, ctypes.c_void_p).value or 0
        if key not in self._fonts:
            self._fonts[key] = _font(font)
        return (printed if 0.5 < printed < 500 else 10.0), upright, *self._fonts[key]


def _font(font: Any) -> tuple[bool, bool]:
    if not font:
        return False, False
    buffer = ctypes.create_string_buffer(200)
    pdfium.FPDFFont_GetBaseFontName(font, buffer, 200)
    name = buffer.value.decode("utf-8", "replace").rpartition("+")[2].lower()
    flags = pdfium.FPDFFont_GetFlags(font)
    mono = (flags > 0 and flags & _FIXED_PITCH) or _MONO.search(name)
    bold = (flags > 0 and flags & _FORCE_BOLD) or _BOLD.search(name)
    return bool(mono), bool(bold)
