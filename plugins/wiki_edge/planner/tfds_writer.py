"""Writes exported episodes as a TFDS data set with RLDS's features: ``python tfds_writer.py episodes.jsonl FOLDER``.

A program that imports nothing of Ragstone: it runs in another environment, with the extra ``rlds``, and reads back what
it wrote.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

NAME = "ragstone_planner"
VERSION = "1.0.0"


def features(tfds: Any) -> Any:
    """RLDS: a data set of steps in each episode."""
    import numpy as np

    text = tfds.features.Text
    return tfds.features.FeaturesDict(
        {
            "steps": tfds.features.Dataset(
                {
                    "observation": text(),
                    "action": text(),
                    "reward": np.float32,
                    "discount": np.float32,
                    "is_first": np.bool_,
                    "is_last": np.bool_,
                    "is_terminal": np.bool_,
                    "step_metadata": {"retrievals": text(), "tool_calls": text()},
                }
            ),
            "episode_metadata": {name: text() for name in ("episode_id", "agent_id", "state", "started", "ended")},
        }
    )


def write(source: Path, folder: Path) -> tuple[int, int]:
    """Write the data set, read it back, and count its episodes and steps."""
    import tensorflow_datasets as tfds

    class Builder(tfds.core.GeneratorBasedBuilder):  # type: ignore[misc]
        """The exported episodes."""

        name = NAME
        VERSION = tfds.core.Version("1.0.0")

        def _info(self) -> Any:
            return tfds.core.DatasetInfo(builder=self, features=features(tfds))

        def _split_generators(self, _manager: Any) -> Any:
            return {"train": self._generate_examples()}

        def _generate_examples(self) -> Any:
            with source.open(encoding="utf-8") as lines:
                for line in lines:
                    episode = json.loads(line)
                    yield episode["episode_metadata"]["episode_id"], episode

    builder = Builder(data_dir=str(folder))
    builder.download_and_prepare()
    read = tfds.builder_from_directory(str(folder / NAME / VERSION)).as_dataset(split="train")
    episodes = steps = 0
    for episode in tfds.as_numpy(read):
        steps_read = list(episode["steps"])
        flags = [(bool(step["is_first"]), bool(step["is_last"])) for step in steps_read]
        if not steps_read or flags[0][0] is not True or flags[-1][1] is not True or sum(last for _, last in flags) != 1:
            raise ValueError(f"an episode came back with other steps than it went in with: {flags}")
        for step in steps_read:
            for key in ("retrievals", "tool_calls"):
                json.loads(step["step_metadata"][key].decode())
        episodes += 1
        steps += len(steps_read)
    return episodes, steps


if __name__ == "__main__":
    counted = write(Path(sys.argv[1]), Path(sys.argv[2]))
    print(json.dumps({"folder": str(Path(sys.argv[2]) / NAME / VERSION), "episodes": counted[0], "steps": counted[1]}))
