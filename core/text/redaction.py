"""Removes secrets from texts before they are stored.

Not every secret can be recognised. Removed are texts in the form of a key, token or password, the values of environment
variables that are named like secrets, and the words that the deployment names.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

_GONE = "[redacted]"
_SECRET_NAME = re.compile(r"(?:^|_)(?:API|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|CREDENTIALS?|AUTH)(?:_|$)", re.I)
_SHORTEST_VALUE = 6
_FORMS = (
    # PEM blocks, whole
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.S),
    # the prefixes of OpenAI, Anthropic, GitHub, GitLab, Slack, Hugging Face, Google, AWS, Stripe
    re.compile(r"\b(?:sk|pk|rk)[-_][\w-]{8,}|\b(?:gh[pousr]|glpat|xox[abprs]|hf|github_pat)[-_][\w-]{8,}"),
    re.compile(r"\bAIza[\w-]{20,}|\b(?:AKIA|ASIA)[A-Z0-9]{12,}|\bya29\.[\w.-]{10,}"),
)
#: The text before the secret is kept.
_NAMED = (
    # JSON web tokens
    re.compile(r"((?<![\w-])(?=[\w-]++\.[\w-]{8})[\w-]*?\b)eyJ[\w-]{8,}\.[\w-]{8,}\.?[\w-]*"),
    re.compile(
        r"(\b(?:proxy-)?authorization\b[\"']?\s*[:=]\s*[\"']?)(?:(?:bearer|basic|token|digest)\s+)?[^\s\"',;]+", re.I
    ),
    re.compile(r"(\b(?:bearer|basic)\s+)[\w.+/=~-]{8,}", re.I),
    re.compile(
        r"(\b[\w-]{0,40}(?:api[_-]?key|secret|token(?!s\b)|passw(?:or)?d|passwd|credential|access[_-]?key"
        r"|private[_-]?key|cookie)"
        r"[\w-]{0,20}[\"']?\s*(?:[:=]|\bis\b)\s*[\"']?)[^\s\"',;&]{3,}",
        re.I,
    ),
    re.compile(r"([a-z][a-z0-9+.-]{0,30}://)[^\s/@:]{0,200}:[^\s/@]{1,200}(?=@)", re.I),
)
_LONG = re.compile(r"[A-Za-z0-9+/_=-]{24,}")
_HEX = re.compile(r"[0-9a-fA-F]{32,}")
#: Bits for each character of a random word; English words joined together have some 3.5 to 4.
_ENTROPY = 4.2


class Redactor:
    """Removes secrets from texts."""

    def __init__(self, words: Iterable[str] = (), environ: Mapping[str, str] | None = None) -> None:
        """``words``: names to be removed as whole words, in upper or lower case."""
        environ = os.environ if environ is None else environ
        values = {
            value.strip()
            for name, value in environ.items()
            if _SECRET_NAME.search(name) and len(value.strip()) >= _SHORTEST_VALUE
        }
        self._values = sorted(values, key=len, reverse=True)
        named = sorted({word.strip() for word in words if word.strip()}, key=len, reverse=True)
        self._names = (
            re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, named))})(?!\w)", re.IGNORECASE) if named else None
        )

    def text(self, text: str) -> str:
        """The text without known secrets and without what has the form of one."""
        text = self.known(text)
        for form in _FORMS:
            text = form.sub(_GONE, text)
        for form in _NAMED:
            text = form.sub(rf"\1{_GONE}", text)
        return _LONG.sub(lambda found: _GONE if _is_random(found[0]) else found[0], text)

    def known(self, text: str) -> str:
        """The text without known secrets: values of the environment, the deployment's words."""
        for value in self._values:
            text = text.replace(value, _GONE)
        return self._names.sub(_GONE, text) if self._names else text

    def within(self, value: Any, *, ids: frozenset[str] = frozenset()) -> Any:
        """The same for every string in a JSON value; under a key in ``ids`` only known secrets are removed."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {
                str(key): (
                    self.known(each) if key in ids and isinstance(each, str) else self._field(str(key), each, ids)
                )
                for key, each in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.within(each, ids=ids) for each in value]
        return value

    def _field(self, key: str, value: Any, ids: frozenset[str]) -> Any:
        """The value; all of it is removed where the field's name is that of a secret."""
        if isinstance(value, str) and _SECRET_NAME.search(key) and not key.endswith("tokens"):
            return _GONE
        return self.within(value, ids=ids)


def _is_random(word: str) -> bool:
    if _HEX.search(word):
        return True
    kinds = sum(bool(re.search(kind, word)) for kind in (r"[a-z]", r"[A-Z]", r"[0-9]"))
    counts = Counter(word)
    bits = -sum(count / len(word) * math.log2(count / len(word)) for count in counts.values())
    return kinds == 3 and bits >= min(_ENTROPY, math.log2(len(word)) * 0.85)
