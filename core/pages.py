"""What plugins' pages share with the web front: options of a view, server-sent events, conversations. No Flask."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, get_args

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from contextlib import AbstractContextManager

    from .answering.answer import Answer
    from .answering.assistant import Assistant

    View = TypeVar("View", bound=Callable[..., Any])

__all__ = ["KEEP_ALIVE", "Conversation", "EventStream", "Exchange", "Reach", "ViewOptions", "event"]

Reach = Literal["own", "listed", "any"]
_ATTRIBUTE = "__ragstone_view_options__"

#: A comment between events: sending it shows whether the client has left.
KEEP_ALIVE = ": still here\n\n"
#: Earlier turns with which a follow-up is read, and characters of the answer of one.
_MOST_TURNS, _LONGEST_TURN = 5, 4_000


@dataclass(frozen=True)
class ViewOptions:
    """Options of a Flask view function, and the decorator that attaches them: ``@ViewOptions(reach="any")``."""

    #: Pages that may load the view: this server's own, also those of the listed ``origins``, or any (reading only).
    reach: Reach = "own"
    #: The interface that a key must be for: ``web``, ``openai`` or ``mcp``.
    interface: str = "web"
    #: The assistant that a limited key must be for; without one, all assistants of the view's plugin.
    assistant: str | None = None
    #: A key for any assistant will do: the view shows nothing of one, or checks itself which ones the key is for.
    any_assistant: bool = False
    #: Raises for a request without the view's own key. Called in place of the check of the server's keys.
    own_key: Callable[[], object] | None = None
    #: A request's body may have ``max_upload_bytes``.
    takes_files: bool = False
    #: The operation in ``/openapi.json``; a view without one is a page for people.
    openapi: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.reach not in get_args(Reach):
            raise ValueError(f"reach must be one of {', '.join(get_args(Reach))}, not {self.reach!r}")

    def __call__(self, view: View) -> View:
        """Attach these options to ``view`` and return it."""
        setattr(view, _ATTRIBUTE, self)
        return view

    @classmethod
    def of(cls, view: object) -> ViewOptions:
        """Return the options of a view; the defaults for one that has none, and for ``None``."""
        found = getattr(view, _ATTRIBUTE, None)
        return found if isinstance(found, cls) else cls()


def event(data: object, name: str | None = None) -> str:
    """Return one server-sent event whose data is ``data`` as JSON."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data, ensure_ascii=False)}\n\n"


class EventStream(Iterator[str]):
    """The body of a response with server-sent events: ``flask.Response(EventStream(…), headers=EventStream.HEADERS)``.

    The server closes it at the end, also when the client has left. That closes ``events`` and calls ``on_close``.
    """

    HEADERS: ClassVar[Mapping[str, str]] = {
        "Content-Type": "text/event-stream; charset=utf-8",
        "Cache-Control": "no-store",
        "X-Accel-Buffering": "no",  # nginx passes each event on at once
    }

    def __init__(
        self,
        events: Generator[str, None, None],
        on_close: Callable[[], object] = lambda: None,
        slot: AbstractContextManager[object] | None = None,
    ) -> None:
        """``slot``: entered now and exited at the end, such as ``Slots.acquire()``: a stream keeps a thread busy."""
        self._events = events
        self._ends = ExitStack()
        if slot is not None:
            self._ends.enter_context(slot)
        self._ends.callback(on_close)
        self._ends.callback(events.close)

    def __next__(self) -> str:
        return next(self._events)

    def close(self) -> None:
        """Close the events; ``on_close`` is called also where none of them was read."""
        self._ends.close()


@dataclass(frozen=True)
class Exchange:
    """A question of a conversation with its answer, or with the problem details of what went wrong."""

    question: str
    answer: Answer | None = None
    problem: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Conversation:
    """A conversation whose earlier turns a page's form carries along: follow-ups need no JavaScript and no storage."""

    exchanges: tuple[Exchange, ...] = ()
    #: The HTTP status of the page.
    status: int = 200

    @classmethod
    def ask(cls, assistant: Assistant, fields: Mapping[str, str], filters: Mapping[str, str]) -> Conversation:
        """Ask the field ``q``, if it holds anything, after the turns in the field ``history``.

        What goes wrong with the question is in its exchange. Raises ``BadRequest`` for a history of another form.
        """
        from .answering.question import Question
        from .errors import RagstoneError
        from .retrieval.follow_up import Turn

        earlier, question = _carried(assistant, fields.get("history", "")), fields.get("q", "").strip()
        if not question:
            return cls(earlier)
        answered = [(each.question, each.answer) for each in earlier if each.answer and not each.answer.refused]
        history = tuple(Turn(before, answer.text[:_LONGEST_TURN]) for before, answer in answered[-_MOST_TURNS:])
        try:
            answer = assistant.ask(Question(question, filters=filters, history=history))
        except RagstoneError as error:
            return cls((*earlier, Exchange(question, problem=error.to_problem())), error.status)
        return cls((*earlier, Exchange(question, answer)))

    @property
    def carried(self) -> str:
        """The answered turns as the field ``history`` of the page's form."""
        answered = [(each.question, each.answer) for each in self.exchanges if each.answer]
        return json.dumps([{"question": question, "answer": answer.to_dict()} for question, answer in answered[-20:]])


def _carried(assistant: Assistant, text: str) -> tuple[Exchange, ...]:
    """Read the field ``history``. It is untrusted input: a page shows its words as text, and its addresses checked."""
    from .answering.answer import Answer, Citation
    from .errors import BadRequest

    form = assistant.profile.citations

    def citation(known: dict[str, Any]) -> Citation:
        fields = {name: value for name, value in known.items() if name not in {"n", "chunk_id", "url", "quote", "note"}}
        words = {name: str(known.get(name) or "") for name in ("chunk_id", "quote", "url", "note")}
        return Citation(int(known["n"]), fields=fields, place=form.place(fields), **words)

    def answer(known: dict[str, Any]) -> Answer:
        cited = tuple(citation(each) for each in known["citations"])
        return Answer(str(known["answer"]), cited, bool(known["refused"]), bool(known["closest"]))

    try:
        turns = json.loads(text or "[]")[-20:]
        return tuple(Exchange(str(turn["question"]), answer(turn["answer"])) for turn in turns)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise BadRequest("the earlier questions cannot be read", hint="begin a new conversation") from error
