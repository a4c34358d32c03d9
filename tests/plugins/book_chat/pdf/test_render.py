"""A page as a picture: the words of a chunk are marked in it, and no file takes more than its limits."""

from __future__ import annotations

import io
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Annotated, Any

import numpy as np
import pytest
from PIL import Image
from pydantic import Base64Bytes, Field, TypeAdapter

from ragstone.core.runtime import Unanswered
from ragstone.plugins.book_chat.pdf import process
from ragstone.plugins.book_chat.pdf.render import marked
from tests.plugins.book_chat import pdfs
from tests.plugins.book_chat.pdfs import lines, make
from tests.support.needs import needed
from tests.support.patience import without_hanging

needed("pypdfium2")

FIRST, SECOND, THIRD = "A caster swivels about an axis.", "A gripper closes two jaws.", "A belt drives a wheel."
PAGE = make([[*lines(72, 700, "Words.")], [*lines(72, 700, FIRST, SECOND, THIRD, step=40)]])
HOSTILE = {
    "bomb": pdfs.bomb(),
    "double": pdfs.double_bomb(),
    "cycle": pdfs.page_tree_cycle(),
    "encrypted": pdfs.encrypted(),
    "half": PAGE[: len(PAGE) // 2],
    "empty": b"",
    "few pages": make([[*lines(72, 700, "One.")]]),
}


def draw(data: bytes, page: int = 2, chunk: str = "", quote: str = "", seconds: float = 10) -> bytes:
    with NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        with process.PdfProcess(Path(file.name), file.file, seconds=seconds, megabytes=768) as opened:
            return opened.draw(page, chunk, quote)


def pixels(picture: bytes) -> Any:
    return np.asarray(Image.open(io.BytesIO(picture)))


def rows_in(shown: Any, colour: tuple[int, int, int]) -> set[int]:
    """Points from the top of the page at which it has this colour."""
    height = shown.shape[0]
    return {round(at * 792 / height) for at in np.nonzero((shown == colour).all(axis=2).any(axis=1))[0]}


def test_the_chunk_is_marked_and_the_quote_in_it() -> None:
    shown = pixels(draw(PAGE, chunk=f"{SECOND} {THIRD}", quote="closes two jaws"))
    light, strong = rows_in(shown, (255, 246, 214)), rows_in(shown, (255, 216, 107))
    assert all(abs(at - 130) < 14 for at in strong), "the second line alone"
    assert strong
    assert light & set(range(125, 140))
    assert light & set(range(165, 180))
    assert not light & set(range(85, 98)), "not the first"
    assert (shown < 100).all(axis=2).any(), "the words are still there"
    plain = pixels(draw(PAGE))
    assert not rows_in(plain, (255, 246, 214))


def test_words_that_are_divided_or_stand_in_another_order() -> None:
    page = ["The", "quick", "brown", "fox", "jum-", "ps", "over", "the", "lazy", "dog", ".", "Nothing", "else", "here"]
    found = marked(page, "quick **brown** fox jumps over the lazy dog.")
    assert [page[at] for at in found] == page[1:10]
    assert marked(page, "else") == [page.index("else")]
    assert marked(page, "a few words that are nowhere the lazy") == []
    assert marked([], "x") == marked(page, "") == []


@pytest.mark.parametrize("name", HOSTILE)
def test_what_cannot_be_drawn_is_refused_in_bounded_time(name: str) -> None:
    with without_hanging(), pytest.raises(Unanswered):
        draw(HOSTILE[name])


def test_a_page_of_any_size_is_a_picture_of_bounded_size() -> None:
    huge = PAGE.replace(b"[0 0 612 792]", b"[0 0 14400 14400]")
    assert huge != PAGE
    assert max(pixels(draw(huge)).shape) <= 1754


def test_one_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    with without_hanging(), pytest.raises(Unanswered) as caught:
        draw(PAGE, seconds=0.01)
    assert caught.value.reason == "timeout"
    monkeypatch.setattr(process, "_PICTURE", TypeAdapter(Annotated[Base64Bytes, Field(max_length=100)]))
    with pytest.raises(Unanswered, match="no valid answer"):
        draw(PAGE)
    monkeypatch.setattr(process, "_PNG", b"GIF")
    with pytest.raises(Unanswered):
        draw(PAGE)
