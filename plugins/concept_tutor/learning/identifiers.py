"""Names of learners, and ids of attempts and questions: both come from outside and are checked before they are used."""

from __future__ import annotations

import re

from ragstone.core import BadRequest

#: The learner where none is named.
ME = "me"
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NAME = re.compile(r"[\w.@ -]{1,64}")


def is_learner(name: str) -> bool:
    """Whether a learner can have that name."""
    return _NAME.fullmatch(name) is not None and bool(name.strip())


def check_learner(name: str) -> str:
    """The name, if a learner can have it. Raises ``BadRequest``."""
    if not is_learner(name):
        raise BadRequest("the learner's name cannot be used", hint="1 to 64 letters, digits, blanks and . @ _ -")
    return name


def is_id(value: str) -> bool:
    """Whether it can be the id of an attempt, a question or a session."""
    return _ID.fullmatch(value) is not None


def check_id(value: str, what: str) -> str:
    """The id, if it is one. Raises ``BadRequest``."""
    if not is_id(value):
        raise BadRequest(f"the {what} cannot be used", hint="1 to 64 of A-Z, a-z, 0-9, _ and -")
    return value
