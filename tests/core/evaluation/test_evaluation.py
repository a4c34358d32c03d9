"""``ragstone eval`` and ``ragstone inspect`` over a set small enough to be counted by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragstone.core import Corpus, Host, SourceError
from ragstone.core.evaluation.corpora import open_corpus, read_question_set, read_questions_file
from ragstone.core.evaluation.measures import answers, refusal, retrieval, sides
from ragstone.core.testing import open_host
from tests.support.third_party_fakes import Here, distribution, write_pages

pytestmark = pytest.mark.usefixtures("fast_site")


DOCUMENTS = {
    "d1": ("Casters", "A caster is a wheel that swivels about a vertical axis."),
    "d2": ("Tyres", "Rubber tyres grip wet concrete. Nylon tyres last longer."),
    "d3": ("Grippers", "A parallel gripper closes two jaws along one line."),
}
QUESTIONS = {"q1": ("What is a caster?", "d1", "a vertical axis"), "q2": ("What do rubber tyres grip?", "d2", "ice")}

WHEELS_ONLY = """
    from ragstone.core import hookimpl
    from ragstone.core.retrieval import HybridRetriever
    from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters

    WHEELS = MetadataFilters(filters=[MetadataFilter(key="chapter", value="Wheels")])

    @hookimpl
    def ragstone_retriever(corpus, top_k):
        return HybridRetriever(corpus, top_k=top_k, filters=WHEELS)
"""
TELLS_NO_SCORES = """
    from llama_index.core.retrievers import BaseRetriever

    from ragstone.core import hookimpl

    class Silent(BaseRetriever):
        def _retrieve(self, query_bundle):
            return []

    @hookimpl
    def ragstone_retriever(host):
        return Silent()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "set"
    folder.mkdir()
    documents = [{"_id": key, "title": title, "text": text} for key, (title, text) in DOCUMENTS.items()]
    questions = [{"_id": key, "text": text, "answers": [gold]} for key, (text, _, gold) in QUESTIONS.items()]
    for name, rows in (("corpus.jsonl", documents), ("queries.jsonl", questions)):
        (folder / name).write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    judged = "".join(f"{key}\t{document}\t1\n" for key, (_, document, _) in QUESTIONS.items())
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + judged, "utf-8")
    return folder


@pytest.fixture
def corpus(fast_host: Host, folder: Path) -> Iterator[Corpus]:
    with open_corpus(fast_host, folder) as corpus:
        yield corpus


def test_retrieval(corpus: Corpus, folder: Path) -> None:
    asked: list[None] = []
    found = retrieval(sides(corpus), read_question_set(folder), lambda: asked.append(None))
    assert list(found) == ["dense", "lexical", "hybrid", "latency_ms"]
    assert found["hybrid"] == {"nDCG@10": 1.0, "R@1": 1.0, "R@5": 1.0, "R@10": 1.0, "MRR@10": 1.0}
    assert len(asked) == 6
    assert found["latency_ms"]["p99"] >= found["latency_ms"]["p50"] > 0


@pytest.fixture
def judged_book(tmp_path: Path) -> Path:
    """Questions about the small book, judged by its documents."""
    folder = tmp_path / "judged-book"
    questions = {"w": ("What is a caster?", "01-wheels.md"), "a": ("What is the grip force?", "02-arms.md")}
    rows = "\n".join(json.dumps({"_id": key, "text": text}) for key, (text, _) in questions.items())
    judged = "".join(f"{key}\trobot-parts:{name}\t1\n" for key, (_, name) in questions.items())
    return write_pages(folder, {"queries.jsonl": rows, "qrels.tsv": f"query-id\tcorpus-id\tscore\n{judged}"})


def test_retrieval_of_an_assistant(here: Here, judged_book: Path, small_book: Path) -> None:
    """What it searches is measured, under its name, and the folder needs no documents."""
    assert here("book", "add", str(small_book), "--title", "Robot parts").code == 0
    done = here("eval", "retrieval", "--data", str(judged_book), "--assistant", "book_chat", "--json")
    assert (done.code, done.err) == (0, "")
    found = json.loads(done.out)
    assert list(found) == ["book_chat", "latency_ms"]
    assert found["book_chat"] == {"nDCG@10": 1.0, "R@1": 1.0, "R@5": 1.0, "R@10": 1.0, "MRR@10": 1.0}
    table = here("eval", "retrieval", "--data", str(judged_book), "--assistant", "book_chat", "--limit", "1").out
    head, row, summary = table.splitlines()
    assert head.split() == ["side", *found["book_chat"]]
    assert row.split() == ["book_chat", *["1.0000"] * 5]
    assert summary.startswith("1 questions; book_chat p50 ")


def test_retrieval_of_an_assistant_asks_the_retriever_of_its_plugin(
    here: Here, judged_book: Path, small_book: Path, tmp_path: Path
) -> None:
    """A plugin that finds nothing but the chapter on wheels is measured as it is."""
    assert here("book", "add", str(small_book), "--title", "Robot parts").code == 0
    distribution(tmp_path / "site", "wheels-only", WHEELS_ONLY)
    done = here("eval", "retrieval", "--data", str(judged_book), "--assistant", "book_chat", "--json")
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out)["book_chat"]["R@10"] == 0.5


def test_retrieval_of_an_assistant_whose_retriever_tells_no_scores(
    here: Here, judged_book: Path, small_book: Path, tmp_path: Path
) -> None:
    assert here("book", "add", str(small_book), "--title", "Robot parts").code == 0
    distribution(tmp_path / "site", "silent", TELLS_NO_SCORES)
    done = here("eval", "retrieval", "--data", str(judged_book), "--assistant", "book_chat", "--json")
    message = "the retriever of book_chat gives no scores, so it cannot be measured here"
    assert (done.code, done.out, done.line) == (2, "", message)


def test_retrieval_of_an_assistant_that_there_is_not(here: Here, judged_book: Path) -> None:
    done = here("eval", "retrieval", "--data", str(judged_book), "--assistant", "book_chta")
    assert done.code == 2
    assert done.line.startswith("there is no assistant 'book_chta' (known: book_chat")


def test_refusal(corpus: Corpus) -> None:
    inside = [text for text, _, _ in QUESTIONS.values()]
    found = refusal(corpus, inside, ["Who wrote Hamlet?", "What is the capital of France?"], 5, lambda: None)
    assert [found[name] for name in ("AUROC", "leak@5%", "leak", "false_refusals")] == [1.0, 0.0, 0.0, 0.0]


def test_answers(corpus: Corpus, folder: Path) -> None:
    questions = read_question_set(folder)
    found = answers(corpus, questions.texts, questions.answers, 5, lambda: None)
    assert found == {"first_sentence": 0.5, "first_two": 0.5, "whole": 0.5}


def test_a_set_is_brought_up_to_date(fast_host: Host, folder: Path) -> None:
    with open_corpus(fast_host, folder) as corpus:
        assert corpus.info().documents == 3
    lines = (folder / "corpus.jsonl").read_text("utf-8").splitlines()
    (folder / "corpus.jsonl").write_text("\n".join(lines[:2]), "utf-8")
    with open_corpus(fast_host, folder) as corpus:
        assert corpus.info().documents == 2


def test_an_evaluation_leaves_the_deployments_corpora_alone(tmp_path: Path, folder: Path, database: str | None) -> None:
    with open_host(tmp_path, database=database) as host:
        with open_corpus(host, folder) as corpus:
            assert corpus.info().documents == 3
            assert corpus.catalog.where == host.catalog.where or database is None
        with host.catalog.read() as snapshot:
            assert snapshot.corpora() == []
        with open_corpus(host, folder) as corpus:
            report = corpus.ingest([])
            assert (report.added, corpus.info().documents) == ([], 3)


def test_questions_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "questions"
    path.write_text('Who?\n\n{"input": "When?"}\n{"question": "Where?"}\n', "utf-8")
    assert read_questions_file(path) == ["Who?", "When?", "Where?"]
    for text, message in (("", "no question"), ('{"x": 1}', "line 1 has none of"), ("{", "line 1 is not JSON")):
        path.write_text(text, "utf-8")
        with pytest.raises(SourceError, match=message):
            read_questions_file(path)


def test_a_folder_that_is_no_set(fast_host: Host, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"queries\.jsonl"):
        read_question_set(tmp_path)
    write_pages(
        tmp_path, {"queries.jsonl": '{"_id": "q", "text": "Who?"}', "qrels.tsv": "query-id\tcorpus-id\tscore\n"}
    )
    with pytest.raises(SourceError, match="its judgements are about none of its questions"):
        read_question_set(tmp_path)
    with pytest.raises(SourceError, match=r"corpus\.jsonl"), open_corpus(fast_host, tmp_path):
        pass
    (tmp_path / "corpus.jsonl").write_text("[1]\n", "utf-8")
    with pytest.raises(SourceError, match="line 1"), open_corpus(fast_host, tmp_path):
        pass


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("queries.jsonl", b'{"_id": "q", "answers": 3}\n'),
        ("queries.jsonl", b"[" * 100_000),
        ("qrels.tsv", b"q\t1\t\xff\n"),
        ("qrels.tsv", "q\t1\t\u00b2\n".encode()),
    ],
)
def test_a_hostile_set(tmp_path: Path, name: str, content: bytes) -> None:
    write_pages(tmp_path, {"queries.jsonl": '{"_id": "q", "text": "Who?"}', "qrels.tsv": "none\t1\t1\n"})
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError):
        read_question_set(tmp_path)


def test_what_has_no_end_is_no_file_of_questions() -> None:
    with pytest.raises(SourceError, match="is not a file"):
        read_questions_file(Path("/dev/zero"))
