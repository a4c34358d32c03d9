"""A robot's planner: facts and recalls as data, and answers within a budget."""

from typing import TYPE_CHECKING

from ragstone.core.runtime import lazy_names

if TYPE_CHECKING:
    from .episode_check import check_episodes, repair_episodes
    from .export import export_episodes, to_tfds
    from .library import Library
    from .memory import Memory
    from .planner import Planner
    from .prompt import planner_prompts
    from .redaction import Redactor
    from .settings import EpisodesSettings, PlannerSettings, RemoteSettings, SlmSettings
    from .situation import Attempt, Passage, PlannerAnswer, PlannerContext, Situation, Source

__all__ = [
    "Attempt",
    "EpisodesSettings",
    "Library",
    "Memory",
    "Passage",
    "Planner",
    "PlannerAnswer",
    "PlannerContext",
    "PlannerSettings",
    "Redactor",
    "RemoteSettings",
    "Situation",
    "SlmSettings",
    "Source",
    "check_episodes",
    "export_episodes",
    "planner_prompts",
    "repair_episodes",
    "to_tfds",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "episode_check": "check_episodes repair_episodes",
        "export": "export_episodes to_tfds",
        "library": "Library",
        "memory": "Memory",
        "planner": "Planner",
        "prompt": "planner_prompts",
        "redaction": "Redactor",
        "settings": "EpisodesSettings PlannerSettings RemoteSettings SlmSettings",
        "situation": "Attempt Passage PlannerAnswer PlannerContext Situation Source",
    },
)
