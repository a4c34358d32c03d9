"""What a question asks, without the words around it: "Can you explain X in simple words?" is "Explain X"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .versions import with_other_numerals

#: Words for a work as a whole.
WORKS = (
    r"(?:book|text|textbook|manual|guide|course|tutorial|document|documentation|specification|spec|paper|report|article"
    r"|standard|notes|handbook|glossary|dictionary|thesis|essay|faq|primer|booklet|treatise|monograph"
    r"|agreement|contract|lease|policy|ordinance|regulations?|rules|rulebook|brochure|leaflet|catalogu?e|syllabus|sheet"
    r"|novel|story|game)"
)
_THE_WORK = rf"(?:this|the|that|these|your)(?: \w+)? (?:{WORKS}|chapter|author)s?"
_SAYS = r"(?:say|tell (?:me|us)|teach(?: me| us)?|write|mention|state|cover)"
#: A question of which only the topic counts: no text says that it says something about it.
_ABOUT = re.compile(
    rf"^\W*(?:what (?:do|does|did) (?:it|they|{_THE_WORK}) {_SAYS}"
    r"|what do (?:you|we|i) know|(?:please )?tell (?:me|us)(?: more)?|what can you tell (?:me|us)"
    r"|what is (?:said|written)(?: here)?"
    r"|(?:what are |list |give me |name )?(?:the )?(?:key|main|most important) (?:takeaways?|points|ideas|messages))"
    r" (?:about|on|of|regarding|concerning|from|for) (?:the (?:topic|subject|chapter) (?:of |on )?)?(.{2,200}?)\W*$",
    re.IGNORECASE,
)
#: "Does the book mention X?", "does it say anything about X?"
_MENTIONS = re.compile(
    rf"^\W*(?:does|do|did) (?:it|they|{_THE_WORK}) (?:{_SAYS}|discuss|explain"
    r"|describe|address|contain)(?: (?:anything|something|much|more|a word))?(?: (?:about|on|of))?"
    r" (?!(?:about|on|of|how|what|when|where|which|who|why|that|if|whether|not)\b)(.{2,200}?)\W*$",
    re.IGNORECASE,
)
_PART = r"(?:chapter|section|part|page|unit|lesson|article|note|document)s?"
_TREATED = r"(?:explain|discuss|describ|cover|treat|introduc|mention|defin|present|address)"
_TREATS = (
    rf"(?:{_TREATED}(?:s|es|e)?|(?:talk|speak|write|deal|read|learn)s? (?:about|of|on|with)|(?:is|are) (?:about|on))"
)
_READER = r"(?:can|could|do|should|would|might) (?:i|we|you|one)"
#: "Which chapter is about X?", "Where can I read about X?", "In which section is X explained?", "Is X covered?"
_PLACE = re.compile(
    rf"^\W*(?:(?:which|what) {_PART}(?: (?:of|in) {_THE_WORK})? (?:should (?:i|we|you|one) read to (?:learn|know"
    rf"|understand)(?: more)?(?: about)?|{_TREATS})"
    rf"|where (?:{_READER} (?:read|learn|find (?:out|something|anything|information|details?|more))(?: more)?"
    r" (?:about|on)"
    rf"|(?:do|does|did) (?:it|they|{_THE_WORK}) {_TREATS})"
    rf"|(?:(?:is|are) there|do you (?:have|know)) (?:an? {_PART}|anything|something) (?:about|on|for)"
    rf"|(?:does|has) (?:it|{_THE_WORK}) (?:have )?(?:an? {_PART}|anything|something) (?:about|on)"
    rf"|(?:where|(?:in )?(?:which|what) {_PART}) (?:is|are)(?= .{{2,200}} {_TREATED}(?:ed|d)\b)"
    rf"|(?:is|are)(?= .{{2,200}} (?:covered|discussed|treated|mentioned)\W*(?:here|(?:in|by) (?:it|{_THE_WORK}))?\W*$))"
    rf" (?:the (?:topic|subject) (?:of )?)?(.{{2,200}}?)(?: {_TREATED}(?:ed|d)\b)?"
    rf"(?: (?:here|(?:in|by) (?:it|{_THE_WORK})))?\W*$",
    re.IGNORECASE,
)
#: "How can I reach Ana Berg?"
_CONTACT = re.compile(
    rf"^\W*(?:how|where) {_READER} (?:reach|contact|call|phone|get in touch with|get hold of) (.{{2,80}}?)\W*$",
    re.IGNORECASE,
)
_REACHED_BY = ("phone number", "e-mail address")
#: What a table has a column for, by the superlatives that ask for its greatest or least value.
_COLUMNS = {
    "noise": "loudest|noisiest|quietest",
    "weight": "heaviest|lightest",
    "price": "cheapest|dearest|(?:most|least) expensive",
    "height": "tallest|highest|lowest",
    "length": "longest|shortest",
    "width": "widest|broadest|narrowest",
    "depth": "deepest|shallowest",
    "speed": "fastest|quickest|slowest",
    "age": "oldest|youngest",
    "power": "strongest|weakest|(?:most|least) powerful",
    "size": "largest|biggest|smallest",
    "temperature": "hottest|warmest|coldest|coolest",
}
_EXTREME, _DEGREE = "|".join(_COLUMNS.values()), r"(?:most|least|fewest|highest|lowest|greatest|largest|smallest)"
_THING = r"(?!(?:one|of)\b)[\w-]+(?: (?!(?:is|are|was|were|has|have|had)\b)[\w-]+)?"
#: "Which model is the loudest?", "What is the cheapest ticket?", "Which model has the most power?"
_ASKS_EXTREME = tuple(
    re.compile(rf"^\W*(?:and |but |so )?{form}\W*$", re.IGNORECASE)
    for form in (
        rf"(?:which|what) (?P<thing>{_THING}) (?:is|are|was|were) (?:the )?(?P<extreme>{_EXTREME})",
        rf"(?:which|what)(?:['’]s| is| are| was| were) the (?P<extreme>{_EXTREME}) (?P<thing>{_THING})",
        rf"(?:which|what) (?P<thing>{_THING}) ha[sd] the {_DEGREE} (?P<column>[\w-]+(?: [\w-]+)?)",
    )
)
#: "And", "what about" before what is asked.
LEAD = re.compile(r"^\W*(?:(?:and|but|so|then|also|ok)\b\W*)?(?:(?:what|how) about\b\W*)?", re.IGNORECASE)
_ITS, _IT = re.compile(r"\bits (\w+)", re.IGNORECASE), re.compile(r"\bit\b", re.IGNORECASE)
_NAMES_WORK = re.compile(rf"\b{_THE_WORK}\b", re.IGNORECASE)
#: A part that was named, and what means it or the one beside it: "Summarize it", "And the next one?", "next".
_NAMES_PART = re.compile(r"\b(?:chapter|section|appendix|unit|lesson)\b", re.IGNORECASE)
_SUMMED_UP = re.compile(
    r"(\b(?:summari[sz]e|summary of|overview of|outline) "
    r"|\bwhat(?:['’]s| is| does| happens in) (?=\w+ (?:about|cover)\b))"
    r"(?:it|that)(?= about\b| cover\b|\W*$)",
    re.IGNORECASE,
)
_ONE_OF_PARTS = re.compile(
    r"\bthe (next |following |previous |preceding |last )one\b|\bthe one(?= (?:before|after)\b)", re.IGNORECASE
)
_BARE_STEP = re.compile(r"^\W*(?:what (?:comes|is) )?(?:the )?(next|previous)(?:\W+please)?\W*$", re.IGNORECASE)
_ASKS_WHAT_IT_IS = re.compile(r"^\W*what(?:['’]s| is| was) it\W*$", re.IGNORECASE)
#: How the answer is to be worded, which changes nothing where the text's own sentences are quoted.
_MANNER = (
    r"(?:(?:in|with|using) (?:(?:your own|my own|a few|just|very|few|one|two|three|simple|plain|easy|short"
    r"|layman['’]?s) )+"
    r"(?:words?|terms?|language|english|sentences?)|briefly|in (?:short|brief|detail|a nutshell)|step by step"
    r"|to (?:a|my) (?:\w+ )?child|(?:to|for) (?:a|my) (?:\w+ )?(?:beginner|layman)|like i(?:'|’| a)?m (?:five|5|a \w+)"
    r"|please|thank(?:s| you))"
)
_TELL = r"(?:tell|explain|describe|define|summari[sz]e|list|name|give|show|compare|outline)"
#: What may stand before and behind a question, up to three of each.
_AROUND = 3 * (
    re.compile(
        r"^\W*(?:(?:(?:so|hi|hello|hey|well|ok(?:ay)?|great|nice|perfect|got it|i see|yes|sure)\b"
        rf"|(?:many thanks|thank(?:s| you)) (?:a lot|(?:so|very) much))[,.!]\W*|{_MANNER}\b\W+"
        rf"|(?:can|could|would|will) you (?=(?:please )?{_TELL}\b)"
        r"|i(?: would|['’]d)? (?:like|want|need) (?:you )?to (?:know|understand|learn)(?: about)? )",
        re.IGNORECASE,
    ),
    re.compile(rf"(?<![\s,])[\s,]+{_MANNER}\W*$", re.IGNORECASE),
)
#: "Tell me what X is", "Do you know what X means?"
_INDIRECT = re.compile(
    r"^\W*(?:(?:do you know|tell (?:me|us)|explain(?: to (?:me|us))?) )?(what|who|where|when)"
    r" ((?!(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b)\w"
    r"(?:(?!\b(?:is|are|was|were)\b).){0,80}?) (is|are|was|were|means?)\W*$",
    re.IGNORECASE,
)
#: "What's", also without its apostrophe, and "doesnt".
_IS = re.compile(r"\b(what|who|where|when|how)['’]?s\b(?! (?:been|got)\b)", re.IGNORECASE)
_NOT = re.compile(r"\b(do|does|did|is|are|was|were|ca|could|wo|would|has|have|had|should)nt\b", re.IGNORECASE)
#: What asks for a reason, an example, or to go on, in words that the text has not.
_GOING_ON = tuple(
    (re.compile(rf"\W*(?:(?:and|but|so|ok(?:ay)?)\W+)?(?:{words})\W*", re.IGNORECASE), plain)
    for plain, words in {
        "Why?": r"how come|why so|why['’]?s that|what for|for what(?: reason)?",
        "Give me an example.": (
            r"such as|like what|like|for (?:example|instance)|e\.?g"
            r"|(?:can|could|would) you (?:give|show)(?: (?:me|us))? (?:an? |some )examples?(?: of (?:that|this|it))?"
        ),
        "Tell me more.": (
            r"(?:anything|something) (?:else|more)|is (?:that|this) (?:all|it|everything)|huh|pardon|what|hm+|continue"
            r"|(?:i )?(?:don['’]?t|did(?: not|n['’]?t)|do not) (?:understand|get|follow)(?: that| this| it)?"
            r"|more|in other words|tl;?dr"
        ),
    }.items()
)


def going_on(question: str) -> str:
    """The question; "Why?", "Give me an example." or "Tell me more." for one that asks that in other words."""
    return next((plain for form, plain in _GOING_ON if form.fullmatch(question)), question)


def topic_of(question: str) -> str | None:
    """X in "What does the book say about X?", "Does it mention X?", "the key points of X", "Which chapter is about X?";
    ``None`` for another one."""
    found = _ABOUT.match(question) or _MENTIONS.match(question)
    return found[1] if found else place_asked(question)


def place_asked(question: str) -> str | None:
    """X in "Which chapter is about X?", "Where can I read about X?", "Is X covered?"; ``None`` for another one."""
    found = _PLACE.match(question)
    return found[1] if found else None


def about_source(question: str, earlier: Sequence[str]) -> str:
    """The question without "and" or "what about" before it; "it" as "this text", where the earlier questions, the
    latest last, are about the text itself, or where there are none, and as "that chapter" where one names a chapter."""
    question = reworded(LEAD.sub("", question, count=1) or question)
    for before in reversed(earlier):
        named = _NAMES_PART.search(before)
        if named and (of_part := _of_part(question, named[0], bool(place_asked(before)))) != question:
            return of_part
        if _NAMES_WORK.search(before):
            break
        if not (_IT.search(before) or _ITS.search(before) or _ONE_OF_PARTS.search(before) or _BARE_STEP.match(before)):
            return question
    return _IT.sub("this text", _ITS.sub(r"the \1 of this text", question))


def _of_part(question: str, part: str, is_place: bool) -> str:
    """The question with "that chapter" for "it", and "the next chapter" for "the next one". ``is_place``: the part was
    asked for as the place of something else, which "it" may be too."""
    question = _ONE_OF_PARTS.sub(rf"the \1{part}", _BARE_STEP.sub(rf"the \1 {part}", question))
    if is_place or _ASKS_WHAT_IT_IS.match(question):
        return _SUMMED_UP.sub(rf"\1that {part}", question)
    return _IT.sub(f"that {part}", _ITS.sub(rf"the \1 of that {part}", question))


def reworded(question: str) -> str:
    """The question without the words around it, and a direct one: "Could you tell me what X is?" and "whats X" →
    "what is X"."""
    question = _NOT.sub(r"\1n't", _IS.sub(r"\1 is", question))
    for pattern in _AROUND:
        shorter = pattern.sub("", question)
        question = shorter if len(shorter.split()) > 1 else question
    if indirect := _INDIRECT.match(question):
        word, subject, verb = indirect.groups()
        return f"{word} does {subject} mean?" if verb.startswith("mean") else f"{word} {verb} {subject}?"
    return question


def other_wordings(question: str) -> list[str]:
    """Other ways to ask the same, of which texts may know one alone: a ruler's or a war's number written otherwise,
    what someone is reached by, and the column of a table with the greatest or least value that is asked for."""
    numbered, contact = with_other_numerals(question), _CONTACT.match(question)
    reached_by = [f"What is the {what} of {contact[1]}?" for what in _REACHED_BY] if contact else []
    extremes = [found.groupdict() for form in _ASKS_EXTREME if (found := form.match(question))]
    of_each = [f"What is the {_column_of(asked)} of each {asked['thing']}?" for asked in extremes]
    return ([] if numbered == question else [numbered]) + reached_by + of_each


def _column_of(asked: Mapping[str, str]) -> str:
    extreme = asked.get("extreme", "")
    return asked.get("column") or next(name for name, form in _COLUMNS.items() if re.fullmatch(form, extreme, re.I))
