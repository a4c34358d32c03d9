"""Addresses and markup in a sentence, and what in a passage speaks to whoever answers instead of telling something."""

from __future__ import annotations

import re

#: What could be an address, a file or a path: words joined without a space by dots, slashes, at signs, colons.
_JOINED = re.compile(r"[^\s<>\"'`()\[\]{}|*]*[^\W_][@/\\:.][^\s<>\"'`()\[\]{}|*]*[^\W_][^\s<>\"'`()\[\]{}|*]*")
_TAG = re.compile(r"<\s*[A-Za-z/!?][^<>]*>?|&(?:[a-z]{2,8}|#\d{1,7}|#x[0-9a-f]{1,6});", re.IGNORECASE)
_MARKDOWN = re.compile(r"!?\[[^\[\]]*\]\s?(?:\([^()]*\)?|\[[^\[\]]*\]|:\s?\S+)")
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
_ORDERS = re.compile(
    rf"\byour\s+(?:\w+\s+){{0,2}}{_ANSWERING}\b"
    rf"|^\W*(?:\w+:\s*)?(?:please\s+|now\s+|also\s+|then\s+)*{_TELLING}\b.{{0,120}}"
    r"\b(?:the\s+(?:answer|response|reply|user|reader)|users|readers|verbatim|word\s+for\s+word|prompt|instructions?)\b"
    # Exercises, and orders that look like one: they assert nothing either.
    r"|^\W*(?:please\s+)?(?:translate|explain|summari[sz]e|draft|compose|break\s+down|describe)\b"
    r"|^\W*(?:please\s+)?(?:write|provide|develop|create|generate|tell|give)\b.{0,40}"
    r"\b(?:story|poem|essay|letter|speech|song|joke|equivalent|introduction|headline|article)\b"
    r"|\b(?:ignore|disregard|forget|override|bypass)\b.{0,60}\b(?:instructions?|rules?|prompts?|passages?|above|previous"
    r"|prior|earlier|before|text|everything|all)\b"
    r"|\b(?:system|developer|hidden|secret)\s+(?:prompt|message|instructions?)\b"
    r"|\b(?:you\s+are\s+now|pretend\s+(?:to|that|you)|from\s+now\s+on|as\s+an\s+ai|language\s+model)\b"
    r"|\b(?:dear|attention|note\s+to|hey|hello)\s+(?:the\s+)?(?:ai|assistant|chatbot|model|tutor|llm|gpt)\b"
    r"|^\W*(?:system|assistant|user|developer|instructions?)\s*:",
    re.IGNORECASE | re.DOTALL,
)


def addresses(text: str) -> list[str]:
    """What could lead somewhere, in small letters; numbers, abbreviations and "and/or" are left out."""
    found = []
    for match in _JOINED.finditer(text):
        piece = match.group().strip(_TRIMMED)
        # Without the points within numbers: they are compared as such.
        if _JOINED.fullmatch(_POINT.sub("", piece)) and not _HARMLESS.fullmatch(piece):
            found.append(piece.casefold())
    return found


def markup(text: str) -> list[str]:
    """HTML, entities and Markdown's links and images, as they stand."""
    return [match.group().casefold() for pattern in (_TAG, _MARKDOWN) for match in pattern.finditer(text)]


def gives_orders(sentence: str) -> bool:
    """Whether the sentence speaks to the one who answers."""
    return _ORDERS.search(sentence) is not None
