from __future__ import annotations

import pytest

from ragstone.plugins.book_chat.simulation import is_simulation


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
