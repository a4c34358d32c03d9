"""The encoder fails half-way through an update of a document: the old version is still served."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

from ragstone.core import EncoderError, Host

from .ingestion_kills import assert_nothing_half
from .models import CORPUS, CheapModels, note, notes, opened
from .run import Run
from .truth import Truth, questions_of, same_answers

_NOTES = 8
#: Chunks of a note: some batches of the encoder's each, so that it can fail between them.
_LINES = 25


def failing_encoder(run: Run) -> None:
    """It raises, or gives what is no vector, at each of its calls in turn, while notes are updated."""
    plugin = CheapModels()
    with opened(run.folder, plugin) as host:
        notes(host).ingest(note(number, 0, _LINES) for number in range(_NOTES))
        failures = _failures()
        run.figures["calls of one update"] = calls = _calls_of(plugin, host)
        for number in range(run.times(4, 80)):
            version = number + 1
            name = list(failures)[number % len(failures)]
            before = Truth.of(run.folder / "data", CORPUS)
            stored = _fail(host, plugin, failures[name], run.random.randrange(calls), version)
            truth = Truth.of(run.folder / "data", CORPUS)
            assert truth.texts == {**before.texts, **{doc_id: _wanted(version)[doc_id] for doc_id in stored}}, name
            assert_nothing_half(truth)
            run.count("questions", same_answers(notes(host), truth, questions_of(truth, run.random, 3)))
            run.count(f"failed ({name})")
            run.report(f"{number + 1} failures")
        notes(host).ingest(note(number, 1000, _LINES) for number in range(_NOTES))
        assert Truth.of(run.folder / "data", CORPUS).texts == _wanted(1000), (
            "it does not go on when the encoder is well"
        )


def _wanted(version: int) -> dict[str, str]:
    return {note(number).doc_id: note(number, version, _LINES).text for number in range(_NOTES)}


def _calls_of(plugin: CheapModels, host: Host) -> int:
    """How often the encoder is called in one update."""
    calls = count()
    plugin.model.instead(lambda texts: [next(calls), None][1])
    notes(host).ingest(note(number, 500, _LINES) for number in range(_NOTES))
    plugin.model.instead(None)
    return next(calls)


def _failures() -> dict[str, Callable[[Sequence[str]], object]]:
    def raises(_texts: Sequence[str]) -> None:
        raise RuntimeError("out of memory")

    return {
        "raises": raises,
        "too few": lambda texts: [[1.0] * 384] * (len(texts) - 1),
        "not finite": lambda texts: [[float("nan")] * 384] * len(texts),
        "too short": lambda texts: [[1.0] * 383] * len(texts),
    }


def _fail(
    host: Host, plugin: CheapModels, failure: Callable[[Sequence[str]], object], after: int, version: int
) -> list[str]:
    """Let it fail at that call; the ids of what was acknowledged before."""
    calls = count()
    plugin.model.instead(lambda texts: failure(texts) if next(calls) == after else None)
    stored: list[str] = []
    try:
        notes(host).ingest(
            (note(number, version, _LINES) for number in range(_NOTES)),
            on_progress=lambda now: stored.extend(filter(None, [now.doc_id])),
        )
    except EncoderError as error:
        assert error.where == "cheap"
        assert "the model" in error.what
    else:
        raise AssertionError("the failure of the encoder was not reported")
    finally:
        plugin.model.instead(None)
    return stored
