"""``/openapi.json``: what the app's routes take and return, in OpenAPI 3.1.

The operation of a route is the option ``openapi`` of its view. Pages for people have none and are left out.
"""

from __future__ import annotations

import re
from typing import Any

from flask import Flask

from ragstone.core import Assistant
from ragstone.core.answering import LONGEST_HISTORY, LONGEST_QUESTION, LONGEST_SELECTION, MOST_CHUNKS
from ragstone.core.pages import COUNT, TEXT, Operation, ViewOptions, body_of, list_of, object_of, response_of

from .keys.access import access

#: Something that is no white space, and no NUL. Python counts as white space what JavaScript's \s leaves out.
_NOT_BLANK = r"^[^\u0000]*[^\s\u0000\u001c-\u001f\u0085][^\u0000]*$"
_QUESTION = {"type": "string", "minLength": 1, "maxLength": LONGEST_QUESTION, "pattern": _NOT_BLANK}
MAYBE_TEXT = {"type": ["string", "null"]}
_FLAG = {"type": "boolean"}
_PROBLEM = {"$ref": "#/components/responses/Problem"}
#: Statuses of any route: from the checks of key, host name and origin, and from the rate limit.
ALWAYS = (401, 403, 421, 429)
_TURN = {
    "type": "object",
    "properties": {
        "question": _QUESTION,
        "answer": {"type": "string", "maxLength": LONGEST_SELECTION, "pattern": "^[^\\u0000]*$"},
    },
    "required": ["question"],
    "additionalProperties": False,
}
_CITATION = object_of(n={"type": "integer", "minimum": 1}, chunk_id=TEXT, url=TEXT, quote=TEXT)
_CITATION["properties"]["note"] = TEXT  # only where there is a note on the source
_TIMINGS = object_of(encode={"type": "number"}, retrieve={"type": "number"}, answer={"type": "number"})
_SCHEMAS = {
    "Problem": {
        **object_of(type=TEXT, title=TEXT, status={"type": "integer", "minimum": 400, "maximum": 599}, detail=TEXT),
        "description": "Problem details (RFC 9457)",
    },
    "Answer": object_of(
        answer=TEXT,
        refused=_FLAG,
        closest=_FLAG,
        reason=MAYBE_TEXT,
        warnings=list_of(TEXT),
        citations=list_of({"$ref": "#/components/schemas/Citation"}),
        dropped=list_of(TEXT),
        timings_ms=_TIMINGS,
    ),
    "Citation": {**_CITATION, "description": "The assistant's own fields are beside these."},
}
_RESPONSES = {
    "Problem": {
        "description": "What went wrong",
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
}
_CHECK = object_of(name=TEXT, ok=_FLAG, fatal=_FLAG, detail=TEXT)
_REPORT = object_of(
    status={"enum": ["ok", "unavailable"]},
    version=TEXT,
    plugins=list_of(object_of(name=TEXT, version=TEXT, state=TEXT, reason=MAYBE_TEXT)),
    corpora=list_of(object_of(name=TEXT, documents=COUNT, chunks=COUNT)),
    checks=list_of({**_CHECK, "properties": {**_CHECK["properties"], "mend": TEXT}}),
) | {"required": ["status"], "description": "Only `status` for those who have no key where one is needed"}
HEALTH: Operation = {
    "summary": "How it is",
    "responses": {
        "200": response_of("It can answer", _REPORT),
        "503": response_of("It cannot; `reason` says why", _REPORT),
    },
}
ITSELF: Operation = {
    "summary": "This description",
    "responses": {"200": response_of("OpenAPI 3.1", {"type": "object"})},
}


def question_schema(assistant: Assistant, *, selection: bool = False) -> dict[str, Any]:
    """What a question to an assistant is, as ``Question.from_json`` reads it."""
    properties: dict[str, Any] = {
        "question": _QUESTION,
        "top_k": {"type": "integer", "minimum": 1, "maximum": MOST_CHUNKS},
    }
    if selection:
        properties["selection"] = {**_QUESTION, "maxLength": LONGEST_SELECTION}
    else:
        properties["history"] = list_of(_TURN, maxItems=LONGEST_HISTORY)
    for name, each in assistant.profile.filters.by_name.items():
        properties[name] = {"type": "string", "description": each.help}
        if each.choices:
            properties[name]["enum"] = list(each.choices)
        if each.format:
            properties[name]["format"] = each.format
    return {
        "type": "object",
        "properties": properties,
        "required": ["question", *(["selection"] if selection else [])],
        "additionalProperties": False,
    }


def asking(assistant: Assistant, *, selection: bool) -> Operation:
    """The operation that asks an assistant."""
    schema = question_schema(assistant, selection=selection)
    answered = response_of("The answer, or a refusal", {"$ref": "#/components/schemas/Answer"})
    events = {"schema": TEXT, "description": "`delta` with `text`, any number of times; then `answer`, or `error`"}
    answered["content"]["text/event-stream"] = events
    return {
        "summary": f"Ask {assistant.profile.title}{' about a selected text' if selection else ''}",
        "description": assistant.profile.description,
        "requestBody": body_of(schema),
        "responses": {"200": answered, **{str(status): _PROBLEM for status in (400, 404, 413, 415, 502, 503)}},
    }


def describe(app: Flask, version: str) -> dict[str, Any]:
    """Return the description of everything at ``app`` that programs use, as far as the request may ask it."""
    paths: dict[str, dict[str, Any]] = {}
    for rule in sorted(app.url_map.iter_rules(), key=lambda rule: rule.rule):
        options = ViewOptions.of(app.view_functions[rule.endpoint])
        operation = options.openapi
        if operation is None or not (options.assistant is None or access().may_ask(options.assistant)):
            continue
        names = re.findall(r"<(?:[^<>:]+:)?([^<>:]+)>", rule.rule)
        described = {**operation, "responses": {**{str(code): _PROBLEM for code in ALWAYS}, **operation["responses"]}}
        if names:
            described["parameters"] = [{"name": name, "in": "path", "required": True, "schema": TEXT} for name in names]
        path = re.sub(r"<(?:[^<>:]+:)?([^<>:]+)>", r"{\1}", rule.rule)
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            named = {"operationId": f"{method.lower()}:{rule.endpoint}", **described}
            paths.setdefault(path, {})[method.lower()] = named
    return {
        "openapi": "3.1.0",
        "info": {"title": "Ragstone", "version": version, "description": "Answers that say where they come from."},
        "paths": paths,
        "components": {
            "schemas": _SCHEMAS,
            "responses": _RESPONSES,
            "securitySchemes": {
                "key": {"type": "http", "scheme": "bearer", "description": "of `ragstone key add`, where one is asked"},
                "adminKey": {"type": "http", "scheme": "bearer"},
            },
        },
    }
