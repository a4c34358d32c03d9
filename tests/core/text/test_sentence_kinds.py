"""What kind of text a sentence is: answers are made of what explains."""

from __future__ import annotations

import pytest

from ragstone.core.text import (
    StatedKind,
    is_packed,
    kind_of_names,
    pack,
    pack_kinds,
    packed_in,
    section_kind,
    unpack_kinds,
)
from ragstone.core.text.chunk_terms import analyze_chunk
from ragstone.core.text.packed_terms import is_beside_the_text
from tests.support.patience import grows_linearly


def _kinds(text: str, headings: str = "") -> list[tuple[str, str]]:
    known = analyze_chunk(headings, text)
    return [(kind, text[unit.start : unit.end]) for kind, unit in zip(known.kinds, known.units, strict=True)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("A caster is a wheel that swivels about a vertical axis.", "explanation"),
        ("Identify the red wire and cut it.", "explanation"),
        ("The key innovation is that the world changes at random.", "explanation"),
        ("Next, the press closes and the mould is filled.", "explanation"),
        ("Explain how physical AI differs from traditional AI systems", "objective"),
        ("By the end of this section, you will be able to:", "objective"),
        ("Which require system identification?", "question"),
        ("[29] J. Tobin et al., Domain randomization for transferring networks, 2017.", "reference"),
        ("Szeliski, R. (2010). Computer Vision: Algorithms and Applications.", "reference"),
        ("1 Leigh Van Valen, “A New Evolutionary Law,” Evolutionary Theory 1 (1973): 1–30", "reference"),
        ("Figure 3.2: A press with its platens open.", "caption"),
        ("(credit: modification of work by somebody)", "caption"),
        ("Watch this video to see how a press closes.", "navigation"),
        ("[ ] Tighten the bolts", "navigation"),
        ("[How a press closes](https://example.org/press.md) - 2021-06-06", "navigation"),
        ('<img width="602" alt="A press" src="https://example.org/press.png">', "navigation"),
        ("![A press](press.png)", "navigation"),
        ("[A press](press.md) closes its plates with a screw.", "explanation"),
        ("2.1 Casters ........12", "navigation"),
        ("Casters of steel . . . . . . 9, 12–14", "navigation"),
        ("826 Doctor Who instalments have been televised since 1963, of 25 minutes to 1989.", "explanation"),
        ("Balance and Stability", "label"),
        ("The key innovation: Domain Randomization", "label"),
        ("Melting point: 250 degrees", "explanation"),
        ("Its update rule is as follows:", "label"),
        ("- The method finds the root of a curve. Its update rule is as follows:", "explanation"),
        (", is a chart of how bottles are collected and sorted in four towns.", "label"),
        ("The distinction between traditional digital AI and Physical AI", "label"),
        ("PET (see)", "label"),
        ('print(f"PID control completed.', "code"),
        ('Final value: {current_value:.3f}")', "code"),
        ("The force (in newtons) acts on {0, 1}.", "explanation"),
        ('The winch was "a tool" of sailors. [Kerr, Ropes, pp. 7-8]', "explanation"),
        ("Kerr, Ropes and winches, pp. 7-8.", "reference"),
        ("A screenshot of the winch's dialog.", "caption"),
        ("self.theta = np.zeros(n_states * n_inputs)\nself.P = np.eye(len(self.theta)) * 10", "code"),
    ],
)
def test_the_form_of_a_sentence_says_what_it_is(text: str, kind: str) -> None:
    assert {found for found, _ in _kinds(text)} == {kind}


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("Review Questions", "question"),
        ("3.4 Practice Problems", "question"),
        ("Exercise 2: Grip", "question"),
        ("Exercise: Compare two grippers", "question"),
        ("Interactive Quiz", "question"),
        ("Exercise physiology", None),
        ("Learning Objectives", "objective"),
        ("References and Further Reading", "reference"),
        ("Short literature list", "reference"),
        ("Glossary", "definition"),
        ("Chapter 11. Winch Glossary", "definition"),
        ("Next steps", "navigation"),
        ("Appendix B. Notes and to-do list for this manual", "navigation"),
        ("Notes and todo list for this manual", "navigation"),
        ("Discussion", None),
        ("Challenges", None),
        ("The goals of the project", None),
        ("Literature", None),
    ],
)
def test_a_heading_says_what_is_below_it(heading: str, kind: str | None) -> None:
    assert section_kind(heading) == kind


def test_headings_above_count_and_glossaries_define() -> None:
    found = _kinds("caster: wheel that swivels\n\ntyre: ring of rubber", "Wheels › Glossary")
    assert [kind for kind, _ in found] == ["definition", "definition"]
    assert _kinds("Design a gripper with three fingers.", "Robots › Exercises › Exercise 1: Grip")[0][0] == "question"


def test_the_items_below_a_list_of_objectives_are_objectives() -> None:
    lead = "After reading this chapter, you will be able to:"
    text = f"{lead}\n\n- name the parts of a press\n- grease them\n\nA press closes."
    assert [kind for kind, _ in _kinds(text)] == ["objective", "objective", "objective", "explanation"]


def test_a_short_line_above_a_formula_is_no_label() -> None:
    assert analyze_chunk("", "The pull is:\n\nF = m_i g\n\nIt is high.").kinds[0] == "explanation"
    assert analyze_chunk("", "The pull is:\n\nIt is high.").kinds[0] == "label"


def test_a_reference_goes_on_only_from_the_beginning_of_its_paragraph() -> None:
    entry = "[1] L. Ljung, System Identification. Theory for the User."
    assert {kind for kind, _ in _kinds(entry)} == {"reference"}
    assert _kinds(f"A press closes. {entry} It opens again.")[-1][0] == "explanation"


def test_numbered_commands_are_a_procedure_and_other_numbered_lists_are_not() -> None:
    steps = "1. Loosen the nuts.\n2. Lift the car:\n\n   ```\n   jack\n   ```\n3. The wheel comes off.\n\nIt is round."
    assert [kind for kind, _ in _kinds(steps)] == ["procedure", "procedure", "code", "procedure", "explanation"]
    parts = "1. A hub holds the spokes.\n2. A rim holds the tyre."
    assert [kind for kind, _ in _kinds(parts)] == ["explanation"] * 2
    assert [kind for kind, _ in _kinds(parts, "Wheels › Steps")] == ["procedure"] * 2
    tasks = "1. Explain what a hub is for.\n2. Describe a rim of steel."
    assert "procedure" not in {kind for kind, _ in _kinds(tasks, "Steps")}


def test_what_structure_states_wins_over_headings_and_form() -> None:
    text = "A hub turns. Why does it turn? It has bearings."
    assert [analyze_chunk("Exercises", text, stated).kinds for stated in ("", "explanation:0-47", "caption:13-47")] == [
        ("question", "question", "question"),
        ("explanation", "question", "explanation"),
        ("question", "caption", "caption"),
    ]
    # A place that it says nothing of, and what is no packed kinds, leave headings and form.
    assert [analyze_chunk("", "fed the owl at ten", stated).kinds for stated in ("", "explanation:0-18")] == [
        ("label",),
        ("explanation",),
    ]
    assert analyze_chunk("", text, "question:0-12 nonsense:13-47 x").kinds == ("question", "question", "explanation")


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        ("os-exercise wide", "question"),
        ("Learning_Objectives", "objective"),
        ("section-references", "reference"),
        ("glossary", "definition"),
        ("note", None),
        ("abstract", None),
        ("", None),
    ],
)
def test_classes_and_directives_state_kinds(names: str, kind: str | None) -> None:
    assert kind_of_names(names) == kind


def test_packed_kinds_are_those_of_the_part() -> None:
    stated: list[StatedKind] = [(0, 10, "question"), (10, 20, "caption"), (40, 50, "definition")]
    assert pack_kinds(stated, 5, 45) == "question:0-5 caption:5-15 definition:35-40"
    assert unpack_kinds(pack_kinds(stated, 0, 60)) == stated
    assert pack_kinds(stated, 20, 40) == ""
    assert packed_in({"kinds": "question:0-5"}) == "question:0-5"
    assert packed_in({"kinds": ["question"]}) == packed_in({}) == ""


@pytest.mark.parametrize(
    ("text", "beside"),
    [
        ("1. Explain what a hub is.\n2. Why does it turn?", True),
        ("Figure 1: A hub.", True),
        ("Figure 1: A hub. A hub turns on its axle.", False),
        ("Hubs and rims", False),
        ("", False),
    ],
)
def test_a_chunk_of_exercises_or_captions_alone_is_marked_when_it_is_packed(text: str, beside: bool) -> None:
    packed = pack("", text)
    assert is_packed(packed)
    assert is_beside_the_text(packed) == beside


@pytest.mark.parametrize(
    "piece",
    [
        "a" * 20,
        "Explain and ",
        "[1] A",
        "x = f(",
        "doi ",
        "1 Aa, ",
        "- Define ",
        "(see ",
        "if a",
        "a.b(",
        "1. Do\n",
        ". . ",
        "The a: B ",
    ],
)
def test_kinds_take_linear_time(piece: str) -> None:
    assert grows_linearly(lambda length: analyze_chunk("", piece * (length // len(piece))).kinds, 20_000)
