from __future__ import annotations

from pathlib import Path

import pytest
from llama_index.core.schema import Document

from ragstone.core import Host
from ragstone.plugins.book_chat import BookNodeParser, Shelf
from tests.support.third_party_fakes import write_pages


@pytest.mark.parametrize(
    ("headings", "text", "expected"),
    [
        (["Gazebo basics"], "The motor driver is wired to the hardware.", "simulation"),
        (["Walking"], "Its simulators simulate ISAAC SIM.", "simulation"),
        (["Simulation", "Real robot deployment"], "In Gazebo, simulation is simulated.", "hardware"),
        (["Hardware", "A digital twin"], "Words.", "simulation"),
        (["Unity for robots"], "Words.", "simulation"),
        (["The unity of all things"], "Words.", "general"),
        (["From simulation to hardware"], "Gazebo simulates. Then Webots.", "simulation"),
        (["Walking"], "A simulation in Gazebo.", "simulation"),
        (["Walking"], "One simulation only.", "general"),
        (["Walking"], "Simulation, simulation; hardware and actuators.", "general"),
        (["Dissimulation"], "virtuality virtuality virtuality", "general"),
        (["Kinematics", "Rotations"], "A rotation keeps distances and orientation.", "general"),
        (["Dynamics"], "The torque of a motor grows with its current.", "general"),
        (["Actuators", "Newton's laws"], "Force is mass times acceleration.", "general"),
        (["Simulation", "Newton's laws"], "Force is mass times acceleration.", "simulation"),
        (["From simulation to hardware"], "Models are wrong, some are useful.", "general"),
        (["Actuators", "Fitting"], "Screw the motor to its mount.", "hardware"),
        (["Homing"], "Press the button of the motor controller and wait for each motor.", "hardware"),
        (["Arms", "Bring-up"], "It comes last.", "hardware"),
        (["Battery pack"], "Disconnect the connectors of the real robot.", "hardware"),
        (["Walking"], "A real robot, a physical robot, one simulation, one simulator.", "general"),
        ([], "Words.", "general"),
        (["Registers"], "A virtual address is translated. Virtual addresses have 48 bits.", "general"),
        (
            ["Change log"],
            f"The simulator was fixed. {'A register was renamed and a bit was added. ' * 300}Simulation.",
            "general",
        ),
        (["Robots"], "The robot moves in a virtual world. The simulator shows it.", "simulation"),
    ],
)
def test_headings_first_then_counts_and_what_is_neither_is_general(
    headings: list[str], text: str, expected: str
) -> None:
    above = "".join(f"{'#' * level} {heading}\n\n" for level, heading in enumerate(headings, 1))
    (node,) = BookNodeParser(count_tokens=lambda _: 1).get_nodes_from_documents([Document(text=above + text)])
    assert node.metadata["setting"] == expected
    assert node.metadata["is_simulation"] is (expected == "simulation")


PAGES = {
    "a.md": "# Gazebo\n\nThe arm has damping.\n",
    "b.md": "# Sensors\n\nThe sensor sees walls. The simulator draws them.\n",
    "c.md": "# Lenses\n\nThe sensor has a lens of glass.\n\n```python\nsee()  # simulate the sensor\n```\n",
    "d.md": f"# Summary\n\nThe motor hums loudly.\n\n{'Sensors see. ' * 60}One simulates.\n",
    "e.md": "# Real hardware\n\nThe motors have brakes.\n",
    "book.toml": "[ragstone.simulation]\n'[a-d].md' = true\n",
}


def test_a_passage_is_labelled_for_what_it_says_itself(fast_host: Host, tmp_path: Path) -> None:
    shelf = Shelf(fast_host)
    shelf.add(shelf.plan(write_pages(tmp_path / "book", PAGES)))
    for question, begin in {
        "What damping does the arm have?": "In simulation: The arm",
        "What does the sensor see?": "In simulation: The sensor",
        "What lens does the sensor have?": "The sensor",
        "How does the motor hum?": "The motor",
    }.items():
        assert fast_host.assistant("book_chat").ask(question).text.startswith(begin)
