"""The words of one paragraph, cell or heading of a page, with marks for the places in them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from ..blocks import FIGURE, image_words
from ..characters import escape_block, without_controls
from .markup import attribute, name_of, names_of, words_of

#: Elements of which nothing is read.
UNREAD = frozenset(
    """script style head template svg noscript iframe object embed form button input select textarea audio video canvas
    map rp rt link meta base source track area""".split()  # noqa: SIM905
)
#: Marks are single characters of a private plane, which no text of a page keeps.
_FIRST_MARK, _MOST_MARKS = 0xF0000, 65_000
MARK = re.compile("[\U000f0000-\U000ffffd]")
_SPACES = re.compile(r"[ \t\r\n\f\xa0]+")
_NOTE_SIGN = re.compile(r"[\[(]?(?:\d{1,4}|[a-z*†‡§¶]{1,2}|[ivxlc]{1,6})[\])]?")
_LINK_SIGNS = frozenset({"¶", "#", "§", "↩", "↩︎", "^", "↑", "🔗", "\uf0c1", "\ue157"})
_BACK = frozenset("headerlink footnote-back reversefootnote doc-backlink backref anchor-link edit-link".split())  # noqa: SIM905
_ORDINAL = frozenset({"st", "nd", "rd", "th"})
#: Alternative texts that say nothing.
_DECORATION = re.compile(r"(?:image|img|picture|figure|photo|cover|logo|icon)s?\W*\d*", re.IGNORECASE)
#: Blocks within a cell or a heading: their words are apart from others.
_APART = frozenset("p div li dt dd tr section ul ol dl blockquote figure figcaption".split())  # noqa: SIM905
_TEX_MARKS = re.compile(r"^(?:\\[(\[]|\$+)|(?:\\[)\]]|\$+)$")
_IMAGE = "\x02"


@dataclass
class Places:
    """Places in a text by their marks: anchors and the beginnings of pages."""

    #: Anchors by mark, each with the ``prefix`` of its time, and labels of pages by mark.
    ids: dict[str, str] = field(default_factory=dict)
    pages: dict[str, str] = field(default_factory=dict)
    #: Distinguishes the anchors of several pages.
    prefix: str = ""
    _count: int = 0

    def anchor(self, name: str | None) -> str:
        """A mark for the anchor; "" without a name, and when there are too many."""
        return self._add(self.ids, f"{self.prefix}{name}") if name else ""

    def page(self, label: str) -> str:
        """A mark for the beginning of a page; "" without a label."""
        return self._add(self.pages, label)

    def _add(self, table: dict[str, str], value: str) -> str:
        if self._count >= _MOST_MARKS or not value:
            return ""
        mark = chr(_FIRST_MARK + self._count)
        self._count += 1
        table[mark] = value
        return mark


@dataclass
class Inline:
    """Text that is put together until its block ends."""

    places: Places
    parts: list[str] = field(default_factory=list)
    images: list[tuple[str, str]] = field(default_factory=list)
    #: Ids of the notes that the text refers to, and their signs.
    notes: list[tuple[str, str]] = field(default_factory=list)

    def add(self, text: str | None) -> None:
        """Add text as it stands in a page."""
        if text:
            self.parts.append(MARK.sub("", without_controls(_SPACES.sub(" ", text))))

    def read(self, element: Any, depth: int = 0) -> None:
        """Add an element that is no block."""
        name, named = name_of(element), names_of(element)
        if not name or name in UNREAD or is_hidden(element):
            return
        is_note = is_note_reference(element, name, named)
        if is_note and self.parts:  # the sign's space is not the sentence's
            self.parts[-1] = self.parts[-1].rstrip(" ")
        self.parts.append(self.places.anchor(element.get("id") or (element.get("name") if name == "a" else None)))
        if is_page_break(named):
            self.parts.append(self.places.page(page_label(element)))
        elif is_note:
            self.notes.append(((element.get("href") or "").rpartition("#")[2], words_of(element)))
        elif ("label" in named.split() and _is_in_note(element)) or (
            name == "a" and (_BACK.intersection(named.split()) or words_of(element) in _LINK_SIGNS)
        ):
            return
        elif name == "br":
            self.parts.append("\n")
        elif name == "img":
            self.images.append((_one_line(element.get("alt")), _one_line(element.get("title"))))
            self.parts.append(_IMAGE)
        elif name == "math" or "math" in named.split():
            self.parts.append(formula(element))
        elif (
            name == "sup"
            and len(element)
            and all(is_note_reference(child, name_of(child), names_of(child)) for child in element)
        ):
            for child in element:  # without the brackets around the sign
                self.read(child, depth + 1)
        elif name == "sup":
            self._raised(element, depth)
        else:
            self._inside(element, depth)

    def _inside(self, element: Any, depth: int) -> None:
        if depth > 100:
            self.add(words_of(element))
            return
        self.add(element.text)
        for child in element:
            apart = " " if name_of(child) in _APART else ""
            self.add(apart)
            self.read(child, depth + 1)
            self.add(apart)
            self.add(child.tail)

    def _raised(self, element: Any, depth: int) -> None:
        words = words_of(element)
        before = MARK.sub("", "".join(self.parts[-4:]))[-1:]
        if words and words not in _ORDINAL and (before.isdigit() or (before.isalpha() and len(words) <= 3)):
            self.parts.append("^" if len(words) == 1 else "^{")
            self._inside(element, depth)
            self.parts.append("" if len(words) == 1 else "}")
        else:
            self._inside(element, depth)

    def line(self) -> str:
        """The words as one line, images as their alternative texts; the next ones begin anew."""
        text = "".join(self.parts).replace("\n", " ")
        for alt, title in self.images:
            text = text.replace(_IMAGE, alt or title, 1)
        self.parts, self.images = [], []
        return _tidy(text)

    def paragraph(self) -> tuple[str, list[str]]:
        """The words, line by line, and the captions of the figures among them; the next ones begin anew."""
        text, figures = "".join(self.parts), list[str]()
        alone = not MARK.sub("", text).replace(_IMAGE, "").strip()
        for alt, title in self.images:
            words, figure = image_words("" if _DECORATION.fullmatch(alt) else alt, title, alone=alone)
            figures += [FIGURE + figure] if figure else []
            text = text.replace(_IMAGE, words, 1)
        self.parts, self.images = [], []
        lines = (_tidy(line) for line in text.split("\n"))
        return "\n".join(_escaped(line) for line in lines if line), figures


def _tidy(line: str) -> str:
    """Single spaces and none at either end; marks take no room."""
    marked = MARK.search(line)
    line = _SPACES.sub(" ", line)
    if marked:
        line = re.sub(rf"(?<= )({MARK.pattern}+) ", r"\1", line)
        line = re.sub(rf"^({MARK.pattern}*) ", r"\1", line)
        line = re.sub(rf" ({MARK.pattern}*)$", r"\1", line)
    return line.strip(" ")


def _escaped(line: str) -> str:
    found = MARK.match(line)
    if found is None:
        return escape_block(line)
    bare = line.lstrip("".join(set(MARK.findall(line))))
    return line[: len(line) - len(bare)] + escape_block(bare)


def _one_line(text: str | None) -> str:
    return " ".join(MARK.sub("", without_controls(text or "")).split())


def is_hidden(element: Any) -> bool:
    """Whether a reader does not see an element."""
    style = (element.get("style") or "").replace(" ", "").lower()
    return element.get("hidden") is not None or element.get("aria-hidden") == "true" or "display:none" in style


def is_page_break(named: str) -> bool:
    """Whether an element says that a page of the printed book begins."""
    return bool({"pagebreak", "doc-pagebreak"}.intersection(named.split()))


def page_label(element: Any) -> str:
    """The label of the page that begins."""
    stated = element.get("title") or element.get("aria-label") or words_of(element)
    label = _one_line(stated) or re.sub(r"^\D*?0*(?=\w)", "", element.get("id") or "")
    return re.sub(r"^(?:page|p\.|pg\.?|seite)\s*", "", label, flags=re.IGNORECASE).strip(" .")[:30]


def is_note_reference(element: Any, name: str, named: str) -> bool:
    """Whether an element is the sign of a footnote, which is no word of its sentence."""
    if name != "a":
        return False
    if {"noteref", "doc-noteref", "footnote-ref", "footnote-reference"}.intersection(named.split()):
        return True
    parent = element.getparent()
    raised = (parent is not None and name_of(parent) == "sup") or any(name_of(child) == "sup" for child in element)
    return raised and "#" in (element.get("href") or "") and bool(_NOTE_SIGN.fullmatch(words_of(element)))


def _is_in_note(element: Any) -> bool:
    parent = element.getparent()
    return parent is not None and bool({"doc-footnote", "footnote", "citation"}.intersection(names_of(parent).split()))


def formula(element: Any) -> str:
    """A formula as TeX where the page has it, else its signs."""
    for found in element.iter():
        if name_of(found) == "annotation" and "tex" in (found.get("encoding") or "").lower():
            return f"${_one_line(found.text)}$" if (found.text or "").strip() else ""
    if name_of(element) != "math":  # TeX between marks of its own, as Sphinx and docutils write it
        words = _TEX_MARKS.sub("", _one_line(words_of(element))).strip()
        return f"${words}$" if words else ""
    stated = _one_line(attribute(element, "alttext"))
    return f"${stated}$" if "\\" in stated else stated or _one_line(words_of(element))
