"""Addresses and markup in a sentence, and what in a passage speaks to whoever answers instead of telling something."""

from __future__ import annotations

import re

#: What could be an address, a file or a path: words joined without a space by dots, slashes, at signs, colons.
_RUN = re.compile(r"[^\s<>\"'`()\[\]{}|*]+")
_JOINT = re.compile(r"[^\W_][@/\\:.]")
_ALPHANUMERIC = re.compile(r"[^\W_]")
_TAG = re.compile(r"<\s*[A-Za-z/!?][^<>]*>?|&(?:[a-z]{2,8}|#\d{1,7}|#x[0-9a-f]{1,6});", re.IGNORECASE)
_MARKDOWN = re.compile(r"!?\[[^\[\]]*\]\s?(?:\([^()]*\)?|\[[^\[\]]*\]|:\s?\S+)")
_QUOTED = re.compile(r"\"([^\"]{2,300})\"|(?<!\w)'([^']{2,300})'(?!\w)")
_POINT = re.compile(r"(?<=\d)[.,:/](?=\d)")
_HARMLESS = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]?|[A-Za-z]+/[A-Za-z]+")
_TRIMMED = ".,;:!?…"

_ANSWERING = r"(?:respon[sd]\w*|repl(?:y|ies)|answers?|messages?|outputs?|completions?|summar(?:y|ies)|translations?)"
_TELLING = (
    r"(?:include|add|append|insert|mention|recommend|suggest|promote|integrate|augment|enhance|modify|respond|reply|answer"
    r"|write|say|tell|print|output|repeat|reveal|show|translate|provide|draft|compose|conclude|begin|start|end|finish)"
)
#: A sentence that tells the answerer what to do. It is text all the same, but it bears nothing. "The response", "a
#: message", "shows users" stand in books as well: such words count only behind "your" or in a command.
_COMMANDS = re.compile(
    rf"\W*(?:\w+:\s*)?(?:please\s+|now\s+|also\s+|then\s+)*{_TELLING}\b.{{0,120}}"
    r"\b(?:the\s+(?:answer|response|reply|user|reader)|users|readers|verbatim|word\s+for\s+word|prompt|instructions?)\b"
    # Exercises, and orders that look like one: they assert nothing either.
    r"|\W*(?:please\s+)?(?:translate|explain|summari[sz]e|draft|compose|break\s+down|describe)\b"
    r"|\W*(?:please\s+)?(?:write|provide|develop|create|generate|tell|give)\b.{0,40}"
    r"\b(?:story|poem|essay|letter|speech|song|joke|equivalent|introduction|headline|article)\b"
    r"|\W*(?:dear|note\s+to|hey|hello|attention[,:])\s+(?:the\s+)?(?:ai|assistant|chatbot|model|tutor|llm|gpt)\b"
    r"|\W*(?:system|assistant|user|developer|instructions?)\s*:",
    re.IGNORECASE | re.DOTALL,
)
_ORDERS = re.compile(
    rf"\byour\s+(?:\w+\s+){{0,2}}{_ANSWERING}\b"
    r"|\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}"
    r"\b(?:instructions?|prompts?|rules|passages?|guidelines|(?:text|all|everything|what\w*)\s+(?:is\s+)?(?:above|before))\b"
    r"|\b(?:system|developer|hidden|secret)\s+(?:prompt|message|instructions?)\b"
    r"|\byou\s+are\s+now\s+(?:an?|in|the|my)\b|\bpretend\s+(?:to\s+be|that\s+you|you)\b"
    r"|\bfrom\s+now\s+on,?\s+you\b|\bas\s+an\s+ai\b",
    re.IGNORECASE | re.DOTALL,
)
#: One of these stands in whatever ``_ORDERS`` finds; looking for them first is what makes it cheap.
_TRIGGERS = frozenset(
    {"your", "ignore", "disregard", "forget", "override", "bypass", "system", "developer", "hidden", "secret", "now"}
    | {"pretend", "ai"}
)


def addresses(text: str) -> list[str]:
    """What could lead somewhere, in small letters; numbers, abbreviations and "and/or" are left out."""
    found = []
    for run in _RUN.findall(text):
        piece = run.strip(_TRIMMED)
        # Without the points within numbers: they are compared as such.
        if _is_joined(_POINT.sub("", piece)) and not _HARMLESS.fullmatch(piece):
            found.append(piece.casefold())
    return found


def _is_joined(run: str) -> bool:
    """Whether a sign that joins words stands between two letters or digits of the run."""
    joint = _JOINT.search(run)
    return joint is not None and _ALPHANUMERIC.search(run, joint.end()) is not None


def markup(text: str) -> list[str]:
    """HTML, entities and Markdown's links and images, as they stand."""
    return [match.group().casefold() for pattern in (_TAG, _MARKDOWN) for match in pattern.finditer(text)]


def quoted(text: str) -> list[str]:
    """What stands between quotation marks."""
    return [match[1] or match[2] for match in _QUOTED.finditer(text)]


def gives_orders(sentence: str, words: frozenset[str]) -> bool:
    """Whether the sentence speaks to the one who answers. ``words``: its words in small letters."""
    if _COMMANDS.match(sentence):
        return True
    return not _TRIGGERS.isdisjoint(words) and _ORDERS.search(sentence) is not None
