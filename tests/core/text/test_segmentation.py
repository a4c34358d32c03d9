"""Chunks cut into what can be quoted."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.core.text.segmentation import quote_end, units
from ragstone.core.text.shown_text import join_lines, without_addresses


def _texts(text: str) -> list[tuple[str, str]]:
    return [(unit.kind, text[unit.start : unit.end]) for unit in units(text)]


def test_sentences_end_where_they_end() -> None:
    text = 'Dr. Smith measured 3.5 N, i.e. very little. "It moved!" he said. See Fig. 2 for more? Yes. It is so'
    assert [piece for _, piece in _texts(text)] == [
        "Dr. Smith measured 3.5 N, i.e. very little.",
        '"It moved!" he said.',
        "See Fig. 2 for more?",
        "Yes.",
        "It is so",
    ]


def test_a_cited_source_belongs_to_the_sentence_before_it() -> None:
    text = (
        '"Ropes are free." [A. B. Reed, Ropes, vol. 2, p. 17] In other words (see pp. 3-4), they pull. [Op. Cit., p. 9]'
        "\n\nOne "
        'end is "the knot". [Ibid.] It is 5 p. Next [the end] it frays. [The rope] is old. [A rope.'
    )
    assert [piece for _, piece in _texts(text)] == [
        '"Ropes are free." [A. B. Reed, Ropes, vol. 2, p. 17]',
        "In other words (see pp. 3-4), they pull. [Op. Cit., p. 9]",
        'One end is "the knot". [Ibid.]',
        "It is 5 p.",
        "Next [the end] it frays.",
        "[The rope] is old.",
        "[A rope.",
    ]


def test_a_year_belongs_to_the_letter_before_it() -> None:
    text = "He stayed until he was 37 (c. 347 BC). Ann (b. 1905) wrote it. It was plan b. 4 of us went."
    assert [piece for _, piece in _texts(text)] == [
        "He stayed until he was 37 (c. 347 BC).",
        "Ann (b. 1905) wrote it.",
        "It was plan b.",
        "4 of us went.",
    ]


def test_lists_tables_code_and_headings() -> None:
    text = (
        "# Title\n\nUse these:\n\n- first item. With two sentences.\n- second\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
        "```python\nprint('x. Y')\n```\n\n> [!WARNING]\n> Hot.\n"
    )
    assert _texts(text) == [
        ("sentence", "Use these:"),
        ("item", "first item. With two sentences."),
        ("item", "second"),
        ("header", "a | b"),
        ("row", "1 | 2"),
        ("code", "```python\nprint('x. Y')\n```"),
        ("sentence", "Hot."),
    ]


def test_a_colon_brings_what_it_announces() -> None:
    text = "Do this:\n\n1. Stop.\n2. Look.\n\nThen go."
    found = units(text)
    assert text[found[0].start : quote_end(text, found, 0, 500)] == "Do this:\n\n1. Stop.\n2. Look."
    assert quote_end(text, found, 0, 12) == found[0].end


def test_a_list_within_a_list_ends_with_it() -> None:
    text = "- Sauces, as follows:\n\n  - Stir.\n\n    1. Slowly.\n\n  - Taste.\n\n- Salads: leaves."
    found = units(text)
    assert text[found[0].start : quote_end(text, found, 0, 500)].endswith("Slowly.\n\n  - Taste.")


def test_a_formula_is_quoted_with_what_leads_in_to_it() -> None:
    text = "The pull of a winch is:\n\nm\n\nF = X m_i g\n\ni=1\n\nRemark: g = 9.81 is the same everywhere."
    found = units(text)
    assert text[: quote_end(text, found, 0, 500)].endswith("F = X m_i g\n\ni=1")
    assert quote_end(text, found, 0, 30) == found[0].end
    begun = "For winches A and B we have: P(A|B)P(B)\n\nP(B|A) =\n\nP(A)\n\nIt is a rule."
    assert begun[: quote_end(begun, units(begun), 0, 500)].endswith("P(A)")
    for other in (
        "Red: blue\n\nm\n\nA winch.",
        "Two of them:\n\nThe drum = a cylinder with a rope.",
        "Sides: A\n\nB\n\nC",
        'This is the drum:\n\n<img width="60" src="drum.png">\n\nIt turns.',
    ):
        assert quote_end(other, units(other), 0, 500) == units(other)[0].end


def test_lines_of_a_log_are_quoted_alone() -> None:
    lines = ["2026-05-04 02:00:01 INFO backup started", "2026-05-04T02:03:12 ERROR disk full", "2026-05-05: tape new"]
    assert _texts("\n".join(lines)) == [("item", line) for line in lines]
    assert [kind for kind, _ in _texts("It was sold on\n2026-05-04 in Lund.")] == ["sentence"]


def test_a_quote_is_no_part_of_the_item_above() -> None:
    text = "* Stir.\n> Note: it is hot.\n\n> One\n> quote."
    assert _texts(text) == [("item", "Stir."), ("sentence", "Note: it is hot."), ("sentence", "One\n> quote.")]


def test_what_is_listed_below_may_follow_a_sentence() -> None:
    text = "Its uses are listed below. Some are rare.\n\n- Soup\n- Salad\n\nMore."
    found = units(text)
    assert text[found[0].start : quote_end(text, found, 0, 500)].endswith("rare.\n\n- Soup\n- Salad")
    assert quote_end(text.replace("below", "here"), units(text), 0, 500) == found[0].end


def test_a_table_that_is_listed_below_comes_along() -> None:
    text = "The topics are listed below.\n\n| topic | use |\n|---|---|\n| /a | b |\n\nMore."
    found = units(text)
    assert text[found[0].start : quote_end(text, found, 0, 500)].endswith("\n| /a | b |")


@given(st.text(alphabet=st.sampled_from("aB .!?:\n-*|`~>#1)[]\t é中"), max_size=300))
def test_any_text_gives_slices_in_order(text: str) -> None:
    found = units(text)
    assert all(text[unit.start : unit.end].strip() for unit in found)
    assert all(before.end <= after.start for before, after in pairwise(found))


def test_a_short_line_above_a_long_one_is_a_heading() -> None:
    paragraph = (
        "The languages in Angola are those that were spoken by its peoples, and Portuguese, which came with trade. " * 2
    )
    found = [f"Languages\n{paragraph}"[unit.start : unit.end] for unit in units(f"Languages\n{paragraph}")]
    assert found[0] == "Languages"
    assert found[1].startswith("The languages in Angola")
    brief = "Oars (paddles)\nThe crew had twelve of them."
    assert [brief[unit.start : unit.end] for unit in units(brief)] == brief.split("\n")
    broken = "He sailed to\nAngola with three ships, and came back\nwith one."
    assert len(units(broken)) == 1


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        (
            "I booked the rooms for the week. Twelve of them are held\nuntil Friday, all others\nare free.",
            "I booked the rooms for the week. Twelve of them are held until Friday, all others\nare free.",
        ),
        (
            "> I booked the rooms for the whole week, and they are held\n> until the end of November.",
            "I booked the rooms for the whole week, and they are held until the end of November.",
        ),
        (
            "- an item that goes on and on until its line is full\n  and here",
            "an item that goes on and on until its line is full and here",
        ),
        ("Roses are red,\nviolets are blue,\nand so are you.", "Roses are red,\nviolets are blue,\nand so are you."),
        ("10 Long Street in the very middle of\nOslo\nNorway", "10 Long Street in the very middle of\nOslo\nNorway"),
    ],
)
def test_lines_are_joined_where_a_line_was_full(text: str, joined: str) -> None:
    found = units(text)
    assert " ".join(join_lines(text, unit.start, unit.end, found) for unit in found) == joined


@pytest.mark.parametrize(
    ("quote", "shown"),
    [
        ("Run [the tool](https://x.org/a_(b)) twice.", "Run the tool twice."),
        ('It is [here](/a "A title") ![shot](b.png).', "It is here ."),
        ("[![shot](b.png)](c) Run it.", "Run it."),
        ("![shot](b.png)", "![shot](b.png)"),
        ("Write `[a](b)`:\n```\n[a](b)\n```", "Write `[a](b)`:\n```\n[a](b)\n```"),
        ("Casters [1] (see [2])", "Casters [1] (see [2])"),
    ],
)
def test_links_are_shown_by_their_words(quote: str, shown: str) -> None:
    assert without_addresses(quote) == shown


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It is on the lane (now Św. Jana 4). He left.", 2),
        ("See Bd. Two, by Dr. Kerr. Then go on.", 2),
        ("They chose Anna Kerr; 2. John Brook; and 3. Mary Hill of the yard.", 1),
        ("It runs at 50 Hz. The rest is noise.", 2),
        ("They counted 3, 4, and 5. Then they left.", 2),
        ("Click on Add. Then go on.", 2),
        ("Head of the yard, Tel. +49 40 555 0199", 1),
    ],
)
def test_words_without_a_vowel_are_abbreviations(text: str, sentences: int) -> None:
    assert len(units(text)) == sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It runs at 230 V. The pump is old.", 2),
        ("Keep it at 32 °C. Do not freeze it.", 2),
        ("In 1990 J. Smith came. He sat.", 2),
        ("He met J. R. R. Berg. It rained.", 2),
    ],
)
def test_a_letter_behind_a_number_is_a_unit_and_behind_a_year_an_initial(text: str, sentences: int) -> None:
    assert len(units(text)) == sentences


def test_a_question_mark_among_other_signs_ends_no_sentence() -> None:
    assert len(units("Never write the signs < | ? * and a dot. The pump is old.")) == 2
    assert len(units("Who is it ? Ada knows ! The pump is old.")) == 3
