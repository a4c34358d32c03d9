"""MDX as Markdown: no imports, exports and expressions, tags on one line, no indentation within elements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from .blocks import block_parser
from .dialects import is_module_line
from .inline import MATH

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_TOKEN = re.compile(r"\\.|^[ \t]*(?:`{3,}|~{3,}).*|^(?:import|export)\b|`+|[{}<$\"']|/\*", re.MULTILINE)
_NAME = re.compile(r"<(/?)([A-Za-z](?:[\w.:-]*\w)?)?(?!:)")
_IN_TAG = re.compile(r"""[^{}<>"']+|"[^"]*"|'[^']*'""")
_ATTRIBUTE = re.compile(r"""(?<![\w:-])([A-Za-z][\w:-]*)\s*=\s*("[^"]*"|'[^']*')""")
_TEXT = re.compile(r"""\{\s*(?:"([^"\\]*)"|'([^'\\]*)'|`([^`\\$]*)`)\s*\}""")
#: Characters of a formula and of inline code: a run of backticks is compared with those in as many characters after it.
_LONGEST_CODE = 2_000


def rewrite_mdx(text: str) -> str:
    """What a reader of the page sees, as Markdown; code stays as it is. In time linear in the text."""
    return _without_margins("".join(_without_javascript(text.replace("\r\n", "\n").replace("\r", "\n"))))


def _without_javascript(text: str) -> Iterator[str]:
    """The pieces of the text outside of imports, exports, comments and expressions, with plain tags."""
    ends, at = _expressions(text), 0
    while found := _TOKEN.search(text, at):
        start, sign = found.span()[0], found[0]
        yield text[at:start]
        if sign in ("import", "export"):
            at = _module_end(text, start, ends)
            yield text[start:at] if at == start + len(sign) else ""
        elif sign == "{" and start in ends:
            at = ends[start]
            value = _TEXT.fullmatch(text, start, at)
            yield (value[1] or value[2] or value[3] or "") if value else ""
        elif sign == "<":
            at, tag = _tag(text, start, ends)
            yield tag
        else:
            at = _code_end(text, found) or found.end()
            yield text[start:at]
    yield text[at:]


def _expressions(text: str) -> Mapping[int, int]:
    """The end of each balanced pair of braces outside of code, by its start; braces in their texts do not count."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    at = 0
    while found := _TOKEN.search(text, at):
        sign, at = found[0], found.end()
        if sign == "{":
            opened.append(found.start())
        elif sign == "}" and opened:
            ends[opened.pop()] = at
        elif opened and sign == "/*":
            close = text.find("*/", at)
            at = close + 2 if close >= 0 else len(text)
        elif opened and sign[0] in "\"'`" and len(sign) == 1:
            line = len(text) if sign == "`" else text.find("\n", at)
            close = text.find(sign, at, line if line >= 0 else len(text))
            at = close + 1 if close >= 0 else at
        elif not opened:
            at = _code_end(text, found) or at
    return ends


def _code_end(text: str, found: re.Match[str]) -> int | None:
    """Where the fence, the inline code or the formula that begins with a token ends; None when none does."""
    if found[0] == "$":
        formula = MATH.match(text, found.start(), found.end() + _LONGEST_CODE)
        return formula.end() if formula else None
    fence = _FENCE.match(found[0])
    starts_line = found.start() == 0 or text[found.start() - 1] == "\n"
    if fence and starts_line and "`" not in found[0][fence.end() :]:
        ending = re.compile(rf"\n[ \t]*{fence[1][0]}{{{len(fence[1])},}}[ \t]*(?=\n|\Z)")
        return close.end() if (close := ending.search(text, found.end())) else len(text)
    if found[0][0] != "`":
        return None
    close = re.compile(rf"(?<!`){found[0]}(?!`)|\n[ \t]*\n").search(text, found.end(), found.end() + _LONGEST_CODE)
    return close.end() if close and close[0] == found[0] else None


def _module_end(text: str, start: int, ends: Mapping[int, int]) -> int:
    """The end of an import or an export: the next blank line outside of its braces. The word alone if it is prose."""
    line = text.find("\n", start)
    if not is_module_line(text[start : line if line >= 0 else len(text)]):
        return start + len("import")
    at = start
    while found := re.compile(r"\{|\n[ \t]*(?=\n|\Z)|\Z").search(text, at):
        if found[0] != "{":
            return found.start()
        at = ends.get(found.start(), found.end())
    return len(text)


def _tag(text: str, start: int, ends: Mapping[int, int]) -> tuple[int, str]:
    """The end of the tag that may begin at ``start``, and the tag without expressions; the sign alone if it is none."""
    named = _NAME.match(text, start)
    at = named.end() if named else start + 1
    parts: list[str] = []
    while named and at < len(text) and text[at] != ">":
        if found := _IN_TAG.match(text, at):
            parts.append(found[0])
            at = found.end()
        elif text[at] == "{" and at in ends:
            at = ends[at]
        else:
            return start + 1, "<"
    if named is None or at >= len(text) or (parts and parts[0][0] not in " \t\n/"):
        return start + 1, "<"
    attributes = dict(_ATTRIBUTE.findall("".join(parts)))
    closing, name = named[1], named[2]
    if name == "Admonition":
        kind, title = (attributes.get(key, "")[1:-1] for key in ("type", "title"))
        return at + 1, "\n:::\n" if closing else f"\n:::{kind or 'note'} {title}".rstrip() + "\n"
    slash = "/" if parts and parts[-1].rstrip().endswith("/") else ""
    kept = "".join(f" {key}={value}" for key, value in attributes.items()).replace("\n", " ")
    return at + 1, f"<{closing}{name}{kept}{slash}>" if name else ""


def _without_margins(text: str) -> str:
    """Blocks without the indentation that they have for being within elements: MDX has no code by indentation."""
    lines = text.split("\n")
    for token in block_parser("html_block", "code").parse(text):
        if token.level == 0 and token.map and token.nesting >= 0:
            first, last = token.map
            margin = len(text) if token.type == "paragraph_open" else _indent(lines[first])
            lines[first:last] = [line[min(margin, _indent(line)) :] for line in lines[first:last]]
    return "\n".join(lines)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))
