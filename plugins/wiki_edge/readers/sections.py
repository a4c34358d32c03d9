"""Headings: their path, their anchors, and the sections that hold no prose."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .articles import HEADING_SEPARATOR, fragment

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
_BOILERPLATE = frozenset(" ".join(name.split()) for name in _NAMES.split("|"))
_LONGEST_NAME = max(map(len, _BOILERPLATE)) + 8
_DEEPEST = 6
_LONGEST = 300


def is_boilerplate(heading: str) -> bool:
    """Whether the section under that heading holds references, links or nothing but pictures."""
    if len(heading) > _LONGEST_NAME:
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

    def enter(self, level: int, heading: str, *, anchor: str | None = None) -> None:
        """A heading begins a section; level 2 is that of an article's main sections.

        ``anchor``: the one that the source gives; otherwise as MediaWiki makes it, numbered from the second on.
        """
        level, heading = max(1, min(level, _DEEPEST)), heading[:_LONGEST]
        if self._dropped is not None and level <= self._dropped:
            self._dropped = None
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        self._path.append((level, heading))
        made = fragment(heading)
        self._anchors[made] = count = self._anchors.get(made, 0) + 1
        self.anchor = fragment(anchor[:_LONGEST]) if anchor else (made if count == 1 else f"{made}_{count}")
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
