"""Kinds of the parts of a mail's text, and of an agent's own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ragstone.core.text import StatedKind, section_kind, sentence_spans

from .. import fields
from .sections import LINE

#: The lines above a mail's text, as ``MailReader`` writes them.
_MAIL_HEADER = re.compile(r"(?:(?:From|To|Cc|Date|Subject|Attached): .*(?:\n|\Z))+")
#: What a mail quotes of the one that it answers.
_ANSWERED = re.compile(r"(?:^>.*(?:\n|\Z))+", re.MULTILINE)
#: Sentences of an answer above the mail that it answers.
_SHORT_ANSWER = 4
#: An item that can be ticked off.
TASK = re.compile(r"(?<=\S )\[[ xX]\] .*")
#: A phone number, which a few words with it say.
_PHONE = re.compile(r"(?<![\w.-])\+?\d(?:[ ()/]{0,2}\d){6,}(?![\w.-]*\d)")
#: "Could you send the list?", which says what its writer wants; "Did you send it?" and "Why?" say nothing.
_REQUEST = re.compile(
    r"(?:(?:and|but|so|also|please|hi|hello)\b\W{1,3})?(?:can|could|would|will|may|might|shall) (?!have\b)\w.*\?$",
    re.IGNORECASE | re.DOTALL,
)


def kinds_in_mail(words: str) -> list[StatedKind]:
    """Of its header, its requests, the lines below its writer's name, and what it quotes."""
    header = _MAIL_HEADER.match(words)
    body = header.end() if header else 0
    found: list[StatedKind] = [(0, body, "metadata")] if header else []
    for answered in (*_ANSWERED.finditer(words, body), None):
        for start, end in sentence_spans(words, body, answered.start() if answered else len(words)):
            if _REQUEST.match(words[start:end]):
                found.append((start, end, "request"))
            elif _PHONE.search(words, start, end) and words[end - 1] not in ".!?":  # below the writer's name
                found.append((start, end, "metadata"))
        if answered:
            # Another wrote it: it answers only where nothing else does, and a question, which the mail answers, never.
            quoted = sentence_spans(words, answered.start(), answered.end())
            found += [(start, end, "question" if words[end - 1] == "?" else "caption") for start, end in quoted]
            body = answered.end()
    return found


def asked_below(mail: str, kinds: Sequence[StatedKind]) -> str:
    """The only question in what a short answer quotes below it; "" where that asks none."""
    quoted = [(start, end, kind) for start, end, kind in kinds if kind in ("caption", "question")]
    asked = [mail[start:end] for start, end, kind in quoted if kind == "question"]
    if len(asked) != 1 or quoted[-1][1] < len(mail.rstrip()):
        return ""
    own = mail[: quoted[0][0]].partition("\n\n")[2]
    # Without a header, who wrote it, and "Hello Ann,".
    last = re.split(r"^>?\s*\n|^.{0,40},\n|:\n", asked[0], flags=re.MULTILINE)[-1]
    return re.sub(r"(?:^|\n)> ?", " ", last).strip() if len([*sentence_spans(own)]) <= _SHORT_ANSWER else ""


def kinds_in_text(words: str, known: Mapping[str, Any]) -> list[StatedKind]:
    """Of an agent's own text: what is to be done is what it says, no task for its reader, and a line of a log or a chat
    needs no full stop."""
    is_to_do = section_kind(known[fields.HEADING_PATH].rpartition(fields.SEPARATOR)[2]) == "navigation"
    found: list[StatedKind] = [(*task.span(), "request") for task in TASK.finditer(words)]
    found = found or [(*line.span(), "explanation") for line in LINE.finditer(words) if _PHONE.search(line[0])]
    is_plain = is_to_do or known[fields.DOC_TYPE] == "log"
    return [(0, len(words), "explanation")] if is_plain and not TASK.search(words) else found
