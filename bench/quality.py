"""Quality of retrieval, refusal and answers on the shared data sets: ``make quality``.

Sets that are not in the form of BEIR are brought into it first: HotpotQA's own JSON, the biology book's modules without
their exercises, and as out-of-domain questions for SQuAD those of CLAP NQ and HotpotQA.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ragstone.core import Host, Settings
from ragstone.core.answering.extractive import choose
from ragstone.core.evaluation.corpora import open_corpus, read_question_set
from ragstone.core.evaluation.measures import answers, refusal, retrieval, sides
from ragstone.core.retrieval import HybridRetriever
from ragstone.plugins.book_chat import Shelf

_DATA = Path(__file__).parents[2] / "shared" / "data"
_EXERCISE = re.compile(
    r'<div data-type="exercise">\n<div data-type="problem".*?</div>\n'
    r'(?:<div data-type="(?:solution|commentary)".*?</div>\n)*</div>\n',
    re.DOTALL,
)
_TOKEN = re.compile(r"\w+")
_CHOICES = re.compile(r"\n\s*\n?1\.")


def hotpot(data: Path, folder: Path) -> Path:
    """HotpotQA's questions and paragraphs in the form of BEIR."""
    texts = json.loads((data / "wikipedia/hotpot100/hotpotqa_train_corpus.json").read_text("utf-8"))
    asked = json.loads((data / "wikipedia/hotpot100/hotpotqa_train.json").read_text("utf-8"))
    return _write(
        folder / "hotpot100",
        ({"_id": title, "title": title, "text": "".join(sentences)} for title, sentences in texts.items()),
        ({"_id": str(number), "text": each["question"]} for number, each in enumerate(asked)),
        (
            (str(number), title)
            for number, each in enumerate(asked)
            for title in dict.fromkeys(title for title, _ in each["supporting_facts"])
        ),
    )


def out_of_domain(data: Path) -> list[str]:
    """Questions on other articles than SQuAD's."""
    lines = [
        line
        for name in ("answerable", "unanswerable")
        for line in (data / f"wikipedia/clapnq/{name}.jsonl").read_text("utf-8").splitlines()
    ]
    asked = json.loads((data / "wikipedia/hotpot100/hotpotqa_train.json").read_text("utf-8"))
    return [*(json.loads(line)["input"] for line in lines), *(each["question"] for each in asked)]


def biology(data: Path, folder: Path) -> tuple[Path, dict[str, tuple[str, str]]]:
    """The biology book without its exercises, and each multiple choice question (without choices) with its module."""
    book = data / "books/biology"
    target = folder / "biology"
    (target / "contents").mkdir(parents=True)
    (target / "SUMMARY.md").write_text((book / "SUMMARY.md").read_text("utf-8"), "utf-8")
    for page in sorted((book / "contents").glob("*.md")):
        (target / "contents" / page.name).write_text(_EXERCISE.sub("", page.read_text("utf-8")), "utf-8")
    rows = (json.loads(line) for line in (book / "exercises_extracted.jsonl").read_text("utf-8").splitlines())
    chosen = [row for row in rows if row["kind"] == "mcq"]
    asked = {
        str(number): (_CHOICES.split(row["problem"])[0].replace("\\_", "_").strip(), row["module"])
        for number, row in enumerate(chosen)
    }
    return target, asked


def module_recall(host: Host, book: Path, asked: dict[str, tuple[str, str]]) -> dict[str, float]:
    """Share of the questions whose module is among the first five chunks', and among the first five modules."""
    shelf = Shelf(host)
    shelf.add(shelf.plan(book), title="Biology")
    retriever = HybridRetriever(shelf.corpus, top_k=20)
    chunks = modules = 0
    for question, module in asked.values():
        found = [Path(node.node.metadata["path"]).stem for node in retriever.search(question).nodes]
        chunks += module in found[:5]
        modules += module in list(dict.fromkeys(found))[:5]
    return {
        "in five passages": round(chunks / len(asked), 4),
        "among five modules": round(modules / len(asked), 4),
    }


def measure(data: Path, limit: int | None) -> dict[str, Any]:
    """Everything that has a target."""
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        host = Host(Settings(data_dir=folder / "data", cache_dir=folder / "cache"))
        host.start()
        squad = data / "wikipedia/squad13"
        for name, place in (("squad13", squad), ("scifact", data / "scifact"), ("hotpot100", hotpot(data, folder))):
            questions = read_question_set(place).some(limit)
            with open_corpus(host, place) as corpus:
                found[f"retrieval {name}"] = retrieval(sides(corpus), questions, lambda: None)
                if name == "squad13":
                    texts = questions.texts
                    inside = list(texts.values())
                    found["refusal squad13"] = refusal(corpus, inside, out_of_domain(data), 5, lambda: None)
                    found["answers squad13"] = answers(corpus, texts, questions.answers, 5, lambda: None)
        found["long answers clapnq"] = long_answers(host, data, folder)
        found["biology, module R@5"] = module_recall(host, *biology(data, folder))
        host.close()
    return found


def long_answers(host: Host, data: Path, folder: Path) -> dict[str, float]:
    """CLAP NQ: token F1 (SQuAD's, without articles) of the quoted sentences with the long answers that people wrote,
    over the chunks of all its questions; and the number of sentences."""
    rows, place = clapnq(data, folder)
    asked = rows["answerable"]
    with open_corpus(host, place) as corpus:
        retriever = HybridRetriever(corpus, top_k=5)
        quotes = [[each.text for each in choose(retriever.search(row["input"]))] for row in asked]
    wanted = [row["output"][0]["answer"] for row in asked]
    shares = [token_f1(" ".join(found), answer) for found, answer in zip(quotes, wanted, strict=True)]
    return {
        "token F1": round(sum(shares) / len(shares), 4),
        "sentences": round(sum(map(len, quotes)) / len(quotes), 2),
    }


def clapnq(data: Path, folder: Path) -> tuple[dict[str, list[dict[str, Any]]], Path]:
    """CLAP NQ's ``answerable`` and ``unanswerable`` questions, and the chunks of both in the form of BEIR."""
    rows = {
        name: [json.loads(line) for line in (data / f"wikipedia/clapnq/{name}.jsonl").read_text("utf-8").splitlines()]
        for name in ("answerable", "unanswerable")
    }
    chunks = {each["text"]: each["title"] for part in rows.values() for row in part for each in row["passages"]}
    documents = ({"_id": str(at), "title": title, "text": text} for at, (text, title) in enumerate(chunks.items()))
    return rows, _write(folder / "clapnq", documents, (), ())


def token_f1(found: str, wanted: str) -> float:
    """The harmonic mean of the shares of words that both texts have, each as often as it occurs; articles left out."""
    one, other = (Counter(_TOKEN.findall(text.casefold())) for text in (found, wanted))
    for article in ("a", "an", "the"):
        del one[article], other[article]
    return 2 * (one & other).total() / max(1, one.total() + other.total())


def _write(
    folder: Path, corpus: Iterable[dict[str, str]], queries: Iterable[dict[str, str]], judged: Iterable[tuple[str, str]]
) -> Path:
    folder.mkdir()
    for name, rows in (("corpus.jsonl", corpus), ("queries.jsonl", queries)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    lines = "".join(f"{question}\t{document}\t1\n" for question, document in judged)
    (folder / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\n{lines}", "utf-8")
    return folder


def main() -> None:
    """Measure and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=_DATA)
    parser.add_argument("--limit", type=int, help="questions of each set, evenly spread; without it all")
    chosen = parser.parse_args()
    print(json.dumps(measure(chosen.data, chosen.limit), indent=2))


if __name__ == "__main__":
    main()
