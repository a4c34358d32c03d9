"""Extensions of Markdown as CommonMark, line by line: admonitions, containers, directives, attributes, includes."""

from __future__ import annotations

import re

from ragstone.core.text import Kind

from .editor import Source
from .marks import closes, is_next, kind_of_directive, opens

ADMONITIONS = frozenset(
    """note tip info warning danger caution important success question hint attention error example abstract
    summary failure bug quote seealso todo""".split()  # noqa: SIM905
)
#: The name of a container that states the kind of its text, before that kind.
_OF_KIND = "ofkind_"
_CONTENTS = frozenset({"toctree", "tableofcontents", "contents"})
#: kramdown attributes such as ``{: .note key="value"}``, as a pattern.
ATTRIBUTE_LIST = r"""\{:\s*(?:(?:[.#][A-Za-z][\w.:-]*|[\w-]+=(?:"[^"]*"|'[^']*')|toc|no_toc)(?:\s+|(?=\})))*\}"""
_LINE_ATTRIBUTES = re.compile(rf"[ \t>]*(?:{ATTRIBUTE_LIST}|\^)\s*")
_MDBOOK = re.compile(r"(?<!\\)\{\{\s*#[a-z_]++[^{}\n]*+\}\}")
_IMPORT = re.compile(r"""import\s+(?:["'][^"']+["']|[\w{*][^"']*?\sfrom\s+["'][^"']+["'])\s*;?\s*$""")
_IMPORT_OPENS = re.compile(r"import\s*(?:\w+\s*,\s*)?\{[^}]*$")
_EXPORT = re.compile(
    r"export\s+(?:default\s+(?:\w+\s*+(?:;\s*+)?$|(?:async\s+)?(?:function|class)\b|[({])"
    r"|(?:const|let|var)\s+[\w{\[].*=|(?:async\s+)?function\b.*\(|class\s.*\{|[{*])"
)
#: Indentation, and the markers of list items that begin with what follows.
_INDENT = r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*"
_COLONS = re.compile(rf"({_INDENT})(:{{3,}})[ \t]*(?:([A-Za-z]\w*)(.*))?$")
_FENCE = re.compile(rf"({_INDENT})(`{{3,}}(?=[^`]*$)|~{{3,}}|:{{3,}})[ \t]*(.*)$")
_DIRECTIVE = re.compile(
    r"\{(?:([A-Za-z][\w-]*)\}[ \t]*(.*)|(?:\.callout-)?([^\s{}\"]*+)(?:[^{}]*?\btitle=\"([^\"{}]*)\")?+[^{}]*\}[ \t]*)$"
)
_HAS_DIRECTIVE = re.compile(rf"^{_INDENT}(?:`{{3,}}|:{{3,}})[ \t]*\{{", re.MULTILINE)
_OPTION = re.compile(r"[ \t]*:[a-z][\w-]*:")
_BANGS = re.compile(r"""([ \t]*)(?:!!!|\?\?\?\+?)[ \t]+([A-Za-z]++)[^"\n]*+(?:"([^"]*)"[ \t]*)?$""")
_QUOTED_KIND = re.compile(r"((?:[ \t]*>)+)[ \t]*(?:\[!([A-Za-z]+)\]|(?:\*\*|__)([A-Za-z]+):?(?:\*\*|__):?)[ \t]*$")
_HTML_HEADING = re.compile(r"([ \t]*)<h([1-6])\b[^<>]*>(.*)</h\2>\s*$", re.IGNORECASE)


def is_module_line(line: str) -> bool:
    """Whether a line begins an import or an export of JavaScript."""
    return any(pattern.match(line) for pattern in (_IMPORT, _IMPORT_OPENS, _EXPORT))


def _opening(kind: str, title: str | None) -> str:
    return f"> [!{kind.upper()}] {title or ''}".rstrip()


def rewrite_admonitions(source: Source, depth: int = 0) -> str:
    """MkDocs' ``!!! warning "Title"`` with its indented body as a quote."""
    if ("!!!" not in source.text and "???" not in source.text) or depth > 8:
        return source.text
    code, lines, out, number = source.code, source.lines, list[str](), 0
    while number < len(lines):
        opened = None if number in code else _BANGS.match(lines[number])
        number += 1
        if opened is None:
            out.append(lines[number - 1])
            continue
        margin = opened[1] + "    "
        body: list[str] = []
        while number < len(lines) and (lines[number].startswith(margin) or not lines[number].strip()):
            body.append(lines[number][len(margin) :])
            number += 1
        inner = rewrite_admonitions(Source("\n".join(body).rstrip()), depth + 1)
        quoted = [f"> {line}".rstrip() for line in inner.split("\n")] if inner else []
        out += [f"{opened[1]}{line}" for line in (_opening(opened[2], opened[3]), *quoted)]
        out.append("")
    return "\n".join(out)


def rewrite_directives(source: Source) -> str:
    """MyST's and Quarto's directives as containers (``:::note Title``), MyST's tables of contents removed."""
    if not _HAS_DIRECTIVE.search(source.text):
        return source.text
    out: list[str] = []
    opened: list[tuple[str, str]] = []  # fence, and what is written for its end; "" keeps it, a newline drops the body
    options = ""  # what of the directive's options the line above is: "lines", as its opening, or "yaml"
    for line in source.lines:
        found = _FENCE.match(line)
        inside, ending = opened[-1] if opened else ("", ":::")
        before, options = options, ""
        if found and inside and found[2].startswith(inside) and not (found[3] or found[1].strip()):
            opened.pop()
            out += [line] if not ending else [found[1] + ending] if ending == ":::" else []
        elif ending != ":::":
            out += [] if ending else [line]
        elif found is None:
            is_rule = line.strip() == "---"
            if before == "yaml":
                options = "" if is_rule else "yaml"
            elif before:
                options = "yaml" if is_rule else "lines" if _OPTION.match(line) else ""
            out += [] if options or before == "yaml" else [line]
        elif (directive := _DIRECTIVE.match(found[3])) and (directive[1] in _CONTENTS):
            opened.append((found[2], "\n"))
        elif directive and (
            found[2][0] == ":" or directive[1] in {*ADMONITIONS, "admonition"} or kind_of_directive(directive[1] or "")
        ):
            kind = "note" if directive[1] == "admonition" else directive[1] or directive[3]
            stated = kind_of_directive(kind)
            named = kind if kind in ADMONITIONS else f"{_OF_KIND}{stated}" if stated else "div"
            out.append(f"{found[1]}:::{named} {directive[2] or directive[4] or ''}".rstrip())
            opened.append((found[2], ":::"))
            options = "lines"
        else:
            out.append(line)
            if found[2][0] != ":":
                opened.append((found[2], ""))
    return "\n".join(out)


def rewrite_containers(source: Source) -> str:
    """Docusaurus' ``:::note Title`` … ``:::`` as a quote, nested ones nested; other containers unwrapped."""
    if ":::" not in source.text:
        return source.text
    code, lines = source.code, source.lines
    matches = ((n, _COLONS.match(line)) for n, line in enumerate(lines) if n not in code)
    found = {n: match for n, match in matches if match and (match[3] or not match[1].strip())}
    closers: dict[int, int] = {}
    opened: list[int] = []
    for number, match in found.items():
        if match[3]:
            opened.append(number)
        elif opened:
            closers[number] = opened.pop()
    # An unclosed admonition reaches to the next blank line, not to the end of the book.
    unclosed = set(opened)
    out: list[str] = []
    marks: list[tuple[int, str]] = []
    item = ""  # marker of the item that begins with a container, for the container's first line
    for number, line in enumerate(lines):
        is_end = number in found and not found[number][3]
        while marks and is_end and number in closers and marks[-1][0] >= closers[number]:
            marks.pop()
        while marks and number not in found and marks[-1][0] in unclosed and not line.strip():
            marks.pop()
        outer, margin = "".join(m for _, m in marks), sum(len(m) - 2 for _, m in marks)
        body = line[min(margin, len(line) - len(line.lstrip())) :]
        if number in found:
            match = found[number]
            before = item or body[: len(match[1]) - len(line) + len(body)]
            blank = outer + before[: len(before) - len(before.lstrip())]
            is_item, item = bool(before.strip()), ""
            if is_end:
                out.append((outer + before).rstrip())
                if number in closers and _container_kind(found[closers[number]]):
                    out += [f"{blank}{closes(_OF_KIND)}", outer.rstrip()]
            elif match[3].lower() in ADMONITIONS and len(marks) < 16:
                title = re.sub(r"\{[^{}]*\}\s*$", "", match[4]).strip().removeprefix("[").removesuffix("]")
                out += [*([] if is_item else [outer.rstrip()]), f"{outer}{before}{_opening(match[3], title)}"]
                marks.append((number, re.sub(r"\S", " ", before) + "> "))
            else:
                item = before if is_item else ""
                if (stated := _container_kind(match)) and number not in unclosed:
                    out += [outer.rstrip(), f"{blank}{opens(_OF_KIND, stated)}", outer.rstrip()]
            continue
        if item and body.strip():
            body, item = item + body.lstrip(), ""
        out.append((outer + body).rstrip() if marks and number not in code else outer + body)
    return "\n".join([*out, *filter(None, [item])])


def _container_kind(match: re.Match[str]) -> Kind | None:
    """The kind that a container which is no admonition states: Docusaurus' own, MyST's, Quarto's."""
    if match[3].lower() in ADMONITIONS:
        return None
    return kind_of_directive(match[3].removeprefix(_OF_KIND))


def rewrite_lines(source: Source) -> str:
    """Attribute lists, includes, imports and exports removed; definitions, named quotes, HTML headings rewritten."""
    code, out = source.code, list[str]()
    dropping, defined = False, 0
    for number, line in enumerate(source.lines):
        dropping = dropping and number not in code and bool(line.strip())
        if number in code:
            out.append(line)
        elif dropping:
            continue
        elif is_module_line(line):
            dropping = _IMPORT.match(line) is None
        elif _LINE_ATTRIBUTES.fullmatch(line):
            if "^" in line:
                out.append("")
        elif line.startswith(": ") and out and out[-1].strip():
            if defined != len(out):
                out[-1:] = ["", is_next("definition"), "", out[-1]]
            out[-1] += f": {line[2:].strip()}"
            defined = len(out)
        elif named := _QUOTED_KIND.match(line):
            kind = named[2] or named[3]
            out.append(f"{named[1]} [!{kind.upper()}]" if kind.lower() in ADMONITIONS else line)
        elif heading := _HTML_HEADING.match(line):
            out.append(f"{heading[1]}{'#' * int(heading[2])} {heading[3]}")
        else:
            bare = _MDBOOK.sub("", line)
            if bare.strip() or not line.strip():
                out.append(bare)
    return "\n".join(out)
