"""What is written down of the planner's steps, without keys, tokens, passwords and the names that must not be there.

Nobody can know every secret. This takes what has the form of one, every value of the environment whose name says that
it is one, and the words that the deployment names.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_GONE = "[redacted]"
_SECRET_NAME = re.compile(r"(?:^|_)(?:API|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|CREDENTIALS?|AUTH)(?:_|$)", re.I)
_SHORTEST_VALUE = 6
_FORMS = (
    # PEM blocks, whole
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.S),
    # JSON web tokens
    re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.?[\w-]*"),
    # the prefixes of OpenAI, Anthropic, GitHub, GitLab, Slack, Hugging Face, Google, AWS, Stripe
    re.compile(r"\b(?:sk|pk|rk)[-_][\w-]{8,}|\b(?:gh[pousr]|glpat|xox[abprs]|hf|github_pat)[-_][\w-]{8,}"),
    re.compile(r"\bAIza[\w-]{20,}|\b(?:AKIA|ASIA)[A-Z0-9]{12,}|\bya29\.[\w.-]{10,}"),
)
#: What stands before a secret stays.
_NAMED = (
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
#: Bits for each character; English words joined together have some 3.5 to 4.
_ENTROPY = 4.2


class Redactor:
    """Takes secrets out of texts."""

    def __init__(self, words: Iterable[str] = (), environ: Mapping[str, str] | None = None) -> None:
        """``words``: names that are to go wherever they stand, as words, in any case."""
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
        """The text without what has the form of a secret."""
        text = self.known(text)
        for form in _FORMS:
            text = form.sub(_GONE, text)
        for form in _NAMED:
            text = form.sub(rf"\1{_GONE}", text)
        return _LONG.sub(lambda found: _GONE if _is_random(found[0]) else found[0], text)

    def known(self, text: str) -> str:
        """The text without what is known to be secret: values of the environment, names."""
        for value in self._values:
            text = text.replace(value, _GONE)
        return self._names.sub(_GONE, text) if self._names else text

    def within(self, value: Any, *, ids: frozenset[str] = frozenset()) -> Any:
        """The same of every string in a JSON value. What stands under a key in ``ids`` may look like anything."""
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
        """A field whose name says that it is a secret holds one, whatever it looks like."""
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
