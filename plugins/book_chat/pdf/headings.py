"""Which lines are headings, and of which level: from the outline, else from type size and numbering."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from .lines import Column
from .model import Entry, Line

_CHAPTER = re.compile(r"(?:chapter|part|appendix|unit|lesson)\s+(?:\d{1,3}|[IVXLC]{1,7}|[A-Z])\.?:?$", re.IGNORECASE)
_NUMBERED = re.compile(
    r"(?:(?i:chapter|part|appendix)\s+)?(\d{1,2}(?:\.\d{1,3}){0,4}|[A-Z](?:\.\d{1,3}){1,4}|(?<=\s)[A-Z])[.:]?\s+\S"
)
_CONTENTS = re.compile(r"(?:table of )?contents|list of (?:figures|tables)", re.IGNORECASE)
_BEFORE_TITLE = re.compile(r"(?:chapter|appendix|part)?(?:\d+|[a-z]\d*|[ivxlc]+)?")
_LONGEST = 140
_NEAR = 60.0  # points between where an entry leads and its heading


class Headings:
    """Headings by the line that they precede, and the lines that they replace."""

    def __init__(self) -> None:
        #: Levels and texts of headings.
        self.before: dict[int, list[tuple[int, str]]] = defaultdict(list)
        self.taken: set[int] = set()

    def put(self, at: Line, level: int, text: str, lines: Iterable[Line] = ()) -> None:
        """Put a heading before the line ``at`` in the place of ``lines``, each of which is one of ``text``."""
        self.before[id(at)].append((min(level, 6), text))
        self.taken |= {id(line) for line in lines}

    def take_title(self, lines: Iterable[Line]) -> None:
        """Take the lines of the book's title, which is no heading in it: the next largest headings are its chapters."""
        for line in lines:
            self.before.pop(id(line), None)
            self.taken.add(id(line))
        top = min((level for found in self.before.values() for level, _ in found), default=1)
        for found in self.before.values():
            found[:] = [(level - top + 1, text) for level, text in found]


def body_size(columns: Iterable[Column]) -> float:
    """The type size in which most of the text is set."""
    sizes: Counter[float] = Counter()
    for column in columns:
        for item in column.items:
            if isinstance(item, Line):
                sizes[round(item.size * 2) / 2] += len(item.text)
    return sizes.most_common(1)[0][0] if sizes else 10.0


def bare(text: str) -> str:
    """Letters and digits alone, for comparing a title with a line."""
    return "".join(c for c in text.casefold() if c.isalnum())


def from_outline(entries: Sequence[Entry], pages: dict[int, list[Column]]) -> Headings:
    """Each entry's heading at the lines that carry its title, else before the first line below where it leads."""
    out = Headings()
    by_page = {
        number: [item for column in columns for item in column.items if isinstance(item, Line)]
        for number, columns in sorted(pages.items())
    }
    for entry in entries:
        number, lines = next(((n, found) for n, found in by_page.items() if n >= entry.page and found), (0, []))
        found = _find(entry, lines, out.taken) if number == entry.page else []
        if found:
            first, text = found[0], "\n".join(line.text for line in found)
            at = lines.index(first)
            if at and _CHAPTER.match(lines[at - 1].text) and id(lines[at - 1]) not in out.taken:
                found = [lines[at - 1], *found]
                text = f"{found[0].text.rstrip('.:')}: {text}"
            out.put(found[0], entry.level, text, found)
        elif lines:
            top = entry.top if number == entry.page else None
            below = (line for line in lines if top is None or line.bottom >= top)
            out.put(next(below, lines[-1]), entry.level, entry.title)
    return out


def _find(entry: Entry, lines: Sequence[Line], taken: set[int]) -> list[Line]:
    """The one to three neighbouring lines that carry the entry's title, nearest to where it leads."""
    wanted = bare(entry.title)
    best: tuple[float, list[Line]] | None = None
    for at in range(len(lines)):
        run, words = list[Line](), ""
        for line in lines[at : at + 3]:
            if id(line) in taken:
                break
            run.append(line)
            words += bare(line.text)
            if len(words) > len(wanted) + 14:
                break
            number = words[: -len(wanted)] if words.endswith(wanted) else None
            if number is not None and _BEFORE_TITLE.fullmatch(number):
                away = abs((entry.top if entry.top is not None else 0) - run[0].top)
                away += 0 if entry.top is None or run[0].bottom >= entry.top - _NEAR else 400
                # Among equals the larger type is the heading; a contents line has the same words.
                score = away - 20 * run[0].size
                if best is None or score < best[0]:
                    best = (score, run.copy())
    return best[1] if best else []


def from_type(pages: dict[int, list[Column]], body: float) -> Headings:
    """Headings where there is no outline: larger or bold numbered lines, their level by number or by size."""
    out = Headings()
    candidates = [
        (column, at, item)
        for columns in pages.values()
        for column in columns
        for at, item in enumerate(column.items)
        if isinstance(item, Line) and _looks_like_one(item, body, column)
    ]
    sizes = sorted({round(line.size) for *_, line in candidates if line.size > 1.12 * body}, reverse=True)
    numbered = [_NUMBERED.match(line.text) for *_, line in candidates]
    has_numbers = sum(1 for found in numbered if found) >= max(2, len(candidates) // 3)
    if has_numbers:  # large lines before the first numbered heading belong to the title page
        first = next(at for at, found in enumerate(numbered) if found)
        candidates, numbered = candidates[first:], numbered[first:]
    before: Line | None = None
    for (column, at, line), found in zip(candidates, numbered, strict=True):
        above = column.items[at - 1] if at else None
        if before is not None and above is before and abs(before.size - line.size) < 0.5 and not found:
            heading = next(reversed(out.before.values()))  # it goes on in a second line
            heading[-1] = (heading[-1][0], f"{heading[-1][1]}\n{line.text}")
            out.taken.add(id(line))
            before = line
            continue
        if found:
            level = found[1].count(".") + 1
        elif line.size > 1.12 * body:
            level = min(sizes.index(round(line.size)) + 1, 6)
        else:
            level = len(sizes) + 2 if not has_numbers else 4
        out.put(line, level, line.text, [line])
        before = line
    return out


def _looks_like_one(line: Line, body: float, column: Column) -> bool:
    text = line.text
    letters = sum(c.isalpha() for c in text)
    if not 3 <= len(text) <= _LONGEST or letters < 0.5 * len(text.replace(" ", "")) or line.share(mono=True) > 0.5:
        return False
    if text.rstrip()[-1] in ".,;:" and not _CHAPTER.match(text):
        return False
    large, bold = line.size > 1.12 * body, line.share() > 0.9 and line.size > 0.95 * body
    numbered = bool(_NUMBERED.match(text))
    if large and letters >= 3:
        return True
    return bold and (numbered or ((line.x1 - line.x0) < 0.8 * (column.x1 - column.x0) and line.size > 1.02 * body))


def is_contents(text: str) -> bool:
    """Whether a heading says that a list of what is in the book follows."""
    return bool(_CONTENTS.fullmatch(text.strip()))


def is_numbered(text: str) -> bool:
    """Whether a line begins as a numbered heading does."""
    return bool(_NUMBERED.match(text))
