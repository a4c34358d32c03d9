"""The key of those who may change the shelf: from the environment, and nowhere else."""

from __future__ import annotations

import hmac
import os
from enum import Enum

VARIABLE = "RAGSTONE_ADMIN_KEY"
#: A shorter one could be guessed.
SHORTEST = 16


class Access(Enum):
    """What a given key opens."""

    GRANTED = "granted"
    #: No key was given, or not the right one.
    WRONG = "wrong"
    #: The deployment has none: nobody may.
    CLOSED = "closed"


def configured() -> str | None:
    """The deployment's key, if there is one that is long enough."""
    key = os.environ.get(VARIABLE, "").strip()
    return key if len(key) >= SHORTEST else None


def access(authorization: str | None) -> Access:
    """What the header ``Authorization: Bearer KEY`` opens. Takes the same time for every wrong key of a length."""
    key = configured()
    if key is None:
        return Access.CLOSED
    scheme, _, given = (authorization or "").partition(" ")
    fits = hmac.compare_digest(given.strip().encode("utf-8", "replace"), key.encode("utf-8", "replace"))
    return Access.GRANTED if scheme.lower() == "bearer" and fits else Access.WRONG
