"""The limits of a question, and its parsing from an interface's JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import BadRequest, TooLarge
from ..retrieval.follow_up import LONGEST_HISTORY, Turn
from ..retrieval.models import check_top_k

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

#: Characters; enough for any question, far less than what would keep the encoder busy.
LONGEST_QUESTION = 4_000
LONGEST_SELECTION = 20_000


def read_question(body: object, *, narrowings: Collection[str], selection: bool = False) -> dict[str, Any]:
    """A door's decoded JSON as the arguments of ``ask``. Raises ``BadRequest`` for anything that does not fit.

    ``selection``: whether the door asks about a selected text, which then must be there.
    """
    if not isinstance(body, dict):
        raise BadRequest("the body must be a JSON object", hint='like {"question": "…"}')
    known = {"question", "top_k", *narrowings} | ({"selection"} if selection else {"history"})
    for key in body:
        if key not in known:
            raise BadRequest(f"unknown key {str(key)[:80]!r}", hint=f"known: {', '.join(sorted(known))}")
    arguments: dict[str, Any] = {"question": _string(body, "question", required=True)}
    if selection:
        arguments["selection"] = _string(body, "selection", required=True)
    top_k = body.get("top_k")
    if top_k is not None:
        if isinstance(top_k, float) and top_k.is_integer():
            top_k = int(top_k)  # JSON has one kind of number: 5.0 is 5
        check_top_k(top_k)
        arguments["top_k"] = top_k
    if body.get("history") is not None:
        arguments["history"] = _history(body["history"])
    narrow = {name: value for name in narrowings if (value := _string(body, name)) is not None}
    if narrow:
        arguments["narrow"] = narrow
    return arguments


def _history(value: object) -> tuple[Turn, ...]:
    if not isinstance(value, list) or not all(isinstance(turn, dict) for turn in value):
        raise BadRequest("history must be a list of objects", hint='like [{"question": "…", "answer": "…"}]')
    if len(value) > LONGEST_HISTORY:
        raise TooLarge(f"history has {len(value)} turns; {LONGEST_HISTORY} are allowed", hint="send the last ones")
    turns = []
    for turn in value:
        unknown = sorted(str(key)[:80] for key in turn if key not in {"question", "answer"})
        if unknown:
            raise BadRequest(f"unknown key {unknown[0]!r} in history", hint="known: question, answer")
        turns.append(Turn(_string(turn, "question", required=True) or "", _string(turn, "answer") or ""))
    return tuple(turns)


def check_history(turns: Sequence[Turn]) -> None:
    """Raise ``BadRequest`` or ``TooLarge`` for earlier turns that nothing can be done with."""
    if len(turns) > LONGEST_HISTORY:
        raise TooLarge(f"history has {len(turns)} turns; {LONGEST_HISTORY} are allowed", hint="give the last ones")
    for turn in turns:
        check_type(turn, "an earlier turn", Turn, "a Turn")
        check_text(turn.question, "earlier question", LONGEST_QUESTION)
        if turn.answer:
            check_text(turn.answer, "earlier answer", LONGEST_SELECTION)


def _string(body: Mapping[str, Any], key: str, *, required: bool = False) -> str | None:
    value = body.get(key)
    if value is None and not required:
        return None
    if not isinstance(value, str):
        raise BadRequest(f"{key} must be a string" if key in body else f"{key} is missing")
    return value


def check_type(value: object, name: str, types: type | tuple[type, ...], expected: str) -> None:
    """Raise ``BadRequest`` for an argument that is of none of the types. ``True`` is no number."""
    if not isinstance(value, types) or (isinstance(value, bool) and types is not bool):
        raise BadRequest(f"{name} must be {expected}, not {type(value).__name__}")


def check_text(text: str, name: str, longest: int) -> None:
    """Raise ``BadRequest`` or ``TooLarge`` for a text that nothing can be done with."""
    check_type(text, f"the {name}", str, "a string")
    if not text.strip():
        raise BadRequest(f"the {name} is empty")
    if len(text) > longest:
        raise TooLarge(f"the {name} has {len(text):,} characters; {longest:,} are allowed")
    if "\x00" in text:
        raise BadRequest(f"the {name} holds a NUL character")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadRequest(f"the {name} is not valid Unicode") from error
