from __future__ import annotations

import itertools
import os
import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from llama_index.core.schema import Document, MetadataMode, TextNode

from ragstone.core.testing import open_host
from ragstone.core.text import unpack_kinds
from ragstone.plugins.book_chat import BookNodeParser, MarkdownReader, Shelf
from tests.plugins.book_chat.reading import normalized


def words(text: str) -> int:
    return len(text.split())


def parser(**fields: Any) -> BookNodeParser:
    return BookNodeParser(count_tokens=words, **fields)


def small() -> BookNodeParser:
    """Chunks of about 100 words, so that tests can be read."""
    return parser(max_tokens=100, min_tokens=75, overlap_tokens=12)


def document(text: str, **metadata: Any) -> Document:
    return Document(text=text, id_="doc", metadata={"book": "b", "book_title": "B", "path": "a.md", **metadata})


def chunks(text: str, using: BookNodeParser | None = None, **metadata: Any) -> list[TextNode]:
    made = (using or small()).get_nodes_from_documents([document(text, **metadata)])
    return [node for node in made if isinstance(node, TextNode)]


def places(nodes: list[TextNode]) -> list[tuple[str, str]]:
    return [(node.metadata["chapter"], node.metadata["section"]) for node in nodes]


def sentences(count: int, length: int = 10) -> str:
    return " ".join(f"S{number} " + "word " * (length - 2) + "end." for number in range(count))


def test_sections_below_a_known_chapter() -> None:
    text = "Before.\n\n## Doors\n\nAt.\n\n### Map Requirements\n\nMap.\n\n## Door Template\n\nTemplate.\n"
    assert places(chunks(text, chapter="Integration", within=["Doors"])) == [
        ("Integration", "Doors"),
        ("Integration", "Doors"),
        ("Integration", "Doors \u203a Map Requirements"),
        ("Integration", "Doors \u203a Door Template"),
    ]


def test_the_heading_that_repeats_the_chapter_is_no_section() -> None:
    text = "# Chapter 1: Walking\n\nIntro.\n\n## Gait\n\nGait.\n"
    assert places(chunks(text, chapter="Walking")) == [
        ("Walking", "Chapter 1: Walking"),
        ("Walking", "Gait"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\n\na\n\n## X\n\nx\n\n# B\n\nb\n", [("A", "A"), ("A", "X"), ("B", "B")]),
        (
            "# T\n\nt\n\n## A\n\na\n\n### X\n\nx\n\n## B\n\nb\n",
            [("T", "T"), ("A", "A"), ("A", "X"), ("B", "B")],
        ),
        ("# T\n\nt\n\n## A\n\na\n", [("T", "T"), ("T", "A")]),
        ("just words\n", [("a", "a")]),
    ],
)
def test_a_single_file_finds_its_chapters(text: str, expected: list[tuple[str, str]]) -> None:
    assert places(chunks(text)) == expected


def test_a_chunk_is_a_slice_with_its_place() -> None:
    text = "# T\n\nOne.\n\n## S\n\nTwo.\n\n- three\n- four\n\n## Empty\n"
    first, second = chunks(text, chapter="T", title="T", edition="1st")
    assert second.text == "Two.\n\n- three\n- four"
    assert text[second.start_char_idx : second.end_char_idx] == second.text
    assert second.ref_doc_id == "doc"
    assert second.prev_node is not None and second.prev_node.node_id == first.node_id
    place = second.metadata
    assert (place["line_start"], place["line_end"]) == (7, 10)
    assert text[place["section_start"] : place["section_end"]] == "## S\n\nTwo.\n\n- three\n- four\n\n"
    assert place["content_type"] == "text" and not place["is_simulation"] and not place["has_code"]
    assert place["page_label"] is place["page_index"] is None
    assert second.get_content(MetadataMode.EMBED) == "T \u203a S\n\nTwo.\n\n- three\n- four"
    assert second.get_content(MetadataMode.LLM) == "T \u203a S\n\nTwo.\n\n- three\n- four"


def test_what_a_reader_lists_for_each_line_stays_out_of_chunks() -> None:
    (chunk,) = chunks("One.\n", lines=[[0, 1.5]], times={"0": 1.5}, language="en")
    assert chunk.metadata["language"] == "en"
    assert chunk.source_node is not None
    assert not {"lines", "times"} & {*chunk.metadata, *chunk.source_node.metadata}


def test_whole_blocks_are_packed_with_overlap() -> None:
    text = "\n\n".join(f"P{n} " + "word " * 28 + "end." for n in range(8)) + "\n\nLast short one.\n\n" + sentences(9)
    made = chunks(text)
    assert all(words(node.text) <= 125 for node in made)
    assert all(node.text.startswith(("P", "S", "Last")) for node in made)
    later = [(a, b) for a, b in itertools.pairwise(made) if (b.start_char_idx or 0) < (a.end_char_idx or 0)]
    assert later
    assert all(0 < words(text[b.start_char_idx : a.end_char_idx]) <= 12 for a, b in later)


def test_the_next_chunk_begins_with_the_last_sentence() -> None:
    made = chunks(sentences(30))
    assert len(made) > 2
    for before, after in itertools.pairwise(made):
        assert before.text.endswith(after.text[: after.text.index("end.") + 4])


def test_no_chunk_begins_with_the_source_that_the_last_sentence_cites() -> None:
    made = chunks(" ".join(f'S{n} "word word word word." [A. Writer, Words, p. {n}]' for n in range(60)))
    assert len(made) > 2
    assert all(node.text.startswith("S") and node.text.endswith("]") for node in made)


def test_a_long_code_block_is_cut_between_its_paragraphs_and_a_fitting_one_is_whole() -> None:
    fits = "```py\n" + "\n\n".join("x = y + z" for _ in range(20)) + "\n```"
    long = "```py\n" + "\n\n".join("\n".join("    x = y + z" for _ in range(5)) for _ in range(20)) + "\n```"
    made = chunks(f"Words.\n\n{fits}\n")
    assert fits in made[-1].text and made[-1].metadata["has_code"]
    pieces = chunks(long)
    assert len(pieces) > 3 and all(words(piece.text) <= 125 for piece in pieces)
    assert pieces[1].text.startswith("    x")


def test_tables_are_cut_between_rows_and_named() -> None:
    rows = "| a | b |\n| --- | --- |\n" + "\n".join(f"| r{n} | one two three |" for n in range(60))
    made = chunks(rows)
    assert len(made) > 2
    assert all(line.startswith("|") and line.endswith("|") for node in made for line in node.text.split("\n"))
    assert {node.metadata["content_type"] for node in made} == {"table"}
    assert chunks("Figure: A robot.\n")[0].metadata["content_type"] == "figure_caption"


def test_text_without_seams_is_cut_by_characters() -> None:
    using = BookNodeParser(count_tokens=len, max_tokens=100, min_tokens=75, overlap_tokens=12)
    text = "x" * 1000
    made = chunks(text, using)
    assert all(len(node.text) <= 125 for node in made)
    assert made[0].start_char_idx == 0 and made[-1].end_char_idx == 1000


def test_a_tiny_tail_joins_the_chunk_before() -> None:
    text = "\n\n".join("word " * 98 + "end." for _ in range(2)) + "\n\nTiny tail.\n"
    made = chunks(text)
    assert made[-1].text.endswith("Tiny tail.") and words(made[-1].text) > 60


def test_ids_follow_the_text_not_its_place() -> None:
    before = chunks("# A\n\nOne.\n\n# B\n\nTwo.\n\n# C\n\nTwo.\n")
    after = chunks("New words.\n\n# A\n\nOne.\n\n# B\n\nTwo.\n\n# C\n\nTwo.\n")
    assert [n.id_ for n in before] == [n.id_ for n in after[1:]]
    assert len({n.id_ for n in after}) == 4
    assert not {n.id_ for n in before} & {n.id_ for n in chunks("# A\n\nOne.\n", path="b.md")}


def test_equal_texts_keep_their_own_places() -> None:
    made = chunks("# A\n\nSame words here.\n\n# B\n\nhere.\n\n# C\n\nhere.\n")
    assert [node.metadata["line_start"] for node in made] == [3, 7, 11]
    assert [node.start_char_idx for node in made] == [5, 28, 40]


def test_simulation_is_decided_by_section() -> None:
    made = chunks("# Gazebo\n\na\n\n# Real robot\n\nSimulation, simulation.\n")
    assert [node.metadata["is_simulation"] for node in made] == [True, False]


def test_the_fingerprint_names_what_shapes_chunks() -> None:
    assert parser().fingerprint == "book/5 max=400 min=300 overlap=50"
    assert "count_tokens" not in parser().model_dump()


MARKUP = st.text(alphabet=st.sampled_from("#>-*+`|. \n\tab1[]\\"), max_size=300)


@given(st.one_of(st.text(max_size=300), MARKUP))
@example("> " * 300 + "deep")
def test_chunks_cover_all_text_that_is_not_a_heading(text: str) -> None:
    using = BookNodeParser(count_tokens=len, max_tokens=20, min_tokens=15, overlap_tokens=5)
    made = chunks(text, using)
    assert all(node.text.strip() and text[node.start_char_idx : node.end_char_idx] == node.text for node in made)
    covered = {at for node in made for at in range(node.start_char_idx or 0, node.end_char_idx or 0)}
    for line in re.finditer(r"[^\r\n]+", text):
        lost = any(at not in covered and not text[at].isspace() for at in range(*line.span()))
        assert not lost or re.match(r" {0,3}#{1,6}(?![^ \t])", line[0])


# The three real books

BOOKS = Path(os.environ.get("RAGSTONE_DATA", Path(__file__).resolve().parents[4] / "shared" / "data")) / "books"
NAMED_PLACES = [
    (
        "multirobot",
        "src/integration_doors.md",
        "Before a door can be properly",
        "Integration",
        "Doors \u203a Map Requirements",
    ),
    (
        "multirobot",
        "src/installation.md",
        "sudo apt-get install python3-colcon",
        "Introduction",
        "Installation \u203a Building from sources \u203a Additional Dependencies",
    ),
    pytest.param(
        "biology",
        "contents/m44403.md",
        "The sugar and phosphate lie on the outside",
        "Biological Macromolecules",
        "Nucleic Acids \u203a DNA Double-Helix Structure",
        marks=pytest.mark.slow,
    ),
    pytest.param(
        "biology",
        "contents/m44386.md",
        "Viewed from space",
        "The Study of Life",
        "Introduction",
        marks=pytest.mark.slow,
    ),
    (
        "physical_ai",
        "docs/docs/chapters/ch01-introduction-to-physical-ai.md",
        "- Sensorimotor experiences shape understanding",
        "Introduction to Physical AI",
        "1.1 The Evolution from Digital to Physical AI \u203a The Embodiment Principle",
    ),
]


@cache
def book(name: str) -> tuple[list[Document], list[TextNode]]:
    if not BOOKS.is_dir():
        missing = f"the shared books are not at {BOOKS}: set RAGSTONE_DATA"
        pytest.fail(missing) if os.environ.get("CI") == "true" else pytest.skip(missing)
    documents = []
    with TemporaryDirectory() as folder, open_host(Path(folder)) as host:
        files = Shelf(host).plan(BOOKS / name).files
    for file in files:
        extra = {"book": name, "path": file.relative, "chapter": file.chapter, "within": list(file.within)}
        documents += MarkdownReader().load_data(file.path, extra)
    return documents, [n for n in parser().get_nodes_from_documents(documents) if isinstance(n, TextNode)]


def _slow(*values: object) -> Any:
    return pytest.param(*values, marks=pytest.mark.slow)


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "files"), [pytest.param("biology", 257, marks=pytest.mark.slow), ("multirobot", 35), ("physical_ai", 21)]
)
def test_a_real_book(name: str, files: int) -> None:
    documents, nodes = book(name)
    assert len(documents) == files
    texts = {d.id_: d.text for d in documents}
    assert {d.id_ for d in documents if d.text.strip()} == {n.ref_doc_id for n in nodes}
    for node in nodes:
        assert texts[node.ref_doc_id or ""][node.start_char_idx : node.end_char_idx] == node.text
        assert 0 < words(node.text) <= 500
    assert len({n.id_ for n in nodes}) == len(nodes)
    again = parser().get_nodes_from_documents(documents)
    assert [n.to_dict() for n in again] == [n.to_dict() for n in nodes]


@pytest.mark.data
@pytest.mark.parametrize("name", [_slow("biology"), "multirobot", "physical_ai"])
def test_no_markup_is_left_in_a_real_book(name: str) -> None:
    for made in book(name)[0]:
        prose = re.sub(r"^(`{3,}|~{3,}).*?^\1$|^    .*?$", "", made.text, flags=re.MULTILINE | re.DOTALL)
        assert not re.search(r"\*\*|\]\(|\{:|<div", prose), made.metadata["path"]
        assert structure(normalized(made.text)) == structure(made.text)


def structure(text: str) -> list[Any]:
    shown = ("chapter", "section", "content_type", "has_code")
    return [[node.metadata[name] for name in shown] for node in chunks(text, parser())]


@pytest.mark.data
@pytest.mark.parametrize(("name", "path", "begins", "chapter", "section"), NAMED_PLACES)
def test_named_places(name: str, path: str, begins: str, chapter: str, section: str) -> None:
    found = [n for n in book(name)[1] if n.metadata["path"] == path and begins in n.text]
    assert {(n.metadata["chapter"], n.metadata["section"]) for n in found} == {(chapter, section)}


def test_chunks_carry_the_kinds_that_structure_states() -> None:
    text = (
        "# A\n\nProse.\n\nFigure: A hub. It turns.\n\n> [!TIP] Learning objectives\n> Know hubs.\n\n"
        "> [!NOTE] Hubs\n> They turn.\n\nDo this.\n\n## FAQ\n\nHubs turn.\n"
    )
    start = text.index("Do this.")
    first, second = chunks(text, kinds=f"question:{start}-{start + 8}", section_kinds={"faq": "explanation"})
    assert {kind: first.text[start:end] for start, end, kind in unpack_kinds(first.metadata["kinds"])} == {
        "caption": "Figure: A hub. It turns.",
        "objective": "> [!TIP] Learning objectives\n> Know hubs.",
        "question": "Do this.",
    }
    assert second.metadata["kinds"] == "explanation:0-10"
    assert "section_kinds" not in first.metadata
    assert "kinds" not in chunks("# A\n\nProse.\n")[0].metadata
