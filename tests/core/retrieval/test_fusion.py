"""Ranking: reranking of packed chunks, sums over words, and threads that take turns."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.core.catalog import WordScores
from ragstone.core.retrieval import Candidates, rank
from ragstone.core.retrieval.bm25 import have_common, top_chunks, top_positions
from ragstone.core.retrieval.rerank import link_scores, rerank_scores
from ragstone.core.retrieval.search_cache import RevisionSearch, SearchCache
from ragstone.core.runtime.batched_matvec import BatchedMatVec
from ragstone.core.runtime.fair_semaphore import FairSemaphore
from ragstone.core.text import is_packed, pack, question_stems, stems
from ragstone.core.text.chunk_terms import analyze_chunk, idf_coverage
from ragstone.core.text.question_kinds import asks_for_code
from tests.support.patience import until

WORDS = st.lists(
    st.sampled_from(["wheel", "axle", "motor", "robot", "battery", "the", "of", "turns", "fast", "slow"]), max_size=12
)
TEXTS = st.lists(WORDS, max_size=6).map(lambda parts: ". ".join(" ".join(part).capitalize() for part in parts))


@given(headings=TEXTS, text=TEXTS, question=WORDS.map(" ".join))
def test_packed_chunks_say_what_their_words_say(headings: str, text: str, question: str) -> None:
    words = question_stems(question)
    idf = {word: 1.0 + number for number, word in enumerate(words)}
    known = analyze_chunk(headings, text)
    sentence = max((idf_coverage(idf, held | known.heading_stems) for held in known.unit_stems if held), default=0.0)
    asked, inside = set(pairwise(words)), set(pairwise(stems(text)))
    sentences, pairs = rerank_scores([pack(headings, text)], words, idf)
    assert sentences.tolist() == pytest.approx([sentence])
    assert pairs.tolist() == pytest.approx(
        [len(asked & inside) / len(asked) if asked and any(known.unit_stems) else 0.0]
    )


@given(chunks=st.lists(st.tuples(TEXTS, TEXTS), max_size=5), question=WORDS.map(" ".join))
def test_a_chunk_is_seen_alone_as_among_others(chunks: list[tuple[str, str]], question: str) -> None:
    words = question_stems(question)
    idf = {word: 1.0 + number for number, word in enumerate(words)}
    packed = [pack(headings, text) for headings, text in chunks]
    alone = [rerank_scores([data], words, idf) for data in packed]
    for all_at_once, side in zip(rerank_scores(packed, words, idf), range(2), strict=True):
        assert all_at_once.tolist() == pytest.approx([float(each[side][0]) for each in alone])


@pytest.mark.parametrize("damaged", [None, b"", b"\1\0\0\0", b"\xff" * 64])
def test_what_another_version_packed_is_known(damaged: bytes | None) -> None:
    assert not is_packed(damaged)
    assert is_packed(pack("Wheels", "They turn."))


def test_what_holds_only_exercises_comes_last_unless_exercises_are_asked_for() -> None:
    texts = {1: "1. Why do wheels turn?\n2. Explain how wheels turn.", 2: "An axle holds wheels.", 3: "Motors hum."}
    words = question_stems("why do wheels turn")
    found = ({1: 0.9, 2: 0.5, 3: 0.1}, {1: 9.0, 2: 5.0, 3: 1.0})
    orders = [
        list(
            rank(
                Candidates(words, dict.fromkeys(words, 1.0), *found, takes_tasks),
                weight=0.5,
                top_k=3,
                packed=lambda keys: {key: pack("", texts[key]) for key in keys},
            )
        )
        for takes_tasks in (False, True)
    ]
    assert orders == [[2, 3, 1], [1, 2, 3]]


@pytest.mark.parametrize(
    ("question", "order"), [("How do motors turn?", [2, 3, 1]), ("Which code lets motors turn?", [1, 2, 3])]
)
def test_code_comes_last_unless_it_is_asked_for(question: str, order: list[int]) -> None:
    texts = {
        1: "```python\nmotors.turn(motors)\n```",
        2: "Motors hum and turn.\n```\nmotors.hum()\n```",
        3: "Axles hold.",
    }
    words = question_stems(question)
    ranked = rank(
        Candidates(
            words,
            dict.fromkeys(words, 1.0),
            {1: 0.9, 2: 0.5, 3: 0.1},
            {1: 9.0, 2: 5.0, 3: 1.0},
            takes_code=asks_for_code(question),
        ),
        weight=0.5,
        top_k=3,
        packed=lambda keys: {key: pack("", texts[key]) for key in keys},
    )
    assert list(ranked) == order


def test_the_second_look_puts_the_sentence_that_tells_first() -> None:
    texts = {1: "Wheels turn. Motors hum. Axles hold.", 2: "Motors let wheels turn on axles."}
    words = question_stems("do motors turn wheels on axles")
    same = dict.fromkeys(texts, 1.0)
    ranked = rank(
        Candidates(words, dict.fromkeys(words, 1.0), same, same),
        weight=0.5,
        top_k=2,
        packed=lambda keys: {key: pack("", texts[key]) for key in keys},
    )
    assert list(ranked) == [2, 1]
    assert ranked[2].added > ranked[1].added > 0
    assert ranked[2].fused == ranked[1].fused


ALBUM = ("Hill Songs", "Hill Songs is an album by Mona Ward, recorded in a barn.")
SINGER = ("Mona Ward", "She was born in the state of Oregon and sings.")
STRANGER = ("John Oaks", "He was born in the state of Nevada and sings.")


def links(question: str, *chunks: tuple[str, str]) -> list[float]:
    words = question_stems(question)
    return link_scores([pack(*each) for each in chunks], words, dict.fromkeys(words, 1.0))


def test_a_page_that_the_first_names_is_ranked_by_the_words_that_the_first_lacks() -> None:
    question = "In which state was the singer of Hill Songs born?"  # the stems state, singer, hill, song, born
    assert links(question, ALBUM, STRANGER, SINGER) == [0.0, 0.0, pytest.approx(2 / 5)]
    assert links(question, ALBUM, (*SINGER[:1], "She plays.")) == [0.0, 0.0], "it has none of these words"
    assert links(question, ALBUM, ("Mona", "Ward was born.")) == [0.0, pytest.approx(1 / 5)]
    assert links(question, ALBUM, ("Ward, Mona", "Born.")) == [0.0, pytest.approx(1 / 5)], "in any order"
    assert links(question, ALBUM, ("Ward's barn", "Born.")) == [0.0, 0.0], "the words are not side by side"
    assert links(question, ALBUM) == [0.0]
    assert links(question) == []


def test_nothing_is_added_where_the_first_has_all_words_or_the_question_names_the_page() -> None:
    assert links("Which album was recorded in a barn?", ALBUM, SINGER) == [0.0, 0.0]
    assert links("Was Mona Ward of Hill Songs born?", ALBUM, SINGER) == [0.0, 0.0]
    assert links("In which state was the singer of Hill Songs born?", ALBUM, ALBUM, ("", SINGER[1])) == [0.0] * 3


def test_the_second_hop_puts_the_named_page_second() -> None:
    texts = dict(enumerate((ALBUM, STRANGER, SINGER), start=1))
    words = question_stems("In which state was the singer of Hill Songs born?")
    scores = {1: 1.0, 2: 0.7, 3: 0.6}
    ranked = rank(
        Candidates(words, dict.fromkeys(words, 1.0), scores, scores),
        weight=0.5,
        top_k=3,
        packed=lambda keys: {key: pack(*texts[key]) for key in keys},
    )
    assert list(ranked) == [1, 3, 2]
    assert [each.linked for each in ranked.values()] == pytest.approx([0.0, 2 / 5, 0.0])
    assert ranked[3].added > ranked[3].linked
    assert ranked[3].fused_rank == 3


@given(
    held=st.lists(st.dictionaries(st.integers(5, 60), st.floats(0.01, 9.0), max_size=20), max_size=4),
    limit=st.integers(0, 70),
    only=st.none() | st.sets(st.integers(0, 70)),
)
def test_words_add_up(held: list[dict[int, float]], limit: int, only: set[int] | None) -> None:
    scores = [WordScores(np.array(sorted(one), np.int64), np.array([one[key] for key in sorted(one)])) for one in held]
    sums: dict[int, float] = {}
    for one in held:
        for key, score in one.items():
            sums[key] = sums.get(key, 0.0) + score
    wanted = sorted((key for key in sums if only is None or key in only), key=lambda key: (-sums[key], key))[:limit]
    found = top_chunks(scores, limit, None if only is None else np.array(sorted(only), np.int64))
    assert [score for _, score in found] == pytest.approx([sums[key] for key in wanted])
    assert dict(found) == pytest.approx({key: sums[key] for key, _ in found})


@given(
    size=st.integers(0, 1000), limit=st.integers(1, 40), distinct=st.sampled_from([2, 10**6]), seed=st.integers(0, 99)
)
def test_the_highest_are_among_those_that_are_given(size: int, limit: int, distinct: int, seed: int) -> None:
    numbers = np.random.default_rng(seed).integers(0, distinct, size).astype(np.float32)
    found = top_positions(numbers, limit)
    assert found.tolist() == sorted(set(found.tolist()))
    assert sorted(numbers[found].tolist())[-limit:] == sorted(numbers.tolist())[-limit:]


def test_each_word_is_read_once() -> None:
    class Catalog:
        asked = 0

        def word_scores(self, _corpus: int, words: Sequence[str]) -> dict[str, WordScores]:
            self.asked += len(words)
            keys = {word: [7] if word == "wheel" else [] for word in words}
            return {word: WordScores(np.array(each, np.int64), np.ones(len(each))) for word, each in keys.items()}

    catalog, corpus = Catalog(), SimpleNamespace(id=1, seq=1)
    search = RevisionSearch(SearchCache(lambda: 1), catalog, corpus)  # type: ignore[arg-type]
    for number in range(10):
        found, frequencies = search.lexical(["wheel", f"unknown{number}"], 5)
        assert (found, frequencies) == ([(7, 1.0)], {"wheel": 1})
    assert catalog.asked == 11


def test_products_of_many_threads_are_each_threads_own() -> None:
    draws = np.random.default_rng(7)
    matrices = [draws.standard_normal((2000, 16)).astype(np.float32) for _ in range(2)]
    batched, wrong = BatchedMatVec(), []

    def ask(number: int) -> None:
        for turn in range(50):
            matrix = matrices[(number + turn) % 2]
            vector = np.full(16, number + turn, np.float32)
            pending = batched.submit(matrix, vector)
            if not np.allclose(batched.product(pending), matrix @ vector, rtol=1e-4, atol=1e-3):
                wrong.append((number, turn))

    _all_at_once([lambda number=number: ask(number) for number in range(8)])
    assert wrong == []


def test_whoever_needs_a_product_first_works_it_out_for_all_that_have_asked() -> None:
    batched = BatchedMatVec()
    matrix = np.arange(900, dtype=np.float32).reshape(300, 3)
    vectors = [np.eye(3, dtype=np.float32)[number] for number in range(3)]
    pending = [batched.submit(matrix, vector) for vector in vectors]
    other = batched.submit(matrix.copy(), vectors[0])
    pending.pop()  # an abandoned one
    assert batched.product(pending[1]).tolist() == matrix[:, 1].tolist()
    assert pending[0].done.is_set()
    assert not other.done.is_set()
    assert batched.product(pending[0]).tolist() == matrix[:, 0].tolist()
    assert batched.product(other).tolist() == matrix[:, 0].tolist()


def test_waiting_threads_are_served_in_order() -> None:
    semaphore, order, inside = FairSemaphore(1), [], 0
    first = threading.Event()

    def work(number: int) -> None:
        nonlocal inside
        with semaphore.acquire():
            inside += 1
            assert inside == 1
            order.append(number)
            if number == 0:
                first.wait(60)
            inside -= 1

    threads = []
    for number in range(6):
        threads.append(threading.Thread(target=work, args=(number,)))
        threads[-1].start()
        until(lambda before=number: len(semaphore._waiting) == before)  # type: ignore[misc]
    first.set()
    for thread in threads:
        thread.join(60)
    assert order == list(range(6))


def test_a_slot_is_released_after_an_error() -> None:
    semaphore = FairSemaphore(1)
    with pytest.raises(ZeroDivisionError), semaphore.acquire():
        raise ZeroDivisionError
    with semaphore.acquire():
        pass


def _all_at_once(works: Sequence[object]) -> None:
    threads = [threading.Thread(target=work) for work in works]  # type: ignore[arg-type]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


@pytest.mark.parametrize(
    ("one", "other", "is_common"),
    [
        ([], [], False),
        ([], [3], False),
        ([3], [3], True),
        ([1, 4, 9], [2, 3, 5, 9], True),
        ([1, 4, 10], [2, 3, 5, 9], False),
        ([2, 3, 5, 9], [0], False),
    ],
)
def test_ascending_arrays_with_a_common_element(one: list[int], other: list[int], is_common: bool) -> None:
    for left, right in ((one, other), (other, one)):
        assert have_common(np.array(left, np.int64), np.array(right, np.int64)) is is_common
