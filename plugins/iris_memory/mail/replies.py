"""Splits a mail's body into its writer's own text, the quoted mail and the signature."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WROTE = re.compile(
    r"(?:On\b.{5,200}\bwrote|Am\b.{5,200}\bschrieb.{0,100}|Le\b.{5,200}\ba écrit|El\b.{5,200}\bescribió)\s*:\s*$",
    re.IGNORECASE | re.DOTALL,
)
_ORIGINAL = re.compile(
    r"-{3,}\s*(?:Original Message|Ursprüngliche Nachricht|Message d'origine)\s*-{3,}\s*$", re.IGNORECASE
)
#: Outlook's: a rule, or nothing, and then the header of the mail that is answered.
_HEADER = re.compile(r"\**(?:From|Von|De)\**\s*:\**\s+\S")
_SENT = re.compile(r"\**(?:Sent|Date|Gesendet|Envoyé)\**\s*:", re.IGNORECASE)
_SIGNATURE = re.compile(r"-- ?$")
_DEVICE = re.compile(r"(?:Sent from my |Get Outlook for )\S.{0,60}$", re.IGNORECASE)
#: Lines of a signature, at most; what is longer is no signature.
_LONGEST_SIGNATURE = 12


@dataclass(frozen=True)
class Reply:
    """The parts of a mail's body."""

    own: str
    #: Without its marks, the last answered mail alone: what that one quoted is not here.
    quoted: str
    signature: str


def split_reply(body: str) -> Reply:
    """Split the body. A mail that only quotes, or is only a signature, has that as its own text."""
    own: list[str] = []
    quoted: list[str] = []
    signature: list[str] = []
    lines = body.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.startswith(">"):
            if not line.lstrip("> ").startswith(">") and not re.match(r">\s*>", line):
                quoted.append(line[1:].removeprefix(" "))
        elif (length := _attribution(lines, at)) > 0:
            quoted.append(" ".join(part.strip() for part in lines[at : at + length]))
            at += length - 1
        elif _begins_original(lines, at):
            quoted += [part.lstrip("> ") for part in lines[at:] if not re.match(r">\s*>", part)]
            break
        elif _SIGNATURE.fullmatch(line) or _DEVICE.match(line):
            end = _end_of_signature(lines, at)
            if end - at <= _LONGEST_SIGNATURE:
                signature += lines[at:end]
                at = end - 1
            else:
                own.append(line)
        else:
            own.append(line)
        at += 1
    while own and not own[-1].strip("_ \t") and quoted:  # Outlook's rule above what is answered
        own.pop()
    own_text, quote, sign_off = ("\n".join(part).strip() for part in (own, quoted, signature))
    if not own_text:
        return Reply(quote or sign_off, "", sign_off if quote else "")
    return Reply(own_text, quote, sign_off)


def _attribution(lines: list[str], at: int) -> int:
    """How many lines name the writer of the quote below; 0 if these do not."""
    for length in (1, 2, 3):
        if _WROTE.match("\n".join(lines[at : at + length])):
            follows = next((line for line in lines[at + length : at + length + 3] if line.strip()), ">")
            return length if follows.startswith(">") else 0
    return 0


def _begins_original(lines: list[str], at: int) -> bool:
    if _ORIGINAL.match(lines[at].strip()):
        return True
    if at > 0 and _HEADER.match(lines[at]) and not lines[at - 1].strip("_- \t"):
        return any(_SENT.match(line) for line in lines[at + 1 : at + 4])
    return False


def _end_of_signature(lines: list[str], at: int) -> int:
    """Where a signature that begins there ends; one line behind the longest one where it is longer."""
    last = min(len(lines), at + _LONGEST_SIGNATURE + 1)
    for end in range(at + 1, last):
        if lines[end].startswith(">") or _attribution(lines, end) or _begins_original(lines, end):
            return end
    return last
