from __future__ import annotations

import pytest
from llama_index.core.schema import TextNode

from ragstone.plugins.book_chat.guardrails import is_simulation, setting, setting_of


@pytest.mark.parametrize(
    ("headings", "text", "expected"),
    [
        (["Gazebo basics"], "The motor driver is wired to the hardware.", True),
        (["Simulation", "Real robot deployment"], "In Gazebo, simulation is simulated.", False),
        (["Hardware", "A digital twin"], "", True),
        (["Unity for robots"], "", True),
        (["The unity of all things"], "", False),
        (["From simulation to hardware"], "Gazebo simulates. Then Webots.", True),
        (["Walking"], "A simulation in Gazebo.", True),
        (["Walking"], "One simulation only.", False),
        (["Walking"], "Simulation, simulation; hardware and actuators.", False),
        (["Walking"], "Its simulators simulate ISAAC SIM.", True),
        ([], "", False),
    ],
)
def test_headings_first_then_counts(headings: list[str], text: str, expected: bool) -> None:
    assert is_simulation(headings, text) is expected


def test_a_word_inside_another_does_not_count() -> None:
    assert not is_simulation(["Dissimulation"], "virtuality virtuality virtuality")


@pytest.mark.parametrize(
    ("headings", "text", "expected"),
    [
        (["Gazebo basics"], "The motor driver is wired to the hardware.", "simulation"),
        (["Walking"], "Its simulators simulate ISAAC SIM.", "simulation"),
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
        ([], "", "general"),
    ],
)
def test_what_is_neither_is_general(headings: list[str], text: str, expected: str) -> None:
    assert setting(headings, text, is_simulation(headings, text)) == expected


def test_virtual_memory_and_a_long_list_of_changes_are_no_simulation() -> None:
    assert not is_simulation(["Registers"], "A virtual address is translated. Virtual addresses have 48 bits.")
    changes = "The simulator was fixed. " + "A register was renamed and a bit was added. " * 300 + "Simulation works."
    assert not is_simulation(["Change log"], changes)
    assert is_simulation(["Robots"], "The robot moves in a virtual world. The simulator shows it.")


@pytest.mark.parametrize(
    ("section", "text", "label"),
    [
        ("Gazebo", "The arm has damping.", "In simulation"),
        ("Sensors", "The simulator draws what the sensor sees.", "In simulation"),
        ("Sensors", "The sensor has a lens.", None),
        ("Sensors", "The sensor has a lens.\n\n```python\nsee()  # simulate the sensor\n```", None),
        ("Summary", f"{'Sensors see. ' * 60}One simulates.", None),
    ],
)
def test_a_passage_is_labelled_for_what_it_says_itself(section: str, text: str, label: str | None) -> None:
    known = {"chapter": "Robots", "section": section, "is_simulation": True}
    assert setting_of(TextNode(text=text, metadata=known)) == label
