"""AsciiDoc within a line: the words that a reader sees, with Markdown's code and links."""

from __future__ import annotations

import re

#: Characters of a line that are looked at together: some patterns take more than linear time.
_PIECE = 2_000
_MOST_SUBSTITUTED = 100_000
IMAGE = re.compile(r"image::?([^\s\[\]]+)\[([^\]]*)\]")
_INLINE: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\(\(\([^()]*\)\)\)"), ""),
    (re.compile(r"(?<!\()\(\(([^()]+)\)\)"), r"\1"),
    (re.compile(r"indexterm2?:\[[^\]]*\]"), ""),
    (re.compile(r"<<[^<>,]*,\s*([^<>]+)>>"), r"\1"),
    (re.compile(r"<<([^<>,]+)>>"), r"\1"),
    (re.compile(r"xref:[^\s\[]*\[([^\]]+)\]"), r"\1"),
    (re.compile(r"footnote:\w*\[([^\]]*)\]"), r" (\1)"),
    (re.compile(r"(?:kbd|btn|menu|stem|latexmath|asciimath|pass):\w*\[([^\]]*)\]"), r"\1"),
    (re.compile(r"\[\[[^\]]*\]\]|\[#[\w-]+\](?=[#*_`])"), ""),
    (re.compile(r"\[[.\w -]+\]#([^#]+)#"), r"\1"),
    (re.compile(r"(?<!\w)\+\+([^+]+)\+\+"), r"\1"),
    (re.compile(r"\*\*([^*]+)\*\*"), r"\1"),
    (re.compile(r"__([^_]+)__"), r"\1"),
    (re.compile(r"(?<![\w*])\*(\S(?:[^*\n]*\S)?)\*(?![\w*])"), r"\1"),
    (re.compile(r"(?<![\w_])_(\S(?:[^_\n]*\S)?)_(?![\w_])"), r"\1"),
    (re.compile(r"\^([^\s^]+)\^"), r"^\1"),
    (re.compile(r"~([^\s~]+)~"), r"\1"),
)
_LINK = re.compile(r"(?:(?:link|mailto):|(?=https?://))[^\s\[\]]+\[([^\]]*)\]")
_REFERENCE = re.compile(r"\{([\w-]+)\}")


class InlineReader:
    """Takes formatting out of lines, and puts the values of attributes into them."""

    def __init__(self) -> None:
        self.attributes: dict[str, str] = {"nbsp": " ", "plus": "+", "amp": "&", "lt": "<", "gt": ">"}
        self._substituted = 0

    def words(self, text: str) -> str:
        """A line's words without formatting; what is code stays."""
        if self._substituted < _MOST_SUBSTITUTED:
            text = _REFERENCE.sub(self._value, text)
        pieces = (text[at : at + _PIECE] for at in range(0, len(text), _PIECE))
        parts = (part for piece in pieces for part in re.split(r"(`[^`]+`)", piece))
        return "".join(part if part.startswith("`") and len(part) > 2 else self._plain(part) for part in parts)

    def _plain(self, text: str) -> str:
        text = IMAGE.sub(lambda found: found[2].partition(",")[0], text)
        text = _LINK.sub(lambda found: found[1].removesuffix("^") or found[0].partition("[")[0], text)
        for pattern, new in _INLINE:
            text = pattern.sub(new, text)
        return re.sub(r"\s\+$", "  ", text)

    def _value(self, found: re.Match[str]) -> str:
        value = self.attributes.get(found[1].lower())
        if value is None:
            return found[0]
        self._substituted += len(value)
        return value
