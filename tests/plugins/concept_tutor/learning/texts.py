"""Chunks to learn from: a few written here, and real ones of the dump excerpt and of SQuAD's paragraphs.

And the records of questions that the tests import of the plugin.
"""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from datetime import UTC, datetime
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from ragstone.core import Host
from ragstone.core.testing import open_host
from ragstone.plugins.concept_tutor import Lessons, NewChunk, SourceChunk, export_questions
from ragstone.plugins.concept_tutor.learning.records import Form, Grade, Question, QuestionSource, Support
from ragstone.plugins.concept_tutor.learning.store import LearnStore

__all__ = [
    "GARDEN",
    "Form",
    "Given",
    "Grade",
    "Question",
    "QuestionSource",
    "Support",
    "chunk",
    "exported",
    "garden",
    "new",
    "of_dump",
    "of_squad",
    "planted",
    "put",
    "put_questions",
]

_NOW = datetime(2026, 1, 1, tzinfo=UTC)
_LICENCE = "CC BY-SA 4.0"
_GARDENING = ("Gardening",)

#: A plan of three concepts that its questions can be known of beforehand.
GARDEN = {
    "compost": (
        "Compost is a mixture of decayed plants and kitchen scraps that feeds the soil. Compost consists of two thirds "
        "of brown matter and one third of green matter. In 1843, John Lawes opened a factory for compost in Deptford."
    ),
    "mulch": (
        "Mulch is a layer of straw, bark or leaves that keeps the ground moist and cool. Mulch prevents the growth of "
        "weeds. The gardener Ruth Stout recommended mulch in 1955."
    ),
    "pruning": (
        "Pruning is the cutting of branches from a tree in order to shape it. Pruning results in stronger shoots. "
        "A pruned apple tree has five main branches."
    ),
    "grafting": (
        "Grafting is the joining of the tissues of two plants so that they continue to grow together. The botanist "
        "Theophrastus described grafting in Athens."
    ),
    "sowing": (
        "Sowing is the process of placing seeds into prepared earth at a fixed depth. Jethro Tull built a drill for "
        "sowing in 1701."
    ),
}


def chunk(
    concept: str, content: str, *, title: str = "", number: int = 1, section: str = "", url: str = ""
) -> SourceChunk:
    """One chunk."""
    title = title or concept.capitalize()
    address = url or f"https://en.wikipedia.org/wiki/{title.replace(' ', '_')}"
    return SourceChunk(
        "wikipedia", title, address, section, "1", _LICENCE, _NOW, 1 - number / 100, content, "en",
        f"{concept}-{number}", plan="plan", concept=concept, rank=number,
    )  # fmt: skip


def new(one: SourceChunk, slug: str) -> NewChunk:
    """The chunk on its way into the plan of that name."""
    known = {each.name: getattr(one, each.name) for each in fields(NewChunk)}
    return NewChunk(**known | {"chunk_id": f"{slug}-{one.chunk_id}"})


def garden() -> dict[str, list[SourceChunk]]:
    """The chunks of ``GARDEN`` by concept."""
    return {concept: [replace(chunk(concept, text), categories=_GARDENING)] for concept, text in GARDEN.items()}


def of_dump(data: Path, most: int | None = None) -> dict[str, list[SourceChunk]]:
    """The excerpt's first articles, each a concept, as chunks of about 250 words from all over the article."""
    from ragstone.plugins.wiki_edge import ArticleReader

    path = next((data / "mediawiki" / "dumps").glob("enwiki-*p000000010*.bz2"))
    found = {}
    for article in islice(ArticleReader().lazy_load_data(path), most):
        title, text = article.metadata["title"], article.text
        starts = [(0, ""), *((start, heading) for start, heading, _ in article.metadata.get("sections", ()))]
        blocks = [
            (heading, block)
            for (start, heading), (end, _) in pairwise([*starts, (len(text), "")])
            for block in _below(heading, text[start:end])
        ]
        if "disambiguation" not in title:
            found[title] = _packed(title, article.metadata["url"], blocks)
    return found


def _below(heading: str, text: str) -> list[str]:
    """The paragraphs of a section without the lines of its heading."""
    for title in heading.split(" › "):
        text = text.strip().removeprefix(f"{title}\n")
    return text.strip().split("\n\n")


def of_squad(data: Path) -> dict[str, list[SourceChunk]]:
    """Articles of SQuAD, each a concept, of their first paragraphs."""
    by_title = defaultdict[str, list[tuple[str, str]]](list)
    for line in (data / "wikipedia" / "squad13" / "corpus.jsonl").read_text("utf-8").splitlines():
        paragraph = json.loads(line)
        by_title[paragraph["title"]].append(("", paragraph["text"]))
    return {
        title: _packed(title, f"https://en.wikipedia.org/wiki/{title.replace(' ', '_')}", blocks)
        for title, blocks in by_title.items()
    }


def _packed(title: str, url: str, blocks: Iterable[tuple[str, str]], most: int = 8) -> list[SourceChunk]:
    pieces: list[tuple[str, list[str]]] = []
    for heading, text in blocks:
        if pieces and pieces[-1][0] == heading and len(" ".join(pieces[-1][1]).split()) + len(text.split()) <= 250:
            pieces[-1][1].append(text)
        else:
            pieces.append((heading, [text]))
    long = [(heading, "\n\n".join(texts)) for heading, texts in pieces if len(" ".join(texts).split()) >= 30]
    chosen = long[:4] + long[4 :: max(1, len(long) // (most - 4))][: most - 4]
    return [
        chunk(title, text, title=title, number=number, section=heading, url=url)
        for number, (heading, text) in enumerate(chosen, start=1)
    ]


class Given(Lessons):
    """Lessons whose questions a test wrote."""

    def __init__(self, host: Host, given: Sequence[Question]) -> None:
        super().__init__(host, lambda: _NOW)
        self.given = given

    def questions(self, plan: str, concept: str) -> tuple[Question, ...]:
        return tuple(each for each in self.given if each.concept == concept)

    def question(self, question_id: str) -> Question:
        return next(each for each in self.given if each.question_id == question_id)


def put_questions(host: Host, *questions: Question) -> None:
    """Let these be the questions of the first one's concept."""
    LearnStore(host).put(questions[0].plan, questions[0].concept, "by hand", questions)


def exported(
    host: Host, format_: Any, given: Sequence[Question], *, plan: str = "garden", at: datetime = _NOW
) -> bytes:
    """The file that a plan with these questions is exported as."""
    lessons = host.once(Lessons)
    lessons.questions = Given(host, given).questions  # type: ignore[method-assign]
    lessons.clock = lambda: at
    return export_questions(host, plan, format_)


def put(host: Host, slug: str = "garden", edges: Iterable[tuple[str, str]] = (), *, title: str = "A garden") -> None:
    """A plan of ``GARDEN`` with its sources on the host."""
    from ragstone.plugins.concept_tutor import Edge, NewConcept, NewPlan, PlanStore

    store = host.once(PlanStore)
    concepts = tuple(NewConcept(name=key.capitalize(), key=key) for key in GARDEN)
    store.add(NewPlan(slug=slug, title=title, concepts=concepts, edges=tuple(Edge(a, b) for a, b in edges)))
    for key, text in GARDEN.items():
        made = replace(chunk(key, text, section="Overview"), categories=_GARDENING)
        store.put_sources(slug, key, [new(made, slug)])


@contextmanager
def planted(folder: Path, **settings: Any) -> Iterator[Host]:
    """An open host with the plan of ``GARDEN``. In SQLite it and its questions are made once, and then copied."""
    options, edges = {"concept_tutor": {"sample": False}}, (("sowing", "mulch"), ("mulch", "compost"))
    made = folder.parent / "garden" if settings.get("database") is None else None
    if made is not None:
        if not made.exists():
            with open_host(made, options=options) as host:
                put(host, edges=edges)
                for key in GARDEN:
                    host.once(Lessons).questions("garden", key)
        shutil.copytree(made, folder, dirs_exist_ok=True)
    with open_host(folder, options=options, **settings) as host:
        if made is None:
            put(host, edges=edges)
        yield host
