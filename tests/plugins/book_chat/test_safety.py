"""SS-2 and SS-3: no procedure for real hardware without the book's own warning; simulation is told from hardware."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragstone.core import BadRequest, Host, NotFound, Question
from ragstone.core.testing import ScriptedLLM, open_host
from ragstone.plugins.book_chat import Shelf
from ragstone.plugins.book_chat.guardrails import is_procedure
from tests.support.third_party_fakes import add_book, write_pages

PAGES = {
    "01-arm.md": "# The real arm\n\n## Brakes\n\n> [!WARNING]\n> The arm falls when its brakes are released. Support "
    "it first.\n\nRelease the brakes of the physical robot with the brake lever beside the motor. The brakes hold the "
    "joints when the power is off.\n\n## Homing\n\nPress the homing button on the motor controller of the arm and wait "
    "for the green lamp of each motor.\n\n",
    "02-battery.md": "# Battery pack\n\n## Replacing\n\nDisconnect the battery connectors of the real robot and lift "
    "the battery pack out. The battery pack stores 90 watt hours.\n",
    "03-world.md": "# Simulation\n\n## Gazebo arm\n\nRelease the brakes of the simulated arm with the joint panel. "
    "Gazebo needs no brake lever. The joints of the arm have damping.\n",
}
LEVER = "How do I release the brakes of the physical robot?"
FALLS = "The arm falls when its brakes are released. Support it first."


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    with open_host(tmp_path) as host:
        add_book(host, write_pages(tmp_path / "arms", PAGES), "Arms")
        yield host


class TestSS2:
    def test_a_procedure_stands_under_the_warning_of_its_section_word_for_word(self, host: Host) -> None:
        answer = host.assistant("book_chat").ask(Question(LEVER, filters={"setting": "hardware"}))
        assert answer.warnings == (FALLS,)
        assert answer.text.startswith(f"WARNING: {FALLS} [1]\n\n")
        assert "Release the brakes of the physical robot with the brake lever" in answer.text
        assert answer.citations[0].quote == FALLS
        assert answer.to_dict()["warnings"] == [FALLS]

    def test_where_its_section_gives_none_its_chapter_does(self, host: Host) -> None:
        answer = host.assistant("book_chat").ask("How do I press the homing button on the motor controller of the arm?")
        assert answer.text.startswith(f"WARNING: {FALLS} [1]\n\n")
        assert "Press the homing button" in answer.text

    def test_where_the_book_gives_none_the_procedure_is_refused_and_the_section_named(self, host: Host) -> None:
        answer = host.assistant("book_chat").ask(
            Question("How do I disconnect the battery connectors of the real robot?", top_k=1)
        )
        assert answer.text.startswith(
            "The book describes this for real hardware in 'Battery pack \u203a Replacing', but gives no safety warning"
        ) or answer.text.startswith("The battery pack stores")
        assert "Disconnect" not in answer.text
        assert any("gives no warning" in each for each in answer.dropped)

    def test_what_is_no_procedure_needs_no_warning(self, host: Host) -> None:
        answer = host.assistant("book_chat").ask(Question("How much does the battery pack store?", top_k=1))
        assert "The battery pack stores 90 watt hours." in answer.text
        assert answer.warnings == ()

    def test_simulation_needs_no_warning(self, host: Host) -> None:
        answer = host.assistant("book_chat").ask(
            Question("How do I release the brakes of the simulated arm?", filters={"setting": "simulation"})
        )
        assert answer.warnings == ()
        assert "Release the brakes of the simulated arm" in answer.text

    def test_a_language_model_cannot_leave_the_warning_out(self, tmp_path: Path) -> None:
        llm = ScriptedLLM()
        with open_host(tmp_path, llm=llm) as host:
            add_book(host, write_pages(tmp_path / "arms", {"01-arm.md": PAGES["01-arm.md"]}), "Arms")
            llm.enqueue("Release the brakes of the physical robot with the brake lever beside the motor [1].")
            pieces = list(host.assistant("book_chat").stream(LEVER))
        assert pieces[0].text == f"WARNING: {FALLS} [1]"
        assert pieces[-1].text.count("Release the brakes") == 1

    @pytest.mark.parametrize(
        "text",
        [
            "Connect the red cable to the motor driver.",
            "To open the gripper, switch off the air supply.",
            "Then press the green button.",
            "Power the arm up: its brakes release.",
            "Do not touch the joints.",
            "Run `ros2 launch arm bringup.launch.py` on the robot.",
            "```python\narm.move(1)\n```",
            "The model is:\n\n```\nω = 2\narm.move(ω)\n```",
            "The model is:\n\n```python\nω = 2 * v\n```",
            "The model is:\n\n```\nω = 2 * v",
        ],
    )
    def test_this_is_a_procedure(self, text: str) -> None:
        assert is_procedure(text)

    @pytest.mark.parametrize(
        "text",
        [
            "The motor is connected to the driver.",
            "A brake holds the joint.",
            "Torque is force times distance.",
            "The model of a robot is:\n\n```\nẋ = v cos(θ)\n\nθ̇ = ω\n```",
            "Power efficiency: a legged robot needs ten times as much as one on wheels.",
        ],
    )
    def test_this_is_none(self, text: str) -> None:
        assert not is_procedure(text)


class TestSS3:
    def test_sentences_say_what_they_are_about(self, host: Host) -> None:
        simulated = host.assistant("book_chat").ask(
            Question("What damping do the joints of the arm have?", filters={"setting": "simulation"})
        )
        assert simulated.text.startswith("In simulation: The joints of the arm have damping.")
        assert all(citation.fields["is_simulation"] for citation in simulated.citations)

    def test_a_reader_restricts_the_question_to_one_of_the_two(self, host: Host) -> None:
        for setting, simulated in (("simulation", True), ("hardware", False)):
            found, _ = host.assistant("book_chat").retrieve_for(
                Question("brakes of the arm", filters={"setting": setting})
            )
            assert found.nodes
            assert {node.node.metadata["is_simulation"] for node in found.nodes} == {simulated}

    @pytest.mark.parametrize("narrow", [{}, {"setting": "simulation"}, {"setting": "hardware"}])
    def test_theory_is_never_hidden_and_never_labelled(self, tmp_path: Path, narrow: dict[str, str]) -> None:
        pages = {
            **PAGES,
            "04-laws.md": "# Actuators\n\n## Newton's laws\n\nForce is mass times acceleration, as Newton found.\n",
        }
        with open_host(tmp_path) as host:
            add_book(host, write_pages(tmp_path / "arms", pages), "Arms")
            answer = host.assistant("book_chat").ask(
                Question("What is force as Newton found it?", filters=narrow, top_k=1)
            )
        assert answer.text == "Force is mass times acceleration, as Newton found. [1]"
        assert answer.citations[0].fields["setting"] == "general"

    def test_there_are_no_other_settings(self, host: Host) -> None:
        with pytest.raises(BadRequest, match="there is no setting 'space'"):
            host.assistant("book_chat").ask(Question("What?", filters={"setting": "space"}))


class TestEditions:
    @pytest.fixture
    def two(self, host: Host, tmp_path: Path) -> Host:
        shelf = Shelf(host)
        old = {"01.md": "# Wheels\n\n## Casters\n\nA caster has one wheel.\n\n## Tyres\n\nTyres are black.\n"}
        new = {
            "01.md": "# Wheels\n\n## Casters\n\nA caster has\ntwo wheels.\n\n## Black tyres\n\nTyres are black.\n\n"
            "## Hubs\n\nA hub holds the spokes.\n"
        }
        for edition, pages in (("Second Edition", new), ("First Edition", old)):
            folder = write_pages(tmp_path / edition.split()[0], pages)
            shelf.add(shelf.plan(folder), title="Wheels", edition=edition)
        return host

    def test_a_question_goes_to_the_newest_unless_one_is_named(self, two: Host) -> None:
        assistant = two.assistant("book_chat")
        assert assistant.ask("What wheels has a caster?").text.startswith("A caster has two wheels.")
        slugs = [book.slug for book in Shelf(two).books() if book.edition == "First Edition" and book.title == "Wheels"]
        assert assistant.ask(Question("What wheels has a caster?", filters={"book": slugs[0]})).text.startswith(
            "A caster has one"
        )
        with pytest.raises(NotFound):
            assistant.ask(Question("What?", filters={"book": "nothing"}))

    def test_diff_tells_which_sections_changed(self, two: Host, capsys: pytest.CaptureFixture[str]) -> None:
        from tests.support.third_party_fakes import Here

        slugs = {book.edition: book.slug for book in Shelf(two).books() if book.title == "Wheels"}
        done = Here(capsys)("book", "diff", slugs["First Edition"], slugs["Second Edition"])
        assert "added    Wheels \u203a Hubs" in done.out
        assert "changed  Wheels \u203a Casters" in done.out
        assert "renamed  Wheels \u203a Black tyres, before: Wheels \u203a Tyres" in done.out
        assert "0 sections are as they were." in done.out
