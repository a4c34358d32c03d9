"""Formulas: TeX, as sources have it, to MathML of a few known elements and nothing else."""

from __future__ import annotations

import html
import re
from typing import Any
from xml.etree.ElementTree import Element

from flask import Blueprint, Response, jsonify
from markupsafe import Markup, escape

from ragstone.core import BadRequest, TooLarge
from ragstone.core.pages import ViewOptions

from .json_body import read_object

#: Characters of a formula; a longer one stays as it is written.
LONGEST = 2_000
#: Formulas that one request may bring.
MOST = 200
#: Characters that they may have together: as many as the longest answer. Reading takes some 11 µs for each.
MOST_CHARACTERS = 24_000
_MOST_ELEMENTS = 3_000
_DEEPEST = 60

# Pandoc's rule (manual, tex_math_dollars), so that "$5 and $6" are prices; render.js has the same.
FORMULA = (
    r"\$\$(?:\\.|[^\\$\n])+\$\$"
    r"|(?<![\w$\\])\$(?![\s$])(?!\d[\d.,]*%?(?:[)\]]|[.,;:]?\s+[*_\[(]*[A-Za-z]{2}))"
    r"(?:\\.|[^\\$\n])*(?<!\s)\$(?![\d$])"
)

#: An element of MathML: its name, its attributes, and its children, each an element or a text.
Tree = list[Any]
#: Definitions can grow without end; what is left of an unknown command cannot be read.
_DEFINES = re.compile(r"\\(?:[a-z]*def|let|futurelet|(?:re|provide)?newcommand|newenvironment|DeclareMathOperator)\b")
_COMMAND = re.compile(r"\\[A-Za-z]+")
_ELEMENTS = frozenset(
    """math mrow mi mn mo mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mmultiscripts
    mprescripts none mtable mtr mtd mstyle mpadded mphantom menclose""".split()  # noqa: SIM905
)
_WORDS = frozenset(
    """stretchy fence separator form largeop movablelimits accent accentunder symmetric displaystyle scriptlevel
    mathvariant columnalign rowalign columnlines rowlines notation""".split()  # noqa: SIM905
)
_LENGTHS = frozenset({"lspace", "rspace", "width", "height", "depth", "linethickness", "columnspacing", "rowspacing"})
_WORD = re.compile(r"[A-Za-z0-9+ -]{1,60}")
_LENGTH = re.compile(r"(-?\d{0,3}(?:\.\d{1,4})?)(em|ex)?")
#: Wider than this a gap would push words out of sight, and a negative one lay them over others.
_WIDEST, _NARROWEST = 10.0, -0.5


def mathml(written: str) -> Tree | None:
    """The formula in MathML; ``None`` for what cannot be read, or where latex2mathml is missing.

    ``written``: TeX between dollar signs, two on each side for a formula in a line of its own.
    """
    try:
        from latex2mathml.converter import convert_to_element
    except ImportError:
        return None
    alone = written.startswith("$$")
    tex = written.strip("$").strip()
    if not tex or len(tex) > LONGEST or _DEFINES.search(tex) or _depth(tex) > _DEEPEST:
        return None
    try:
        tree = convert_to_element(tex, display="block" if alone else "inline")
        found = _known(tree) if sum(1 for _ in tree.iter()) <= _MOST_ELEMENTS else None
    except Exception:
        # untrusted input, on which it may raise anything: it stays as it is written
        return None
    return None if found is None else ["math", {"display": "block"} if alone else {}, found[2]]


def formula(written: str) -> Markup:
    """The formula as HTML, for a template."""
    found = mathml(written)
    if found is None:
        return Markup('<span class="tex">{}</span>').format(written)
    return _html(found)


def _html(tree: Tree | str) -> Markup:
    if isinstance(tree, str):
        return escape(tree)
    name, attributes, children = tree
    given = Markup().join(Markup(' {}="{}"').format(*each) for each in attributes.items())
    return Markup("<{0}{1}>{2}</{0}>").format(name, given, Markup().join(map(_html, children)))


def blueprint() -> Blueprint:
    """``POST /formulas``: MathML for a page whose script has drawn an answer itself."""
    pages = Blueprint("ragstone_formulas", __name__)

    @pages.post("/formulas")
    @ViewOptions(any_assistant=True)
    def formulas() -> Response:
        asked = read_object('{"formulas": ["…"]}').get("formulas")
        if not isinstance(asked, list) or len(asked) > MOST or not all(isinstance(each, str) for each in asked):
            raise BadRequest(f"formulas must be a list of at most {MOST} strings")
        if sum(map(len, asked)) > MOST_CHARACTERS:
            raise TooLarge(f"the formulas have more than {MOST_CHARACTERS:,} characters together")
        return jsonify({"mathml": [mathml(each) for each in asked]})

    return pages


def _depth(tex: str) -> int:
    now = deepest = 0
    for sign in tex:
        now += (sign in "{[(") - (sign in "}])")
        deepest = max(deepest, now)
    return deepest + tex.count("\\begin") + tex.count("\\left") // 4


def _known(element: Element) -> Tree:
    """The element with what is known of it. Raises ``ValueError`` for another one, and for a command that is left."""
    # the library writes entities into its texts
    text = html.unescape(element.text or "") if element.tag == "mtext" or (element.text or "").strip() else ""
    if element.tag not in _ELEMENTS or _COMMAND.search(text):
        raise ValueError(element.tag)
    attributes = {name: value for name, value in element.attrib.items() if _may(name, value)}
    return [element.tag, attributes, [*([text] if text else []), *map(_known, element)]]


def _may(name: str, value: str) -> bool:
    if name in _WORDS:
        return _WORD.fullmatch(value) is not None
    if name not in _LENGTHS:
        return False
    for part in value.split():
        length = _LENGTH.fullmatch(part)
        if length is None or length[1] in ("", "-") or not _NARROWEST <= float(length[1]) <= _WIDEST:
            return False
    return bool(value.strip())
