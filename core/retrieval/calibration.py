"""Calibrates a corpus's evidence threshold with out-of-domain questions."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import FiniteFloat, TypeAdapter

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..catalog import CorpusRow
    from ..settings import RetrievalSettings
    from .models import Retrieval

#: The threshold of a corpus that has not been calibrated, or is too small for it, and the lowest of all. Each of 12
#: articles of SQuAD 2.0, a corpus of 30 paragraphs, refuses 3 % of its questions (11 % at 0.95) and lets 1.5 % of those
#: on other subjects pass, most as "closest"; two robotics books let 1 % pass.
DEFAULT_THRESHOLD = 0.75
#: With fewer chunks the frequencies of words are not meaningful.
MIN_CALIBRATION_CHUNKS = 50
#: A corpus whose size has changed by more than this share is calibrated again.
_OUTGROWN = 0.2
#: Increased whenever the same corpus would get another threshold.
_VERSION = 2
#: Chunks that are retrieved for a question of the bank.
CALIBRATION_TOP_K = 5
#: The highest threshold: above, an encyclopedia, which answers most of the bank, would refuse every question.
_HIGHEST = 1.1


@dataclass(frozen=True)
class Calibration:
    """The result of asking a corpus the bank of out-of-domain questions."""

    #: Evidence below which a question is refused, 0 to 2.
    threshold: FiniteFloat
    #: Quantiles of the evidence that the bank's questions found: 0.5, 0.8 and 0.95.
    median: FiniteFloat
    upper_fifth: FiniteFloat
    upper_twentieth: FiniteFloat
    #: Numbers of questions and of chunks in the corpus.
    questions: int
    chunks: int
    #: ``bank_id()`` at that time.
    bank: str

    @classmethod
    def from_dict(cls, stored: object) -> Calibration:
        """What ``to_dict`` gave. Raises ``ValueError`` for anything else."""
        return _STORED.validate_python(stored)

    def to_dict(self) -> dict[str, Any]:
        """The form that the catalog stores."""
        return asdict(self)

    def fits(self, chunks: int) -> bool:
        """Whether it is still valid for a corpus of so many chunks."""
        return self.bank == bank_id() and abs(chunks - self.chunks) <= _OUTGROWN * self.chunks


_STORED = TypeAdapter(Calibration)


def calibrate(search: Callable[[str], Retrieval], chunks: int) -> Calibration:
    """Ask the bank's questions and choose a threshold that refuses nearly all of them.

    ``search``: retrieves ``CALIBRATION_TOP_K`` chunks.

    The bank (120 questions on everyday matters, history, arts, law, sports …) is out of domain for most corpora but
    not for all, so its upper end is limited: the threshold is the 0.95 quantile of the evidence, but at most 0.25 above
    the 0.8 quantile. On corpora of 300 to 5,200 chunks (SQuAD, HotpotQA, CLAP NQ, SciFact, a biology book) that
    refused 3 to 5 % of the in-domain questions and let 3 to 5 % of the out-of-domain questions pass.
    """
    import numpy as np

    from .evidence_gate import weigh_evidence

    found = [weigh_evidence(search(question)).score for question in bank()]
    median, fifth, twentieth = (round(float(value), 4) for value in np.quantile(found, [0.5, 0.8, 0.95]))
    return Calibration(_threshold(fifth, twentieth), median, fifth, twentieth, len(found), chunks, bank_id())


def _threshold(upper_fifth: float, upper_twentieth: float) -> float:
    return round(min(max(min(upper_twentieth, upper_fifth + 0.25), DEFAULT_THRESHOLD), _HIGHEST), 3)


@lru_cache(maxsize=1)
def bank() -> tuple[str, ...]:
    """The fixed bank of out-of-domain questions."""
    return tuple(Path(__file__).with_name("out_of_domain_questions.txt").read_text("utf-8").splitlines())


@lru_cache(maxsize=1)
def bank_id() -> str:
    """Identifies the bank and the rule that sets the threshold."""
    text = "\n".join(bank())
    return f"{_VERSION}/{sha256(text.encode()).hexdigest()[:12]}"


def calibration_of(row: CorpusRow) -> Calibration | None:
    """The corpus's stored calibration; ``None`` for one that cannot be read, which is found out anew."""
    try:
        stored = Calibration.from_dict(row.calibration)
    except ValueError:
        return None
    # Earlier versions had another lowest threshold.
    return replace(stored, threshold=_threshold(stored.upper_fifth, stored.upper_twentieth))


def threshold_of(row: CorpusRow | None, options: RetrievalSettings, searched: int | None = None) -> float:
    """Evidence below which a question is refused: the deployment's setting, else the corpus's calibration.

    ``searched``: the number of chunks that may be found, all by default. Among fewer chunks the best one of a question
    on another subject has less evidence, in proportion to the logarithm of their number: one small book of a large
    shelf is asked as it is on a shelf of its own.
    """
    if options.threshold is not None:
        return options.threshold
    calibration = None if row is None else calibration_of(row)
    if calibration is None:
        return DEFAULT_THRESHOLD
    least, most = MIN_CALIBRATION_CHUNKS, calibration.chunks
    chosen = most if searched is None else min(max(searched, least), most)
    share = math.log(chosen / least) / math.log(most / least) if chosen < most else 1.0
    return DEFAULT_THRESHOLD + share * (calibration.threshold - DEFAULT_THRESHOLD)
