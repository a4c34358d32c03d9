"""The body of an answer: cut while it streams, unpacked within a limit, and of the type that was asked for."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

from .errors import WikiInvalidAnswer, WikiTooLarge

_PIECE = 65_536
_HINT = "{key} in [plugins.concept_tutor.wikis] is the limit"


def read_body(raw: Any, headers: Mapping[str, str], *, limits: tuple[int, int], where: str) -> bytes:
    """All of urllib3's ``raw`` answer, unpacked; ``limits``: of its bytes as they are sent, and unpacked.

    Raises ``WikiTooLarge``, ``WikiInvalidAnswer`` and what ``raw.read`` raises when the connection ends too early.
    """
    sent, unpacked = limits
    coding = headers.get("Content-Encoding", "").strip().lower()
    if coding not in {"", "identity", "gzip", "x-gzip"}:
        raise WikiInvalidAnswer(f"answers packed as {coding[:40]!r}, which it was not asked for", where=where)
    unpack = zlib.decompressobj(wbits=31) if coding.endswith("gzip") else None
    pieces: list[bytes] = []
    came = made = 0
    while piece := raw.read(_PIECE, decode_content=False):
        came += len(piece)
        if came > sent:
            raise _too_large("sends", sent, "sent_mb", where)
        try:
            plain = unpack.decompress(piece, unpacked + 1 - made) if unpack else piece
        except zlib.error as error:
            raise WikiInvalidAnswer("sends gzip that cannot be unpacked", where=where) from error
        made += len(plain)
        if made > unpacked:
            raise _too_large("unpacks to", unpacked, "unpacked_mb", where)
        pieces.append(plain)
    if unpack and not unpack.eof:
        raise WikiInvalidAnswer("sends gzip that ends too early", where=where)
    return b"".join(pieces)


def check_text(body: bytes, headers: Mapping[str, str], *, kind: str, where: str) -> bytes:
    """The body if it is of the type ``kind`` and in UTF-8. Raises ``WikiInvalidAnswer``."""
    given, *parameters = [part.strip() for part in headers.get("Content-Type", "").split(";")]
    if given.lower() != kind:
        raise WikiInvalidAnswer(
            f"answers with {given[:60] or 'no type'!r} where {kind} was asked for",
            where=where,
            hint="see whether url and api_path of the wiki are those of a MediaWiki's REST API",
        )
    charset = next((p[8:].strip("\"' ").lower() for p in parameters if p.lower().startswith("charset=")), "utf-8")
    if charset not in {"utf-8", "utf8"}:
        raise WikiInvalidAnswer(f"answers in {charset[:40]!r}, and MediaWiki's is UTF-8", where=where)
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise WikiInvalidAnswer(f"answers in what is not UTF-8 at byte {error.start}", where=where) from error
    return body


def _too_large(does: str, limit: int, key: str, where: str) -> WikiTooLarge:
    return WikiTooLarge(f"{does} more than {limit:,} bytes", where=where, limit=limit, hint=_HINT.format(key=key))
