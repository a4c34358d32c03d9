"""A passage's date as a light reason to prefer it: of two logs or mails that are as near, the later one."""

from __future__ import annotations

from dataclasses import dataclass

#: What grows old. A note, a prompt or a procedure is as right as on its first day until somebody changes it.
AGEING = frozenset({"log", "email"})
_DAY = 86_400.0


@dataclass(frozen=True)
class Recency:
    """``weight`` for what happened now, half of it for what happened ``half_life_days`` ago, and so on."""

    weight: float
    half_life_days: float

    def bonus(self, doc_type: str, date: float | None, now: float) -> float:
        """What is added to the score of ranking (0 to 1.8). ``date``, ``now``: seconds since 1970.

        What says that it comes from the future is as old as now: anybody may write any date into a mail.
        """
        if doc_type not in AGEING or date is None:
            return 0.0
        age = max(0.0, now - date) / _DAY
        return float(self.weight * 0.5 ** (age / self.half_life_days))
