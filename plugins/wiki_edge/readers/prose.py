"""Prose: lines without what removed markup leaves behind, and headings with the sections that hold none."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .articles import HEADING_SEPARATOR, Block, fragment

_SPACES = re.compile(r"[ \t\u00a0\u2002-\u200a\u202f\u3000]+")
_INVISIBLE = re.compile(r"[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u00ad\u200b\u200e\u200f\u2060\ufeff]")
#: "(; pronounced …)", "(, )": a template stood there.
_OPENED = re.compile(r"([(\[])\s*(?:[;,:/–]\s*)+")
_CLOSED = re.compile(r"(?<![\s;,:/])\s*(?:[;,:/]\s*)+([)\]])")
_EMPTY = re.compile(r"(?<!\s)\s*(?:\(\s*(?:[–—-]\s*)?\)|\[\s*\])")
_TWICE = re.compile(r"([,;:])(?:\s*[,;](?=\s))+")
_INNER = re.compile(r"([(\[])\s+|(?<!\s)\s+([)\]])")
_BEFORE_MARK = re.compile(r"(?<=\w)\s+([,.])(?=\s|$)")
_AFTER_MARK = re.compile(r"^[\s,;:.)–-]+(?=\w)")
_WORD = re.compile(r"\w")
_BLANK = re.compile(r"\n\s*\n")
_SENTENCE = re.compile(r"[.!?。؟…][\"'”’»)\]]*(?:\s|$)")
#: A line of plain text that may be a heading is at most so long, and prose is at least so long.
_LONGEST_HEADING = 80
_SHORTEST_PROSE = 120
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
#: Sections of references, links and lists of links, by their usual headings in a few languages.
_NAMES = """
    see also | references | reference | notes | notes and references | references and notes | footnotes | citations
    | explanatory notes | works cited | sources | bibliography | further reading | external links | external link
    | external sources | literature | gallery | navigation | links | references and further reading
    | einzelnachweise | weblinks | siehe auch | literatur | quellen | anmerkungen | fußnoten | nachweise
    | voir aussi | références | notes et références | liens externes | bibliographie | articles connexes | annexes
    | véase también | referencias | enlaces externos | bibliografía | notas | notas y referencias
    | voci correlate | altri progetti | collegamenti esterni | bibliografia | note | riferimenti
    | ver também | referências | ligações externas | notas e referências
    | zie ook | externe links | externe link | bronnen | noten | referenties | literatuur
    | bronnen, noten en/of referenties
    | см. также | примечания | ссылки | литература | источники | сноски
    | див. також | примітки | посилання | література | джерела | виноски
    | гл. таксама | зноскі | спасылкі | літаратура | крыніцы | заўвагі
    | вижте също | виж също | източници | външни препратки | бележки | литература | препратки | бележки и източници
    | zobacz też | przypisy | linki zewnętrzne | uwagi
    | se även | referenser | externa länkar | källor | noter | litteratur
    | viz též | související články | reference | externí odkazy | poznámky
    | 関連項目 | 脚注 | 参考文献 | 外部リンク | 出典 | 注釈
    | 参见 | 參見 | 参考资料 | 參考資料 | 外部链接 | 外部連結 | 注释 | 註釋
    | انظر أيضا | مراجع | المراجع | وصلات خارجية | روابط خارجية
"""
_BOILERPLATE = frozenset(" ".join(name.split()).casefold() for name in _NAMES.split("|"))
_LONGEST_BOILERPLATE = max(map(len, _BOILERPLATE)) + 8
_DEEPEST = 6
_LONGEST_TITLE = 300


def tidy(text: str) -> str:
    """A line of prose without the traces of removed markup; empty when nothing can be read in it."""
    line = _SPACES.sub(" ", _INVISIBLE.sub("", text))
    if not _WORD.search(line):
        return ""
    if "(" in line or "[" in line:
        line = _CLOSED.sub(r"\1", _OPENED.sub(r"\1", line))
        line = _INNER.sub(lambda found: found.group(1) or found.group(2), line)
        line = _EMPTY.sub("", line)
    line = _TWICE.sub(r"\1", line)
    return _SPACES.sub(" ", _BEFORE_MARK.sub(r"\1", line)).strip()


def opening(text: str) -> str:
    """A paragraph's first line without the marks that a removed beginning left."""
    return _AFTER_MARK.sub("", text) if text[:1] in ",;:.)" else text


def plain_blocks(text: str) -> list[Block]:
    """The paragraphs of plain text as they are."""
    paragraphs = ("\n".join(filter(None, map(tidy, part.split("\n")))) for part in _BLANK.split(text))
    return [Block(paragraph) for paragraph in paragraphs if paragraph]


def encyclopedic_blocks(text: str) -> list[Block]:
    """The paragraphs of an article whose headings are lines of their own, as in wikimedia/wikipedia.

    Nothing marks a heading there. So a line that is the usual heading of references or links ends the article, until
    a line that can only be a heading is followed by prose. A heading stays with the paragraph below it.
    """
    found: list[Block] = []
    parts = plain_blocks(text)
    dropping = headed = False
    for number, block in enumerate(parts):
        if is_boilerplate(block.text):
            dropping = True
        elif dropping and _is_heading(block.text) and number + 1 < len(parts):
            below = parts[number + 1].text
            dropping = len(below) < _SHORTEST_PROSE or _SENTENCE.search(below) is None
        if dropping:
            continue
        if found and headed:
            block = Block(f"{found.pop().text}\n{block.text}")
        headed = _is_heading(parts[number].text)
        found.append(block)
    return found


def _is_heading(text: str) -> bool:
    return len(text) <= _LONGEST_HEADING and "\n" not in text and not _SENTENCE.search(text) and text[-1].isalnum()


def is_boilerplate(heading: str) -> bool:
    """Whether the section under that heading holds references, links or nothing but pictures."""
    if len(heading) > _LONGEST_BOILERPLATE:
        return False
    plain = " ".join(_EDGES.sub("", heading).split()).casefold()
    return plain in _BOILERPLATE or " ".join(heading.split()).casefold() in _BOILERPLATE


@dataclass
class Outline:
    """The headings above the paragraph that is being read."""

    _path: list[tuple[int, str]] = field(default_factory=list)
    _anchors: dict[str, int] = field(default_factory=dict)
    _dropped: int | None = None
    anchor: str = ""

    def enter(self, level: int, heading: str) -> None:
        """A heading begins a section; level 2 is that of an article's main sections.

        ``anchor``: the one that the source gives; otherwise as MediaWiki makes it, numbered from the second on.
        """
        level, heading = max(1, min(level, _DEEPEST)), heading[:_LONGEST_TITLE]
        if self._dropped is not None and level <= self._dropped:
            self._dropped = None
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        self._path.append((level, heading))
        made = fragment(heading)
        self._anchors[made] = count = self._anchors.get(made, 0) + 1
        self.anchor = made if count == 1 else f"{made}_{count}"
        if self._dropped is None and is_boilerplate(heading):
            self._dropped = level

    @property
    def dropped(self) -> bool:
        """Whether the section is left out."""
        return self._dropped is not None

    @property
    def heading(self) -> str:
        """The path of headings."""
        return HEADING_SEPARATOR.join(heading for _, heading in self._path)
