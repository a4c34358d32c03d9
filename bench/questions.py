"""Two hundred questions over the stored chunks, the same ones each time: from sections, sentences and elsewhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

Chunk = dict[str, Any]

_OF_SECTIONS = (
    "What is {}?",
    "How does {} work?",
    "Explain {}.",
    "What are the main points about {}?",
    "Why does {} matter?",
    "What has to be considered for {} in practice?",
)
_OF_SENTENCES = (
    "Is it true that {}?",
    "What does the book say about this: {}?",
    "{}: where does that come from?",
    "What follows from the fact that {}?",
)
#: A fifth of all questions is about something else, as it is with readers.
_ELSEWHERE = """\
What is the capital of Mongolia?
Who won the 1998 football world cup?
How do I bake a sourdough bread with rye flour?
What is the best opening against the Sicilian defence?
Who painted the ceiling of the Sistine Chapel?
How much does a train ticket from Paris to Lyon cost?
What are the rules of offside?
Who wrote the Brandenburg concertos?
How do I file an income tax return in Canada?
What is the plot of Macbeth?
Which wine goes with grilled salmon?
When was the Treaty of Westphalia signed?
How tall is the Burj Khalifa?
What is the exchange rate between the yen and the euro?
How do I change the strings of a classical guitar?
Who was the second president of the United States?
What is a haiku?
How do I remove a coffee stain from a wool carpet?
Which language is spoken in Suriname?
What does a notary do?
How many strings does a sitar have?
What is the difference between a stock and a bond?
Who directed Seven Samurai?
What time zone is Auckland in?
How do I knit a cable stitch?
What was the Marshall Plan?
Where can I buy second-hand furniture?
Who invented the saxophone?
What are the lyrics of Yesterday?
How do I apply for a Schengen visa?
What is the offside trap in hockey?
Which airline flies from Oslo to Tromsø?
How long should I boil an egg?
What is the meaning of the tarot card The Tower?
Who is the patron saint of Ireland?
How do mortgages with a fixed rate differ from others?
What is the oldest university in Europe?
How do I prune a rose bush in spring?
What is a sonnet's volta?
Who holds the record for the marathon?
"""
_SENTENCE = re.compile(r"[A-Z][^.!?\n|`#<>\[\]]{40,160}(?=\.(?:\s|$))")
_NUMBERING = re.compile(r"^[\d.:\s]+")


def questions_over(chunks: Sequence[Chunk], count: int = 200) -> list[str]:
    """Two fifths from section titles, two fifths from first sentences, over all chunks; the rest out of scope."""
    elsewhere = _ELSEWHERE.splitlines()[: count // 5]
    own = count - len(elsewhere)
    of_sections = _spread_over(chunks, own // 2, _section, _OF_SECTIONS)
    of_sentences = _spread_over(chunks, own - len(of_sections), _sentence, _OF_SENTENCES)
    kinds = (of_sections, of_sentences, elsewhere)
    # One kind after the other in turn, so that none is asked while the machine is busier.
    order = sorted(
        (index / len(kind), number, index) for number, kind in enumerate(kinds) for index in range(len(kind))
    )
    return [kinds[number][index] for _, number, index in order]


def _spread_over(
    chunks: Sequence[Chunk], count: int, matter: Callable[[Chunk], str | None], forms: Sequence[str]
) -> list[str]:
    found = list(dict.fromkeys(text for chunk in chunks if (text := matter(chunk)) is not None))
    step = max(1.0, len(found) / count)
    picked = [found[int(number * step)] for number in range(min(count, len(found)))]
    return [forms[number % len(forms)].format(text) for number, text in enumerate(picked)]


def _section(chunk: Chunk) -> str | None:
    title = _NUMBERING.sub("", str(chunk["section"] or "").split("\u203a")[-1]).strip(" *`?")
    return title if len(title) > 3 else None


def _sentence(chunk: Chunk) -> str | None:
    match = _SENTENCE.search(chunk["text"])
    if match is None:
        return None
    words = match[0].split()[:14]
    return " ".join([words[0] if words[0].isupper() else words[0].lower(), *words[1:]])
