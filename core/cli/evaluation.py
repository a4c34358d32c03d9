"""``ragstone eval``: quality figures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import BadRequest, SourceError, require_extra
from . import output

if TYPE_CHECKING:
    from ..corpus import Corpus
    from ..evaluation.corpora import QuestionSet
    from .deployment import Deployment

_data = click.option(
    "--data",
    type=click.Path(path_type=Path),
    required=True,
    help="Folder in the form of BEIR: corpus.jsonl, queries.jsonl, qrels.tsv.",
)
_limit = click.option("--limit", type=click.IntRange(1), help="Take only so many questions, evenly spread.")
_questions = partial(output.counter, "asking")


@click.group("eval")
def evaluate() -> None:
    """Measure retrieval, refusal and answers on a data set."""


@evaluate.command("retrieval", epilog="Example: ragstone eval retrieval --data ./scifact --json")
@_data
@_limit
@click.option("--assistant", help="Search what this assistant searches, instead of the folder's documents.")
@output.json_option()
@click.pass_obj
def eval_retrieval(deployment: Deployment, data: Path, limit: int | None, assistant: str | None, as_json: bool) -> None:
    """NDCG@10, recall, MRR@10 and latency of retrieval. The dense, the lexical and the hybrid side are measured.

    With --assistant, those of its own retriever: its documents must have the ids that the folder's judgements name.
    """
    require_extra("eval", "ir_measures")
    from ..evaluation.corpora import read_question_set
    from ..evaluation.measures import DEPTH, retrieval, sides

    if assistant is not None:
        host, questions = deployment.host(), read_question_set(data).some(limit)
        retriever = host.hooks.retriever(host.assistant(assistant).corpus, DEPTH)
        from ..retrieval.search import ScoredRetriever

        if not isinstance(retriever, ScoredRetriever):
            raise BadRequest(f"the retriever of {assistant} gives no scores, so it cannot be measured here")
        with _questions(len(questions.texts)) as tick:
            found = retrieval({assistant: retriever}, questions, tick)
    else:
        with _opened(deployment, data, limit) as (corpus, questions), _questions(3 * len(questions.texts)) as tick:
            found = retrieval(sides(corpus), questions, tick)
    if as_json:
        output.as_json(found)
        return
    searched = [side for side in found if side != "latency_ms"]
    names = list(found[searched[-1]])
    rows = [(side, *(f"{found[side][name]:.4f}" for name in names)) for side in searched]
    output.table(("side", *names), rows, empty="")
    click.echo(f"{len(questions.texts)} questions; {searched[-1]} p50 {found['latency_ms']['p50']} ms, ", nl=False)
    click.echo(f"p99 {found['latency_ms']['p99']} ms")


@evaluate.command("refusal", epilog="Example: ragstone eval refusal --data ./squad --negatives others.txt")
@_data
@click.option(
    "--negatives",
    type=click.Path(path_type=Path),
    required=True,
    help="Questions that the corpus cannot answer: one a line, plain or JSON.",
)
@_limit
@click.option("--top-k", type=click.IntRange(1, 50), default=5, show_default=True)
@output.json_option()
@click.pass_obj
def eval_refusal(
    deployment: Deployment, data: Path, negatives: Path, limit: int | None, top_k: int, as_json: bool
) -> None:
    """How well the gate refuses what cannot be answered."""
    from ..evaluation.corpora import read_questions_file
    from ..evaluation.measures import refusal

    outside = read_questions_file(negatives)
    with (
        _opened(deployment, data, limit) as (corpus, questions),
        _questions(len(questions.texts) + len(outside)) as tick,
    ):
        found = refusal(corpus, list(questions.texts.values()), outside, top_k, tick)
    _print(found, as_json)


@evaluate.command("answers", epilog="Example: ragstone eval answers --data ./squad --json")
@_data
@_limit
@click.option("--top-k", type=click.IntRange(1, 50), default=5, show_default=True)
@output.json_option()
@click.pass_obj
def eval_answers(deployment: Deployment, data: Path, limit: int | None, top_k: int, as_json: bool) -> None:
    """How often an extractive answer contains the gold answer."""
    from ..evaluation.measures import answers

    with _opened(deployment, data, limit) as (corpus, questions):
        texts = {key: text for key, text in questions.texts.items() if key in questions.answers}
        if not texts:
            raise SourceError("its questions have no answers", where=str(data))
        with _questions(len(texts)) as tick:
            found = answers(corpus, texts, questions.answers, top_k, tick)
    _print(found, as_json)


@contextmanager
def _opened(deployment: Deployment, data: Path, limit: int | None) -> Iterator[tuple[Corpus, QuestionSet]]:
    from ..evaluation.corpora import open_corpus, read_question_set

    questions = read_question_set(data).some(limit)
    with (
        output.progress("indexing", None) as on_progress,
        open_corpus(deployment.loaded(), data, on_progress=on_progress) as corpus,
    ):
        yield corpus, questions


def _print(found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        output.as_json(found)
    else:
        output.table(("measure", ""), list(found.items()), empty="")
