"""Questions for mails, answered by their headers, and by what they say."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from llama_index.core.schema import TextNode

from ragstone.core import Corpus
from ragstone.core.answering import Overview
from ragstone.core.text import counted, listed, quoted_title, shown_title

from .. import fields
from ..parsers.node_parser import day_in_words
from .asked import Asked, topic_of
from .chunk import writer_of
from .texts import KINDS, found_texts, quoted

#: Mails of a writer that are quoted.
_MAILS = 3
#: "Which mails are not answered?", "Which mails wait for my reply?"
_WHICH = re.compile(
    r"\W*(?:which|what|list|show(?: me)?|how many|(?:are|is) there)\b(?=[^?]*\b(?:e-?)?mails?\b)", re.IGNORECASE
)
_UNANSWERED = re.compile(
    r"\b(?:un(?:answered|replied)|(?:not|never)\b[^?]{0,20}\b(?:answered|replied)(?: to)?"
    r"|without (?:an? |any )?(?:answer|reply|response))\b"
    r"|n['’]t\b[^?]{0,30}\b(?:answer(?:ed)?|repl(?:y|ied)(?: to)?)\b"
    r"|\b(?:wait|need|want|expect|require|await|(?:have|must|should|still) (?:I|we|to)?)\w*\b"
    r"[^?]{0,20}\b(?:answer(?:ed)?|reply|replies|response)(?: to)?\b",
    re.IGNORECASE,
)
#: What asks its reader for something.
_ASKS = re.compile(r"\?|\bplease\b|\b(?:let|tell) (?:me|us)\b|\b(?:I|we) need\b", re.IGNORECASE)
_ASKED = re.compile(r"\bask(?:s|ed|ing)?\b|\bwants? to know\b", re.IGNORECASE)
_NOT_OWN = re.compile(r"\AFrom: (?:.+\n)+|^>.*$", re.MULTILINE)
_FROM_ME = re.compile(r"\b(?:from|by|for) (?:me|us)\b|\b(?:my|our|yet|still|so far|do I|there)\b", re.IGNORECASE)
#: "When did I last write to Ana?", "What did we write to Ana about the paint?"
_TO = re.compile(
    r"\W*(?i:when|what|did|have)\b[^?]*\b(?i:I|we) (?:last |ever |already )?(?:wr(?:ite|ote|itten)|mail(?:ed)?|sen[dt])"
    r"(?: an? (?:e-?)?mail)?(?: to)? (?P<name>[^\W\d_][\w.@-]*(?: [A-Z]\w+)?)(?: (?:about|on) (?P<topic>[^?]{1,80}?))?"
    r"(?: last)?\W{0,9}\Z",
)
_ANSWER = re.compile(r"\s*(?:(?:re|aw|antw|sv|fwd?|wg)\s*:\s*)+", re.IGNORECASE)


def of_mails(found: Sequence[TextNode], asked: Asked) -> Overview | None:
    """What the question asks of these mails; ``None`` where none of them is about it."""
    mails = {key: nodes for key, nodes in _by_mail(found).items() if asked.is_about("\n".join(map(_searched, nodes)))}
    when = f" of {asked.period}" if asked.period else ""
    if not mails:
        return Overview(f"The memory has no mail{when}.", ()) if asked.period and not asked.topic else None
    if asked.is_of_answers:
        mails = {key: nodes for key, nodes in mails.items() if _is_answer(nodes[0])}
        if not mails:
            return Overview(
                f"The memory has no mail{when} from {listed(map(shown_title, asked.senders))} that answers another.", ()
            )
    if asked.counts:
        return Overview(f"The memory has {counted(mail=len(mails))}{when}.", ())
    asking = {key: nodes for key, nodes in mails.items() if any(map(_is_asking, nodes))}
    if asks := bool(asking) and not asked.topic and bool(_ASKED.search(asked.question)):
        mails, when = asking, f"{when} that ask for something"
    latest = list(mails.values())[: 1 if asked.takes_latest else _MAILS]
    is_one = len(latest) == 1
    titles = listed(_about(nodes[0], asked) for nodes in (latest if is_one else mails.values()))
    introduction = f"{titles}:" if is_one else f"The memory has {counted(mail=len(mails))}{when}: {titles}."
    if asked.lists and not is_one:
        return Overview(introduction, ())
    quotes = quoted(asked, introduction, [node for nodes in latest for node in nodes])
    # One mail is quoted with what its requests refer to.
    return _with_requests(quotes, None if is_one else _ASKS) if asks else quotes


def written_to(corpus: Corpus, question: str, filters: Mapping[str, str]) -> Overview | None:
    """The mails of the memory's owner to the one that the question names; ``None`` for another question, and where no
    mail is like that."""
    said = _TO.match(question)
    if said is None:
        return None
    asked = Asked(question, None, (), True, False, topic_of(said["topic"] or ""))
    owner = _owner(nodes[0] for nodes in _by_mail(found_texts(corpus, filters, asked) or ()).values())
    found = found_texts(corpus, {**filters, "to": said["name"]}, asked) or ()
    own = [node for node in found if _address(node) == owner]
    return of_mails(own, asked) if own else None


def unanswered(corpus: Corpus, question: str, filters: Mapping[str, str]) -> Overview | None:
    """The mails that ask for something and have no answer in the memory, the latest first, those of its owner left out,
    with what they ask for, and how many others have none. ``None`` for another question."""
    said = _UNANSWERED.search(question) if _WHICH.match(question) else None
    if said is None:
        return None
    topic = topic_of(_FROM_ME.sub(" ", f"{question[: said.start()]} {question[said.end() :]}"))
    asked = Asked(question, None, (), True, False, topic)
    mails = _by_mail(found_texts(corpus, filters, asked) or ())
    heads = [nodes[0] for nodes in mails.values()]
    owner = _owner(heads)
    is_answered = _answered(heads)
    found = [
        nodes
        for nodes in mails.values()
        if _address(nodes[0]) != owner
        and not is_answered(nodes[0])
        and asked.is_about("\n".join(map(_searched, nodes)))
    ]
    asking = [nodes for nodes in found if any(map(_is_asking, nodes))]
    number = f"{counted(mail=len(asking))} that ask{'s' * (len(asking) == 1)} for something"
    if not asking:
        number = counted(mail=len(found)) if found else "no mail"
    others = f", {counted(other=len(found) - len(asking))}" if asking and len(found) > len(asking) else ""
    titles = listed(_about(nodes[0], asked) for nodes in asking or found)
    introduction = f"Without an answer in the memory: {number}{others}.{f' {titles}.' if titles else ''}"
    return _with_requests(quoted(asked, introduction, [node for nodes in asking for node in nodes]))


def _with_requests(found: Overview, preferred: re.Pattern[str] | None = _ASKS) -> Overview:
    return replace(found, preferred=preferred or found.preferred, kinds=KINDS | {"question"})


def _by_mail(found: Iterable[TextNode]) -> dict[tuple[object, ...], list[TextNode]]:
    """The chunks of each mail, the first with its header first; the latest mail first."""
    mails: dict[tuple[object, ...], list[TextNode]] = {}
    for node in reversed([*found]):
        known = node.metadata
        key = (node.ref_doc_id, known.get(fields.MESSAGE_ID) or known.get(fields.DATE))
        mails.setdefault(key, []).insert(0, node)
    return mails


def _owner(mails: Iterable[TextNode]) -> str | None:
    """The address that wrote or got more than half of the mails."""
    known = [{_address(mail), *str(mail.metadata.get(fields.RECIPIENTS) or "").split()} for mail in mails]
    address, number = next(iter(Counter(each for mail in known for each in mail).most_common(1)), ("", 0))
    return address if address and number > len(known) / 2 else None


def _address(mail: TextNode) -> str:
    return str(mail.metadata.get(fields.SENDER) or mail.metadata.get(fields.FROM) or "")


def _answered(heads: Iterable[TextNode]) -> Callable[[TextNode], bool]:
    """A function that tells whether a mail is answered by one of these of another writer: by its header, or as a later
    one with the mail's subject to the mail's writer."""
    repliers: dict[object, set[str]] = defaultdict(set)
    latest: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for each in heads:
        writer = _address(each)
        repliers[each.metadata.get(fields.IN_REPLY_TO)].add(writer)
        for recipient in str(each.metadata.get(fields.RECIPIENTS) or "").split():
            dates = latest[_subject(each), recipient]
            dates[writer] = max(dates.get(writer, 0.0), _date(each))

    def is_answered(mail: TextNode) -> bool:
        writer, number = _address(mail), mail.metadata.get(fields.MESSAGE_ID)
        if number and repliers.get(number, set()) - {writer}:
            return True
        dates = latest.get((_subject(mail), writer), {})
        return any(date > _date(mail) for other, date in dates.items() if other != writer)

    return is_answered


def _subject(mail: TextNode) -> str:
    return _ANSWER.sub("", str(mail.metadata.get(fields.SUBJECT))).strip().casefold()


def _date(mail: TextNode) -> float:
    return fields.number(mail.metadata, fields.DATE) or 0.0


def _is_asking(mail: TextNode) -> bool:
    """Whether its text asks for something, without its header and what it answers."""
    return bool(_ASKS.search(_NOT_OWN.sub("", mail.get_content())))


def _searched(mail: TextNode) -> str:
    return f"{mail.metadata.get(fields.SUBJECT)}\n{mail.get_content()}"


def _is_answer(mail: TextNode) -> bool:
    known = mail.metadata
    return bool(known.get(fields.IN_REPLY_TO)) or str(known.get(fields.SUBJECT)).casefold().startswith(("re:", "aw:"))


def _about(mail: TextNode, asked: Asked) -> str:
    """The subject, the writer and the day of a mail, and what is attached, where that is asked for."""
    known = mail.metadata
    date = fields.number(known, fields.DATE)
    beside = [shown_title(writer_of(mail)), day_in_words(date) if date is not None else ""]
    if asked.is_of_attachments and (names := known.get(fields.ATTACHMENTS)):
        beside.append(f"attached: {shown_title(str(names))}")
    return f"{quoted_title(str(known.get(fields.SUBJECT) or known[fields.TITLE]))} ({', '.join(filter(None, beside))})"
