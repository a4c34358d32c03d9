"""Flags for text that reads like an order: to a language model, to a program that calls tools, or to a motor.

They are an aid for people and programs that look at chunks. Safety does not rest on them: it rests on the random
fence around each chunk and on types that cannot act.
"""

from __future__ import annotations

import re
import unicodedata

from ragstone.core.text import command_verb, is_addressed, sentence_spans, strip_hidden

_MOVES = (
    r"move|drive|go|turn|rotate|spin|stop|start|open|close|grasp|grab|grip|release|drop|lift|lower|raise|push|pull"
    r"|throw|swing|accelerate|proceed|advance|engage|activate|set|increase|maximi[sz]e"
)
_ENDS = r"disable|deactivate|bypass|override|turn off|switch off|shut off|shut down|ignore|remove|reset|unlock"
_PARTS = (
    r"motors?|actuators?|servos?|grippers?|joints?|manipulators?|wheels?|torque|throttle|robot|arm"
    r"|full speed|maximum speed|top speed"
)
_GUARDS = (
    r"safety|clamps?|limits?|e-?stop|emergency stop|interlocks?|collision|fast[- ]loop|watchdogs?|guard rails?|checks?"
)
#: What each flag is for, as patterns in any case.
_WORDS = {
    # "ignore all previous instructions" in its many forms
    "overrides": (
        r"\b(?:ignore|disregard|forget|override|discard|skip|cancel)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier"
        r"|preceding|all|any|your|the|these|those|other)\b[^.\n]{0,40}\b(?:instructions?|prompts?|rules?|commands?|orders?"
        r"|directives?|guidelines?|context|constraints?|goals?)\b"
        r"|\b(?:new|updated|real|actual|following) (?:instructions?|directives?|orders?|system prompt)\b\s*(?::|are|is)"
        r"|\byou are now\b|\bfrom now on\b[^.\n]{0,30}\byou\b|\bact as (?:if|an?|the)\b[^.\n]{0,30}\b(?:assistant|agent"
        r"|admin|operator|robot|system)\b"
        r"|\b(?:reveal|print|repeat|show)\b[^.\n]{0,30}\b(?:system prompt|instructions)\b"
    ),
    # a turn of a conversation
    "role-marker": (
        r"<\|[\w ]{1,40}\|>|<</?SYS>>|\[/?(?:INST|SYSTEM_PROMPT|SYS|TOOL_CALLS|AVAILABLE_TOOLS)\]|</?s>"
        r"|<(?:start|end)_of_turn>"
        r"|(?:^|\n|[.!?] )\W{0,4}(?:system|assistant|user|human|developer|tool|operator)\W{0,4}(?:message|prompt)?\s*:"
        r"(?=\s*\S)|(?:^|\n)#{1,6} ?(?:system|instructions?|response)\b"
    ),
    # what a program reads as a call
    "tool-call": (
        r"</?(?:tool_call|tool_use|function_calls?|function|invoke|antml:\w+|tool|action|execute)\b[^>]{0,80}>"
        r"|\b(?:functions?|tools?|robot|arm|gripper|motors?|actuators?|base)\.\w{2,40}\s*\("
        r"|\b(?:call|invoke|run|use|execute) (?:the )?(?:tool|function|command|script|skill|action)\b"
        r"|```(?:tool|json|bash|sh|python|action)\b|\bAction(?: Input)?\s*:\s*\S"
    ),
    "json-action": (
        r"[{,]\s*[\"']?(?:tool|action|command|cmd|function|name|tool_calls?|arguments|parameters|args|motor|velocity|joint"
        r"_\w+|torque)[\"']\s*:"
    ),
    "template": r"\{\{.{0,80}?\}\}|\{%.{0,80}?%\}|(?-i:\{[a-z_]{2,30}\})|\$\{[^}\n]{1,60}\}|<%.{0,80}?%>",
    # addresses its reader as a machine; the host's own rules find what speaks of its answer
    "to-the-agent": (
        r"(?:^|[.!?:;\"(\n]\W{0,4})(?:dear |hey |attention[,:]? |note to )?(?:robot|ai|agent|assistant|planner|llm"
        r"|language model|chatbot)s?\s*[,:!]\s*\w+"
    ),
    # an order to a robot's parts, or against its safety; a manual's "open the lid" is none
    "motor-command": (
        rf"(?:^|[.!?:;,]\s*|\n[^\S\n]*|\b(?:please|now|immediately|then|and|must|robot|to)\s+)\W{{0,3}}(?:{_MOVES})\b[^.\n]{{0,40}}"
        rf"\b(?:{_PARTS})\b|\b(?:{_ENDS})\b[^.\n]{{0,40}}\b(?:{_GUARDS})\b"
    ),
    "fence": r"</?(?:fact|recall|passage|context|data|document|quote|untrusted)\b[^>]{0,80}>?",
}
_PATTERNS = {flag: re.compile(words, re.IGNORECASE) for flag, words in _WORDS.items()}
#: Flags of sentences in good manuals, which may be quoted.
HARMLESS = frozenset({"imperative", "template"})
FLAGS = (*_PATTERNS, "imperative", "hidden-characters")


def flags(text: str) -> tuple[str, ...]:
    """The flags of the text, as it is and without hidden or look-alike characters."""
    plain = strip_hidden(unicodedata.normalize("NFKC", text))
    found = [name for name, pattern in _PATTERNS.items() if pattern.search(text) or pattern.search(plain)]
    sentences = [plain[start:end] for start, end in sentence_spans(plain)]
    if "to-the-agent" not in found and any(map(is_addressed, sentences)):
        found.append("to-the-agent")
    if any(command_verb(line.lower()) for sentence in sentences for line in sentence.splitlines()):
        found.append("imperative")
    if strip_hidden(text) != text:
        found.append("hidden-characters")
    return tuple(found)
