"""Headings of sections that hold references, links or lists of books, in the languages of the wikis."""

from __future__ import annotations

import re

_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
#: Nothing else ever stands under these, at any level.
_SURE = {
    "en": """see also | references | footnotes | citations | notes and references | references and notes
        | explanatory notes | works cited | further reading | external links | external link | external sources
        | references and further reading | bibliography and further reading | general references | cited references""",
    "de": """einzelnachweise | weblinks | siehe auch | fußnoten | einzelnachweise und anmerkungen
        | anmerkungen und einzelnachweise | literatur und weblinks | weiterführende literatur""",
    "fr": """voir aussi | références | notes et références | liens externes | articles connexes | lien externe
        | liens et documents externes | notes, sources et références""",
    "es": "véase también | referencias | enlaces externos | notas y referencias | lecturas adicionales",
    "ar": """انظر أيضا | انظر أيضًا | أنظر أيضا | اقرأ أيضا | مراجع | المراجع | وصلات خارجية | روابط خارجية | هوامش
        | حواشي | مصادر ومراجع | مراجع ومصادر | المراجع والمصادر | هوامش ومراجع | إشارات مرجعية""",
    "he": "ראו גם | קישורים חיצוניים | הערות שוליים | לקריאה נוספת",
    "fa": "جستارهای وابسته | منابع | پانویس | پیوند به بیرون | یادداشت‌ها",
    "it": "voci correlate | collegamenti esterni | altri progetti",
    "pt": "ver também | referências | ligações externas | notas e referências | leitura adicional",
    "nl": "zie ook | externe links | externe link | bronnen, noten en/of referenties | referenties",
    "ru": "см. также | примечания | ссылки | сноски",
}
#: These may also name a part of the subject ("Sources of vitamin C"), so only a main section of that name is left out.
_MAIN = {
    "en": "notes | note | sources | bibliography | literature | gallery | citations and notes | links",
    "de": "literatur | quellen | anmerkungen | nachweise | belege | galerie",
    "fr": "notes | sources | bibliographie | annexes | galerie",
    "es": "bibliografía | notas | fuentes | galería",
    "ar": "ملاحظات | مصادر | المصادر | معرض الصور",
    "he": "הערות | ביבליוגרפיה | מקורות | גלריה",
    "fa": "نگارخانه | کتاب‌شناسی",
    "it": "bibliografia | note | fonti",
    "pt": "bibliografia | notas | fontes",
    "nl": "bronnen | noten | literatuur",
    "ru": "литература | источники",
}
_HIGHEST_PART = 3


def is_boilerplate(heading: str, level: int, language: str = "") -> bool:
    """Whether the section under that heading holds no prose; ``level``: 2 for a main section, 3 for its part.

    The names are those of ``language`` (of its first part, ``"pt"`` of ``"pt-BR"``) and English; of all languages
    where that one is not known.
    """
    plain = " ".join(_EDGES.sub("", heading).split()).casefold()
    code = language.split("-", maxsplit=1)[0].casefold()
    names = _NAMES.get(code, _ALL)
    return plain in names[0] or (level < _HIGHEST_PART and plain in names[1])


def _split(names: str) -> frozenset[str]:
    return frozenset(" ".join(name.split()).casefold() for name in names.split("|"))


_NAMES = {
    code: (_split(f"{_SURE[code]}|{_SURE['en']}"), _split(f"{_MAIN[code]}|{_MAIN['en']}")) for code in sorted(_SURE)
}
_ALL = (frozenset().union(*(sure for sure, _ in _NAMES.values())), frozenset().union(*(m for _, m in _NAMES.values())))
