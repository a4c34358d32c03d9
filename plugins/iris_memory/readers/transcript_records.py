"""The records of coding agents' transcripts, by their shape: who says what, which tool is called, what it gives.

==============  =================================================================================================
Claude Code     ``{"type": "user"|"assistant", "timestamp", "message": {"role", "content": text or parts}}``
Codex           ``{"timestamp", "type": "response_item", "payload": {"type": "message"|"function_call"|…}}``; older
                ones the payload alone. ``event_msg`` repeats it.
Pi              ``{"type": "message", "timestamp", "message": {"role": "user"|"assistant"|"toolResult", "content"}}``
Gemini          ``{"type": "user"|"gemini", "timestamp", "content", "toolCalls"}``
chat lines      ``{"role", "content", "tool_calls"}``, or ``{"messages": [...]}``
==============  =================================================================================================
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from ..fields import timestamp

_SPEAKERS = {"user": "user", "human": "user", "assistant": "agent", "model": "agent", "gemini": "agent"}
_TEXT = frozenset({"text", "input_text", "output_text"})
_CALLS = frozenset({"tool_use", "toolCall", "function_call", "custom_tool_call", "local_shell_call", "web_search_call"})
#: Of calls that have no name.
_NAMES = {"local_shell_call": "shell", "web_search_call": "web search"}
_RESULTS = frozenset({"tool_result", "function_call_output", "custom_tool_call_output", "local_shell_call_output"})
_RESULT_ROLES = frozenset({"tool", "toolResult", "function"})
#: What a program puts in the user's place: context, output of commands, reminders.
_INJECTED = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|INSTRUCTIONS|permissions|system-reminder|local-command-\w+|command-"
    r"\w+|task-notification|turn_aborted)\b|# AGENTS\.md instructions|Caveat: The messages below were generated)"
)
_REMINDER = ("<system-reminder>", "</system-reminder>")
#: Parts within parts that are read.
_DEEPEST = 3


@dataclass(frozen=True)
class Event:
    """A message, a call of a tool, or its result."""

    kind: Literal["text", "call", "result"]
    speaker: str = "agent"
    text: str = ""
    #: Of a tool.
    name: str = ""
    arguments: Any = ""
    failed: bool = False


def events_of(record: dict[str, Any]) -> Iterator[Event]:
    """What the record says; nothing for a record of an unknown kind."""
    if record.get("type") == "event_msg" or record.get("isMeta"):
        return
    if isinstance(record.get("messages"), list):
        for message in record["messages"]:
            if isinstance(message, dict):
                yield from _message_events(message, "")
        return
    inner = next((record[key] for key in ("payload", "message") if isinstance(record.get(key), dict)), record)
    yield from _message_events(inner, "subagent" if record.get("isSidechain") else "")


def named_title(record: dict[str, Any]) -> str:
    """The session's title in a record that holds one, else ""."""
    for key, kind in (("summary", "summary"), ("customTitle", "custom-title"), ("name", "session_info")):
        if record.get("type") == kind and isinstance(record.get(key), str):
            return str(record[key])
    return ""


def time_of(record: dict[str, Any]) -> float | None:
    """When the record was made, seconds since 1970, if it says so."""
    message = record.get("message")
    found = record.get("timestamp") or (message.get("timestamp") if isinstance(message, dict) else None)
    if isinstance(found, int | float) and not isinstance(found, bool):
        return None if abs(found) > 1e300 else found / 1000 if found > 1e11 else float(found)
    if isinstance(found, str):
        try:
            return timestamp(datetime.fromisoformat(found))
        except (ValueError, OverflowError):
            return None
    return None


def _message_events(message: dict[str, Any], speaker: str) -> Iterator[Event]:
    kind = _string(message.get("type"))
    role = _string(message.get("role")) or kind
    if kind in _CALLS or kind in _RESULTS:
        yield from _part_events(message, speaker or "agent")
    elif role in _RESULT_ROLES:
        yield Event("result", text=_text_of(message.get("content")), failed=bool(message.get("isError")))
    elif role == "bashExecution":
        yield Event("call", name="bash", arguments=message.get("command", ""))
        yield Event("result", text=_string(message.get("output")), failed=bool(message.get("exitCode")))
    elif role in _SPEAKERS:
        who = _SPEAKERS[role]
        if speaker:
            who = speaker if who == "agent" else f"to {speaker}"
        content = message.get("content")
        for part in content if isinstance(content, list) else [content]:
            yield from _part_events(part, who)
        for call in _list(message.get("tool_calls")) + _list(message.get("toolCalls")):
            yield from _part_events({**call, "type": "toolCall"}, who)


def _part_events(part: object, speaker: str) -> Iterator[Event]:
    if isinstance(part, str):
        part = {"type": "text", "text": part}
    if not isinstance(part, dict):
        return
    kind = _string(part.get("type", "text" if isinstance(part.get("text"), str) else None))
    if kind in _TEXT and isinstance(part.get("text"), str):
        text = part["text"] if speaker in {"agent", "subagent"} else _without_reminders(part["text"])
        if text.strip() and not (speaker == "user" and _INJECTED.match(text)):
            yield Event("text", speaker, text)
    elif kind in _CALLS:
        function = part["function"] if isinstance(part.get("function"), dict) else part
        given = next((function[key] for key in ("input", "arguments", "args", "action") if function.get(key)), "")
        name = _string(function.get("name")) or _NAMES.get(kind, "tool")
        yield Event("call", speaker, name=name, arguments=_decoded(given))
        if isinstance(part.get("resultDisplay"), str):
            yield Event("result", speaker, part["resultDisplay"], failed=part.get("status") == "error")
    elif kind in _RESULTS:
        output = _decoded(part.get("output", part.get("content")))
        failed = bool(part.get("is_error"))
        if isinstance(output, dict):
            metadata = output.get("metadata")
            failed = output.get("success") is False or bool(isinstance(metadata, dict) and metadata.get("exit_code"))
            output = output.get("output", output.get("content"))
        yield Event("result", speaker, _text_of(output), failed=failed)


def _without_reminders(text: str) -> str:
    opening, closing = _REMINDER
    kept, at = [], 0
    while (start := text.find(opening, at)) >= 0 and (end := text.find(closing, start)) >= 0:
        kept.append(text[at:start])
        at = end + len(closing)
    return "".join([*kept, text[at:]])


def _text_of(content: object, depth: int = 0) -> str:
    """The text of a result: a string, or parts of which some are text."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return str(content["text"]) if isinstance(content.get("text"), str) else ""
    if isinstance(content, list) and depth < _DEEPEST:
        return "\n".join(filter(None, (_text_of(part, depth + 1) for part in content)))
    return ""


def _decoded(value: Any) -> Any:
    """A string that holds an object of JSON as that object: arguments of a call are often written so."""
    if isinstance(value, str) and value.startswith("{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _string(value: object) -> str:
    """The value, if it is a string; "" for another one: a record may hold anything anywhere."""
    return value if isinstance(value, str) else ""


def _list(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
