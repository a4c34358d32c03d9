"""Simulation, real hardware or neither: what a section is about; and the book's warnings before procedures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from llama_index.core.schema import BaseNode, TextNode
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters

from ragstone.core import CitedWarning, Corpus, Sentence, Verdict

from .markdown.characters import SEPARATOR

# "Unity" is a product only with a capital U; every other word counts in any case.
_SIMULATION = re.compile(
    r"\b(?:(?i:simulat\w*|simulacr\w*|sim|gazebo|ignition|isaac[ -]?(?:sim|gym|lab)|webots|mujoco|pybullet|"
    r"coppeliasim|v-rep|carla|airsim|unreal(?: engine)?|"
    r"virtual (?:worlds?|robots?|scenes?|reality|sensors?)|"  # Python calls a folder of packages a virtual environment
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

#: Characters of a chunk below other headings for each time that it names simulation, up to which its sentences are
#: said to be about it.
_LONGEST_LABELLED = 500
#: Program text: its comments name simulation wherever a sensor is not at hand.
_BLOCK_OF_CODE = re.compile(r"^ *```.*?(?:^ *```|\Z)", re.MULTILINE | re.DOTALL)

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
_WARNING_KINDS = {"warning", "caution", "danger"}
_WARNING_LINE = re.compile(
    r"^\W*(?:warning|caution|danger|safety(?: (?:warning|note|notice))?)\W*[:!.\u2014]", re.IGNORECASE
)
#: The beginning of an instruction.
_IMPERATIVE = re.compile(
    r"^(?:\W*(?:(?:first|then|next|finally|now|and|always|never|also|again),?\s"
    r"|(?:to|before|after|once|when|while|if|with|in order)\b[^,.:]{1,80},))?\W*"
    r"(?:(?:do not|don't|never)\s+\w+|connect|disconnect|plug|unplug|switch|turn|press|push|pull|hold|release|mount"
    r"|attach|detach|remove|install|flash"
    r"|upload|download|run|launch|start|stop|restart|power(?! (?:efficiency|consumption|density|management)\b)"
    r"|set|open|close|lift|place|put|check|verify|make sure|ensure"
    r"|move|command|send|publish|drive|calibrate|tighten|loosen|solder|wire|insert|enable|disable|charge|discharge|apply"
    r"|wait|keep|use|execute|configure|deploy|clamp|fasten|secure|raise|lower|arm|disarm|home|jog|measure|test|build"
    r"|compile|copy|type|call|write|load|adjust|increase|decrease|reduce|bring|take|clear|stand|step|unlock|lock|engage"
    r"|disengage|activate|deactivate|trigger|reset|replace|swap|drill|cut|bolt|screw)\b",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"```|~~~|^ {4}\S|\b(?:ros2|roslaunch|rosrun|sudo|colcon|catkin_make|python3?|pip|apt)\s+\S", re.MULTILINE
)
#: A line of a formula, in a block without a language: it has a relation and a Greek letter or a sign of mathematics.
_FORMULA = re.compile(r"(?=.*[=<>≤≥≈∈→])(?=.*[\u0370-\u03ff\u2200-\u22ff\u0307\u0308√∞])(?!.*[;{}]).+")
_MOST_WARNINGS = 8
_REFUSAL = (
    "The book describes this for real hardware in {place}, but gives no safety warning for it there, so I must not "
    "repeat the steps. Please read that section, and have somebody with experience beside you."
)


def _count(text: str, *patterns: re.Pattern[str]) -> int:
    return sum(len(pattern.findall(text)) for pattern in patterns)


def _is_mostly_hardware(text: str) -> bool:
    """Whether the text names hardware or machinery at least twice and more often than simulation."""
    named = _count(text, _HARDWARE, _MACHINERY)
    return named >= 2 and named > _count(text, _SIMULATION)


def names_hardware(headings: Sequence[str], text: str) -> bool:
    """Whether a chunk that is not about simulation deals with real machinery.

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


def setting_of(node: BaseNode) -> str | None:
    """The label of a chunk's sentences in answers: in simulation or on real hardware.

    A section about simulation has chunks that are not, unless its headings say so.
    """
    if node.metadata.get("is_simulation"):
        text = _BLOCK_OF_CODE.sub("", node.get_content())
        is_named = _count(text, _SIMULATION) * _LONGEST_LABELLED >= max(1, len(text))
        return "In simulation" if is_named or any(map(_SIMULATION.search, _headings(node))) else None
    on_hardware = node.metadata.get("setting") == HARDWARE and names_hardware(_headings(node), "")
    return "On real hardware" if on_hardware else None


class SafetyWarnings:
    """Procedures for real hardware are shown under the warnings that the book gives for them, word for word.

    A sentence is such a procedure when it holds code or an instruction, and its chunk deals with real hardware (see
    ``names_hardware``). Its warnings are the admonitions and the lines beginning with "Warning", "Caution" or "Danger"
    of its section, else of its chapter. Where the book gives none, it is withheld.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def review(self, sentence: Sentence, nodes: Sequence[BaseNode]) -> Verdict:
        """A procedure goes under its warnings; without any it is withheld, and its section is named."""
        if not is_procedure(sentence.text):
            return Verdict()
        warnings: list[CitedWarning] = []
        for node in (nodes[at] for at in sentence.chunks):
            if node.metadata.get("is_simulation") or not names_hardware(_headings(node), node.get_content()):
                continue
            found = self._warnings(node)
            if not found:
                place = _place(node)
                reason = f"a procedure for real hardware, and {place} gives no warning"
                return Verdict(withheld=reason, refusal=_REFUSAL.format(place=place))
            warnings += found
        return Verdict(tuple(warnings[:_MOST_WARNINGS]))

    def _warnings(self, node: BaseNode) -> list[CitedWarning]:
        """Of the chunk's section, else of its chapter."""
        known = node.metadata
        if not known.get("chapter"):
            return []
        chapter = self._corpus.contents.find(
            MetadataFilters(filters=[MetadataFilter(key=key, value=known[key]) for key in ("book", "chapter")])
        )
        section = [other for other in chapter if other.metadata["section"] == known["section"]]
        return list(_warnings_in(section)) or list(_warnings_in(chapter))


def is_procedure(text: str) -> bool:
    """Whether the text holds code or an instruction; formulas are neither, also where they are written as code."""
    text = _BLOCK_OF_CODE.sub(lambda block: "" if _is_formulas(block[0]) else block[0], text)
    return bool(_CODE.search(text) or _IMPERATIVE.match(text))


def _is_formulas(block: str) -> bool:
    first, *lines = [line.strip() for line in block.splitlines() if line.strip()]
    return first == "```" and lines[-1:] == ["```"] and all(map(_FORMULA.fullmatch, lines[:-1]))


def _warnings_in(nodes: Sequence[TextNode]) -> Iterator[CitedWarning]:
    """Each warning once, from the first chunk that holds it whole."""
    from .markdown.blocks import read_blocks  # a parser of Markdown, for few answers

    seen: set[str] = set()
    for node in nodes:
        for block in read_blocks(node.get_content()):
            is_warning = block.kind == "admonition" and block.info in _WARNING_KINDS
            if (is_warning or _WARNING_LINE.match(block.plain)) and block.plain not in seen:
                seen.add(block.plain)
                yield CitedWarning(block.plain, node)


def _headings(node: BaseNode) -> list[str]:
    known = node.metadata
    return [str(known.get("chapter") or ""), *str(known.get("section") or "").split(SEPARATOR)]


def _place(node: BaseNode) -> str:
    known = node.metadata
    steps = dict.fromkeys(str(known[key]) for key in ("chapter", "section") if known.get(key))
    return f"'{SEPARATOR.join(steps)}'" if steps else "the selected text"
