"""Relations between two things in sentences, and the questions for them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ..records import BLANK
from .definitions import is_subject
from .sentences import Sentence, stands_alone
from .spelling import gives_away, stem_set

#: Verbs of a relation: of several, of one, in the past; "-" for a form that is mostly a noun.
_ACTIVES = """
    consist of, consists of, consisted of; contain, contains, contained; comprise, comprises, comprised;
    -, causes, caused; -, results in, resulted in; -, results from, resulted from; lead to, leads to, led to;
    depend on, depends on, depended on; -, measures, -; -, produces, produced; require, requires, required;
    convert, converts, -; prevent, prevents, prevented; deal with, deals with, -;
    represent, represents, -; feed on, feeds on, -; derive from, derives from, -; -, enables, -; eat, eats, -;
    store, stores, -; form, forms, -; protect, protects, -; regulate, regulates, -; catalyze, catalyzes, -;
    carry, carries, -; transport, transports, -; absorb, absorbs, -; release, releases, -; study, studies, -
"""
_PASSIVES = (
    "composed of|made of|made up of|derived from|named after|based on|used for|used to|used as"
    "|divided into|classified as|classified into|known for|formed from|located in|born in|found in|measured in"
    "|responsible for|required for|needed for|(?:[a-z]{3,}ed|built|held|led|made|won|written) by"
)
_PLACES = ("located in", "born in")

#: What persons do, and things do not.
_BY_PERSONS = ("assassinated", "built", "conquered", "created", "defeated", "designed", "developed", "directed",
               "discovered", "elected", "founded", "introduced", "invented", "led", "painted", "proposed", "published",
               "succeeded", "won", "written")  # fmt: skip


def _asked_by() -> dict[str, str]:
    """For each form of a verb: "does", "do" or "did", and its base."""
    found: dict[str, str] = {}
    for forms in _ACTIVES.split(";"):
        several, one, past = (" ".join(form.split()) for form in forms.split(","))
        verb, space, rest = one.partition(" ")
        base = several if several != "-" else f"{verb.removesuffix('s')}{space}{rest}"
        found |= {several: f"do {base}", one: f"does {base}", past: f"did {base}"}
    found.pop("-", None)
    return found


_ASKED_BY = _asked_by()
_BEFORE_VERB = (
    r"^(?P<subject>(?:(?:An?|The)\s)?[^,;:()“”\"]{2,60}?)(?:\s\([^()]{1,80}\))?(?:,\s[^,;:.]{2,80},)?\s"
    r"(?:(?P<be>is|are|was|were)\s)?(?:(?:also|mainly|primarily|best|then|thus)\s)?"
)
_RELATION = re.compile(
    rf"{_BEFORE_VERB}(?P<verb>{_PASSIVES}|{'|'.join(sorted(_ASKED_BY, key=len, reverse=True))})\s(?P<object>[^;:]+?)\.$"
)
#: Where what is asked for is over and something else begins.
_NEW_CLAUSE = re.compile(
    r",?\sand\s(?:appears?|play|maintain|help|serve|uses?|act|provide|allow|does|do|is|are|was|were|has|have|had|can|may|will|presumably|so|thus|often|then|it|they|he|she)\s|"
    r",\sand\s\w+ed\s(?:to|as|by|in|for|on)\s|,?\sand\s(?:the|an?|its|their|his|her)\s\w+\s(?:is|are|was|were|has|have|had)\s|"
    r",?\s(?:but|although|though|while|whereas|because|since|where they|where it|which means|so that|unless|however)\s"
    r"|,\s(?:which|who|where|when|as|with|making|including|such as|if|the|a|an|it|he|she|they|leading|resulting)\s"
)
#: "The coordination of the lungs, the ribs and the diaphragm" is no list to be cut.
_LIST_GOES_ON = re.compile(r",\s(?:an?|the)\s[^.;]*\band\b")
_LAST_ASIDE = re.compile(r",?\s\([^()]*\)$")
#: The day and the year of a birth, behind its place or in its stead.
_TIME = re.compile(r",?\s(?:on|in)\s(?:[A-Z][a-z]+\s)?\d")
_NO_OBJECT = re.compile(
    r"(?:of|is|are|was|were|out|and|or|which|that|to|by|has|have|many|several|some|this|it|both|over|more|about|around|nearly|whether|approximately|all|every|each"
    # "Deltas form under water": the verb has no object.
    r"|long|wide|high|in|on|at|by|from|for|with|under|during|through|along|near|between|within|if|as|because|while|after|before)\b|['‘“\"]"
    # "four major water masses": which, only another sentence says.
    r"|\d[\d.,]*\s?(?:%|per\s?cent)"
    r"|(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve)(?:\s[^\s,]+){1,3}$"
)
#: Before the verb: what is so at times is asked for as if it always were.
_HEDGE = re.compile(r"\b(?:usually|generally|typically|commonly|frequently|often|sometimes|normally|mostly|rarely)$")
#: Before a noun that looks like a verb: "Reproduction takes many forms in the sea."
_BEFORE_NOUN = re.compile(r"\b(?:many|several|some|few|various|different|other|such|all|both|two|three|four|five)$")
_PLURALS = frozenset({"people", "men", "women", "children", "bacteria", "data", "fungi", "algae", "media", "mice"})
#: What is so of a thing's history is none of its own relations.
_ASPECT = re.compile(
    r"(?:The\s)?(?:concept|idea|notion|history|development|importance|role|success|origins?|beginnings?)\sof\s"
)
_LONGEST = 22
#: What is so, and why; a comma within the first would leave open which part of it the reason is for.
_BECAUSE = re.compile(
    r"(?P<effect>[^\s,;:()“”\"]+(?: [^\s,;:()“”\"]+){4,20}?),? because (?!of\b)(?P<cause>[^;:“”\"]+)\.$"
)
#: The reason is for what another sentence says, or for its being said.
_NO_EFFECT = re.compile(
    r"\b(?:that|whether|if|is|are|was|were|be|not|only|not only|simply|just|perhaps|partly|or)$|\sthat\s"
)
_STEMS_OF_CAUSE = 3
#: "The capital of Angola is Luanda", "Its capital is Luanda": a name, or what is the only one.
_ATTRIBUTE = re.compile(
    r"(?:The (?P<what>[a-z][\w '’-]{2,60}?) of (?P<subject>(?:(?:the|an?) )?[^,;:()“”\"]{2,50}?)"
    r"|(?:Its|His|Her) (?P<whose>[a-z][\w '’-]{2,60}?)) (?P<be>is|are|was|were) "
    r"(?P<object>(?:the (?!same\b|subjects?\b|most\b|least\b|best\b)|(?=[A-ZÀ-Þ]))[^;:]+?)\.$"
)
#: What only its text says, or what may be another one when it is asked.
_NO_ATTRIBUTE = re.compile(
    r"\b(?:aspects?|cases?|concept|current|development|examples?|history|idea|importance|majority|member|notion|parts?"
    r"|reasons?|remainder|rest|results?|role|story|stud(?:y|ies)|success|use|way|works?)\b"
)
_PERSONS = re.compile(
    r"\b(?:author|brother|builder|child|children|composer|creator|daughter|discoverer|editor|father|founder|husband|inventor"
    r"|king|leader|mother|parent|partner|president|queen|ruler|sister|son|student|successor|teacher|wife|writer)s?$"
)
_NAME = re.compile(r"[A-ZÀ-Þ][\w’'-]*(?: [A-ZÀ-Þ][\w’'-]*){0,3}")
_ATTRIBUTE_ENDS = re.compile(
    r",\s(?:\w+(?:ed|ing)|born|built|found|held|known|led|made|set|written|and (?:its|his|her|their)(?: \w+){1,2},)\s"
)


@dataclass(frozen=True)
class Relation:
    """What ``text[start:end]`` of a sentence says of ``subject``, which has its article; ``question``: for that."""

    sentence: Sentence
    subject: str
    #: With "{}" in the subject's place.
    question: str
    start: int
    end: int


def relation_of(sentence: Sentence) -> Relation | None:
    """The sentence as a relation of its subject; ``None`` where it is none."""
    match = _RELATION.match(sentence.text)
    if match is None or _HEDGE.search(match["subject"]) or _ASPECT.match(match["subject"]):
        return None
    if _BEFORE_NOUN.search(match["subject"]):
        return None
    if (match["verb"] in _ASKED_BY) == bool(match["be"]) or not _agrees(match):
        return None
    article = re.match(r"(?:An?|The)\s", match["subject"])
    if not is_subject(match["subject"][article.end() if article else 0 :], article and article[0]):
        return None
    start, end = match.span("object")
    for cut in (_NEW_CLAUSE.search(sentence.text, start, end), _LAST_ASIDE.search(sentence.text, start, end)):
        end = min(end, cut.start()) if cut else end
    if match["verb"] == "born in":
        time = _TIME.search(sentence.text, start - len(" in "), end)
        end = min(end, time.start()) if time else end
    answer = sentence.text[start:end]
    if _LIST_GOES_ON.match(sentence.text, end):
        return None
    if not stem_set(answer) or len(answer.split()) > _LONGEST or answer.count("(") != answer.count(")"):
        return None
    if _NO_OBJECT.match(answer):
        return None
    start -= len("to ") * (match["verb"] == "used to")  # "What is it used for? To measure …"
    return Relation(sentence, match["subject"], _question(match), start, end)


def cause_of(sentence: Sentence) -> Relation | None:
    """The reason that a sentence gives for what it says; ``None`` where it gives none. ``subject``: what is so."""
    match = _BECAUSE.match(sentence.text)
    if match is None or _NO_EFFECT.search(match["effect"]) or " because " in match["cause"]:
        return None
    if len(match["cause"].split()) > _LONGEST:
        return None
    if len(stem_set(match["cause"]) - stem_set(match["effect"])) < _STEMS_OF_CAUSE:
        return None
    return Relation(sentence, match["effect"], "Why is it that {}?", *match.span("cause"))


def attribute_of(sentence: Sentence, owner: str, known: frozenset[str]) -> Relation | None:
    """What the sentence says that an attribute of its subject is, of which there is one; ``None`` where it does not.

    ``owner``: what "its" at its beginning stands for, empty if that is not known; ``known``: see ``stands_alone``.
    """
    match = _ATTRIBUTE.match(sentence.text)
    if match is None:
        return None
    what, name = _without_name(match["what"] or match["whose"])
    subject = match["subject"] or owner
    # Who holds an office today may be another one when it is asked.
    is_person = _PERSONS.search(what) is not None
    if not subject or _NO_ATTRIBUTE.search(what) or (is_person and match["be"] in {"is", "are"}):
        return None
    if name and not is_person:
        return None
    start, end = match.span("object")
    alone = f"The {what.split()[-1]} of {subject} {sentence.text[match.start('be') :]}"
    for cut in (_NEW_CLAUSE.search(sentence.text, start, end), _ATTRIBUTE_ENDS.search(sentence.text, start, end)):
        end = min(end, cut.start()) if cut else end
    answer = sentence.text[start:end]
    if not stands_alone(replace(sentence, text=alone), known) or len(answer.split()) > _LONGEST:
        return None
    if not stem_set(answer) or answer.count("(") != answer.count(")") or gives_away(f"{what} {subject}", answer):
        return None
    asked = f"{name}, the {what} of {{}}" if name else f"the {what} of {{}}"
    question = f"{'Who' if is_person else 'What'} {match['be']} {asked}?"
    # A name is typed as it is written.
    return Relation(sentence, subject, f"{question} {BLANK}" if _NAME.fullmatch(answer) else question, start, end)


def _without_name(what: str) -> tuple[str, str]:
    """What an attribute is called, and the name behind that: "father" and "Philip" of "father Philip"."""
    name = re.search(rf" ({_NAME.pattern})$", what)
    return (what[: name.start()], name[1]) if name else (what, "")


def _agrees(match: re.Match[str]) -> bool:
    """Whether the verb fits to its subject's number: else it was a noun, and the verb comes later."""
    head = re.split(r"\s(?:of|in|for|from|with|and)\s", match["subject"])[0]
    joined = " and " in match["subject"]
    several = joined or (head.endswith("s") and not head.endswith(("ss", "us", "is", "ics"))) or head in _PLURALS
    if match["be"]:
        return several or match["be"] in {"is", "was"}
    does = _ASKED_BY[match["verb"]].partition(" ")[0]
    return does == "did" or several == (does == "do")


def _question(match: re.Match[str]) -> str:
    verb, be = match["verb"], match["be"]
    if not be:
        clause = re.match("where|when", match["object"])  # "Deltas form where a river slows"
        return "{} {} {{}} {}?".format(clause[0].capitalize() if clause else "What", *_ASKED_BY[verb].split(" ", 1))
    if verb in _PLACES:
        return f"Where {be} {{}} {verb.removesuffix(' in')}?"
    may_be_person = verb.endswith(" by") and verb.startswith(_BY_PERSONS)
    return f"{'Who or what' if may_be_person else 'What'} {be} {{}} {'used for' if verb == 'used to' else verb}?"
