"""Mathematics between dollar signs, which Markdown would take for emphasis and escapes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline

# Pandoc's rule (manual, tex_math_dollars): no space inside the dollars, no digit after them, so that "$5 and $6" are
# prices. Further, none opens after a word ("US$"), and an amount before a word is a price.
MATH = re.compile(
    r"\$\$(?:\\.|[^\\$]|\$(?!\$))+\$\$"
    r"|(?<![\w$])\$(?![\s$])(?!\d[\d.,]*%?(?:[)\]]|[.,;:]?\s+[*_\[(]*[^\W\d_]{2}))"
    r"(?:\\.|[^\\$])*(?<!\s)\$(?![\d$])",
    re.DOTALL,
)


def add_math_rule(parser: MarkdownIt) -> MarkdownIt:
    """``parser``, now with ``math_inline`` tokens whose content is the formula and its dollar signs."""
    parser.inline.ruler.before("escape", "math", _math)
    return parser


def _math(state: StateInline, silent: bool) -> bool:
    found = MATH.match(state.src, state.pos, state.posMax) if state.src[state.pos] == "$" else None
    if found is None:
        return False
    if not silent:
        state.push("math_inline", "", 0).content = found[0]
    state.pos = found.end()
    return True
