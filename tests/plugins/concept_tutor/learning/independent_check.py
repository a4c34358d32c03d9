"""Questions checked by rules of their own: shares no code with what writes them, and needs nothing but ``re``.

    python independent_check.py QUESTIONS.json CHUNKS.json

``QUESTIONS.json``: what ``ragstone tutor questions PLAN --json`` prints. ``CHUNKS.json``: a list of objects with
``chunk_id``, ``page_title``, ``page_url`` and ``content``. Prints a line for each fault; the exit code says whether
there was any.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from functools import cache
from typing import Any

COMMON = frozenset(
    """
    that this with from they have which were been their there when also into than then more most other some
    such only over many being both each about after before where while these those through between under
    during including what whose does did article fills blank name place year number term
    """.split()  # noqa: SIM905 - a list of words, as it is easily read
)
#: Of the words around the key, so many in another sentence with a wrong option make that one right as well.
SHARE = 0.6


@cache
def flat(text: str) -> str:
    """Small letters and digits without accents, single spaces."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(c))
    plain = re.sub(r"(?<=\d),(?=\d\d\d)", "", plain)
    return " ".join(re.findall(r"[^\W_]+(?:\.\d+)?", plain))


def stands_in(piece: str, text: str) -> bool:
    """Whether the words stand in the text, whole and in a row."""
    return bool(flat(piece)) and f" {flat(piece)} " in f" {flat(text)} "


@cache
def frame(text: str, key: str) -> set[str]:
    """The beginnings of the words that tell something, without the key's."""
    left_out = set(flat(key).split())
    words = [word for word in flat(text).split() if word not in left_out and word not in COMMON]
    return {word[:5] for word in words if len(word) > 3 or word.isdigit()}


@cache
def sentences(text: str) -> list[str]:
    """Pieces between full stops; too many cuts do no harm here, for a piece has fewer words to agree by."""
    return [piece for line in text.split("\n") for piece in re.split(r"(?<=[a-z)\]”\"0-9][.!?])\s+(?=[A-Z])", line)]


def faults_of(question: dict[str, Any], chunks: dict[str, dict[str, Any]]) -> list[str]:
    """What is wrong with one question, in words."""
    found: list[str] = []
    span, key, options = question["support"], question["key"], list(question["options"])
    chunk = chunks.get(span["chunk_id"])
    if chunk is None:
        return ["its chunk is not there"]
    if chunk["content"][span["start"] : span["end"]] != span["text"] or not span["text"].strip():
        found.append("its span is not in its chunk")
    if not stands_in(key, span["text"]):
        found.append("its key is not in its span")
    cited = {int(number) for number in re.findall(r"\[(\d+)\]", question["explanation"])}
    offered = {source["index"]: source for source in question["sources"]}
    if not cited or not cited <= set(offered):
        found.append("its explanation cites nothing that it has")
    if chunk["page_url"] not in [source["pageUrl"] for source in offered.values()]:
        found.append("the page of its span is none of its sources")
    if question["form"] != "open" and stands_in(key, question["text"]):
        found.append("its text has its key")
    if question["form"] == "choice":
        found += option_faults(key, options, span["text"], chunks)
    return found


def option_faults(key: str, options: list[str], span: str, chunks: dict[str, dict[str, Any]]) -> list[str]:
    """Options that are one, or none wrong."""
    found: list[str] = []
    if len({flat(option) for option in options}) != len(options) or len(options) < 3:
        found.append("its options are not distinct")
    if [flat(option) for option in options].count(flat(key)) != 1:
        found.append("its key is not one of its options")
    around = frame(span, key)
    for option in options:
        if flat(option) == flat(key):
            continue
        if stands_in(option, span):
            found.append(f"{option!r} stands in the span too")
        if stands_in(option, key) or stands_in(key, option):
            found.append(f"{option!r} is a part of the key, or the key of it")
        for chunk in chunks.values():
            if not stands_in(option, chunk["content"]):
                continue
            for sentence in sentences(chunk["content"]):
                shared = around & frame(sentence, option)
                if len(shared) >= max(2, SHARE * len(around)) and stands_in(option, sentence):
                    found.append(f"{option!r} may be right by {sentence[:100]!r}")
    return found


def main() -> int:
    """Check the files that the command line names."""
    with open(sys.argv[1], encoding="utf-8") as file:  # noqa: PTH123 - nothing but the plainest Python
        questions = json.load(file)
    with open(sys.argv[2], encoding="utf-8") as file:  # noqa: PTH123
        chunks = {chunk["chunk_id"]: chunk for chunk in json.load(file)}
    wrong = [(question["question_id"], fault) for question in questions for fault in faults_of(question, chunks)]
    for question_id, fault in wrong:
        print(question_id, fault)
    print(f"{len(questions)} questions, {len(wrong)} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
