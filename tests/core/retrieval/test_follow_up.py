"""Follow-up questions are read in their context: neither refused blindly nor waved through."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragstone.core import Answer, Assistant, BadRequest, Host, Question, TooLarge, Turn
from ragstone.core.retrieval.follow_up import follow_up
from ragstone.core.retrieval.restatement import asked_again
from ragstone.core.testing import ScriptedLLM, open_host
from ragstone.plugins import book_chat
from ragstone.plugins.book_chat import Shelf
from tests.support.third_party_fakes import Here, add_book, write_pages

CASTER = Turn("What is a caster?", "A caster is a wheel that swivels about a vertical axis. [1]")


@pytest.fixture
def host(real_host: Host, tmp_path: Path) -> Host:
    shelf = Shelf(real_host)
    pages = {
        "01-wheels.md": "# Wheels\n\n## Casters\n\nA caster is a wheel that swivels about a vertical axis. Casters are "
        "set behind the driven wheels because they give no traction. A caster costs about 4 euros.\n\n## Tyres\n\n"
        "Rubber tyres grip wet concrete better than nylon tyres. Nylon tyres last four times longer than rubber.\n",
        "02-arms.md": "# Arms\n\n## Grippers\n\nA parallel gripper closes two jaws along one line. The grip force of a "
        "small parallel gripper is about 40 newtons.\n",
    }
    shelf.add(shelf.plan(write_pages(tmp_path / "robots", pages)), title="Robots")
    return real_host


@pytest.mark.parametrize(
    "question",
    [
        "And why?",
        "Why?",
        "What does it cost?",
        "How much do they weigh?",
        "Tell me more",
        "And its price?",
        "Nylon?",
        "What is the price?",
    ],
)
def test_it_needs_what_was_asked_before(question: str) -> None:
    found = follow_up(question, [CASTER])
    assert found is not None
    assert found.in_context == f"{CASTER.question} {question}"
    assert follow_up(question, []) is None


@pytest.mark.parametrize(
    "question", ["Give me an exmaple", "Another example please", "Can you explain that more simply?"]
)
def test_words_that_say_nothing_of_their_own_are_not_looked_for(question: str) -> None:
    found = follow_up(question, [CASTER])
    assert found is not None
    assert (found.own, found.in_context) == ((), CASTER.question)
    assert found.in_full == f"{CASTER.question} {question}"


def test_the_words_around_an_earlier_question_are_left_out() -> None:
    found = follow_up("And why?", [Turn("In your own words: what is a caster?")])
    assert found is not None
    assert found.in_context == "what is a caster? And why?"


@pytest.mark.parametrize(
    "question",
    [
        "How many jaws does a parallel gripper have?",
        "What is it that makes a gripper close its jaws along a line?".replace("its ", "both "),
        "Is there a difference between rubber and nylon tyres?",
        "Which tyres grip so that a robot stops on wet concrete?",
        "And what is a parallel gripper?",
        "So what is a gripper?",
    ],
)
def test_it_stands_alone(question: str) -> None:
    assert follow_up(question, [CASTER]) is None


def test_it_goes_back_to_the_last_question_that_stands_alone_and_brings_its_own_words() -> None:
    turns = [Turn("What is a gripper?"), CASTER, Turn("And why?", "Because.")]
    found = follow_up("And what does it cost?", turns)
    assert found is not None
    assert [turn.question for turn in found.earlier] == ["What is a caster?", "And why?"]
    assert found.own == ("cost",)


def test_a_question_that_was_not_answered_is_not_gone_on_with_but_by_why() -> None:
    turns = [CASTER, Turn("Does it rust?")]
    found, why = follow_up("What does it cost?", turns), follow_up("Why?", turns)
    assert found is not None
    assert found.in_context == "What is a caster? What does it cost?"
    assert why is not None
    assert [turn.question for turn in why.earlier] == ["What is a caster?", "Does it rust?"]
    unanswered = follow_up("What does it cost?", [Turn("What is a caster?"), Turn("Does it rust?")])
    assert unanswered is not None
    assert len(unanswered.earlier) == 2, "no answer was sent at all"


def test_another_thing_that_was_asked_of_the_same_subject_is_left_out() -> None:
    turns = [CASTER, Turn("Who invented it?", "Nobody knows. [1]"), Turn("What about nylon tyres?", "They last. [1]")]
    found = follow_up("What do they cost?", turns)
    assert found is not None
    assert found.in_context == "What is a caster? What about nylon tyres? What do they cost?"
    weights = found.weighed({"cost": 1.0, "nylon": 1.0, "caster": 1.0}, str)
    assert weights["cost"] > weights["nylon"] > weights["caster"] > 0


def test_of_several_numbers_the_latest_counts() -> None:
    turns = [Turn("What was new in Arm 2.1?", "A jaw. [1]"), Turn("What about 2.2?", "A wrist. [1]")]
    found = follow_up("How much did it weigh?", turns)
    assert found is not None
    assert found.in_context == "What was new in Arm ? What about 2.2? How much did it weigh?"


KERR = Turn("Who built the first caster?", "Ada Kerr built the first caster in Leeds. [1]")


@pytest.mark.parametrize(
    ("question", "turns", "read"),
    [
        ("When did she die?", [KERR, Turn("What is a tyre?")], "When did Ada Kerr die?"),
        ("When did he die?", [KERR, Turn("What did Tom Reed build?", "A jaw. [1]")], "When did Tom Reed die?"),
        ("Who is her father?", [Turn("Who was Ada Kerr?", "Reed knew Ada Kerr. [1]")], "Who is Ada Kerr’s father?"),
        ("Where did she live?", [KERR, Turn("Who is her father?", "Tom Reed. [1]")], "Where did Ada Kerr live?"),
        ("Did Tom Reed love her?", [KERR], "Did Tom Reed love Ada Kerr?"),
        ("Did Tom Reed say when he sold it?", [KERR], f"{KERR.question} Did Tom Reed say when he sold it?"),
        ("Why did she quarrel with him?", [KERR], "Why did Ada Kerr quarrel with him?"),
    ],
)  # fmt: skip
def test_he_is_who_was_asked_for_or_asked_about(question: str, turns: list[Turn], read: str) -> None:
    found = follow_up(question, turns)
    assert found is not None
    assert found.in_context == read


def test_who_comes_closest_is_nobody() -> None:
    closest = "No sentence here answers this. This comes closest:\n\nAda Kerr sold casters in Leeds. [1]"
    found = follow_up("When did she die?", [Turn("Who built the first caster?", closest)])
    assert found is not None
    assert found.in_context == "Who built the first caster? When did she die?"


def test_what_no_text_says_of_her_is_named(real_host: Host, tmp_path: Path) -> None:
    assistant = _of_one_page(real_host, tmp_path, "# Hinges\n\nAda Kerr built the first hinge of brass.\n")
    turn = Turn("Who built the first hinge?", "Ada Kerr built the first hinge of brass. [1]")
    answer = assistant.ask(Question("Where did she study?", history=[turn]))
    assert answer.text.startswith("Not answered here: the text speaks of “Ada Kerr”, but not of “study”.")


LISTED = "A robot has three parts: wheels, parallel grippers and arms. [1]"


@pytest.mark.parametrize(
    ("question", "answer", "read"),
    [
        ("And the second one?", LISTED, "And parallel grippers?"),
        ("Explain the last part", LISTED, "Explain arms"),
        ("What does the first one mean?", "They are:\n\n- Wheels: they turn\n- Arms\n[1]", "What does Wheels mean?"),
        ("And the fifth one?", LISTED, "And the fifth one?"),
        ("And the f\u0130rst one?", LISTED, "And the f\u0130rst one?"),
        ("And the second one?", "A robot has parts. [1] It has wheels, jaws and arms. [1]", "And the second one?"),
    ],
)  # fmt: skip
def test_an_item_of_a_list_is_named_by_its_place(question: str, answer: str, read: str) -> None:
    found = follow_up(question, [Turn("What parts has a robot?", answer)])
    assert found is not None
    assert found.asked == read


@pytest.mark.parametrize(
    "question",
    [
        "Where does it say that?",
        "who says that?",
        "Which page is that on?",
        "In which chapter?",
        "and which section does it say that?",
        "Are you sure?",
        "Where in the book is that?",
    ],
)
def test_who_asks_where_it_is_said_gets_the_same_answer_again(host: Host, question: str) -> None:
    assistant = host.assistant("book_chat")
    first = assistant.ask(CASTER.question)
    again = assistant.ask(Question(question, history=[Turn(CASTER.question, first.text), Turn("who says so?")]))
    assert (again.text, again.citations) == (first.text, first.citations)


@pytest.mark.parametrize(
    ("question", "before", "read"),
    [
        ("No, I meant a tyre", CASTER, "What about a tyre"),
        ("sorry, I mean how do tyres wear?", CASTER, "how do tyres wear?"),
        ("no, the hub", CASTER, "What about the hub"),
        ("No one knows?", CASTER, "No one knows?"),
        ("What is that?", Turn("Do I need a parallel gripper?"), "What is parallel gripper?"),
        ("and what is that?", CASTER, "and what is that?"),
        ("What is it?", Turn("How does it roll?"), "What is it?"),
        ("Which chapter explains it?", Turn("Do I need a caster?"), "Which chapter explains caster?"),
        ("What is the difference to a tyre?", CASTER, "What is the difference between caster and a tyre?"),
        ("How does it differ from a tyre?", Turn("And casters?"), "How does casters differ from a tyre?"),
        ("What is the difference?", CASTER, "What is the difference?"),
    ],
)
def test_a_correction_and_what_it_is_are_read_by_the_question_before(question: str, before: Turn, read: str) -> None:
    assert asked_again(question, [before])[0] == read
    assert asked_again("What is that?", [])[0] == "What is that?"


def test_the_difference_is_that_of_the_last_two_things() -> None:
    turns = [CASTER, Turn("And a hinge?", "A joint. [1]")]
    turns.insert(1, Turn("Who won the cup?"))
    assert asked_again("How do they differ?", turns)[0] == "What is the difference between caster and hinge?"


def test_a_thing_of_the_same_kind_is_asked_for_alone(assistant: Assistant) -> None:
    filters = {"book": "joints"}
    answer = assistant.ask(Question("And a slider?", filters=filters, history=[HINGE]))
    assert answer.text == assistant.ask(Question("What is a slider?", filters=filters)).text
    unknown = assistant.ask(Question("And brass?", filters=filters, history=[HINGE]))
    assert "Brass hinges are used in boats." in unknown.text


def test_a_correction_is_answered(host: Host) -> None:
    answer = host.assistant("book_chat").ask(Question("No, I meant a parallel gripper", history=[CASTER]))
    assert answer.text.startswith("A parallel gripper closes two jaws along one line.")


def test_where_something_is_is_no_question_about_the_answer() -> None:
    assert asked_again("Where is it?", [CASTER]) == ("Where is it?", [CASTER])


def test_why_is_answered_with_a_reason_that_was_not_given_yet(host: Host) -> None:
    answer = host.assistant("book_chat").ask(Question("And why?", history=[CASTER]))
    assert not answer.refused
    assert answer.text == "Casters are set behind the driven wheels because they give no traction. [1]"
    again = host.assistant("book_chat").ask(Question("And why?", history=[CASTER, Turn("And why?", answer.text)]))
    assert (again.refused, again.text) == (True, "The text says nothing more about this.")


def test_when_or_how_much_may_ask_for_what_was_quoted_already(host: Host) -> None:
    turn = Turn(
        "What does a small parallel gripper do?", "The grip force of a small parallel gripper is about 40 newtons. [1]"
    )
    answer = host.assistant("book_chat").ask(Question("How much is that?", history=[turn]))
    assert answer.text.startswith("The grip force of a small parallel gripper is about 40 newtons.")


def test_an_example_is_one_and_of_the_same_subject(host: Host) -> None:
    shelf = Shelf(host)
    text = (
        "# Joints\n\n## Hinges\n\nA hinge is a joint that turns about one axis. For example, an elbow is a hinge.\n\n"
        "## Sliders\n\nA slider is a joint that moves along one line. For example, a drawer is a slider.\n"
    )
    path = write_pages(Path(host.settings.data_dir) / "joints", {"01-joints.md": text})
    shelf.add(shelf.plan(path), title="Joints")
    assistant = host.assistant("book_chat")
    turn = Turn("What is a hinge?", "A hinge is a joint that turns about one axis. [1]")
    answer = assistant.ask(Question("Give me an exmaple", filters={"book": "joints"}, history=[turn]))
    assert answer.text.endswith("For example, an elbow is a hinge. [1]")
    assert "slider" not in answer.text
    again = assistant.ask(
        Question(
            "another example please",
            filters={"book": "joints"},
            history=[turn, Turn("Give me an example", answer.text)],
        )
    )
    assert again.refused


@pytest.fixture
def assistant(host: Host) -> Assistant:
    """Of a small book on joints."""
    shelf = Shelf(host)
    text = (
        "# Joints\n\n## Hinges\n\nA hinge is a joint that turns about one axis. A hinge of steel is painted. Hinges"
        " were first made in Kerr by the smiths. Brass hinges are used in boats.\n\n## Sliders\n\nA slider is a joint"
        " that moves along one line. Brass sliders wear slowly.\n"
    )
    path = write_pages(Path(host.settings.data_dir) / "joints", {"01-joints.md": text})
    shelf.add(shelf.plan(path), title="Joints")
    return host.assistant("book_chat")


def _of_one_page(host: Host, folder: Path, text: str) -> Assistant:
    add_book(host, write_pages(folder / "page", {"1.md": text}), "A page")
    return host.assistant("book_chat")


HINGE = Turn("What is a hinge?", "A hinge is a joint that turns about one axis. [1]")


def test_a_further_sentence_on_nothing_but_the_earlier_question_is_left_out(assistant: Assistant) -> None:
    answer = assistant.ask(Question("And where is it painted?", filters={"book": "joints"}, history=[HINGE]))
    assert answer.text == "A hinge of steel is painted. [1]"


def test_a_number_is_a_word_of_its_own(fast_host: Host, tmp_path: Path) -> None:
    text = (
        "# Stops\n\nA class 1 stop brakes the wheels first. A class 0 stop cuts the power at once. A class 1 stop then"
        " cuts the power of the wheels.\n"
    )
    assistant = _of_one_page(fast_host, tmp_path, text)
    turn = Turn("What does a class 1 stop do?", "A class 1 stop brakes the wheels first. [1]")
    answer = assistant.ask(Question("and a class 0 stop?", history=[turn]))
    assert answer.text == "A class 0 stop cuts the power at once. [1]"


def test_what_comes_closest_to_a_follow_up_is_named_by_its_own_words(assistant: Assistant) -> None:
    answer = assistant.ask(Question("How much does it cost in boats?", filters={"book": "joints"}, history=[HINGE]))
    assert answer.closest
    assert answer.text.startswith("Not answered here: the text speaks of “boats”, but not of “cost”.")


def test_its_own_words_are_answered_from_the_context(host: Host) -> None:
    answer = host.assistant("book_chat").ask(Question("What does it cost?", history=[CASTER]))
    assert answer.text.startswith("A caster costs about 4 euros. [1]")


@pytest.mark.parametrize("question", ["And the weather in Paris?", "And who won the football cup?", "Why?"])
def test_what_the_context_does_not_answer_is_refused(host: Host, question: str) -> None:
    turn = Turn("What is a parallel gripper?", "A parallel gripper closes two jaws along one line. [1]")
    assert host.assistant("book_chat").ask(Question(question, history=[turn])).refused


def test_after_a_refused_question_why_is_refused_too(host: Host) -> None:
    assert host.assistant("book_chat").ask(Question("And why?", history=[Turn("Who wrote Hamlet?")])).refused


def test_what_only_looks_like_a_follow_up_is_answered_alone(host: Host) -> None:
    answer = host.assistant("book_chat").ask(
        Question("And how does this parallel gripper close its jaws?", history=[CASTER])
    )
    assert answer.text.startswith("A parallel gripper closes two jaws along one line.")


def test_what_matters_or_how_it_works_is_asked_of_what_was_asked_before(host: Host) -> None:
    answer = host.assistant("book_chat").ask(Question("And why does that matter?", history=[CASTER]))
    assert answer.text.startswith("Casters are set behind the driven wheels because they give no traction. [1]")


def test_a_language_model_gets_the_follow_up_as_it_was_written(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    llm.enqueue("Casters are set behind the driven wheels because they give no traction. [1]")
    text = "# Casters\n\nA caster is a wheel that swivels about a vertical axis. For example, casters carry chairs.\n"
    with open_host(tmp_path, llm=llm) as host:
        add_book(host, write_pages(tmp_path / "wheels", {"01-wheels.md": text}), "Wheels")
        host.assistant("book_chat").ask(Question("Give me an example in simple words", history=[CASTER]))
    assert "What is a caster? Give me an example in simple words" in llm.prompts[-1]


def test_a_conversation_on_the_command_line(host: Host, capsys: pytest.CaptureFixture[str]) -> None:
    here = Here(capsys)
    output = here("ask", "book_chat", "What does it cost?", "--after", "What is a caster?")
    assert output.out.startswith("A caster costs about 4 euros. [1]")
    found = here("inspect", "book_chat", "What does it cost?", "--after", CASTER.question, "--top-k", "1", "--json")
    seen = json.loads(found.out)
    assert seen["read_as"] == "What is a caster? What does it cost?"
    assert seen["gate"]["own_coverage"] == 1.0
    assert [(part["fused_rank"], part["rank"]) for part in seen["passages"]] == [(1, 1)]
    assert [part["cut"] for part in seen["cut"]] == ["beyond the first 1"] * len(seen["cut"])
    assert seen["cut"]
    table = here("inspect", "book_chat", "What does it cost?", "--after", CASTER.question)
    assert table.out.startswith("read as: What is a caster? What does it cost?\n")
    assert "of its own words cost: 1.0 covered" in table.out


def test_history_in_a_body() -> None:
    turns = [{"question": "What?", "answer": "That."}, {"question": "Who?"}, {"question": "When?", "answer": "\f "}]
    body = {"question": "Why?", "history": turns}
    assert Question.from_json(body, filters=()).history == (Turn("What?", "That."), Turn("Who?"), Turn("When?"))


@pytest.mark.parametrize(
    ("history", "error"),
    [
        ("What?", BadRequest),
        ([["What?"]], BadRequest),
        ([{"answer": "That."}], BadRequest),
        ([{"question": 1}], BadRequest),
        ([{"question": "What?", "role": "system"}], BadRequest),
        ([{"question": "What?"}] * 21, TooLarge),
    ],
)
def test_history_that_does_not_fit(history: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        Question.from_json({"question": "Why?", "history": history}, filters=())


@pytest.mark.parametrize("turn", [Turn(""), Turn("x" * 4001), Turn("What?", "x" * 20_001), Turn("a\x00")])
def test_earlier_turns_are_checked(fast_host: Host, turn: Turn) -> None:
    with pytest.raises(BadRequest):
        fast_host.assistant("book_chat").ask(Question("Why?", history=[turn]))


@pytest.mark.parametrize(
    ("question", "introduction"),
    [
        ("What does it weigh?", "Not answered here: the text speaks of “hinge”, but not of “weigh”."),
        ("Which is heavier?", "Not answered here: the text speaks of “hinge”, but not of “heavier”."),
        ("Can I use a rope instead?", "Not answered here: the text speaks of “hinge”, but not of “rope”."),
    ],
)
def test_what_no_text_says_of_it_is_named(assistant: Assistant, question: str, introduction: str) -> None:
    answer = assistant.ask(Question(question, filters={"book": "joints"}, history=[HINGE]))
    assert (answer.closest, answer.text.startswith(introduction)) == (True, True), answer.text
    assert "A hinge is a joint that turns about one axis. [1]" in answer.text


@pytest.mark.parametrize("question", ["Why is it used?", "How is it made?"])
def test_a_verb_that_says_nothing_weighs_less_than_what_was_asked_of(question: str) -> None:
    found = follow_up(question, [Turn("What is varnish?", "Varnish is a clear coat. [1]")])
    assert found is not None
    assert found.informative == ()
    weights = found.weighed({"varnish": 1.0, "use": 1.0, "made": 1.0}, str)
    assert weights["varnish"] == 1.0 > weights["use"] == weights["made"]


def test_a_refusal_that_a_client_returns_is_no_answer(assistant: Assistant) -> None:
    filters = {"book": "joints"}
    refused = assistant.ask(Question("Who won the football cup?", filters=filters))
    turns = [HINGE, Turn("Who won the football cup?", refused.text)]
    answer = assistant.ask(Question("And where is it painted?", filters=filters, history=turns))
    assert answer.text == "A hinge of steel is painted. [1]"


def test_a_name_of_a_follow_up_alone_is_no_answer(assistant: Assistant) -> None:
    turn = Turn("What is a slider?", "A slider is a joint that moves along one line. [1]")
    answer = assistant.ask(Question("Does Kerr paint it?", filters={"book": "joints"}, history=[turn]))
    assert answer.closest or answer.refused


def _read(question: str, turns: list[Turn]) -> str:
    found = follow_up(question, turns)
    assert found is not None
    return found.in_context


def test_what_a_long_conversation_is_about_is_not_forgotten() -> None:
    asked = ["Tell me about casters", *(f"When was it {verb}?" for verb in ("made", "sold", "moved", "hired", "lost"))]
    turns = [Turn(question, "In 1900. [1]") for question in asked]
    assert _read("How much does it weigh?", turns) == "Tell me about casters How much does it weigh?"


@pytest.mark.parametrize(
    "question", ["Name three", "Give me two examples", "Which is the largest?", "Which is heavier?"]
)
def test_a_question_without_its_subject_is_of_the_one_before(question: str) -> None:
    assert _read(question, [CASTER]).startswith(CASTER.question)


@pytest.fixture
def two_books(fast_host: Host, tmp_path: Path) -> Assistant:
    """Of which each says things of one town alone."""
    shelf = Shelf(fast_host)
    for town, said in (
        ("Kerr", "The town of Kerr has a bridge of stone. Kerr is old."),
        ("Reed", "The town of Reed has the largest mill. In Reed 4,000 people live. Its mayor keeps bees."),
    ):
        shelf.add(shelf.plan(write_pages(tmp_path / town, {"1.md": f"# {town}\n\n{said}\n"})), title=town)
    return fast_host.assistant("book_chat")


@pytest.mark.parametrize(
    ("question", "answered", "not_answered"),
    [("How many people live there?", "Reed", "Kerr"), ("What does its mayor keep?", "Reed", "Kerr")],
)
def test_of_another_subject_nothing_is_answered(
    two_books: Assistant, question: str, answered: str, not_answered: str
) -> None:
    def ask(town: str) -> Answer:
        history = [Turn(f"What is the town of {town} like?", f"The town of {town} is old. [1]")]
        return two_books.ask(Question(question, history=history))

    assert not ask(answered).closest
    other = ask(not_answered)
    assert other.closest or other.refused, other.text
    assert "4,000" not in other.text


def test_the_day_above_an_entry_is_when_it_was(fast_host: Host, tmp_path: Path) -> None:
    text = (
        "# 25 November 2026\n\nTwo gaskets were bought. The valve was measured: 3 bar.\n\n"
        "# 26 November 2026\n\nOne of the gaskets is small. The pump was painted.\n"
    )
    assistant = _of_one_page(fast_host, tmp_path, text)
    turn = Turn("What was measured at the valve?", "The valve was measured: 3 bar. [1]")
    answer = assistant.ask(Question("When was that?", history=[turn]))
    assert answer.text == "The valve was measured: 3 bar. [1]"


def test_why_is_answered_by_the_reason_in_what_was_quoted_for_another_question(fast_host: Host, tmp_path: Path) -> None:
    text = "# Winches\n\nThe winch was closed in 1967, as ropes were thought to be cheaper. Its drum is green.\n"
    assistant = _of_one_page(fast_host, tmp_path, text)
    turn = Turn("When was the winch closed?", assistant.ask("When was the winch closed?").text)
    answer = assistant.ask(Question("Why?", history=[turn]))
    assert answer.text == "The winch was closed in 1967, as ropes were thought to be cheaper. [1]"
    assert assistant.ask(Question("And why?", history=[turn, Turn("Why?", answer.text)])).refused


def test_another_form_of_an_irregular_verb_is_a_word_of_the_follow_up(fast_host: Host, tmp_path: Path) -> None:
    text = "# Doves\n\nDoves are birds of the loft. Doves were sent to the harbour.\n\n# Ropes\n\nRopes rot.\n"
    assistant = _of_one_page(fast_host, tmp_path, text)
    turn = Turn("What are doves?", "Doves are birds of the loft. [1]")
    answer = assistant.ask(Question("Where did they send them?", history=[turn]))
    assert "Doves were sent to the harbour." in answer.text
    assert "“send”" not in answer.text


@pytest.mark.parametrize(
    "question",
    ["What is a parallel gripper and what does it cost?", "When a parallel gripper closes, what does it move?"],
)
def test_a_question_that_names_what_its_pronoun_means_is_no_follow_up(host: Host, question: str) -> None:
    answer = host.assistant("book_chat").ask(Question(question, history=[CASTER]))
    assert "A parallel gripper closes two jaws along one line." in answer.text
    assert "caster" not in answer.text.casefold()


@pytest.mark.parametrize(
    ("question", "is_closest"),
    [
        ("How old is he?", False),
        ("What did they cost?", False),
        ("How long is it?", True),
        ("How long did it take?", True),
    ],
)
def test_an_age_or_a_price_needs_no_word_that_asks_for_it(
    fast_host: Host, tmp_path: Path, question: str, is_closest: bool
) -> None:
    text = (
        "# Log\n\nThe apprentice of the loft joined in spring. The apprentice of the loft is eleven and sleeps"
        " during the day. Pigeons of the loft: two new ones for 31 euros.\n"
    )
    assistant = _of_one_page(fast_host, tmp_path, text)
    earlier = "Which pigeons are new?" if "they" in question else "When did the apprentice of the loft join?"
    answer = assistant.ask(Question(question, history=[Turn(earlier, "In spring. [1]")]))
    assert bool(answer.closest) is is_closest
    assert "pigeons" not in question or "31 euros" in answer.text


def test_a_day_of_the_week_is_not_who_does_it(fast_host: Host, tmp_path: Path) -> None:
    assistant = _of_one_page(fast_host, tmp_path, "# Compressor\n\nEmpty the water trap each Friday.\n")
    assert assistant.ask("Who empties the water trap?").closest


@pytest.mark.parametrize(("time", "is_closest"), [("in the hall", True), ("at 10:30", False), ("on Tuesday", False)])
def test_when_something_is_needs_a_time(fast_host: Host, tmp_path: Path, time: str, is_closest: bool) -> None:
    text = f"# Classes\n\nThe puncture class takes place {time}. Bring gloves and old clothes along.\n"
    assert bool(_of_one_page(fast_host, tmp_path, text).ask("When is the puncture class?").closest) is is_closest


def test_what_happened_to_someone_needs_no_question_before(host: Host) -> None:
    assert follow_up("What happened to the apprentice?", [CASTER]) is None
    assert follow_up("What happened to it?", [CASTER]) is not None


def test_a_share_of_it_is_not_how_long_it_lasts(host: Host) -> None:
    add_book(host, Path(book_chat.__file__).parent / "sample" / "primer", "Primer")
    turn = Turn("What is a gait cycle?", "Each foot is on the ground for about 60 per cent of the gait cycle. [1]")
    question = Question("How long does it last?", filters={"book": "primer"}, history=[turn])
    assert host.assistant("book_chat").ask(question).closest
