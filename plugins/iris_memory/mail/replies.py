"""Splits a mail's body into its writer's own text, the quoted mail and the signature."""

from __future__ import annotations

import re

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
_NESTED = re.compile(r">\s*>")
_SIGNATURE = re.compile(r"-- ?$")
_DEVICE = re.compile(r"(?:Sent from my |Get Outlook for )\S.{0,60}$", re.IGNORECASE)
#: Lines of a signature, at most; what is longer is no signature.
_LONGEST_SIGNATURE = 12
#: Characters of a quote that stays above its answer.
_SHORT_QUOTE = 300


def split_reply(body: str) -> tuple[str, str]:
    """The writer's own text, and the quoted mail without its marks: the last answered one alone, not what that quoted.

    A short quote above own words, which answer it, stays there, marked ``> ``. A mail that only quotes, or is only a
    signature, has that as its own text.
    """
    own: list[str] = []
    quoted: list[str] = []
    above: list[str] = []  # the quote before the line, and who wrote it
    wrote: list[str] = []
    signature: list[str] = []
    lines = body.split("\n")
    at = 0
    while at < len(lines):
        if lines[at].startswith(">"):
            end = at + 1
            if not _NESTED.match(lines[at]):
                above.append(lines[at][1:].removeprefix(" "))
        elif (end := _attribution_end(lines, at)) > at:
            wrote.append(" ".join(line.strip() for line in lines[at:end]))
        elif _begins_original(lines, at):
            above += [line.lstrip("> ") for line in lines[at:] if not _NESTED.match(line)]
            break
        elif (end := _signature_end(lines, at)) > at:
            signature += lines[at:end]
        else:
            end = at + 1
            if above and lines[at].strip():
                if sum(map(len, above)) <= _SHORT_QUOTE:
                    own += [*(f"> {line}".rstrip() for line in above), ""]
                else:
                    quoted += wrote + above
                above, wrote = [], []
            own.append(lines[at])
        at = end
    quoted += wrote + above
    while own and not own[-1].strip("_ \t") and quoted:  # Outlook's rule above what is answered
        own.pop()
    text, quote, sign_off = ("\n".join(part).strip() for part in (own, quoted, signature))
    return (text, quote) if text else (quote or sign_off, "")


def _attribution_end(lines: list[str], at: int) -> int:
    """The end of the lines that name the writer of the quote below; ``at`` if these do not."""
    for end in range(at + 1, at + 4):
        if _WROTE.match("\n".join(lines[at:end])):
            follows = next((line for line in lines[end : end + 3] if line.strip()), ">")
            return end if follows.startswith(">") else at
    return at


def _begins_original(lines: list[str], at: int) -> bool:
    if _ORIGINAL.match(lines[at].strip()):
        return True
    if at > 0 and _HEADER.match(lines[at]) and not lines[at - 1].strip("_- \t"):
        return any(_SENT.match(line) for line in lines[at + 1 : at + 4])
    return False


def _signature_end(lines: list[str], at: int) -> int:
    """The end of a signature that begins here; ``at`` if none does."""
    if not _SIGNATURE.fullmatch(lines[at]) and not _DEVICE.match(lines[at]):
        return at
    last = min(len(lines), at + _LONGEST_SIGNATURE + 1)
    for end in range(at + 1, last):
        if lines[end].startswith(">") or _attribution_end(lines, end) > end or _begins_original(lines, end):
            return end
    return last if last - at <= _LONGEST_SIGNATURE else at
