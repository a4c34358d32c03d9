"""Answers of book chat to the review questions of a textbook: ``python -m bench.textbook BOOK``.

BOOK is a folder of Markdown with multiple-choice exercises as OpenStax' books have them; they are removed before the
book is read, and asked without their options. An answer decides for the option whose words, weighted by IDF, it has the
greatest share of; a tie or no word is a miss. Printed: how often it decides rightly, by its first sentence alone, how
often the first sentence is no prose, and the shares that are refused or only come closest.
"""

from __future__ import annotations

import argparse
import html
import json
import math
import re
import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ragstone.core import Host, Question, Settings
from ragstone.plugins.book_chat import Shelf

_EXERCISE = re.compile(
    r'<div data-type="exercise"[^>]*>\s*<div data-type="problem"[^>]*>(.*?)</div>\s*'
    r'<div data-type="solution"[^>]*>(.*?)</div>\s*</div>',
    re.DOTALL,
)
_OPTION = re.compile(r"^\d+\.\s+(.+)$", re.MULTILINE)
_LETTER = re.compile(r"\s*([A-E])\s*$")
_ABOUT_OPTIONS = re.compile(r"all of the above|none of the above|both ", re.IGNORECASE)
_BLANK = re.compile(r"_{2,}\.?")
_MARKER = re.compile(r"\[\d+\]")
_NO_PROSE = re.compile(
    r"\s*(?:\||[-*•]\s|```|\[\w+\]|figure|table|describe|explain|identify|list|discuss|compare|by the end|review"
    r"|critical|which|what|watch|visit|view this)|.*\?\s*$",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True)
class Exercise:
    """A question with its options; ``right`` is the index of the right one."""

    question: str
    options: tuple[str, ...]
    right: int


class Words:
    """The words of texts, cut to six letters, and how much each of them tells in a book."""

    def __init__(self, pages: list[str]) -> None:
        counts = Counter(word for page in pages for word in set(self.of(page)))
        self._idf = {word: math.log(1 + len(pages) / (1 + count)) for word, count in counts.items()}

    @staticmethod
    def of(text: str) -> list[str]:
        """The words of three letters or more, and the numbers."""
        found = re.findall(r"[a-z]+|\d+", html.unescape(text).lower())
        return [word[:6] for word in found if len(word) > 2 or word.isdigit()]

    def decides(self, text: str, exercise: Exercise) -> bool:
        """Whether the text has the greatest share of the right option's words, and of no other as much."""
        known, asked = set(self.of(text)), set(self.of(exercise.question))
        shares = []
        for option in exercise.options:
            weights = {word: self._idf.get(word, 3.0) for word in set(self.of(option)) - asked}
            total = sum(weights.values())
            shares.append(sum(weight for word, weight in weights.items() if word in known) / total if total else 0.0)
        return max(shares) > 0 and shares.count(max(shares)) == 1 and shares.index(max(shares)) == exercise.right


def read_exercises(book: Path, target: Path) -> tuple[list[Exercise], list[str]]:
    """Copies the book without its exercises to ``target``; returns these and the pages with them."""
    shutil.copytree(book, target, copy_function=shutil.copyfile)
    found, pages = [], []
    for path in sorted(target.rglob("*.md")):
        page = path.read_text("utf-8")
        pages.append(page)
        for problem, solution in _EXERCISE.findall(page):
            options, letter = tuple(_OPTION.findall(problem)), _LETTER.match(solution.strip())
            right = ord(letter[1]) - ord("A") if letter else -1
            if 3 <= len(options) <= 5 and 0 <= right < len(options) and not _ABOUT_OPTIONS.search(problem):
                question = re.split(r"^\d+\.\s", problem, maxsplit=1, flags=re.MULTILINE)[0].strip()
                found.append(Exercise(_BLANK.sub("what", question.replace("\\_", "_")), options, right))
        path.write_text(_EXERCISE.sub("", page), "utf-8")
    return found, pages


def measure(book: Path, limit: int | None) -> dict[str, float]:
    """The shares, 0 to 1, and the mean number of words of an answer."""
    with tempfile.TemporaryDirectory() as work:
        exercises, pages = read_exercises(book, Path(work, "book"))
        words, counts = Words(pages), Counter[str]()
        chosen = exercises[:: max(1, len(exercises) // limit)][:limit] if limit else exercises
        with Host(Settings(data_dir=Path(work, "data"), cache_dir=Path(work, "cache"))) as host:
            shelf = Shelf(host)
            slug = shelf.add(shelf.plan(Path(work, "book")), title="Textbook").book
            assistant = host.assistant("book_chat")
            for exercise in chosen:
                answer = assistant.ask(Question(exercise.question, filters={"book": slug}))
                counts["refused"] += answer.refused
                counts["closest"] += answer.closest
                if answer.refused:
                    continue
                first, text = answer.text.split("[1]")[0], _MARKER.sub(" ", answer.text)
                counts["answer"] += words.decides(text, exercise)
                counts["first sentence"] += words.decides(first, exercise)
                counts["first sentence no prose"] += bool(_NO_PROSE.match(first))
                counts["words"] += len(text.split())
    return {"questions": len(chosen), **{name: round(count / len(chosen), 3) for name, count in counts.items()}}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("book", type=Path)
    parser.add_argument("--limit", type=int, help="questions, evenly spread; without it all")
    chosen = parser.parse_args()
    print(json.dumps(measure(chosen.book, chosen.limit), indent=2))


if __name__ == "__main__":
    main()
