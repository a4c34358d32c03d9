"""Files as chunks: by kind, of the right sizes, each at its lines."""

from __future__ import annotations

import hashlib
import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core.schema import Document, MetadataMode, TextNode

from ragstone.core import Encoder
from ragstone.plugins.iris_memory import MemoryNodeParser

TYPES = {
    "markdown": "note",
    "exploration": "exploration",
    "log": "log",
    "mail": "email",
    "state": "state",
    "chat": "log",
}


def words(count: int, first: str = "word") -> str:
    return " ".join([first, *("word" for _ in range(count - 1))])


def parser(**options: Any) -> MemoryNodeParser:
    return MemoryNodeParser(count_tokens=lambda text: len(text.split()), **options)


def chunks(
    text: str, strategy: str = "markdown", *, path: str = "notes/tea-and-cakes.md", **known: Any
) -> list[TextNode]:
    own = {"strategy": strategy, **known.pop("indexing", {})}
    result = {
        "path": path,
        "doc_type": TYPES[strategy],
        "mtime": 5.0,
        "date": 5.0,
        "file_hash": "f",
        **known,
        "indexing": own,
    }
    nodes = parser().get_nodes_from_documents([Document(id_=path, text=text, metadata=result)])
    return [node for node in nodes if isinstance(node, TextNode)]


def lines(node: TextNode) -> tuple[int, int]:
    return node.metadata["line_first"], node.metadata["line_last"]


def chunk_id(path: str, text: str) -> str:
    return hashlib.sha256(f"{path}\0{text}".encode()).hexdigest()[:16]


def test_markdown_is_cut_at_its_second_headings() -> None:
    text = f"# Tea\n\n{words(60)}\n\n## Green\n\n{words(60)}\n\n### Sencha\n\n{words(60)}\n\n## Black\n\n{words(60)}\n"
    found = chunks(text)
    assert [node.metadata["section"] for node in found] == ["# Tea", "## Green", "## Black"]
    assert [node.metadata["heading_path"] for node in found] == ["Tea", "Tea › Green", "Tea › Black"]
    assert [lines(node) for node in found] == [(1, 3), (5, 11), (13, 15)]
    assert [node.metadata["chunk_index"] for node in found] == [0, 1, 2]


def test_a_chunk_tells_what_the_specification_asks_for() -> None:
    (node,) = chunks("Tea is hot.")
    assert node.node_id == chunk_id("notes/tea-and-cakes.md", "Tea is hot.")
    assert len(node.node_id) == 16
    assert "indexing" not in node.metadata
    assert {
        key: node.metadata[key] for key in ("path", "section", "doc_type", "mtime", "chunk_index", "file_hash")
    } == {
        "path": "notes/tea-and-cakes.md",
        "section": "",
        "doc_type": "note",
        "mtime": 5.0,
        "chunk_index": 0,
        "file_hash": "f",
    }
    assert (node.metadata["title"], node.metadata["heading_path"]) == ("tea and cakes", "tea and cakes")


def test_equal_chunks_of_one_file_have_ids_of_their_own() -> None:
    same = f"## Tea\n\n{words(60)}\n\n"
    first, second, third = chunks(same * 3)
    assert first.text == second.text == third.text
    assert first.node_id == chunk_id("notes/tea-and-cakes.md", first.text)
    assert len({first.node_id, second.node_id, third.node_id}) == 3


def test_small_sections_are_joined_and_a_small_file_is_kept() -> None:
    found = chunks(f"# Tea\n\n## One\n\nshort\n\n## Two\n\n{words(80)}\n\n## Three\n\nshort\n")
    assert [node.text.splitlines()[0] for node in found] == ["# Tea"]
    assert found[0].metadata["section"] == "## Two"  # most of it
    assert [node.text for node in chunks("Ann likes tea.")] == ["Ann likes tea."]


def test_a_chunk_of_several_short_sections_is_below_all_their_headings() -> None:
    (found,) = chunks(
        "# Tea\n\n## Green\n\nIt is hot.\n\n## Next steps\n\nBoil it.\n\n## Black\n\nIt is strong and hot.\n"
    )
    # A heading that says what kind of text is below it is of its own section alone.
    assert found.metadata["heading_path"] == "Tea › Black › Green"


def test_short_days_of_a_log_are_not_joined() -> None:
    found = chunks(
        "# Log\n\n## 2026-03-02\n\nFed the owl.\n\n## 2026-03-05\n\nIt slept.\n\n## Session two\n\nIt woke.\n", "log"
    )
    assert [node.text.rpartition("\n")[2] for node in found] == ["Fed the owl.", "It woke."]
    assert [node.metadata["day"] for node in found] == ["2 March 2026", "5 March 2026"]


def test_long_sections_are_cut_between_paragraphs_into_equal_parts() -> None:
    text = "## Tea\n\n" + "\n\n".join(words(90, f"p{number}") for number in range(12))
    sizes = [len(node.text.split()) for node in chunks(text)]
    assert len(sizes) == 3
    assert all(300 <= size <= 500 for size in sizes)


def test_a_paragraph_that_is_too_long_is_cut_at_its_sentences() -> None:
    found = chunks(" ".join(f"{words(29, f'S{number}')}. End." for number in range(60)))
    assert all(len(node.text.split()) <= 500 and node.text.endswith(".") for node in found)
    assert len(found) == 4


def test_code_stays_whole_and_holds_no_headings() -> None:
    code = "```sh\n# no heading\n\n## none either\n\n" + f"{words(8)}\n\n" * 60 + "```"
    found = chunks(f"# Tea\n\n{words(300)}\n\n{code}\n\n{words(200)}\n")
    assert sum("```sh" in node.text for node in found) == 1
    assert next(node for node in found if "```sh" in node.text).text.count("```") == 2
    assert {node.metadata["section"] for node in found} == {"# Tea"}


def test_front_matter_is_no_text_but_gives_the_title() -> None:
    (node,) = chunks('---\ntitle: "Tea for two"\ntags: [tea]\n---\n\nIt is hot.\n')
    assert (node.text, node.metadata["title"], lines(node)) == ("It is hot.", "Tea for two", (6, 6))
    assert chunks("---\ntitle: nothing else\n---\n") == []


def test_explorations_are_cut_at_their_keys_and_overlap() -> None:
    text = "# Owls\n\n" + "\n\n".join(
        f"**Key {name}:** {' '.join(f'{words(19, name)}.' for _ in range(10))}" for name in ("Sight", "Sound", "Flight")
    )
    found = chunks(text, "exploration")
    assert len(found) == 3
    assert found[1].text.index("**Key Sound") > 0
    for before, now in itertools.pairwise(found):
        assert before.end_char_idx is not None
        assert now.start_char_idx is not None
        repeated = text[now.start_char_idx : before.end_char_idx]
        assert 0 < len(repeated.split()) <= 50
        assert before.text.endswith(repeated.strip())


def test_logs_are_cut_by_day_and_by_session() -> None:
    days = "\n\n".join(f"## 2026-02-{day} evening\n\n{words(60)}" for day in (16, 17, 18))
    found = chunks(f"# Log\n\n{days}\n", "log")
    assert [node.metadata["date"] for node in found] == [1771200000.0, 1771286400.0, 1771372800.0]
    assert [node.metadata["section"] for node in found][1:] == ["## 2026-02-17 evening", "## 2026-02-18 evening"]
    plain = "\n".join(f"2026-02-{day} 0{hour}:00 {words(20)}" for day in (16, 17) for hour in (7, 8, 9))
    assert [(lines(node), node.metadata["date"]) for node in chunks(plain, "log", path="logs/a.log")] == [
        ((1, 3), 1771225200.0),
        ((4, 6), 1771311600.0),
    ]
    sessions = "\n\n".join(f"# Session {number}\n\n{words(60)}" for number in (41, 42))
    assert [node.metadata["section"] for node in chunks(sessions, "log")] == ["# Session 41", "# Session 42"]
    (dated,) = chunks("Oiled the axle.", "log", path="logs/2026-02-18.md")
    assert dated.metadata["date"] == 1771372800.0
    (in_words,) = chunks("# 18 \u017fep 2026\n\nOiled the axle.", "log")
    assert in_words.metadata["date"] == 1789689600.0
    (undated,) = chunks("On 31 February 2026 nothing happened.", "log")
    assert undated.metadata["date"] == 5.0


CHAT = """\
# 2026-03-02 Roof

Mira: What about the insurance?
Jun: They pay four thousand,
minus the excess.
Mira: Which is?
Jun: Two hundred and fifty.

# Next week
[2026-03-09 10:11] Jun: It came.
10:12 <mira> How much?
**Jun**: All of it.
"""


def test_a_chat_has_a_chunk_for_each_turn_which_is_embedded_with_the_two_before() -> None:
    found = chunks(CHAT, "chat", path="chats/roof.txt")
    assert [lines(node) for node in found] == [(1, 3), (4, 5), (6, 6), (7, 7), (9, 10), (11, 11), (12, 12)]
    assert found[3].text == "Jun: Two hundred and fifty."
    assert found[3].metadata["context"] == "Jun: They pay four thousand, minus the excess.\nMira: Which is?"
    assert found[3].get_metadata_str(MetadataMode.EMBED) == f"{found[3].metadata['context']}\n2026-03-02 Roof"
    assert ["context" in node.metadata for node in found] == [False, True, True, True, False, True, True]
    assert [node.metadata["date"] for node in found] == [1772409600.0] * 4 + [1773051060.0] * 3
    assert found[6].metadata["section"] == "# Next week"


def test_the_first_turn_by_a_user_is_known_for_a_turn() -> None:
    text = "# Boat\n\nUser: The key hangs behind the blue cupboard.\nAssistant: Noted.\n\n# Later\nHuman: Thanks.\n"
    found = chunks(text, "chat", path="chats/boat.txt")
    assert [node.metadata["context"] for node in found] == [
        "User: ",
        "User: The key hangs behind the blue cupboard.",
        "Human: ",
    ]


def test_what_a_chat_has_before_its_first_turn_or_of_long_turns_is_kept() -> None:
    text = f"Of the roof.\n\nMira: {words(900)}\nJun: Yes."
    found = chunks(text, "chat", path="chats/2026-02-18.txt")
    assert {node.metadata["title"] for node in found} == {"2026-02-18"}
    assert [node.text[:4] for node in found] == ["Of t", "Mira", "word", "Jun:"]
    assert [len(node.metadata.get("context", "")) for node in found] == [0, 12, 12, 12 + 1 + 200]
    assert {node.metadata["date"] for node in found} == {1771372800.0}


def test_a_mail_is_one_chunk_and_a_long_one_several() -> None:
    mail: dict[str, Any] = {"subject": "Tea", "title": "Tea", "from": "Ann <ann@x.org>", "indexing": {"lines": 40}}
    (node,) = chunks(f"From: Ann <ann@x.org>\nSubject: Tea\n\n# no heading\n\n{words(700)}", "mail", **mail)
    assert (node.metadata["section"], node.metadata["heading_path"]) == ("Tea", "Tea › Ann <ann@x.org>")
    assert lines(node) == (1, 40)
    found = chunks("From: Ann <ann@x.org>\n\n" + "\n\n".join(words(400) for _ in range(4)), "mail", **mail)
    assert [len(node.text.split()) <= 800 for node in found] == [True] * len(found)
    assert found[1].metadata["heading_path"] == "Tea › Ann <ann@x.org>"


def test_a_mails_header_is_no_text_of_it() -> None:
    header = "From: Ann <ann@x.org>\nTo: Bo <bo@x.org>\nSubject: Tea\n"
    (node,) = chunks(f"{header}\nNote: it is cold.", "mail", doc_type="email", **{"from": "Ann <ann@x.org>"})
    assert node.metadata["kinds"] == f"metadata:0-{len(header)}"


@pytest.mark.parametrize(
    ("text", "strategy", "known", "day"),
    [
        (
            "From: Ann <ann@x.org>\n\nIt is cold.",
            "mail",
            {"doc_type": "email", "date": 1771372800.0},
            "18 February 2026",
        ),
        ("# 2026-02-18\n\nIt is cold.", "log", {"doc_type": "log"}, "18 February 2026"),
        ("It is cold.", "markdown", {"path": "journal/2026-02-18.md"}, "18 February 2026"),
        ("It is cold.", "markdown", {}, None),
    ],
)
def test_a_dated_text_is_found_by_its_day_in_words(
    text: str, strategy: str, known: dict[str, Any], day: str | None
) -> None:
    (node,) = chunks(text, strategy, **known)
    assert node.metadata.get("day") == day
    assert (day or "") in node.get_metadata_str(MetadataMode.EMBED)


def test_a_state_has_a_chunk_for_each_key() -> None:
    text = "mood: fine\n\n\nhobbies › chess: yes\nhobbies › go: no"
    found = chunks(text, "state", path="state.json", indexing={"lines": [2, 3, 3, 5, 6]})
    assert [node.metadata["section"] for node in found] == ["mood", "hobbies"]
    assert [node.metadata["heading_path"] for node in found] == ["state › mood", "state › hobbies"]
    assert [lines(node) for node in found] == [(2, 2), (5, 6)]


def test_what_is_forgotten_or_left_out_has_no_chunk() -> None:
    text = f"## One\n\n{words(60)}\n\n## Two\n\n{words(60)}"
    first, second = chunks(text)
    kept = chunks(text, indexing={"forgotten": [first.node_id]})
    assert [(node.node_id, node.metadata["chunk_index"]) for node in kept] == [(second.node_id, 0)]
    assert chunks(text, indexing={"left_out": "is binary"}) == []


@pytest.mark.parametrize("strategy", ["markdown", "exploration", "log", "chat", "mail"])
@pytest.mark.parametrize(
    "text", ["x" * 40_000, "😀" * 3000, "a b " * 20_000, "\n" * 5000 + "x", "#\n" * 3000, "```\n" * 999]
)
def test_hostile_texts_are_cut_into_bearable_chunks(strategy: str, text: str, encoder: Encoder) -> None:
    cut = MemoryNodeParser(count_tokens=encoder.count_tokens)
    result = {"path": "a", "doc_type": TYPES[strategy], "mtime": 1.0, "date": 1.0, "indexing": {"strategy": strategy}}
    nodes = cut.get_nodes_from_documents([Document(id_="a", text=text, metadata=result)])
    for node in nodes:
        assert encoder.count_tokens(node.get_content()) <= 850
        assert len(node.get_content()) <= 16 * 850
    assert len({node.node_id for node in nodes}) == len(nodes)


def test_a_long_text_of_which_no_line_has_a_token_is_kept() -> None:
    cut, text = MemoryNodeParser(count_tokens=lambda _text: 0), "\u200b\n" * 20_000
    known = {"path": "a", "doc_type": "note", "mtime": 1.0, "date": 1.0, "indexing": {"strategy": "markdown"}}
    nodes = cut.get_nodes_from_documents([Document(id_="a", text=text, metadata=known)])
    assert sum(node.get_content().count("\u200b") for node in nodes) == 20_000


PIECES = (
    "# A",
    "## B",
    "### C",
    "**Key x**",
    "word " * 30,
    "word " * 300,
    "",
    "```",
    "- item",
    "2026-01-02 x",
    "[2026-01-02 10:11] Ann Lee: x",
    "Aa. Bb. " * 99,
)


@given(
    st.lists(st.sampled_from(PIECES), max_size=25), st.sampled_from(["markdown", "exploration", "log", "chat", "mail"])
)
@settings(derandomize=True)
def test_nothing_is_lost_and_every_chunk_is_at_its_lines(pieces: list[str], strategy: str) -> None:
    text = "\n".join(pieces)
    nodes = chunks(text, strategy, path="a.md")
    counted = [0] * len(text)
    for node in nodes:
        assert node.start_char_idx is not None
        assert node.end_char_idx is not None
        assert text[node.start_char_idx : node.end_char_idx] == node.text
        first, last = lines(node)
        assert node.text.strip() in "\n".join(text.split("\n")[first - 1 : last])
        assert len(node.text.split()) <= 800
        for at in range(node.start_char_idx, node.end_char_idx):
            counted[at] += 1
    assert all(times or char.isspace() for times, char in zip(counted, text, strict=True))
    sizes = [len(node.text.split()) for node in nodes]
    if strategy not in ("mail", "chat"):
        for one, other in itertools.pairwise(sizes):
            assert min(one, other) >= 40 or one + other > 700, "they could have been joined"
