"""reStructuredText, by way of docutils' HTML; Sphinx' directives and roles as the words in them."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from typing import IO, Any, ClassVar

from ragstone.core.runtime import Unanswered

from .markup import decoded
from .text import Text, text_of_page

_LONGEST_LINE = 100_000
#: Nothing is included, executed, or taken from a page as HTML; what is wrong in a page is no part of its text.
_SETTINGS = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "report_level": 5,
    "halt_level": 5,
    "_disable_config": True,
    "embed_stylesheet": False,
    "stylesheet_path": None,
    "math_output": "LaTeX",
    "syntax_highlight": "none",
    "doctitle_xform": False,
    "sectsubtitle_xform": False,
    "smart_quotes": False,
    "toc_backlinks": False,
    "initial_header_level": 1,
    "line_length_limit": _LONGEST_LINE,
    "input_encoding": "unicode",
    "output_encoding": "unicode",
}
_CODE = frozenset("code-block sourcecode literalinclude doctest testcode testoutput prompt parsed-literal".split())  # noqa: SIM905
_NO_TEXT = frozenset(
    """toctree index automodule autoclass autofunction automethod autodata autosummary currentmodule module
    default-domain highlight tabularcolumns only-html meta raw include contents sectionauthor codeauthor graphviz
    testsetup testcleanup cssclass rst-class title-ref mermaid plot""".split()  # noqa: SIM905
)
_VERSIONS = {"versionadded": "Added in", "versionchanged": "Changed in", "deprecated": "Deprecated since"}
_ADMONITIONS = frozenset({"seealso", "todo", *_VERSIONS})
_TARGET = re.compile(r"^(.*?)(?<!\s)\s*+<[^<>]*>$", re.DOTALL)


def read_rst(file: IO[bytes]) -> Text:
    """The page in ``file``. Raises ``Unanswered``."""
    from docutils.core import publish_string
    from docutils.utils import SystemMessage
    from docutils.writers.html5_polyglot import Writer

    _install()
    source = decoded(file.read())
    if any(len(line) > _LONGEST_LINE for line in source.splitlines()):  # docutils would give an empty page
        raise Unanswered("too_large", f"has a line of more than {_LONGEST_LINE:,} characters")
    try:
        html = publish_string(source, writer=Writer(), settings_overrides=_SETTINGS)
    except (SystemMessage, RecursionError) as error:
        raise Unanswered("broken", f"is no reStructuredText: {error}"[:200]) from error
    return text_of_page(str(html).encode())


@cache
def _install() -> None:
    """Let docutils, in this process, read the directives and roles that only Sphinx knows."""
    from docutils import nodes
    from docutils.parsers.rst import Directive, directives, roles
    from docutils.parsers.rst.directives import unchanged
    from docutils.statemachine import StringList

    class Unknown(Directive):  # type: ignore[misc]
        """A directive without a meaning here: its text; of a domain its signature too."""

        optional_arguments, final_argument_whitespace, has_content = 1, True, True
        option_spec: ClassVar = defaultdict(lambda: unchanged, {"name": unchanged})  # of any name

        def run(self) -> list[Any]:
            name = self.name.rpartition(":")[2]
            if name in _NO_TEXT or name.startswith("auto"):
                return []
            if name in _CODE:
                text = "\n".join(self.content)
                language = (self.arguments or [""])[0]
                return [nodes.literal_block(text, text, classes=["code", f"language-{language}"])]
            around: Any = nodes.container(classes=[name])
            if name in _ADMONITIONS:
                around = nodes.admonition(classes=["admonition", name])
                stated, rest = "", " ".join(self.arguments)
                if name in _VERSIONS:
                    stated, _, rest = rest.partition("\n") if "\n" in rest else rest.partition(" ")
                title = _VERSIONS.get(name, "See also" if name == "seealso" else "To do")
                around += nodes.title("", f"{title} {stated}".strip())
                self.state.nested_parse(StringList(rest.split("\n")), self.content_offset, around)
            elif self.arguments and name not in ("only", "tab", "tab-set", "container", "highlights"):
                around += nodes.paragraph("", "", nodes.literal("", " ".join(self.arguments[0].split())))
            self.state.nested_parse(self.content, self.content_offset, around)
            return [around]

    def words(_name: str, _raw: str, text: str, *_: Any, **__: Any) -> tuple[list[Any], list[Any]]:
        titled = _TARGET.match(text)
        shown = (titled[1] if titled else text.lstrip("!~")).replace("\x00", "")
        if not titled and text.startswith("~"):
            shown = shown.rpartition(".")[2]
        return [nodes.inline("", shown)], []

    known_directive, known_role = directives.directive, roles.role

    def directive(name: str, *arguments: Any) -> Any:
        found, messages = known_directive(name, *arguments) if name not in _CODE | _NO_TEXT else (None, [])
        return (Unknown, []) if found is None else (found, messages)

    def role(name: str, *arguments: Any) -> Any:
        found, messages = known_role(name, *arguments)
        return (words, []) if found is None else (found, messages)

    directives.directive, roles.role = directive, role
