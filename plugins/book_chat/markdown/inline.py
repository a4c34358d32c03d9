"""Inline Markdown as plain text: the words that a reader sees."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from .blocks import image_words
from .characters import without_controls
from .dialects import ATTRIBUTE_LIST
from .elements import TAG, UNREAD, is_block

_ATTRIBUTES = re.compile(ATTRIBUTE_LIST)
_NAMED = re.compile(r"""\s(alt|title)\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
#: Stand-ins while inline text is put together.
_VERBATIM, _IMAGE, _DROPPED, _ITEM = "\x01", "\x02", "\x03", "\x04"
#: The line between a title that an element gives to a paragraph and its text.
TITLE_END = "\x0e"
#: Elements within a line that are the title of what follows them, by their attributes.
_TITLE = re.compile(r"""\s(?:class|data-type|role)\s*=\s*["']?(?:title|heading|run-?in)\b""", re.IGNORECASE)
_ELLIPSIS = re.compile(r"(?<!\.)\.(?:[ \xa0]\.){2}([ \xa0]\.)?(?![ \xa0]?\.)")
#: A link without words before an exercise that says what it asks for; it shows the exercise's figure.
_FIGURE_FIRST = re.compile(r"\s*[Tt]he (?:figure|table) (?=[A-Z\d])")
_DROPPED_WORDS = re.compile(rf"(?<![ \t])[ \t]*(?:\(\s*{_DROPPED}(?:[\s,;]*(?:and\s+)?{_DROPPED})*\s*\)|{_DROPPED})")
_SIGNS = re.compile(r"[\\`*_~\]<&${\n]|  |\.[ \xa0]\.")  # without any of these, text is what it is

# Mathematics between dollar signs, which Markdown would take for emphasis and escapes. Pandoc's rule (manual,
# tex_math_dollars): no space inside the dollars, no digit after them, so that "$5 and $6" are prices. Further, none
# opens after a word ("US$"), and an amount before a word is a price.
MATH = re.compile(
    r"\$\$(?:\\.|[^\\$]|\$(?!\$))+\$\$"
    r"|(?<![\w$])\$(?![\s$])(?!\d[\d.,]*%?(?:[)\]]|[.,;:]?\s+[*_\[(]*[^\W\d_]{2}))"
    r"(?:\\.|[^\\$])*(?<!\s)\$(?![\d$])",
    re.DOTALL,
)


def _math(state: StateInline, silent: bool) -> bool:
    """The rule for ``math_inline`` tokens, whose content is the formula and its dollar signs."""
    found = MATH.match(state.src, state.pos, state.posMax) if state.src[state.pos] == "$" else None
    if found is None:
        return False
    if not silent:
        state.push("math_inline", "", 0).content = found[0]
    state.pos = found.end()
    return True


def _parser(*without: str) -> MarkdownIt:
    """Of CommonMark's inline markup, struck words and formulas, without the rules ``without``."""
    parser = MarkdownIt("commonmark", {"maxNesting": 10}).enable("strikethrough").disable(list(without))
    parser.inline.ruler.before("escape", "math", _math)
    return parser


_PARSER, _LINKLESS = _parser(), _parser("link", "image")
_PIECE = 10_000  # characters of inline text parsed at once: brackets cost more than linear time


def inline_text(source: str, env: dict[str, Any], *, inside: bool = False) -> tuple[str, list[str]]:
    """Inline Markdown as plain text, and the captions of its figures.

    ``inside`` a heading or a cell there is no room for figures: images are their alternative text.
    """
    words, figures = list[str](), list[str]()
    for piece in _pieces(without_controls(source)):
        text, found = _piece_text(piece, env, inside)
        words.append(text)
        figures += found
    return "".join(words), figures


def _pieces(source: str) -> Iterator[str]:
    start = 0
    while len(source) - start > _PIECE:
        end = start + _PIECE
        cut = max(source.rfind("\n", start, end), source.rfind(" ", start, end)) + 1 or end
        yield source[start:cut]
        start = cut
    yield source[start:]


def _piece_text(source: str, env: dict[str, Any], inside: bool) -> tuple[str, list[str]]:
    if not _SIGNS.search(source):
        return source, []
    # Without a closing bracket there is no link, and looking for one at each opening bracket is slow.
    parser = _PARSER if "]" in source else _LINKLESS
    text, verbatim, images = _text_of(parser.inline.parse(source, parser, env, []))
    text = re.sub(r"(?<=\S) {2,}(?=\S)", " ", _DROPPED_WORDS.sub("", _ATTRIBUTES.sub("", text)))
    text = _ELLIPSIS.sub(lambda found: "…." if found[1] else "…", text)
    if "link" in source.lower() and _FIGURE_FIRST.match(text):
        text = _FIGURE_FIRST.sub("", text, count=1)
    text = re.sub(rf"^\s*{_ITEM}", "", text) if inside else text
    text = re.sub(rf"[ ;]*{_ITEM}", "; " if inside else " - ", text)
    text = re.sub(rf"[ \n]*{TITLE_END}\s*", " " if inside else f"\n{TITLE_END}\n", text)
    alone = not text.replace(_IMAGE, "").strip()
    figures = []
    for alt, title in images:
        title = "" if inside else " ".join(title.split())
        words, figure = image_words(" ".join(alt.split()), title, alone=alone and not inside)
        if inside:
            words, figure = words or figure, ""
        figures += [figure] if figure else []
        text = (
            text.replace(_IMAGE, words, 1) if words else re.sub(rf"(?<=\S) +{_IMAGE}(?= )|{_IMAGE}", "", text, count=1)
        )
    parts = text.split(_VERBATIM)
    return "".join(a + b for a, b in zip(parts, [*verbatim, ""], strict=True)), figures


def _text_of(tokens: Sequence[Token]) -> tuple[str, list[str], list[tuple[str, str]]]:
    """The words with stand-ins, the code and formulas, and the images' alternative texts and titles."""
    out: list[str] = []
    verbatim: list[str] = []
    images: list[tuple[str, str]] = []
    links: list[tuple[int, str]] = []
    unread, titles = "", list[bool]()
    for token in tokens:
        if token.type == "html_inline":
            tag = TAG.fullmatch(token.content)
            name = tag[2].lower() if tag else ""
            if tag and re.fullmatch(UNREAD, name) and not token.content.endswith("/>"):
                unread = "" if tag[1] else name
            elif not unread and name == "img":
                images.append(_image(token.content))
                out.append(_IMAGE)
            elif not unread and tag:
                out.append(_tag_text(tag, out))
                if name == "span" and tag[1] and titles:
                    out += [TITLE_END] if titles.pop() else []
                elif name == "span" and not tag[1]:
                    titles.append(bool(_TITLE.search(tag[3])) and not "".join(out).strip())
        elif unread:
            continue
        elif token.type in ("text", "text_special"):
            # A character reference or a link's address may stand for a control character or a newline.
            out.append(without_controls(token.content).replace("\n", " "))
        elif token.type == "softbreak":
            out.append(" ")  # where an author's editor broke the line says nothing to a reader
        elif token.type == "hardbreak":
            out.append("\n")
        elif token.type in ("code_inline", "math_inline"):
            verbatim.append(token.content)
            out.append(_VERBATIM)
        elif token.type == "image":
            alt = "".join(" " if c.type == "softbreak" else c.content for c in token.children or [])
            images.append((without_controls(alt), without_controls(str(token.attrs.get("title") or ""))))
            out.append(_IMAGE)
        elif token.type == "link_open":
            links.append((len(out), str(token.attrs.get("href", ""))))
        elif token.type == "link_close" and links:
            start, address = links.pop()
            if "".join(out[start:]).strip().lower() == "[link]":
                # "(see [link])" loses its brackets; "as shown in [link]" would lose its sense.
                before = "".join(out[:start]).rstrip()
                out[start:] = [_DROPPED if before.endswith("(") else _named(address, before)]
    return "".join(out), verbatim, images


def _named(address: str, before: str) -> str:
    """What a link without a text of its own leads to; ``before``: what stands before it in its paragraph."""
    found = re.search(r"#(fig|tab)", address, re.IGNORECASE)
    if found is None:
        return _DROPPED
    article = "the" if before and before[-1] not in ".!?" else "The"
    return f"{article} {'figure' if found[1].lower() == 'fig' else 'table'}"


def _image(tag: str) -> tuple[str, str]:
    named = {found[1].lower(): html.unescape(found[2] or found[3] or "") for found in _NAMED.finditer(tag)}
    return without_controls(named.get("alt", "")), without_controls(named.get("title", ""))


def _tag_text(tag: re.Match[str], out: list[str]) -> str:
    """The text for a tag within a line: a space between blocks, a power sign after a number, else nothing."""
    name = tag[2].lower()
    if name == "li" and not tag[1]:
        return _ITEM
    if name == "sup" and not tag[1] and out and out[-1][-1:].isdigit():
        return "^"
    return " " if name == "br" or is_block(tag) else ""
