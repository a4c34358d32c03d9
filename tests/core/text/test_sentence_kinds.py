"""What kind of text a sentence is: answers are made of what explains."""

from __future__ import annotations

import pytest

from ragstone.core.text.chunk_terms import analyze_chunk
from ragstone.core.text.sentence_kinds import section_kind
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
        ("Balance and Stability", "label"),
        ("The distinction between traditional digital AI and Physical AI", "label"),
        ("PET (see)", "label"),
        ('print(f"PID control completed.', "code"),
        ('Final value: {current_value:.3f}")', "code"),
        ("The force (in newtons) acts on {0, 1}.", "explanation"),
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
        ("Learning Objectives", "objective"),
        ("References and Further Reading", "reference"),
        ("Glossary", "definition"),
        ("Next steps", "navigation"),
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


@pytest.mark.parametrize(
    "piece", ["a" * 20, "Explain and ", "[1] A", "x = f(", "doi ", "1 Aa, ", "- Define ", "(see ", "if a", "a.b("]
)
def test_kinds_take_linear_time(piece: str) -> None:
    assert grows_linearly(lambda length: analyze_chunk("", piece * (length // len(piece))).kinds, 20_000)
