"""What of a page is not its text: one list of elements, and one of sections by their headings."""

from __future__ import annotations

import re
from typing import Any

#: By reason: elements (``style``), classes (``.navbar``) and their prefixes (``.navbox*``), ids (``#toc``), roles
#: (``role=note``, which is how hatnotes are marked) and types of Parsoid (``mw:Extension/ref``).
#:
#: Infoboxes are among them: rows of facts without a sentence, which prove no question, and the lead repeats
#: what matters in them. A box of a class that is not here (a pull quote) is text.
_DROPPED = {
    "element": """style script noscript template head title meta link nav aside picture img svg audio video object
        iframe canvas map form button input select textarea datalist dialog embed applet frame frameset rp colgroup""",
    "footnote mark": """.mw-ref .reference .mw-reflink-text .mw-linkback-text .mw-cite-backlink .inline-template
        .template-fact .need_ref .need_ref_tag .appel mw:Extension/ref""",
    "references": """.references .mw-references .mw-references-wrap .reflist .refbegin .references-small
        .mw-references-columns mw:Extension/references""",
    "hatnote": """.hatnote .dablink .rellink .relarticle .mainarticle .seealso .selfreference .hauptartikel
        .sieheauch .bksdiv .homonymie .bandeau-homonymie .loupe role=note""",
    "navigation": """.navbar .sidebar .vertical-navbox .navframe .toc .toclimit-2 .toclimit-3 .catlinks .portal
        .portalbox .portal-bar .bandeau-portail .sistersitebox .sister-box .side-box .sisterlinks .sisterproject
        .commonscat .authority-control .succession-box .mw-jump-link .printfooter .contentsub .subpages .stub
        .topicon .mw-indicators .navigation-not-searchable role=navigation role=search role=menu role=banner
        role=complementary #toc #catlinks .navbox* .sidebar-*""",
    "infobox": ".taxobox .biota .infobox*",
    "box": """.metadata .ambox .tmbox .ombox .cmbox .fmbox .imbox .mbox-small .messagebox .bandeau-container
        .bandeau-article .noprint .noexcerpt .nomobile .searchaux .mw-empty-elt .z3988 .shortdescription .user-block
        .outdent-template mw:Extension/indicator #sitesub .ambox-*""",
    "error": ".error .mw-ext-cite-error .cs1-hidden-error .cs1-maint .cs1-visible-error .citation-comment",
    "edit link": """.pcs_edit_section_link_container .pcs-edit-section-link-container .pcs_edit_section_link
        .pcs-edit-section-link .mw-editsection*""",
    "coordinates": ".geo-nondefault .geo-multi-punct .geo-inline-hidden .coordinates-title #coordinates",
    "gallery": ".gallery .mw-gallery-traditional .mw-gallery-packed mw:Extension/gallery",
    "picture": """.magnify .noviewer .ext-phonos .mw-tmh-player .spoken-wikipedia mw:Extension/timeline
        mw:Extension/imagemap mw:Extension/score""",
    "collapsed": """.pcs-collapse-table-collapsed_container .pcs-collapse-table-collapsed_bottom
        .pcs-collapse-table-collapsed-container .pcs-collapse-table-collapsed-bottom""",
    "style": "mw:Extension/templatestyles",
    "form": "mw:Extension/inputbox",
}
_REASONS = {token: reason for reason, tokens in _DROPPED.items() for token in tokens.split()}
_PREFIXES = tuple((token[1:-1], reason) for token, reason in _REASONS.items() if token.endswith("*"))
_HIDDEN = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_MARK = re.compile(r"\s*\[\s*(?:\d{1,4}|[a-z]{1,2}|\w{1,20} \d{1,3}|citation needed)\s*\]\s*")
#: The reason of a template that the wiki does not have; its name stands where its words would.
MISSING = "missing template"
_TEMPLATE = re.compile(
    r"(?:Template|Vorlage|Modèle|Plantilla|Predefinição|Sjabloon|Шаблон|قالب|תבנית|الگو):\S", re.IGNORECASE
)
_LONGEST = 2000
_MOST_CLASSES = 60


def drop_reason(element: Any, name: str) -> str | None:
    """In a word or two why nothing of the element is text; ``None`` where it is."""
    if name in _REASONS:
        return _REASONS[name]
    known = element.attrib
    if not known:
        return _mark(element, name)
    types = [kind for kind in (known.get("typeof") or "")[:_LONGEST].split() if kind.startswith("mw:")]
    why = next((_REASONS[token] for token in (f"role={known.get('role')}", *types) if token in _REASONS), None)
    why = why or _by_class((known.get("class") or "")[:_LONGEST]) or _REASONS.get(f"#{known.get('id', '').casefold()}")
    if why:
        return why
    if name == "a" and "new" in (known.get("class") or "").split() and _TEMPLATE.match(element.text or ""):
        return MISSING  # a wiki that has a page but not all of its templates shows their names as links
    # Sections and tables that a mobile page folds are hidden only until they are touched.
    classes = known.get("class") or ""
    folded = name == "section" or "wikitable" in classes or classes.startswith("pcs")
    if not folded and ("hidden" in known or _HIDDEN.search((known.get("style") or "")[:_LONGEST])):
        return "hidden"
    return _mark(element, name)


def _by_class(classes: str) -> str | None:
    for given in classes.casefold().split()[:_MOST_CLASSES]:
        if f".{given}" in _REASONS:
            return _REASONS[f".{given}"]
        for prefix, why in _PREFIXES:
            if given.startswith(prefix):
                return why
    return None


def _mark(element: Any, name: str) -> str | None:
    """A footnote mark without a class."""
    return "footnote mark" if name == "sup" and _MARK.fullmatch("".join(element.itertext())[:_LONGEST]) else None


_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
#: Headings of sections of references, links or lists of books, at any level, in the languages of the wikis.
_HEADINGS = {
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
_MAIN_HEADINGS = {
    "en": """notes | note | sources | bibliography | literature | gallery | citations and notes | links | publications
        | selected publications | selected bibliography | books | filmography | discography""",
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
    code: (_split(f"{_HEADINGS[code]}|{_HEADINGS['en']}"), _split(f"{_MAIN_HEADINGS[code]}|{_MAIN_HEADINGS['en']}"))
    for code in sorted(_HEADINGS)
}
_ALL = (frozenset().union(*(sure for sure, _ in _NAMES.values())), frozenset().union(*(m for _, m in _NAMES.values())))
