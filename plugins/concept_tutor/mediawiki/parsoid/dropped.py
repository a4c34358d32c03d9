"""What of a page is not its text: by element, role, ``typeof`` and class, before any name is looked at."""

from __future__ import annotations

import re
from typing import Any

_ELEMENTS = frozenset(
    """style script noscript template head title meta link nav aside picture img svg audio video object iframe canvas
    map form button input select textarea datalist dialog embed applet frame frameset rp colgroup""".split()  # noqa: SIM905 - a list of quoted words is harder to read
)
#: ``note`` is how hatnotes are marked.
_ROLES = frozenset({"navigation", "note", "search", "menu", "banner", "complementary"})
_TYPES = {
    "mw:Extension/ref": "footnote mark",
    "mw:Extension/references": "references",
    "mw:Extension/indicator": "box",
    "mw:Extension/templatestyles": "style",
    "mw:Extension/inputbox": "form",
    "mw:Extension/gallery": "gallery",
    "mw:Extension/timeline": "picture",
    "mw:Extension/imagemap": "picture",
    "mw:Extension/score": "picture",
}
#: Infoboxes are among them: rows of facts without a sentence, of which no question can be proved, and the lead says
#: what matters in them. A box of a class that is not here (a pull quote) is text.
_CLASSES = {
    "footnote mark": """mw-ref reference mw-reflink-text mw-linkback-text mw-cite-backlink inline-template template-fact
        need_ref need_ref_tag appel""",
    "references": "references mw-references mw-references-wrap reflist refbegin references-small mw-references-columns",
    "hatnote": """hatnote dablink rellink relarticle mainarticle seealso selfreference hauptartikel sieheauch
        bksdiv homonymie bandeau-homonymie loupe""",
    "navigation": """navbar sidebar vertical-navbox navframe toc toclimit-2 toclimit-3 catlinks portal portalbox
        portal-bar bandeau-portail sistersitebox sister-box side-box sisterlinks sisterproject commonscat
        authority-control succession-box mw-jump-link printfooter contentsub subpages stub topicon mw-indicators
        navigation-not-searchable""",
    "infobox": "infobox infobox_v2 infobox_v3 taxobox biota",
    "box": """metadata ambox tmbox ombox cmbox fmbox imbox mbox-small messagebox bandeau-container bandeau-article
        noprint noexcerpt nomobile searchaux mw-empty-elt z3988 shortdescription user-block outdent-template""",
    "error": "error mw-ext-cite-error cs1-hidden-error cs1-maint cs1-visible-error citation-comment",
    "edit link": """mw-editsection mw-editsection-bracket pcs_edit_section_link_container
        pcs-edit-section-link-container pcs_edit_section_link pcs-edit-section-link mw-editsection-divider""",
    "coordinates": "geo-nondefault geo-multi-punct geo-inline-hidden coordinates-title",
    "gallery": "gallery mw-gallery-traditional mw-gallery-packed",
    "picture": "magnify noviewer ext-phonos mw-tmh-player spoken-wikipedia",
    "collapsed": """pcs-collapse-table-collapsed_container pcs-collapse-table-collapsed_bottom
        pcs-collapse-table-collapsed-container pcs-collapse-table-collapsed-bottom""",
}
_BY_CLASS = {name: why for why, names in _CLASSES.items() for name in names.split()}
_PREFIXES = (
    ("navbox", "navigation"),
    ("infobox", "infobox"),
    ("sidebar-", "navigation"),
    ("ambox-", "box"),
    ("mw-editsection", "edit link"),
)
_BY_ID = {"coordinates": "coordinates", "toc": "navigation", "catlinks": "navigation", "sitesub": "box"}
_HIDDEN = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_MARK = re.compile(r"\s*\[\s*(?:\d{1,4}|[a-z]{1,2}|\w{1,20} \d{1,3}|citation needed)\s*\]\s*")
_LONGEST = 2000
_MOST_CLASSES = 60


def drop_reason(element: Any, name: str) -> str | None:
    """In a word or two why nothing of the element is text; ``None`` where it is."""
    if name in _ELEMENTS:
        return "element"
    known = element.attrib
    if not known:
        return _mark(element, name)
    if known.get("role") in _ROLES:
        return "hatnote" if known["role"] == "note" else "navigation"
    for kind in (known.get("typeof") or "")[:_LONGEST].split():
        if kind in _TYPES:
            return _TYPES[kind]
    why = _by_class((known.get("class") or "")[:_LONGEST])
    if why:
        return why
    if "id" in known and (by_id := _BY_ID.get(known["id"].casefold())):
        return by_id
    # Sections and tables that a mobile page folds are hidden only until they are touched.
    classes = known.get("class") or ""
    folded = name == "section" or "wikitable" in classes or classes.startswith("pcs")
    if not folded and ("hidden" in known or _HIDDEN.search((known.get("style") or "")[:_LONGEST])):
        return "hidden"
    return _mark(element, name)


def _by_class(classes: str) -> str | None:
    for given in classes.casefold().split()[:_MOST_CLASSES]:
        if given in _BY_CLASS:
            return _BY_CLASS[given]
        for prefix, why in _PREFIXES:
            if given.startswith(prefix):
                return why
    return None


def _mark(element: Any, name: str) -> str | None:
    """A footnote mark without a class."""
    return "footnote mark" if name == "sup" and _MARK.fullmatch("".join(element.itertext())[:_LONGEST]) else None
