"""Detects sentences that instruct an assistant or its reader instead of treating their text's subject.

It works by grammar, in three steps. *Addressed* sentences name what only an assistant has ("your reply", "the previous
instructions", "the user") or use words of advertisements; the rules are in ``instruction_rules.txt``. *Unrelated* ones
are commands or requests that share hardly a word with the text around them: a manual's own commands share its subject.
*Continued* ones follow such a sentence as its payload or its next step. ``python -m bench.injections``
measures the error rate of each.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from .chunk_terms import ChunkTerms, analyze_chunk, headings_of
from .imperatives import DISCOURSE, FOR_READER, HEADS_PROCEDURE, command_verb
from .sanitizing import strip_hidden
from .stemming import stems, words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from llama_index.core.schema import BaseNode

#: Shown by interfaces beside a source that contains such sentences.
INSTRUCTIONS_NOTE = "this source contains instructions, shown as text"

#: Chunks and sentences whose result is cached.
_CACHED_CHUNKS = 512
_CACHED_SENTENCES = 4096
#: Characters of a sentence that are examined.
_LONGEST = 1_000
#: A command that shares a larger part of its words with the text around it belongs to the text; the second value is for
#: a command that follows an instruction. In the books 0.9 % of the imperatives share less.
_RELATED = 0.25
_CONTINUED = 0.5
#: Share of common words from which on one unit repeats the other.
_REPEATED = 0.8
#: A command of fewer words is too short for a comparison of words.
_LEAST_WORDS = 3
#: A text with more commands than these is a procedure for its reader, as one below a heading that says so is.
_PROCEDURE = 2
#: Units after an instruction that can continue it.
_MOST_CONTINUED = 4
#: Share of an instruction's words from which on a question is about it.
_ASKED = 0.5

_SPELLINGS = str.maketrans(dict.fromkeys("’‘ʼ`´", "'") | dict.fromkeys("“”„«»", '"') | dict.fromkeys("‐‑‒–—―−", "-"))
#: Exercises mention the reader's answer too, in these phrases only.
_EXERCISE = re.compile(
    r"\b(?:explain|justify|check|support|defend|discuss|verify|compare|illustrate|record|share|give reasons for|submit"
    r"|enter|type|write|confirm|elaborate on|show|save|(?:reasons?|evidence|explanations?) (?:for|behind)) (?:down )?"
    r"your answers?"
    r" ?(?=$|[.,;:!?)]|\b(?:by|with|using|to|against|in terms|on the)\b)"
)
#: Signs of a technical manual, rare in instructions to an assistant.
_TECHNICAL = re.compile(
    r"[`*_$\\{}<>=|]|\w\(\)|--\w|\b\w+\.(?:py|c|cpp|h|md|toml|ya?ml|json|xml|txt|sh|exe|conf|cfg|html|js)\b"
)
_POINTING = re.compile(r"\b(?:this|here|above|below|following)\b|: *$", re.IGNORECASE)  # to the surrounding text
#: A speaker of a chat with a language model; where earlier turns above a text begin so too, it is no mark of a role.
_SPEAKER = re.compile(r"(?:user|human|assistant|ai): ", re.IGNORECASE)
_CLOSED = re.compile(r"[.!?:][\"')\]”’]*\s*$")
#: A question about instructions in a text.
_ABOUT_INSTRUCTIONS = re.compile(
    r"\b(?:prompt )?injections?\b|\bjailbreak"
    r"|\b(?:hidden|planted|injected|malicious|embedded) (?:prompts?|instructions?|orders?|commands?)\b"
    r"|\b(?:instruct|order|command|ask|tell|told|address)\w*\b.{0,60}"
    r"\b(?:assistants?|ai|chatbots?|llms?|language models?)\b"
    r"|\b(?:assistants?|ai|chatbots?|llms?|language models?)\b.{0,60}\b(?:instruct|order|command|ask|told|prompt)\w*"
    r"|\b(?:instructions|orders|commands)\b.{0,40}\b(?:text|passage|mail|message|document|page|book|source)\b"
)


def is_addressed(sentence: str) -> bool:
    """Whether the sentence, or a line of it, names what only an assistant has, or uses words of advertisements."""
    return any(_rule_matches(_normalize(line)) for line in _lines(sentence))


def instructions_of(node: BaseNode, stored: ChunkTerms | None = None) -> frozenset[int]:
    """``find_instructions`` for a chunk. ``stored``: the terms that are stored with it."""
    if stored is not None and stored.instructions is not None:
        return stored.instructions
    return find_instructions(headings_of(node), node.get_content())


def instruction_note(node: BaseNode, stored: ChunkTerms | None = None) -> str:
    """The note for a citation of the chunk: ``INSTRUCTIONS_NOTE`` where a unit or a heading instructs, else empty.

    The ``context`` in its metadata are earlier turns: "user: Thank you." has a speaker there, and no mark of a role.
    """
    turns = str(node.metadata.get("context") or "").splitlines()
    lines = (line.partition(": ")[2] if line in turns else line for line in headings_of(node).splitlines())
    return INSTRUCTIONS_NOTE if instructions_of(node, stored) or any(map(is_addressed, lines)) else ""


def is_asked_about(question: str, sentence: str, headings: str | None = None) -> bool:
    """Whether the question is about instructions in general, or about this one.

    ``headings``: those above a command that is unrelated to its text and follows no instruction, such as a request
    in a mail: all words of the question, or two, are then enough, one of them in the command itself.
    """
    if _ABOUT_INSTRUCTIONS.search(_normalize(question)):
        return True
    asked = frozenset(stems(question))
    named = [frozenset(stems(name)) for name in _rule_matches(_normalize(sentence))]
    if named:
        return any(len(each) > 1 and each <= asked for each in named)
    held = frozenset(stems(sentence))
    if headings is not None and held & asked:
        return len(asked & held.union(stems(headings))) >= min(2, len(asked))
    return len(held & asked) >= max(2, _ASKED * len(held))


@lru_cache(maxsize=_CACHED_CHUNKS)
def find_instructions(headings: str, text: str) -> frozenset[int]:
    """Indices of the text's units (``segmentation.units``) that instruct an assistant or its reader."""
    terms = analyze_chunk(headings, text)
    pieces = [text[unit.start : unit.end] for unit in terms.units]
    if pieces and any(map(_SPEAKER.match, headings.splitlines())):
        pieces[0] = _SPEAKER.sub("", pieces[0], 1)
    found = {at for at, unit in enumerate(terms.units) if unit.kind != "code" and is_addressed(pieces[at])}
    commands = {
        index
        for index, unit in enumerate(terms.units)
        if index not in found and unit.kind in {"sentence", "item"} and _commands(pieces[index])
    }
    _continue(found, commands, pieces, terms)
    distinct = [
        index for index in commands if not any(_repeats(index, other, terms) for other in commands if other < index)
    ]
    is_procedure = len(distinct) > _PROCEDURE or HEADS_PROCEDURE.search(headings)
    if not is_procedure and (len(pieces) > 1 or terms.heading_stems):
        unrelated = {index for index in commands if _is_unrelated(index, pieces[index], terms, found)}
        found |= unrelated
        _continue(found, commands - unrelated, pieces, terms)
    return frozenset(found)


def _normalize(text: str) -> str:
    """The text in lower case, one spelling and one line, without hidden characters."""
    cut = text[:_LONGEST]
    if not cut.isascii():
        cut = strip_hidden(unicodedata.normalize("NFKC", cut)).translate(_SPELLINGS)
    return " ".join(cut.casefold().split())


@cache
def _rules() -> tuple[tuple[str, ...], Mapping[str, Sequence[int]]]:
    """Regular expressions, and by trigger word the indices of those that are tried if the word is in the text."""
    named: dict[str, str] = {}
    rules: list[str] = []
    by_trigger: dict[str, list[int]] = {}
    triggers: list[str] = []
    for line in Path(__file__).with_name("instruction_rules.txt").read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            triggers = line.strip("[]").split()
            continue
        for name, meaning in named.items():
            line = line.replace(f"{{{name}}}", meaning)
        name, _, meaning = line.partition(" = ")
        if meaning and name.isupper():
            named[name] = meaning
        else:
            for trigger in triggers:
                by_trigger.setdefault(trigger, []).append(len(rules))
            rules.append(line)
    return tuple(rules), by_trigger


@lru_cache(maxsize=_CACHED_SENTENCES)
def _rule_matches(text: str) -> tuple[str, ...]:
    """The matches of the rules in a normalized sentence."""
    rules, by_trigger = _rules()
    tried = {rule for word in by_trigger.keys() & words(text) for rule in by_trigger[word]}
    if not tried:
        return ()
    text = _EXERCISE.sub(" ", text)
    return tuple(match.group() for rule in sorted(tried) if (match := _compiled(rules[rule]).search(text)))


@cache
def _compiled(rule: str) -> re.Pattern[str]:
    return re.compile(rule)


def _commands(piece: str) -> bool:
    found = (command_verb(_normalize(line)) for line in _lines(piece))
    return next((verb for verb in found if verb), "be") not in DISCOURSE


def _continue(found: set[int], commands: set[int], pieces: Sequence[str], terms: ChunkTerms) -> None:
    """Add to ``found`` the units that continue one: following commands, and what a colon or quotation mark opens."""
    for index in sorted(found):
        plain = _normalize(pieces[index])
        announces, is_open = plain.endswith(":"), plain.count('"') % 2 == 1
        block = terms.units[index].block
        for following in range(index + 1, min(index + 1 + _MOST_CONTINUED, len(pieces))):
            if following in found or terms.units[following].block > block + 1:
                break
            is_next_command = following in commands and terms.units[following].block == block
            if not (announces or is_open or (is_next_command and _share(following, terms, found) < _CONTINUED)):
                break
            found.add(following)
            commands.discard(following)
            announces, is_open = False, is_open and '"' not in _normalize(pieces[following])


def _is_unrelated(index: int, piece: str, terms: ChunkTerms, ignored: Collection[int]) -> bool:
    """Whether a command shares no more words with the text around it than by chance."""
    held = terms.unit_stems[index]
    is_own = any(sign.search(piece) for sign in (_TECHNICAL, _POINTING, FOR_READER))
    if is_own or len(held) < _LEAST_WORDS or held & terms.heading_stems:
        return False
    if terms.units[index].kind == "item" and not _CLOSED.search(piece):
        return False  # a learning objective, a step, a feature
    return _share(index, terms, ignored) < _RELATED


def _share(index: int, terms: ChunkTerms, ignored: Collection[int]) -> float:
    """The share of a unit's words that are in the rest of the text, without the ``ignored`` units."""
    held = terms.unit_stems[index]
    others = (
        terms.unit_stems[other]
        for other in range(len(terms.unit_stems))
        if other != index and other not in ignored and not _repeats(index, other, terms)
    )
    around = terms.heading_stems.union(*others)
    return len(held & around) / len(held) if held else 0.0


def _repeats(index: int, other: int, terms: ChunkTerms) -> bool:
    """Whether one unit repeats the other: an instruction that is planted twice is no context of itself."""
    one, another = terms.unit_stems[index], terms.unit_stems[other]
    return len(one & another) >= _REPEATED * max(len(one), len(another), 1)


def _lines(piece: str) -> Iterator[str]:
    """The whole piece; of several lines also each one that may begin a sentence."""
    yield piece
    lines = piece.splitlines()
    for line in lines if len(lines) > 1 else ():
        begin = line.strip()
        if begin[:1].isupper() or begin[:1] in "\"'“(":
            yield begin
