"""Numbers with their nouns."""

from ragstone.core.text import counted


def test_one_thing_is_no_plural() -> None:
    assert counted(file=1) == "1 file"
    assert counted(document=0, chunk=2000) == "0 documents, 2,000 chunks"
