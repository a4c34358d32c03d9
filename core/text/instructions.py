"""Sentences that instruct an assistant, or its reader, instead of saying something of their text's subject.

Found by grammar, in three steps. *Addressed* sentences name what only an assistant has ("your reply", "the previous
instructions", "the user") or say what only an advertiser says; the rules stand in ``instruction_rules.txt``.
*Unrelated* ones are commands or requests that share hardly a word with the text around them: what a manual commands is
about what the manual is about. *Continued* ones follow such a sentence as its payload or its next step. How often each
errs is measured by ``python -m bench.injections``.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from .chunk_terms import headings_of, passage_words
from .imperatives import DISCOURSE, command_verb
from .sanitizing import visible
from .stemming import stems, words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from llama_index.core.schema import BaseNode

    from .chunk_terms import PassageWords

#: What interfaces say of a source that holds such sentences.
INSTRUCTIONS_NOTE = "this source contains instructions, shown as text"

#: Chunks and sentences whose result is kept.
_KEPT_CHUNKS = 512
_KEPT_SENTENCES = 4096
#: Characters of a sentence that are looked at.
_LONGEST = 1_000
#: A command that shares a larger part of its words with the text around it belongs to the text; the same for one that
#: follows an instruction. Over the books 0.9 % of the imperatives share less.
_RELATED = 0.25
_CONTINUED = 0.5
#: Share of the words of two pieces that makes one a repetition of the other.
_REPEATED = 0.8
#: A command of fewer words is too short to be judged by them.
_LEAST_WORDS = 3
#: A text with more commands than these explains to its reader how something is done.
_PROCEDURE = 2
#: So many pieces behind an instruction can belong to it.
_MOST_CONTINUED = 4
#: A question is about an instruction of the text when it holds so much of its words.
_ASKED = 0.5

_SPELLINGS = str.maketrans(dict.fromkeys("’‘ʼ`´", "'") | dict.fromkeys("“”„«»", '"') | dict.fromkeys("‐‑‒–—―−", "-"))
#: Exercises speak of the reader's answer too, and say no more than this of it.
_EXERCISE = re.compile(
    r"\b(?:explain|justify|check|support|defend|discuss|verify|compare|illustrate|record|share|give reasons for|submit"
    r"|enter|type|write|confirm|elaborate on|show|save|(?:reasons?|evidence|explanations?) (?:for|behind)) (?:down )?"
    r"your answers?"
    r" ?(?=$|[.,;:!?)]|\b(?:by|with|using|to|against|in terms|on the)\b)"
)
#: What stands in a manual and hardly in an order to an assistant.
_TECHNICAL = re.compile(
    r"[`*_$\\{}<>=|]|\w\(\)|--\w|\b\w+\.(?:py|c|cpp|h|md|toml|ya?ml|json|xml|txt|sh|exe|conf|cfg|html|js)\b"
)
#: Refers to what stands around it.
_POINTING = re.compile(r"\b(?:this|here|above|below|following)\b|: *$", re.IGNORECASE)
_CLOSED = re.compile(r"[.!?:][\"')\]”’]*\s*$")
#: A question about what a text wants of an assistant.
_ABOUT_INSTRUCTIONS = re.compile(
    r"\b(?:prompt )?injections?\b|\bjailbreak"
    r"|\b(?:hidden|planted|injected|malicious|embedded) (?:prompts?|instructions?|orders?|commands?)\b"
    r"|\b(?:instruct|order|command|ask|tell|told|address)\w*\b.{0,60}"
    r"\b(?:assistants?|ai|chatbots?|llms?|language models?)\b"
    r"|\b(?:assistants?|ai|chatbots?|llms?|language models?)\b.{0,60}\b(?:instruct|order|command|ask|told|prompt)\w*"
    r"|\b(?:instructions|orders|commands)\b.{0,40}\b(?:text|passage|mail|message|document|page|book|source)\b"
)


def is_addressed(sentence: str) -> bool:
    """Whether the sentence names what only an assistant has, or says what only an advertiser says."""
    return bool(_naming(_plain(sentence)))


def is_command(sentence: str) -> bool:
    """Whether the sentence begins with a verb that asks for something."""
    return command_verb(_plain(sentence)) is not None


def instructions_of(node: BaseNode) -> frozenset[int]:
    """As ``find_instructions``, of a stored or given passage."""
    return find_instructions(headings_of(node), node.get_content())


def contains_instructions(node: BaseNode) -> bool:
    """Whether a piece of the passage, or a heading above it, instructs an assistant or its reader."""
    return bool(instructions_of(node)) or any(is_addressed(line) for line in headings_of(node).splitlines())


def note_on(node: BaseNode) -> str:
    """What a citation of the passage says of it: ``INSTRUCTIONS_NOTE``, or nothing."""
    return INSTRUCTIONS_NOTE if contains_instructions(node) else ""


def is_asked_about(question: str, sentence: str) -> bool:
    """Whether the question is about such sentences, or names what this one wants."""
    if _ABOUT_INSTRUCTIONS.search(_plain(question)):
        return True
    asked = frozenset(stems(question))
    named = [frozenset(stems(name)) for name in _naming(_plain(sentence))]
    if named:
        return any(len(each) > 1 and each <= asked for each in named)
    held = frozenset(stems(sentence))
    return len(held & asked) >= max(2, _ASKED * len(held))


@lru_cache(maxsize=_KEPT_CHUNKS)
def find_instructions(headings: str, text: str) -> frozenset[int]:
    """Which of the text's quotable pieces (``sentences.units``) instruct an assistant or its reader."""
    known = passage_words(headings, text)
    pieces = [text[unit.start : unit.end] for unit in known.pieces]
    found = {
        index
        for index, unit in enumerate(known.pieces)
        if unit.kind != "code" and any(is_addressed(line) for line in _lines(pieces[index]))
    }
    commands = {
        index
        for index, unit in enumerate(known.pieces)
        if index not in found and unit.kind in {"sentence", "item"} and _commands(pieces[index])
    }
    _continue(found, commands, pieces, known)
    distinct = [
        index for index in commands if not any(_repeats(index, other, known) for other in commands if other < index)
    ]
    if len(distinct) <= _PROCEDURE and (len(pieces) > 1 or known.above):
        unrelated = {index for index in commands if _is_unrelated(index, pieces[index], known, found)}
        found |= unrelated
        _continue(found, commands - unrelated, pieces, known)
    return frozenset(found)


def _plain(text: str) -> str:
    """The text in small letters, one spelling and one line, without what a person does not see."""
    cut = text[:_LONGEST]
    if not cut.isascii():
        cut = visible(unicodedata.normalize("NFKC", cut)).translate(_SPELLINGS)
    return " ".join(cut.casefold().split())


@cache
def _rules() -> tuple[tuple[frozenset[str], str], ...]:
    """Regular expressions, each with words of which one must be there."""
    named: dict[str, str] = {}
    found: list[tuple[frozenset[str], str]] = []
    triggers: frozenset[str] = frozenset()
    for line in Path(__file__).with_name("instruction_rules.txt").read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            triggers = frozenset(line.strip("[]").split())
            continue
        for name, meaning in named.items():
            line = line.replace(f"{{{name}}}", meaning)
        name, _, meaning = line.partition(" = ")
        if meaning and name.isupper():
            named[name] = meaning
        else:
            found.append((triggers, line))
    return tuple(found)


@lru_cache(maxsize=_KEPT_SENTENCES)
def _naming(text: str) -> tuple[str, ...]:
    """What the rules find in a plain sentence."""
    held = frozenset(words(text))
    tried = [rule for triggers, rule in _rules() if not triggers.isdisjoint(held)]
    if not tried:
        return ()
    text = _EXERCISE.sub(" ", text)
    return tuple(match.group() for rule in tried if (match := _compiled(rule).search(text)))


@cache
def _compiled(rule: str) -> re.Pattern[str]:
    return re.compile(rule)


def _commands(piece: str) -> bool:
    found = (command_verb(_plain(line)) for line in _lines(piece))
    return next((verb for verb in found if verb), "be") not in DISCOURSE


def _continue(found: set[int], commands: set[int], pieces: Sequence[str], known: PassageWords) -> None:
    """Move to what was found what belongs to it: commands behind it, and what a colon or a quotation mark opens."""
    for index in sorted(found):
        plain = _plain(pieces[index])
        announces, is_open = plain.endswith(":"), plain.count('"') % 2 == 1
        block = known.pieces[index].block
        for following in range(index + 1, min(index + 1 + _MOST_CONTINUED, len(pieces))):
            if following in found or known.pieces[following].block > block + 1:
                break
            goes_on = following in commands and known.pieces[following].block == block
            if not (announces or is_open or (goes_on and _share(following, known, found) < _CONTINUED)):
                break
            found.add(following)
            commands.discard(following)
            announces, is_open = False, is_open and '"' not in _plain(pieces[following])


def _is_unrelated(index: int, piece: str, known: PassageWords, apart: Collection[int]) -> bool:
    """Whether a command shares no more words with the text around it than chance would have it."""
    held = known.held[index]
    if len(held) < _LEAST_WORDS or held & known.above or _TECHNICAL.search(piece) or _POINTING.search(piece):
        return False
    if known.pieces[index].kind == "item" and not _CLOSED.search(piece):
        return False  # a learning objective, a step, a feature
    return _share(index, known, apart) < _RELATED


def _share(index: int, known: PassageWords, apart: Collection[int]) -> float:
    """The share of a piece's words that stand in the rest of the text; what is ``apart`` does not count."""
    held = known.held[index]
    others = (
        known.held[other]
        for other in range(len(known.held))
        if other != index and other not in apart and not _repeats(index, other, known)
    )
    around = known.above.union(*others)
    return len(held & around) / len(held) if held else 0.0


def _repeats(index: int, other: int, known: PassageWords) -> bool:
    """Whether one piece says again what the other says: an order that is planted twice is no context of itself."""
    one, another = known.held[index], known.held[other]
    return len(one & another) >= _REPEATED * max(len(one), len(another), 1)


def _lines(piece: str) -> Iterator[str]:
    """The piece, and where it has several lines each one that may begin a sentence."""
    yield piece
    lines = piece.splitlines()
    for line in lines if len(lines) > 1 else ():
        begin = line.strip()
        if begin[:1].isupper() or begin[:1] in "\"'“(":
            yield begin
