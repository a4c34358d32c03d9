"""Calibrates a corpus's evidence threshold with questions that it cannot answer."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .evidence_gate import evidence

if TYPE_CHECKING:
    from collections.abc import Callable

    from .models import Retrieval

#: The threshold of a corpus that has not been calibrated, or is too small for it.
DEFAULT_THRESHOLD = 0.95
#: In fewer passages the frequencies of words say nothing.
FEWEST_CHUNKS = 50
#: A corpus that has grown or shrunk by more than this share is calibrated again.
_OUTGROWN = 0.2
#: Raised whenever the same corpus would get another threshold.
_VERSION = 1
#: Passages that a question of the bank is offered.
OFFERED = 5
#: Whatever the bank says: below, questions near the corpus's matter leak; above, an encyclopedia that answers most of
#: the bank would refuse everybody.
_LOWEST, _HIGHEST = 0.85, 1.1


@dataclass(frozen=True)
class Calibration:
    """What a corpus made of the bank of foreign questions."""

    #: Evidence below which a question is refused, 0 to 2.
    threshold: float
    #: Evidence that the bank's questions found: their median, and what one of five and one of twenty exceeds.
    median: float
    upper_fifth: float
    upper_twentieth: float
    #: How many questions were asked, of how many passages.
    questions: int
    chunks: int
    #: Of the bank and of this module's rule.
    bank: str

    def to_dict(self) -> dict[str, Any]:
        """As the catalog keeps it."""
        return asdict(self)

    def fits(self, chunks: int) -> bool:
        """Whether it still says something about a corpus of so many passages."""
        return self.bank == bank_id() and abs(chunks - self.chunks) <= _OUTGROWN * self.chunks


def calibrate(search: Callable[[str], Retrieval], chunks: int) -> Calibration:
    """Ask the bank's questions and set the threshold where nearly all of them are refused.

    ``search``: offers ``OFFERED`` passages.

    The bank (120 questions on everyday matters, history, arts, law, sports …) is foreign to most corpora but not to
    all, so its upper end is not trusted blindly: the threshold is what one question of twenty exceeds, but at most a
    quarter above what one of five does. On corpora of 300 to 5,200 passages (SQuAD, HotpotQA, CLAP NQ, SciFact, a
    biology book) that refused 3 to 5 % of their own questions and let 3 to 5 % of others' through.
    """
    found = [evidence(search(question)).score for question in bank()]
    median, fifth, twentieth = (round(float(value), 4) for value in np.quantile(found, [0.5, 0.8, 0.95]))
    threshold = round(float(np.clip(min(twentieth, fifth + 0.25), _LOWEST, _HIGHEST)), 3)
    return Calibration(threshold, median, fifth, twentieth, len(found), chunks, bank_id())


@lru_cache(maxsize=1)
def bank() -> tuple[str, ...]:
    """The fixed bank of foreign questions."""
    return tuple(Path(__file__).with_name("foreign_questions.txt").read_text("utf-8").splitlines())


@lru_cache(maxsize=1)
def bank_id() -> str:
    """Identifies the bank and the rule that is applied to it."""
    text = "\n".join(bank())
    return f"{_VERSION}/{sha256(text.encode()).hexdigest()[:12]}"
