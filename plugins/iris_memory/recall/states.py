"""Questions for how something is now, or was last, answered by what is said of it last."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from llama_index.core.schema import TextNode

from ragstone.core import Corpus
from ragstone.core.answering import Overview
from ragstone.core.text import quoted_title, stems

from .. import fields
from ..periods import Period, period_in
from .asked import Asked, topic_of
from .texts import STATUS, decisions, found_texts, has_sentence, late_texts, name_of, quoted, searched, with_all

#: "Is the pump still leaking?", "Is the pump leaking now?", "What is the latest on the pump?": what is said of it last,
#: in so many days.
_NOW = r"(?: (?:(?:right )?now|currently|again|yet|at the moment))"
_STATE = re.compile(
    r"\W*(?:(?:is|are|does|do|has|have) (?P<thing>[^?]{1,80}?) (?:(?:still|currently) (?P<state>[^?]{1,80})"
    rf"|(?P<now>\w+ing|ok(?:ay)?|fine|broken|fixed|back|\w+(?={_NOW})){_NOW}?)"
    r"|(?:what(?:['’]s| is) the |any )?(?:latest|status|news) (?:on|about|of|with) (?P<about>[^?]{1,80}))\W*\Z",
    re.IGNORECASE,
)
#: Words for any state: what was said last of the thing answers.
_ANY_STATE = frozenset(stems("working runs ok okay fine broken fixed back"))
_LATELY, _LAST, _LONG = 30, 3, 366
#: "When did the pump last leak?": the last day, in so many, of which that is said.
_LAST_TIME = re.compile(
    r"\W*when (?:did|was|were|has|have) (?![^?]*\b(?:it|he|she|they|them)\b|(?:this|that|these|those)\b)"
    r"(?=[^?]*\b(?:last|latest|most recent))",
    re.IGNORECASE,
)
_TIMES = frozenset(stems("last latest recent recently time"))
_NOT_DENIED = r"(?s)\A(?!.*(?:\b(?:not|never)\b|n['’]t\b))"
#: "Who was at the last meeting?", "What did we order last?", "Where did we last buy rope?"
_LAST_OF = re.compile(
    r"\W*(?:what|which|who(?:m|se)?|where|how(?! (?:long|often|many times)))\b"
    r"(?=[^?]*\b(?:did|was|were|has|have|had|came|took|\w{3,20}ed)\b)(?P<asked>[^?]{0,120}?)"
    r"(?:(?<!since )(?<!before )(?<!after )\b(?:the|our|my|your) (?:very )?(?:last|latest|most recent)"
    r" (?!(?:name|time|word|day|week|month|year)\b)(?P<thing>[^?]{1,80}?)"
    r"|(?<!the )(?<!our )(?<!my )(?<!your )\b(?:last|most recently)\b"
    r"(?! (?:night|week|weekend|month|year|spring|summer|autumn|winter)\b)(?P<done>[^?]{0,80}))\W{0,9}\Z",
    re.IGNORECASE,
)
#: "Who was at the meeting in May?"
_PRESENT = re.compile(
    r"\W*who(?: all)? (?:was|were|came|attended|took part|has been)(?: present| there)?(?: at| to| in)? (?:the|our) "
    r"(?P<thing>(?=[^?]*\b(?:meeting|assembly|session|conference|workshop|course|training|call|party|dinner)\b)"
    r"[^?]{1,80}?)\W*\Z",
    re.IGNORECASE,
)
#: "How big was the last backup?": its size need not be called so.
_MEASURES = frozenset(stems("big large high much many old tall heavy deep wide fast"))
#: Words of a question for who took part, or what it was: the whole answers.
_WHOLE = frozenset(
    stems("people take part attend attended present there participate participants discuss talked topics agenda")
)


def last_said(corpus: Corpus, question: str, filters: Mapping[str, str]) -> Overview | None:
    """What was said of a thing last, the latest first; ``None`` where nothing lately says that it was in that state."""
    said = _STATE.match(question)
    if said is None:
        return None
    topic = topic_of(said["thing"] or said["about"])
    asked, found = late_texts(corpus, filters, topic, _LATELY)
    if "status" in question.casefold() and any(
        asked.is_about(text) and STATUS.search(text)
        for text in (node.get_content() for node in searched(corpus, question))
    ):
        return None  # a note says it by that name
    state = frozenset(stems(said["state"] or said["now"] or "")) - _ANY_STATE
    known = [node for node in found if state.issubset(stems(node.get_content()))]
    is_known = has_sentence(with_all([*asked.topic, *state]), known) if said["now"] else bool(known)
    return quoted(asked, "Said last:", found[:_LAST]) if is_known else None


def last_time(corpus: Corpus, question: str, filters: Mapping[str, str]) -> Overview | None:
    """The last sentences that have all words of a question for the last time, or for the last of a kind, in a text with
    a date, those that deny it left out; of a kind that the titles of such texts name the last of them."""
    if _LAST_TIME.match(question):
        return _last_sentences(corpus, tuple(stem for stem in stems(question) if stem not in _TIMES), filters)
    if of_kind := _LAST_OF.match(question):
        kind = tuple(stems(of_kind["thing"] or ""))
        beside = tuple(stem for stem in stems(of_kind["asked"]) if stem not in _MEASURES)
        if not kind:
            kind, beside = (*beside, *stems(of_kind["done"] or "")), ()
        asked = Asked(question, Period.of_last(_LONG), (), False, False, kind)
        found = _last_entry(corpus, asked, filters, beside)
        return found or _last_sentences(corpus, (*topic_of(" ".join(beside)), *kind), filters)
    period, rest = period_in(question, datetime.now(UTC).date())
    if present := _PRESENT.match(rest):
        period = period or Period.of_last(_LONG)
        return _last_entry(corpus, Asked(question, period, (), False, False, tuple(stems(present["thing"]))), filters)
    return None


def _last_sentences(corpus: Corpus, topic: tuple[str, ...], filters: Mapping[str, str]) -> Overview | None:
    asked, found = late_texts(corpus, filters, topic, _LONG)
    said = with_all(topic, _NOT_DENIED)
    last = next((node for node in found if has_sentence(said, [node])), None)
    return replace(quoted(asked, "Said last:", [last]), preferred=said) if last else None


def _last_entry(
    corpus: Corpus, asked: Asked, filters: Mapping[str, str], beside: tuple[str, ...] = ()
) -> Overview | None:
    """The last note or log of the days with all words of the topic in its path or title: its sentences with the stems
    beside. ``None`` where they are of more than the whole, and none has them."""
    found = [
        node
        for node in reversed((found_texts(corpus, filters, asked) if asked.topic else None) or ())
        if node.metadata[fields.DOC_TYPE] in ("note", "log") and asked.is_about(name_of(node))
    ]
    last = [node for node in reversed(found) if _entry(node) == _entry(found[0])]
    wanted = [stem for stem in beside if stem not in _WHOLE]
    topic = topic_of(" ".join(wanted))
    said = next((each for each in (with_all(wanted), with_all(topic)) if has_sentence(each, last)), None)
    if not last or (topic and said is None):
        return None
    title, day = str(last[0].metadata[fields.TITLE]), str(last[0].metadata.get(fields.DAY) or "")
    introduction = f"{quoted_title(title)}{f' ({day})' if day and day not in title else ''}:"
    return decisions(asked.question, replace(quoted(asked, introduction, last), preferred=said if wanted else None))


def _entry(node: TextNode) -> tuple[object, object]:
    return node.ref_doc_id, node.metadata.get(fields.DAY)
