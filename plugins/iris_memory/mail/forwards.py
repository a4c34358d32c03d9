"""Finds the mails that a mail forwards, below a line that says so."""

from __future__ import annotations

import re
from itertools import islice, pairwise

_WORDS = "Forwarded message|Weitergeleitete Nachricht|Message transféré|Mensaje reenviado"
_ORIGINAL = "Original Message|Ursprüngliche Nachricht|Message d'origine|Mensaje original"
_BEGIN = "(?:Begin forwarded message|Anfang der weitergeleiteten Nachricht):"
_LINE = re.compile(rf"^(?:-{{3,}} ?(?:{_WORDS}) ?-{{3,}}|{_BEGIN})[ \t]*$", re.IGNORECASE | re.MULTILINE)
#: Outlook writes the same above what is answered and above what is forwarded; the subject tells.
_FORWARDS = re.compile(r"\s*(?:fwd?|wg|tr|rv)\s*:", re.IGNORECASE)
_OUTLOOK_LINE = re.compile(rf"{_LINE.pattern}|^(?:_{{10,}}|-{{3,}} ?(?:{_ORIGINAL}) ?-{{3,}})[ \t]*$", _LINE.flags)
_NAMES = {
    "from": "From", "von": "From", "de": "From",
    "to": "To", "an": "To", "à": "To", "para": "To",
    "cc": "Cc",
    "date": "Date", "sent": "Date", "datum": "Date", "gesendet": "Date", "envoyé": "Date", "fecha": "Date",
    "subject": "Subject", "betreff": "Subject", "objet": "Subject", "asunto": "Subject",
}  # fmt: skip
_FIELD = re.compile(rf"\**({'|'.join(_NAMES)})\** ?:\**[ \t]*(.*)", re.IGNORECASE)
_MOST = 20


def split_forwards(body: str, subject: str) -> tuple[str, list[tuple[dict[str, str], str]]]:
    """The mail's own body, and of each mail that it forwards the header's fields ("From", "To", "Cc", "Date",
    "Subject") and the body, without marks of a quote. A line that no header follows forwards nothing."""
    line = _OUTLOOK_LINE if _FORWARDS.match(subject) else _LINE
    starts = [found.start() for found in islice(line.finditer(body), _MOST)]
    parts = [body[start:end] for start, end in pairwise([0, *starts, len(body)])]
    forwarded = list[tuple[dict[str, str], str]]()
    own = parts[0]
    for part in parts[1:]:
        known, text = _header(_unquoted(part.partition("\n")[2]))
        if "From" in known:
            forwarded.append((known, text))
        elif forwarded:
            forwarded[-1] = (forwarded[-1][0], f"{forwarded[-1][1]}\n{part}")
        else:
            own += part
    return own.rstrip(), forwarded


def _unquoted(text: str) -> str:
    """The text without "> " where each line has it, as some programs write it."""
    lines = text.strip().split("\n")
    if not all(line.startswith(">") for line in lines if line.strip()):
        return text.strip()
    return "\n".join(line.removeprefix(">").removeprefix(" ") for line in lines).strip()


def _header(text: str) -> tuple[dict[str, str], str]:
    """The fields above the first empty line, some of them on several lines, and the text below."""
    head, _, rest = text.partition("\n\n")
    known, name = dict[str, str](), ""
    for line in head.split("\n"):
        if found := _FIELD.match(line):
            name = _NAMES[found[1].lower()]
            known.setdefault(name, found[2].strip())
        elif name:
            known[name] = f"{known[name]} {line.strip()}"
        else:
            return {}, text
    return known, rest.strip()
