"""Books of plain text, such as Project Gutenberg's: chapters by their headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from ragstone.core import SourceError
from ragstone.core.runtime import open_regular

from .characters import escape_block, without_controls
from .html.markup import decoded, is_binary
from .html.text import Text
from .hyphenation import join_halves, vocabulary
from .plain_lists import list_in

_MOST_BYTES = 20_000_000
_START = re.compile(r"^\*\*\* ?START OF (?:THE|THIS) PROJECT GUTENBERG EBOOK[^\n]*$", re.MULTILINE)
_END = re.compile(
    r"^(?:\*\*\* ?END OF (?:THE|THIS) PROJECT GUTENBERG EBOOK|End of (?:the )?Project Gutenberg)", re.MULTILINE
)
_FIELD = re.compile(r"^(Title|Author): *(.+(?:\n +\S.*)*)", re.MULTILINE)
_NUMBER = (
    r"(?:\d{1,4}|[IVXLCDM]{1,9}|[ivxlc]{1,7}|(?:the )?(?:first|second|third|fourth|fifth|last|\w{1,9}th)"
    r"|(?:twenty|thirty|forty|fifty)?[- ]?(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w{3,5}teen"
    r"|twenty|thirty|forty|fifty))\b"
)
_PART = re.compile(rf"(?:book|part|volume)\s+{_NUMBER}", re.IGNORECASE)
_CHAPTER = re.compile(
    rf"(?:chapter|letter|act|scene|canto|stave|section|lecture|adventure|kapitel|chapitre)\s+{_NUMBER}"
    r"|(?:[IVXLC]{1,7}|\d{1,3})\.(?=\s+[A-Z“\"][A-Z]|$)"
    r"|(?:preface|introduction|foreword|prologue|epilogue|conclusion|appendix(?: [A-Z\d]\b)?|glossary|afterword|notes"
    r"|contents|bibliography|index|illustrations|dedication|acknowledge?ments?)(?=\W{0,2}$)",
    re.IGNORECASE,
)
#: "5.4.  Shops and shopping", on a line of its own.
_SECTION = re.compile(r"(\d{1,3}(?:\.\d{1,3}){1,4})\.? [A-Z“\"'][^.!?,;]{0,80}")
_LISTING = re.compile(r"(?:table of )?(?:contents|illustrations)\W*", re.IGNORECASE)
_UNDERLINE = re.compile(r"([=\-~*#^])\1{2,}\s*")
_ORNAMENT = re.compile(r"[\s*_=\-~·•#+.]+")
_EMPHASIS = re.compile(r"(?<![\w_])_([^_\n]{1,200}(?:\n[^_\n]{1,200})?)_(?![\w_])")
#: A word in letters with a space between each two: "P R E F A C E".
_SPACED = re.compile(r"(?<!\S)(?:[A-Z] ){2,}[A-Z](?!\S)")
_SPEECH = re.compile(r"[\"“'‘].*[.!?,][\"”'’]")
_LONGEST_HEADING = 90
#: Characters of the longest line of a paragraph that was broken into lines, and the least share of it that each line
#: but the last has.
_FULL_LINE, _LEAST_FULL = 50, 0.75
_GAP = re.compile(r"(?<=\S) {3,}(?=\S)")
_DIGITS = re.compile(r"\d+")
#: Pages whose head, or foot, is the same but for its numbers.
_LEAST_PAGES = 4


def read_plain_text(path: Path) -> Text:
    """The book in a file, without the publisher's header and licence. Raises ``SourceError``."""
    with open_regular(path, _MOST_BYTES) as file:
        data = file.read(_MOST_BYTES + 1)
    if is_binary(data):
        raise SourceError("is not text: it has NUL bytes", where=str(path), hint="save it as UTF-8 text")
    return book_of(decoded(data))


def book_of(source: str) -> Text:
    """A book of plain text as normalized Markdown: lines of a paragraph are joined, headings get their levels."""
    text = without_controls(re.sub(r"\r\n?", "\n", source).replace("\f", "\n\n"))
    begun = _START.search(text)
    about = {found[1]: " ".join(found[2].split()) for found in _FIELD.finditer(text[: begun.start()] if begun else "")}
    if begun:
        text = text[begun.end() :]
        ended = _END.search(text)
        text = text[: ended.start()] if ended else text
    blocks = [block.strip("\n") for block in re.split(r"\n(?:[ \t]*\n)+", text.expandtabs(4)) if block.strip()]
    blocks = list(_without_running_heads(blocks))
    marked = list(_marked(blocks, vocabulary(blocks)))
    level, first = marked[0] if len(marked) > 1 else (1, "")
    if not level and not about and "\n" not in first and _is_title([first], first):
        about["Title"] = first
        if not any(level for level, _ in marked):
            marked[0] = (1, first)
    out = [f"{'#' * level} {words}" if level else words for level, words in _without_contents(marked)]
    whole = "\n\n".join(out)
    authors = tuple(name.strip() for name in re.split(r"\s+and\s+|;", about.get("Author", "")) if name.strip())
    return Text(f"{whole}\n" if whole else "", about.get("Title", "")[:255] or None, authors)


def _without_running_heads(blocks: Sequence[str]) -> Iterator[str]:
    """The blocks without the heads and feet of pages, lines in parts far apart ("The Sea      Page 3").

    A paragraph that a page's end cut is whole again.
    """

    def key(block: str) -> str:
        return _DIGITS.sub("0", _joined(block)) if "\n" not in block and _GAP.search(block.strip()) else ""

    pages = Counter(map(key, blocks))
    before, is_cut = "", False
    for block in blocks:
        if key(block) and pages[key(block)] >= _LEAST_PAGES:
            is_cut = True
        elif is_cut and block.lstrip()[:1].islower() and before.rstrip()[-1:] not in {".", "!", "?", ":", ""}:
            before, is_cut = f"{before}\n{block}", False
        else:
            if before:
                yield before
            before, is_cut = block, False
    if before:
        yield before


def _marked(blocks: Sequence[str], known: Counter[str]) -> Iterator[tuple[int, str]]:
    """Each block with its level, 0 for a paragraph. ``known``: the book's ``vocabulary``."""
    waiting = ""  # "CHAPTER I", whose title may follow
    has_parts = any(_is_heading(block, _PART) for block in blocks)
    top = 1
    for block in blocks:
        lines = [line.strip() for line in block.split("\n")]
        words = _joined(block)
        if waiting:
            is_title = _is_title(lines, words)
            yield top, f"{waiting.rstrip('. ')}. {words}" if is_title else waiting
            waiting = ""
            if is_title:
                continue
        if len(lines) == 2 and _UNDERLINE.fullmatch(lines[1]) and len(lines[0]) <= _LONGEST_HEADING:
            yield (1 if lines[1][0] in "=#*" else 2), lines[0]
        elif _is_heading(block, _PART):
            yield 1, words
        elif number := _is_heading(block, _CHAPTER):
            top = 2 if has_parts else 1
            if number >= len(words.rstrip(" .:")) and re.search(r"[\d .]", words):
                waiting = words
            else:
                yield top, words
        elif "\n" not in block and (section := _SECTION.fullmatch(words)):
            yield min(6, top + section[1].count(".")), words
        elif not _ORNAMENT.fullmatch(words):
            yield 0, _paragraph(block, known)
    if waiting:
        yield top, waiting


def _joined(block: str) -> str:
    spelt = _SPACED.sub(lambda found: found[0].replace(" ", ""), block)
    return " ".join(spelt.replace("_", "").split())


def _is_heading(block: str, pattern: re.Pattern[str]) -> int:
    """How much of a block is the name and number of a chapter; 0 where it is a sentence that begins like one."""
    if len(block) > 2 * _LONGEST_HEADING:
        return 0
    words, lines = _joined(block), block.strip().split("\n")
    found = pattern.match(words)
    if (
        found is None
        or len(words) > _LONGEST_HEADING
        or len(lines) > 3
        or any(map(pattern.match, map(str.strip, lines[1:])))
    ):
        return 0
    rest = words[found.end() :].strip()
    named = not rest or words.isupper() or rest[0] in ".:—–-" or (rest[0].isupper() and rest[-1] not in ".!?,;")
    return found.end() if named and (words[0].isupper() or words[0].isdigit()) else 0


def _is_title(lines: Sequence[str], words: str) -> bool:
    """Whether a block is the title of the chapter whose number stands above it: short, and no sentence."""
    if len(lines) > 3 or len(words) > _LONGEST_HEADING or words[-1:] in ",;:" or _CHAPTER.match(words):
        return False
    if _SPEECH.fullmatch(words):
        return False
    capitals = all(word[:1].isupper() or not word[:1].isalpha() for word in words.split() if len(word) > 4)
    return words.isupper() or (words[:1].isupper() and (words[-1:] not in '.!?”"' or (capitals and words[-1] in "!?")))


def _paragraph(block: str, known: Counter[str]) -> str:
    """A paragraph in one line, where it was broken into full ones; indented lines, such as verses, stay lines.

    A shorter line above an indented paragraph, such as the term that it explains, stays one.
    """
    lines = [line.rstrip() for line in _EMPHASIS.sub(r"\1", block).split("\n")]
    if listed := list_in(lines, lambda part: " ".join(join_halves("\n".join(part), known).split())):
        return listed
    lines[0] = lines[0].lstrip()
    first, rest = lines[:1], lines[1:]
    if _is_broken(lines):
        first, rest = [], lines
    elif not rest or not _is_broken(rest) or _margin(lines[0]) >= min(map(_margin, rest)):
        first, rest = lines, []
    joined = join_halves("\n".join(line.strip() for line in rest), known).split()
    return "\n".join(escape_block(line) for line in (*map(str.strip, first), " ".join(joined)) if line)


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_broken(lines: Sequence[str]) -> bool:
    """Whether the lines are those of a paragraph, each filled as far as words go, and not of verses or a table."""
    widest = max(map(len, lines))
    return (
        widest >= _FULL_LINE
        and all(len(line) >= _LEAST_FULL * widest for line in lines[:-1])
        and any(line.lstrip()[:1].islower() for line in lines[1:])
        and sum(bool(_GAP.search(line)) for line in lines) * 2 <= len(lines)
    )


def _without_contents(marked: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """The blocks without a table of contents: a heading that comes again has its text there."""
    last = {_key(words): at for at, (level, words) in enumerate(marked) if level}
    kept: list[tuple[int, str]] = []
    in_listing = False
    for at, (level, words) in enumerate(marked):
        if level:
            in_listing = bool(_LISTING.fullmatch(words)) or (in_listing and last[_key(words)] != at)
            if not in_listing and last[_key(words)] == at:
                kept.append((level, words))
        elif not in_listing or not _is_list_of_titles(words):
            in_listing = False
            kept.append((level, words))
    return kept


def _key(words: str) -> str:
    return re.sub(r"[\W_]+", " ", words).strip().casefold()


def _is_list_of_titles(words: str) -> bool:
    """Whether the lines of a block are entries of a table of contents: short, and no sentences."""
    lines = words.split("\n")
    return all(len(line) <= _LONGEST_HEADING for line in lines) and sum(
        line[-1:] in ".!?" for line in lines
    ) * 3 <= len(lines)
