"""The admin key, which is read from the environment."""

from __future__ import annotations

import hmac
import os
from enum import Enum

VARIABLE = "RAGSTONE_ADMIN_KEY"
#: A shorter one could be guessed.
SHORTEST = 16


class Access(Enum):
    """The result of checking a key."""

    GRANTED = "granted"
    #: No key was given, or not the right one.
    WRONG = "wrong"
    #: The deployment has none.
    CLOSED = "closed"


def configured() -> str | None:
    """The deployment's key, if there is one that is long enough."""
    key = os.environ.get(VARIABLE, "").strip()
    return key if len(key) >= SHORTEST else None


def access(authorization: str | None) -> Access:
    """Check the header ``Authorization: Bearer KEY``, in constant time for keys of one length."""
    key = configured()
    if key is None:
        return Access.CLOSED
    scheme, _, given = (authorization or "").partition(" ")
    fits = hmac.compare_digest(given.strip().encode("utf-8", "replace"), key.encode("utf-8", "replace"))
    return Access.GRANTED if scheme.lower() == "bearer" and fits else Access.WRONG
