"""Streams a language model's reply under one deadline, in a thread that no caller has to wait for."""

from __future__ import annotations

import contextvars
import queue
import threading
from collections.abc import Generator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from ..errors import LLMError
from ..runtime.request import Deadline, client_left, llm_slot
from ..text.sanitizing import strip_hidden
from .errors import Failed, empty, timed_out, translate_error, unfinished
from .requests import Call, current

if TYPE_CHECKING:
    from llama_index.core.llms import LLM, ChatMessage

    from .settings import LLMSettings

#: Characters after which an answer is cut: a model that repeats itself never ends.
LONGEST_ANSWER = 24_000
#: Pieces that may wait unread; a slow reader slows the server down.
_UNREAD = 64
_CUT_SHORT = frozenset({"length", "max_tokens"})


class Reply:
    """A model's reply to messages, streamed once. Raises ``Failed``."""

    def __init__(self, llm: LLM, messages: Sequence[ChatMessage], deadline: Deadline) -> None:
        self._llm = llm
        self._messages = messages
        self._deadline = deadline
        self._call = Call()
        self._pieces: queue.Queue[str | BaseException | None] = queue.Queue(_UNREAD)
        self._ending: str | None = None
        self._has_endings = False
        #: Whether it stopped at its limit of tokens or characters.
        self.cut_short = False

    def pieces(self) -> Generator[str, None, None]:
        """The pieces of its text as they come; closing cuts the connection. Raises ``LLMBusy`` too."""
        with llm_slot():
            yield from self._read()

    def _read(self) -> Generator[str, None, None]:
        # The thread has this one's context (LlamaIndex's instrumentation lies there), and the call in it.
        context = contextvars.copy_context()
        threading.Thread(target=context.run, args=(self._receive,), name="ragstone-llm", daemon=True).start()
        length = 0
        try:
            while length < LONGEST_ANSWER:
                piece = self._next()
                if piece is None:
                    break
                length += len(piece)
                yield piece
            else:
                self.cut_short = True
        finally:
            self._call.end()  # also where the caller closed the generator
        if length == 0:
            raise empty() if self._ending or not self._has_endings else unfinished()
        if self._has_endings and self._ending is None and not self.cut_short:
            raise unfinished()
        self.cut_short = self.cut_short or self._ending in _CUT_SHORT

    def clean(self, text: str) -> str:
        """Its text without hidden characters, and without the key that was sent, which a server may repeat."""
        text = strip_hidden(text)
        return text if self._call.key is None else self._call.key.removed_from(text)

    def _next(self) -> str | None:
        """The next piece; ``None`` at the end."""
        piece: str | BaseException | None = timed_out(self._deadline.seconds)
        while left := self._deadline.left:
            if client_left():
                raise Failed("nobody waits for the answer any more")
            try:
                piece = self._pieces.get(timeout=min(left, 0.5))
            except queue.Empty:
                continue
            break
        if isinstance(piece, BaseException):  # raised here, where it has no context: a log would print its message too
            raise translate_error(piece, self._call)
        return piece

    def _receive(self) -> None:
        """In the thread: read until the end or the deadline, or until the call is ended."""
        current.set(self._call)
        answer: Any = None
        text = ""
        try:
            answer = self._llm.stream_chat(self._messages)
            for response in answer:
                self._note_ending(response.raw)
                # What is new: the delta, or where an integration gives none, what its text has more than before.
                piece = response.delta
                if piece is None:
                    piece = str(response.message.content or "").removeprefix(text)
                text += piece
                if piece and not self._put(piece):
                    return
            self._put(None)
        except BaseException as error:  # raised in the caller's thread
            self._put(error)
        finally:
            self._call.close()
            if answer is not None and hasattr(answer, "close"):
                answer.close()

    def _put(self, piece: str | BaseException | None) -> bool:
        """Queue a piece; whether more are wanted."""
        while not self._call.ended and self._deadline.left:
            try:
                self._pieces.put(piece, timeout=min(self._deadline.left, 0.5))
            except queue.Full:
                continue
            return True
        return False

    def _note_ending(self, raw: Any) -> None:
        """Why the model stopped, in the form of OpenAI's protocol or of Gemini's."""
        choices = getattr(raw, "choices", None)
        if isinstance(choices, list):
            self._has_endings = True  # by that protocol the last piece has it
        elif isinstance(raw, dict):
            choices = [raw] if "finish_reason" in raw else None
        for choice in choices or ():
            reason = choice.get("finish_reason") if isinstance(choice, dict) else getattr(choice, "finish_reason", None)
            if reason:
                self._ending = str(getattr(reason, "value", reason)).lower()


def ask_llm(llm: LLM | None, settings: LLMSettings, prompt: str | Sequence[ChatMessage]) -> str:
    """The language model's whole reply to ``prompt``, under the deadline of ``[llm] timeout``.

    ``llm``, ``settings``: ``host.hooks.llm`` and ``host.settings.llm``. ``prompt``: a user's message, or the messages
    of a template. The reply is untrusted input: nothing of it is checked. Raises ``LLMError`` where no model is set,
    where it fails, is late, or stops at its limit of tokens.
    """
    if llm is None:
        raise LLMError("no language model is set", hint="see [llm] in the settings")
    from llama_index.core.llms import ChatMessage, MessageRole

    messages = [ChatMessage(role=MessageRole.USER, content=prompt)] if isinstance(prompt, str) else prompt
    reply = Reply(llm, messages, Deadline(settings.timeout))
    with closing(reply.pieces()) as pieces:
        text = "".join(pieces)
    if reply.cut_short:
        raise LLMError("the language model stopped at its limit of tokens", hint="raise max_tokens in [llm]")
    return reply.clean(text)
