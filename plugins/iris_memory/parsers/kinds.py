"""Kinds of text that the memory's files state by their form: headers, requests and quotes of mails, tasks, items."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragstone.core.text import StatedKind, section_kind, sentence_spans

from .. import fields

#: The lines above a mail's text, as ``MailReader`` writes them.
_MAIL_HEADER = re.compile(r"(?:(?:From|To|Cc|Date|Subject|Attached): .*(?:\n|\Z))+")
#: What a mail quotes of the one that it answers.
_ANSWERED = re.compile(r"(?:^>.*(?:\n|\Z))+", re.MULTILINE)
#: Sentences of an answer above the mail that it answers.
_SHORT_ANSWER = 4
#: A phone number, which a few words with it say.
_PHONE = re.compile(r"(?<![\w.-])\+?\d(?:[ ()/]{0,2}\d){6,}+(?![\w.-]*\d)")
_ITEM = r"[ \t]{0,20}(?:[-*+]|\d{1,9}[.)])[ \t]"
#: An item of a list in its first line, or a paragraph.
_PART = re.compile(rf"^{_ITEM}.*|(?:^(?!{_ITEM})[ \t]*[^\s#|].*\n?)+", re.MULTILINE)
#: What says something without a verb: an item of three words, and what has a number or an address.
_SAYS = re.compile(rf"\A{_ITEM}[ \t]*\S+[ \t]+\S+[ \t]+\S|[\d@]")
#: "Could you send the list?", which says what its writer wants; "Did you send it?" and "Why?" say nothing.
_REQUEST = re.compile(
    r"(?:(?:and|but|so|also|please|hi|hello)\b\W{1,3})?(?:can|could|would|will|may|might|shall) (?!have\b)\w.*\?$",
    re.IGNORECASE | re.DOTALL,
)
#: An item that can be ticked off.
TASK = re.compile(r"(?<=\S )\[[ xX]\] .*")


def kinds_in_mail(words: str) -> list[StatedKind]:
    """Of a mail: its header, what it asks for, the number below its writer's name, and what it quotes."""
    body = header.end() if (header := _MAIL_HEADER.match(words)) else 0
    found: list[StatedKind] = [(0, body, "metadata")] if header else []
    for answered in (*_ANSWERED.finditer(words, body), None):
        for start, end in sentence_spans(words, body, answered.start() if answered else len(words)):
            if _REQUEST.match(words[start:end]):
                found.append((start, end, "request"))
            elif _PHONE.search(words, start, end) and words[end - 1] not in ".!?":  # below the writer's name
                found.append((start, end, "metadata"))
        if answered:
            # Another wrote it: it answers only where nothing else does, and a question, which the mail answers, never.
            body = answered.end()
            quoted = sentence_spans(words, answered.start(), body)
            found += [(start, end, "question" if words[end - 1] == "?" else "caption") for start, end in quoted]
    return found


def asked_below(mail: str, kinds: Sequence[StatedKind]) -> str:
    """The only question in what a short answer quotes below it; "" where that asks none."""
    quoted = [(start, end, kind) for start, end, kind in kinds if kind in ("caption", "question")]
    asked = [mail[start:end] for start, end, kind in quoted if kind == "question"]
    if len(asked) != 1 or quoted[-1][1] < len(mail.rstrip()):
        return ""
    is_short = len([*sentence_spans(mail[: quoted[0][0]].partition("\n\n")[2])]) <= _SHORT_ANSWER
    # Without a header, who wrote it, and "Hello Ann,".
    last = re.split(r"^>?\s*\n|^.{0,40},\n|:\n", asked[0], flags=re.MULTILINE)[-1]
    return re.sub(r"(?:^|\n)> ?", " ", last).strip() if is_short else ""


def kinds_in_text(words: str, heading_path: str, *, is_log: bool) -> list[StatedKind]:
    """Of an agent's own text: what is to be done is what it says, no task for its reader; a line of a log or a chat, an
    item and what has a number need no verb."""
    is_to_do = section_kind(heading_path.rpartition(fields.SEPARATOR)[2]) == "navigation"
    says_all = is_to_do or is_log
    if says_all and not TASK.search(words):
        return [(0, len(words), "explanation")]
    found: list[StatedKind] = []
    for part in _PART.finditer(words):
        if task := TASK.search(part[0]):
            found.append((part.start() + task.start(), part.end(), "request"))
        elif says_all or _SAYS.search(part[0]):
            found.append((*part.span(), "explanation"))
    return found
