"""Classifies sections: about simulation, about real hardware, or about neither."""

from __future__ import annotations

import re
from collections.abc import Sequence

# "Unity" is a product only with a capital U; every other word counts in any case.
_SIMULATION = re.compile(
    r"\b(?:(?i:simulat\w*|simulacr\w*|sim|gazebo|ignition|isaac[ -]?(?:sim|gym|lab)|webots|mujoco|pybullet|"
    r"coppeliasim|v-rep|carla|airsim|unreal(?: engine)?|"
    r"virtual (?:worlds?|environments?|robots?|scenes?|reality|sensors?)|"
    r"digital[ -]twins?|sitl)"
    r"|Unity(?:3D)?|UNITY)\b"
)
_HARDWARE = re.compile(
    r"\b(?i:hardware|(?:real|physical)[ -](?:robots?|hardware|machines?)|bring-?up|deploy(?:ment|ments|ing)?|"
    r"actuators?|wiring|soldering|firmware|microcontrollers?|motor drivers?|raspberry pi|arduino|"
    r"emergency stop|e-stop)\b"
)

#: Characters of a section about simulation for each time that it names it: a list of all changes names everything.
_LONGEST_BETWEEN = 4000

SIMULATION = "simulation"
HARDWARE = "hardware"
#: Theory, and whatever else holds for both.
GENERAL = "general"

#: Machinery: beside the words above, signs of a text about a real machine.
_MACHINERY = re.compile(
    r"\b(?i:motors?|servos?|gpio|serial ports?|power suppl(?:y|ies)|batter(?:y|ies)|voltages?|high[ -]voltage|mains"
    r"|air suppl(?:y|ies)|compressed air|pneumatics?|hydraulics?|grippers?|end effectors?|joint (?:torques?|limits?)"
    r"|robot arms?|lipo|cables?|connectors?|fuses?|relays?|brakes?|teach pendant|gantry|propellers?)\b|/dev/tty\w*"
)


def _count(text: str, *patterns: re.Pattern[str]) -> int:
    return sum(len(pattern.findall(text)) for pattern in patterns)


def _is_mostly_hardware(text: str) -> bool:
    """Whether the text names hardware or machinery at least twice and more often than simulation."""
    named = _count(text, _HARDWARE, _MACHINERY)
    return named >= 2 and named > _count(text, _SIMULATION)


def names_hardware(headings: Sequence[str], text: str) -> bool:
    """Whether a passage that is not about simulation deals with real machinery.

    True when a heading names hardware, or when the text names hardware or machinery at least twice and more often than
    simulation.
    """
    return any(_HARDWARE.search(heading) for heading in headings) or _is_mostly_hardware(text)


def is_simulation(headings: Sequence[str], text: str) -> bool:
    """Whether a section deals with simulation (True) or with real hardware or neither (False).

    1. Headings decide first. Going from the nearest (the last of ``headings``) outwards, the first one that
       names simulation ("simulat…", a simulator such as Gazebo, Isaac Sim, Webots or Unity, "virtual world",
       "digital twin") and no hardware says True; the first that names hardware ("hardware", "real robot",
       "physical robot", "bring-up", "deployment", "actuator", "wiring" …) and no simulation says False. A
       heading that names both says nothing.
    2. Otherwise the text decides: True when simulation is named at least twice, once in 4,000 characters, and more
       often than hardware.
    3. Otherwise False.
    """
    for heading in reversed(headings):
        simulated, real = bool(_SIMULATION.search(heading)), bool(_HARDWARE.search(heading))
        if simulated != real:
            return simulated
    named = _count(text, _SIMULATION)
    return named >= max(2, len(text) / _LONGEST_BETWEEN) and named > _count(text, _HARDWARE)


def setting(headings: Sequence[str], text: str, simulated: bool) -> str:
    """What a section is about: ``SIMULATION`` as ``is_simulation`` says, ``HARDWARE``, or ``GENERAL`` for neither.

    It is about real hardware when its own heading names hardware and no simulation, or one above it does and the text
    names hardware or machinery, or when the text names these at least twice and more often than simulation. So plain
    theory is general, also in a part on actuators.
    """
    if simulated:
        return SIMULATION
    named = [bool(_HARDWARE.search(heading)) and not _SIMULATION.search(heading) for heading in headings]
    is_below = any(named) and _count(text, _HARDWARE, _MACHINERY) > 0
    if (named and named[-1]) or is_below or _is_mostly_hardware(text):
        return HARDWARE
    return GENERAL
