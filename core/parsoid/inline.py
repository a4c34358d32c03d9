"""The text of inline elements, of formulas and of code blocks, as a reader sees it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

from .dropped import MISSING, drop_reason

_SPACES = re.compile(r"[^\S\n]+")
_AROUND_LINE = re.compile(r" *\n[ \n]*")
#: Unseen, or turning the order of what follows: text is kept in the order in which it is read, and needs none of them.
#: Joiners stay: Persian words and emoji are written with them.
_INVISIBLE = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ufffe\uffff]"
)
_MAGIC = re.compile(r"__[A-Z]{3,30}__")
_EMPTY = re.compile(r" ?\([ ,;:]*\)(?!\w)")
#: What is left in parentheses of which the first or last part was dropped: "(; 4 April 1932)".
_RAGGED = re.compile(r"(?<=\()[ ,;:]+(?=\w)|(?<=\w)[ ,;:]+(?=\))|(?<=[,;])(?!(?<=[,;][,;])[,;]) *[,;]+(?= )| +(?=, )")
_RAISED = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
_LOWERED = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_CAN_RAISE = re.compile(r"[0-9+−=()n-]{1,12}")
_CAN_LOWER = re.compile(r"[0-9+−=()-]{1,12}")
_STYLE = re.compile(r"\{\\(displaystyle|textstyle|scriptstyle)\s(.*)\}", re.DOTALL)
#: Elements that end a word, also among inline elements.
BLOCKS = frozenset(
    """address article blockquote body caption center dd details div dl dt fieldset figcaption figure footer h1 h2 h3 h4
    h5 h6 header hgroup hr li main ol p pre section summary table tbody td tfoot th thead tr ul""".split()  # noqa: SIM905
)


def clean(text: str) -> str:
    """The text with single spaces, without what cannot be seen; line breaks stay."""
    text = _MAGIC.sub("", _INVISIBLE.sub("", text)) if text else ""
    text = unicodedata.normalize("NFC", _SPACES.sub(" ", text))
    return _RAGGED.sub("", _EMPTY.sub("", _AROUND_LINE.sub("\n", text))).strip()


class InlineText:
    """Collects the text of inline elements."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        #: The reason of what was dropped last, where nothing was added since.
        self._marked = ""

    def add(self, text: str | None) -> None:
        """Add text of the page, where line breaks are spaces."""
        if text:
            self._add(_INVISIBLE.sub("", text).replace("\n", " "))

    def take(self) -> str:
        """The text that was added since the last call."""
        parts, self._parts, self._marked = self._parts, [], ""
        return clean("".join(parts))

    def read(self, element: Any, block: Callable[[Any, str], bool] | None = None) -> None:
        """Add an element and what is in it. ``block`` is offered each block element, and returns whether it took it."""
        name = element.tag if isinstance(element.tag, str) else ""
        if not name:
            return
        if is_formula(element, name):
            self._add(formula(element))
        elif (why := drop_reason(element, name)) is not None:
            self._marked = self._marked or (why if why in {"footnote mark", MISSING} else "")
        elif name == "br":
            self._add("\n")
        elif name == "wbr":
            return
        elif name in ("sup", "sub"):
            self._shifted(element, name)
        elif name in BLOCKS:
            if block is None or not block(element, name):
                self._add(" ")
                self.inside(element, block)
                self._add(" ")
        else:
            if name == "rt":
                self._add(" ")
            self.inside(element, block)

    def inside(self, element: Any, block: Callable[[Any, str], bool] | None = None) -> None:
        """Add what is in the element, whatever it is itself."""
        self.add(element.text)
        for child in element:
            self.read(child, block)
            self.add(child.tail)

    def _shifted(self, element: Any, name: str) -> None:
        """10² and H₂O, not 102 and H2O; letters below get a mark, those above ("19th") need none."""
        inner = InlineText()
        inner.inside(element)
        text = inner.take()
        if not text:
            return
        if name == "sup":
            self._add(text.translate(_RAISED) if _CAN_RAISE.fullmatch(text) else text)
        elif _CAN_LOWER.fullmatch(text):
            self._add(text.translate(_LOWERED))
        else:
            glued = bool(self._parts) and self._parts[-1][-1:].isalnum() and text[0].isalnum()
            self._add(f"_{text}" if glued else text)

    def _add(self, text: str) -> None:
        if not text:
            return
        if self._marked and self._parts and text[0].isalnum():
            # A footnote mark between two sentences without a space becomes a space.
            if self._parts[-1][-1:] in ".!?;,:)؟،":
                self._parts.append(" ")
            elif self._marked == MISSING and self._parts[-1][-1:].isalnum():
                self._parts.append("…")  # 1775 and 1783 are no 17751783
        self._marked = ""
        self._parts.append(text)


def inline_text(element: Any) -> str:
    """What is in the element, blocks and lines alike as one run."""
    run = InlineText()
    run.inside(element)
    return run.take()


def is_formula(element: Any, name: str) -> bool:
    """Whether the element is a formula, or the picture of one."""
    if name == "math":
        return True
    given = element.get("class") or ""
    if name == "img":
        return "mwe-math-fallback" in given or "tex" in given.split()
    return "mwe-math-element" in given.split() or "mw:Extension/math" in (element.get("typeof") or "").split()


def formula(element: Any) -> str:
    """Its TeX between dollar signs, two where it is a line of its own; its own words where the page has no TeX."""
    math = element if element.tag == "math" else next(element.iter("math"), None)
    tex = None
    if math is not None:
        found = (each for each in math.iter("annotation") if "tex" in (each.get("encoding") or "").casefold())
        tex = next((each.text for each in found if each.text), None) or math.get("alttext")
    if not tex:
        pictures = [element] if element.tag == "img" else list(element.iter("img"))
        tex = next((picture.get("alt") for picture in pictures if picture.get("alt")), None)
    if not tex:
        return clean(" ".join(element.itertext())).replace("\n", " ")
    tex = " ".join(_INVISIBLE.sub("", tex).split())
    styled = _STYLE.fullmatch(tex)
    if styled:
        tex = styled.group(2).strip()
    if not tex:
        return ""
    display = math is not None and math.get("display") == "block"
    return f"$${tex}$$" if display else f"${tex}$"


def fenced_code(element: Any) -> str:
    """The code between fences that it does not hold itself; empty where there is none."""
    code = "".join(_code_lines(element)).replace("\r", "").replace("\0", "").strip("\n").rstrip()
    if not code.strip():
        return ""
    fence = "`" * max(3, max((len(run) for run in re.findall(r"`+", code)), default=0) + 1)
    return f"{fence}\n{code}\n{fence}"


def _code_lines(element: Any) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if isinstance(child.tag, str) and drop_reason(child, child.tag) is None:
            if child.tag == "br":
                yield "\n"
            yield from _code_lines(child)
        yield child.tail or ""
