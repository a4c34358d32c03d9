"""A question: what is asked of an assistant, checked once when it is made."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import BadRequest, TooLarge
from ..retrieval.follow_up import LONGEST_HISTORY, Turn
from ..retrieval.models import check_top_k

#: Characters: enough for any question, and few enough to be embedded quickly.
LONGEST_QUESTION = 4_000
LONGEST_SELECTION = 20_000


@dataclass(frozen=True)
class Question:
    """What is asked of an assistant. Raises ``BadRequest`` or ``TooLarge`` for what cannot be asked."""

    text: str
    #: Chunks to answer from, 1 to 50; ``None``: as many as the assistant's profile says.
    top_k: int | None = None
    #: Answer from this text and nothing else.
    selection: str | None = None
    #: Only chunks that pass these filters of the assistant: ``{"book": "primer"}``.
    filters: Mapping[str, str] = field(default_factory=dict)
    #: What was asked and answered before, the latest last; a follow-up ("and why?") is read together with it.
    history: Sequence[Turn] = ()

    def __post_init__(self) -> None:
        """Check everything that can be checked without the assistant."""
        _check_text(self.text, "question", LONGEST_QUESTION)
        object.__setattr__(self, "text", self.text.strip())
        if self.top_k is not None:
            check_top_k(self.top_k)
        if self.selection is not None:
            _check_text(self.selection, "selection", LONGEST_SELECTION)
        check_type(self.filters, "filters", Mapping, "a mapping")
        for name, value in self.filters.items():
            check_type(value, f"the filter {str(name)[:40]!r}", str, "a string")
        if len(self.history) > LONGEST_HISTORY:
            raise TooLarge(
                f"history has {len(self.history)} turns; {LONGEST_HISTORY} are allowed", hint="send the last ones"
            )
        for turn in self.history:
            check_type(turn, "an earlier turn", Turn, "a Turn")
            _check_text(turn.question, "earlier question", LONGEST_QUESTION)
            if turn.answer:
                _check_text(turn.answer, "earlier answer", LONGEST_SELECTION)

    @classmethod
    def from_json(cls, body: object, *, filters: Collection[str], selection: bool = False) -> Question:
        """The question in an interface's decoded JSON. Raises ``BadRequest`` or ``TooLarge``.

        ``filters``: the names of the assistant's filters, each a key of its own. ``selection``: whether the interface
        asks about a selected text, which then must be there.
        """
        if not isinstance(body, dict):
            raise BadRequest("the body must be a JSON object", hint='like {"question": "…"}')
        known = {"question", "top_k", *filters} | ({"selection"} if selection else {"history"})
        for key in body:
            if key not in known:
                raise BadRequest(f"unknown key {str(key)[:80]!r}", hint=f"known: {', '.join(sorted(known))}")
        top_k = body.get("top_k")
        return cls(
            _string(body, "question", required=True) or "",
            # JSON has one kind of number: 5.0 is 5
            top_k=int(top_k) if isinstance(top_k, float) and top_k.is_integer() else top_k,
            selection=_string(body, "selection", required=True) if selection else None,
            filters={name: value for name in filters if (value := _string(body, name)) is not None},
            history=() if body.get("history") is None else _history(body["history"]),
        )


def _history(value: object) -> tuple[Turn, ...]:
    if not isinstance(value, list) or not all(isinstance(turn, dict) for turn in value):
        raise BadRequest("history must be a list of objects", hint='like [{"question": "…", "answer": "…"}]')
    for turn in value:
        unknown = sorted(str(key)[:80] for key in turn if key not in {"question", "answer"})
        if unknown:
            raise BadRequest(f"unknown key {unknown[0]!r} in history", hint="known: question, answer")
    # A blank answer is none.
    return tuple(
        Turn(_string(turn, "question", required=True) or "", (_string(turn, "answer") or "").strip()) for turn in value
    )


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


def _check_text(text: str, name: str, longest: int) -> None:
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
