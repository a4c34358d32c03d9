"""The admin key, which is read from the environment, and the session of a browser that was given it."""

from __future__ import annotations

import hashlib
import hmac
import os
from typing import Literal

from itsdangerous import BadSignature, TimestampSigner

VARIABLE = "RAGSTONE_ADMIN_KEY"
#: A shorter one could be guessed.
SHORTEST = 16
#: The session's cookie, and the seconds after which the key is asked for again.
COOKIE, AGE = "ragstone_shelf", 30 * 86_400
#: The result of checking a key: wrong also without one, closed where the deployment has none.
Access = Literal["granted", "wrong", "closed"]


def configured() -> str | None:
    """The deployment's key, if there is one that is long enough."""
    key = os.environ.get(VARIABLE, "").strip()
    return key if len(key) >= SHORTEST else None


def access(authorization: str | None, session: str | None = None) -> Access:
    """Check the header ``Authorization: Bearer KEY``, else the session; in constant time for keys of one length."""
    if configured() is None:
        return "closed"
    scheme, _, given = (authorization or "").partition(" ")
    if scheme.lower() == "bearer" and is_key(given.strip()):
        return "granted"
    try:
        _signer().unsign(session or "", max_age=AGE)
    except BadSignature:
        return "wrong"
    return "granted"


def is_key(given: str) -> bool:
    """Whether it is the deployment's key."""
    key = configured()
    return key is not None and hmac.compare_digest(_bytes(given), _bytes(key))


def new_session() -> str:
    """A session for the cookie, signed with the key: it ends when the key is changed, and does not show it."""
    return _signer().sign("shelf").decode()


def _signer() -> TimestampSigner:
    return TimestampSigner(_bytes(configured() or ""), digest_method=hashlib.sha256)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
