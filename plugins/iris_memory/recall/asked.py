"""What a question for days, mails or the whole memory asks for: the days, who wrote, and about what."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice, takewhile

from ragstone.core import Corpus
from ragstone.core.text import stems, with_forms

from ..periods import Period, period_in
from .filters import senders_named

_MAIL = re.compile(r"\b(?:e-?)?mails?\b|\bwho (?:wrote|sent)(?: to)? (?:me|us)\b", re.IGNORECASE)
_NO_TOPIC = re.compile(rf"{_MAIL.pattern}|['’]s\b", re.IGNORECASE)
_NAME_WORD = r"[^\W\d_][\w.@-]*(?:['’](?!s\b)\w+)?"
#: Where a name begins, once in a run of letters and signs; "@" is no part of the name in "@Ana".
_BEGINS = r"(?<![\w.@-])[.@-]*"
#: Who wrote: "from Ana Berg", "did Ana write", "Ana's last mail".
_SENDER = re.compile(
    rf"\b(?:from|by) (?P<behind>{_NAME_WORD}(?: {_NAME_WORD}){{0,3}})"
    rf"|{_BEGINS}(?P<verb>{_NAME_WORD}(?: (?!last ){_NAME_WORD}){{0,3}}?) (?:last )?"
    r"(?:wr(?:ite|ote|itten)|sen[dt]|sa(?:id|y)|ask|want|need|answer|repl(?:y|ie)|respond"
    r"|tell|told|report|suggest|propose|offer|mention|request"
    r"|e?-?mail)(?:s|d|ed)?\b"
    rf"|{_BEGINS}(?P<owner>{_NAME_WORD}(?: {_NAME_WORD}){{0,3}})['’]s (?:\w+ )?(?:e-?)?mails?\b",
    re.IGNORECASE,
)
#: So many who wrote are looked up, each among all senders of mails.
_MOST_SENDERS = 8
#: "What is Ana's mail?" asks for her address.
_ADDRESS = re.compile(r"(?:\bis|['’]s) [^?]{1,60}['’]s? e-?mail\W*$", re.IGNORECASE)
#: What asks for a mail, beside the word.
_WRITES = re.compile(r"\b(?:wr(?:ite|ote|itten)|sen[dt])\b", re.IGNORECASE)
_MEMORY = re.compile(r"\b(?:memory|files)\b", re.IGNORECASE)
#: What asks for more than what was written of something.
_ASKS_MORE = re.compile(r"\b(?:when|where|why|needs?|how(?! many (?:e-?)?mails?\b)|who(?:m|se)?)\b", re.IGNORECASE)
#: "Which documents does Ana need?"
_ASKS_WHICH = re.compile(
    r"\W*(?:which|what) (?!(?:do|does|did|e?-?mails?)\b)\w+ (?:do|does|did) [^?]{1,80} (?:needs?|wants?)\b",
    re.IGNORECASE,
)
_COUNT = re.compile(r"\bhow many\b", re.IGNORECASE)
_LIST = re.compile(r"\b(?:which|list|mails)\b", re.IGNORECASE)
_LATEST = re.compile(r"\b(?:latest|last|newest|most recent)\b", re.IGNORECASE)
_ANSWERS = re.compile(r"\b(?:answer|repl(?:y|ie)|respond)", re.IGNORECASE)
_ATTACHED = frozenset(stems("attached"))
#: Stems of words around these in a question that asks for nothing else.
_FRAME = frozenset(
    stems(
        "anything change changed email mail come came contain contains date decide decided decision doing done give go"
        " going happen happened"
        " know last latest list log mention message mostly new newest news receive recent say said send sent show"
        " something still subject summarise summarize summary us write wrote written"
    )
)


@dataclass(frozen=True)
class Asked:
    """What a question asks for, besides words that ask."""

    question: str
    period: Period | None
    #: The writers of mails that it names, as their headers have them.
    senders: tuple[str, ...]
    is_of_mails: bool
    #: Of everything, which neither days nor mails are named of.
    is_of_all: bool
    #: Stems of its other words: each of what answers has them all.
    topic: tuple[str, ...]
    #: A name of which no mail is; no other field counts then.
    unknown: str = ""

    @property
    def names_mails(self) -> bool:
        """Whether the question has a word for mails or for writing them."""
        return self.is_of_mails or bool(_WRITES.search(self.question) or _ANSWERS.search(self.question))

    @property
    def counts(self) -> bool:
        """Whether the number of the mails is asked for."""
        return bool(_COUNT.search(self.question))

    @property
    def lists(self) -> bool:
        """Whether mails are to be named, without what is in them."""
        return bool(_LIST.search(self.question))

    @property
    def takes_latest(self) -> bool:
        """Whether the latest mail alone is asked for."""
        return bool(_LATEST.search(self.question))

    @property
    def is_of_answers(self) -> bool:
        """Whether someone's mails that answer others are asked for: "Did Ana answer?"."""
        return bool(self.senders and _ANSWERS.search(self.question))

    @property
    def is_of_attachments(self) -> bool:
        """Whether what is attached to the mails is asked for."""
        return _ATTACHED.issubset(self.topic)

    def is_about(self, text: str) -> bool:
        """Whether the text has the words of the topic."""
        known = frozenset(stems(text) if self.topic else ())
        return not any(known.isdisjoint(with_forms(stem)) for stem in self.topic)


def topic_of(words: str) -> tuple[str, ...]:
    """The stems of the words, without those that only ask."""
    return tuple(stem for stem in stems(_NO_TOPIC.sub(" ", words)) if stem not in _FRAME)


def asked_of(corpus: Corpus, question: str) -> Asked | None:
    """What the question asks for; ``None`` for a question with other words."""
    if _ADDRESS.search(question):
        return None
    period, rest = period_in(question, datetime.now(UTC).date())
    is_of_mails = bool(_MAIL.search(rest))
    senders, rest, unknown = _sender(corpus, " ".join(rest.split()))
    if unknown:
        is_of_writer = (is_of_mails or _WRITES.search(question)) and not topic_of(rest.replace(unknown, " "))
        return Asked(question, period, (), is_of_mails, False, (), unknown) if is_of_writer else None
    if senders and not is_of_mails and _ASKS_WHICH.match(question):
        return None
    is_of_all = not (period or is_of_mails or senders) and bool(_MEMORY.search(rest))
    topic = topic_of(_MEMORY.sub(" ", rest) if is_of_all else rest)
    if not (period or is_of_mails or is_of_all or senders) or (topic and (is_of_all or _ASKS_MORE.search(rest))):
        return None
    return Asked(question, period, senders, is_of_mails, is_of_all, topic)


def _sender(corpus: Corpus, question: str) -> tuple[tuple[str, ...], str, str]:
    """The writers that the question names, its other words, and a name in it where only such wrote no mail."""
    unknown = ""
    for named in islice(_SENDER.finditer(question), _MOST_SENDERS):
        group = str(named.lastgroup)
        is_behind, words = group == "behind", named[group].split(" ")
        sizes = reversed(range(1, len(words) + 1))
        for name in (" ".join(words[:size] if is_behind else words[-size:]) for size in sizes):
            if not _FRAME.issuperset(stems(name)) and (senders := senders_named(corpus, name)):
                first = named.start() if is_behind else named.end(group) - len(name)
                last = named.start(group) + len(name) if is_behind else named.end()
                return senders, f"{question[:first]} {question[last:]}", ""
        nearest = words if is_behind else words[::-1]
        names = list(takewhile(lambda word: word[0].isupper() and not _FRAME.issuperset(stems(word)), nearest))
        unknown = unknown or " ".join(names if is_behind else names[::-1])
    return (), question, unknown
