"""Every parser of untrusted text takes time in proportion to the text's length, whatever is repeated in it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ragstone.core import BadRequest, Turn
from ragstone.core.citations import CitableChunks, Splitter, contradictions, read_markers, split_answer
from ragstone.core.citations.links import addresses
from ragstone.core.citations.quantities import quantities
from ragstone.core.parsoid.inline import clean
from ragstone.core.retrieval.follow_up import follow_up
from ragstone.core.retrieval.restatement import asked_again
from ragstone.core.text import escape_fences, language_of, one_line, sentence_spans, stems
from ragstone.core.text.answer_types import answer_type_scorer
from ragstone.core.text.definitions import compound_of, subject_of
from ragstone.core.text.question_kinds import gives_a_reason
from ragstone.core.text.rewording import about_source, reworded
from ragstone.core.text.segmentation import units
from ragstone.core.text.stemming import question_stems
from ragstone.core.text.terms import spells_out
from tests.support.patience import grows_linearly

Parser = Callable[[str], object]


#: Of each kind that the type of an answer is known of.
ASKED = (
    "Who came?",
    "When was it built?",
    "How many wheels does it have?",
    "How high is the rent?",
    "How deep is it?",
    "How long does it take?",
    "How often is it done?",
    "What is the temperature of it?",
    "Where is it?",
    "Why is it called so?",
    "What is the phone number of the office?",
    "What is the IP address of the server?",
    "Who is her husband?",
    "Which is the best wheel?",
)


def streamed(text: str) -> None:
    splitter = Splitter()
    for start in range(0, len(text), 4):
        splitter.feed(text[start : start + 4])
    splitter.rest()


def parsers_of_core() -> dict[str, Parser]:
    return {
        "units": units,
        "sentences": lambda text: list(sentence_spans(text)),
        "stems": lambda text: (stems(text), question_stems(text)),
        "fencing": lambda text: (escape_fences(text), one_line(text)),
        "follow-up": lambda text: (follow_up(text, [Turn(text, text)]), asked_again(text, [Turn(text, text)])),
        "about the source": lambda text: about_source(text, [text]),
        "asking": lambda text: (gives_a_reason(text), reworded(text)),
        "sentence that answers": lambda text: [answer_type_scorer(asked)(f"{text} x") for asked in ASKED],
        "subject": lambda text: (subject_of(f"{text}\x01"), compound_of(f"{text}\x01")),
        "abbreviations": lambda text: spells_out(text, {"aa"}),
        "answer": split_answer,
        "streamed answer": streamed,
        "markers": read_markers,
        "addresses": addresses,
        "quantities": quantities,
        "language": language_of,
        "wiki page": lambda text: clean(f"{text}x"),
        "contradictions": lambda text: contradictions(text, f"{text} x"),
        "sentence and passage": lambda text: CitableChunks([text]).check(f"{text[:300]} [1]"),
        "passage": lambda text: CitableChunks([text]).check("Two legs walk. [1]"),
    }


def parsers_of_plugins() -> dict[str, Parser]:
    from llama_index.core.schema import Document

    from ragstone.core.text import Redactor
    from ragstone.plugins.book_chat import BookNodeParser
    from ragstone.plugins.book_chat.guardrails import is_procedure
    from ragstone.plugins.book_chat.markdown.html.markup import decoded
    from ragstone.plugins.book_chat.markdown.hyphenation import join_halves, vocabulary
    from ragstone.plugins.concept_tutor import read_plan
    from ragstone.plugins.concept_tutor.learning.reading.material import Material
    from ragstone.plugins.iris_memory import (
        MailReader,
        MemoryChunk,
        MemoryNodeParser,
        TranscriptReader,
        format_for_prompt,
    )
    from ragstone.plugins.iris_memory.parsers.kinds import kinds_in_mail
    from ragstone.plugins.iris_memory.readers.files import validity_in
    from ragstone.plugins.iris_memory.recall.asked import asked_of
    from ragstone.plugins.wiki_edge import ArticleNodeParser
    from ragstone.plugins.wiki_edge.planner.order_flags import flags
    from ragstone.plugins.wiki_edge.readers.prose import encyclopedic_blocks, tidy
    from ragstone.plugins.wiki_edge.readers.wikitext import paragraphs
    from tests.plugins.book_chat.reading import normalized, read
    from tests.plugins.concept_tutor.learning.texts import chunk

    def mail(text: str, kind: str = "plain") -> None:
        MailReader().parse(f"Content-Type: text/{kind}\n\n{text}".encode(), Path("a.eml"), 1e9)

    def plan(text: str) -> None:
        with suppress(BadRequest):
            read_plan(f"{text}x")

    def transcript(text: str) -> None:
        line = json.dumps({"role": "user", "content": [text, {"type": "tool_use", "input": {"command": text}}]})
        TranscriptReader().parse(line.encode(), Path("s.jsonl"), 1e9)

    senders: Any = SimpleNamespace(contents=SimpleNamespace(facets=lambda *_keys: [(("Ana",), 1)]))
    nodes = BookNodeParser(count_tokens=lambda text: len(text.split()) or 1)
    articles = ArticleNodeParser(count_tokens=len, min_tokens=20, max_tokens=40)
    memories = MemoryNodeParser(count_tokens=lambda text: len(text.split()))

    def memory(text: str, strategy: str) -> None:
        known = {"path": "a.md", "doc_type": "notes", "date": 0.0, "indexing": {"strategy": strategy}}
        memories.get_nodes_from_documents([Document(text=text, metadata=known)])

    return {
        "AsciiDoc": lambda text: read(f"{text}x", ".adoc"),
        "plain text": lambda text: read(text, ".txt"),
        "chunks": lambda text: nodes.get_nodes_from_documents([Document(text=normalized(text))]),
        "Markdown": normalized,
        "joined halves": lambda text: join_halves(text, vocabulary([f"{text}\n"])),
        "procedure": is_procedure,
        "MDX": lambda text: read(f'{text}"x', ".mdx"),
        "front matter": lambda text: normalized(f"---\n{text}\n---\n"),
        "definitions": lambda text: (Material([chunk("x", text, section="Glossary")]).topics, None),
        "groups": lambda text: (Material([chunk("x", text)]).groups, None),
        "question to the memory": lambda text: asked_of(senders, text),
        "log": lambda text: memory(text, "log"),
        "words of a mail": lambda text: kinds_in_mail(f"{text}a1"),
        "memory's Markdown": lambda text: memory(f"{text}x\n---", "markdown"),
        "mail's HTML": lambda text: mail(text, "html"),
        "mail": mail,
        "mail of a strange charset": lambda text: mail(text, "plain; charset=punycode"),
        "page of a strange charset": lambda text: decoded(b"<meta charset=punycode>\xe9" + text.encode()),
        "quoted memory": lambda text: format_for_prompt([MemoryChunk(text, "a.md", "", "notes", 0.5)]),
        "validity": lambda text: validity_in(f"---\n{text}\n---\n"),
        "transcript": transcript,
        "prose": lambda text: (tidy(text), encyclopedic_blocks(text)),
        "article's sentences": lambda text: articles.get_nodes_from_documents([Document(text=text)]),
        "paragraphs": paragraphs,
        "flags": flags,
        "plan": plan,
        "redaction": Redactor(environ={}).text,
    }


def parsers_of_web() -> dict[str, Parser]:
    from ragstone.web.formulas import mathml
    from ragstone.web.rendering import blocks

    return {"rendering": lambda text: blocks(text, (1, 2)), "formula": lambda text: mathml(f"${text}$")}


BLANKS = " " * 500
#: For each parser the repetitions that once took time squared; "beginning" + repeated.
KNOWN = [
    ("abbreviations", "", "AA: a (AA) ", 4_000),
    ("abbreviations", "", "Aa", 20_000),
    ("sentence that answers", "", "a-", 2_000),
    ("sentence that answers", "", "\n", 2_000),
    ("subject", "What is this", " ", 300),
    ("subject", "What is the definition of aa mean", " \n", 300),
    ("units", "", f"| a{BLANKS}b|\n", 12_000),
    ("units", "| a", " ", 4_000),
    ("sentences", "", "(", 20_000),
    ("streamed answer", "", ". ", 1_500),
    ("streamed answer", "", "\n", 1_500),
    ("streamed answer", "", "A. ", 1_500),
    ("markers", "a", " ", 3_000),
    ("markers", "", "** a", 1_500),
    ("addresses", "", "0", 3_000),
    ("addresses", "", "1,", 3_000),
    ("contradictions", "", "not ", 2_000),
    ("passage", "", "0", 3_000),
    ("sentence and passage", "", "&#1;", 600),
    ("groups", "", "ab, ", 4_000),
    ("groups", "", "ab cd ", 4_000),
    ("definitions", "", "ab: c (d) ", 4_000),
    ("question to the memory", "", "a.", 1_000),
    ("words of a mail", "", "1", 4_000),
    ("quantities", "1", " trillion", 9_000),
    ("mail's HTML", "<a", "1", 3_000),
    ("mail", "", "--\n", 800),
    ("mail of a strange charset", "a-", "b", 100_000),
    ("page of a strange charset", "a-", "b", 100_000),
    ("prose", "(", "/", 2_000),
    ("prose", "(a", " ", 2_000),
    ("prose", "a", ", ", 4_000),
    ("prose", "(", "; ", 4_000),
    ("prose", "", "a\n", 4_000),
    ("flags", "", "\n", 800),
    ("Markdown", "*a* ", " ", 2_000),
    ("Markdown", ":::{", ".callout-", 2_000),
    ("Markdown", "", "> # a\nb\n", 2_000),
    ("Markdown", "{{#", "a", 2_000),
    ("MDX", "export const ", "a", 3_000),
    ("MDX", "export default a", " ", 1_000),
    ("MDX", "!!! note", " ", 1_000),
    ("AsciiDoc", "= a", " ", 1_000),
    ("memory's Markdown", "# a", " ", 1_000),
    ("memory's Markdown", "---\ntitle: a", " ", 2_000),
    ("wiki page", "a", ",", 1_000),
    ("redaction", "", "eyJ--", 3_000),
    ("plan", "a", " ", 3_000),
    ("plan", "{}", "\n", 3_000),
    ("joined halves", "", "a", 2_000),
    ("joined halves", "", "a-", 2_000),
    ("procedure", "First", " ", 300),
    ("procedure", "If a,", " ", 300),
    ("front matter", "", "[", 3_000),
    ("transcript", "", "<system-reminder>", 20_000),
    ("transcript", "", "\n", 20_000),
    ("validity", "", "valid_from: ", 4_000),
    ("chunks", "", "> [!NOTE]\n", 4_000),
    ("language", "", "a ", 20_000),
]
#: Single signs and what begins or repeats a construct of some format; a bar separates them.
_REPEATED = (
    "(|[|[1]|a.|. |\n| |\t|*|_|`|<|<a |&|\\|{|$|$$a|a+b=|>|- |#|\"|'|“|0|1,|1.|e.g. |A. |not |http://|xn--|\u0301|\u200b"
    "|a|a b |[a](b)|**a|<!--|a:\n|- a\n|> a\n|# a\n|a\n\n|```\n|1. a\n|(a. |a@|a/|{{|[[|=|On a|--\n|&#1;|2020-01-01\n"
    "|'''|1 million |the following: |WARNING: |[a]: b\n|<p>a|<ref|\u3000|   \n|> > |{: .a"
)
REPEATED = (*_REPEATED.split("|"), "|", "| a |\n", f"| a{BLANKS}b|\n")


def of_length(beginning: str, repeated: str, size: int) -> str:
    return beginning + (repeated * (size // len(repeated) + 1))[: size - len(beginning)]


@pytest.fixture(scope="module")
def parsers() -> dict[str, Parser]:
    return parsers_of_core() | parsers_of_plugins() | parsers_of_web()


@pytest.mark.parametrize(("name", "beginning", "repeated", "size"), KNOWN)
def test_repetitions_take_linear_time(
    parsers: dict[str, Parser], name: str, beginning: str, repeated: str, size: int
) -> None:
    assert grows_linearly(lambda length: parsers[name](of_length(beginning, repeated, length)), size)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*parsers_of_core(), *parsers_of_plugins(), *parsers_of_web()])
def test_any_repetition_takes_linear_time(parsers: dict[str, Parser], name: str) -> None:
    parse, size = parsers[name], 500
    for repeated in REPEATED:
        for beginning in ("", "<a"):
            long = of_length(beginning, repeated, 6 * size)
            begun = time.thread_time()
            parse(long)
            if time.thread_time() - begun > 0.02:  # below that it harms nobody
                assert grows_linearly(lambda length: parse(of_length(beginning, repeated, length)), size), (  # noqa: B023
                    beginning,
                    repeated,
                )
