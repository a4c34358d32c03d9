"""Writes exported episodes as a TFDS data set with RLDS's features: ``python tfds_writer.py episodes.jsonl FOLDER``.

A program that imports nothing of Ragstone: it runs in another environment, with the extra ``rlds``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

NAME = "ragstone_planner"
VERSION = "1.0.0"


def features(tfds: Any, named: Any) -> Any:
    """RLDS: a data set of steps in each episode. ``named``: the types as ``metadata.json`` names them."""
    import numpy as np

    def made(each: Any) -> Any:
        if isinstance(each, dict):
            return {name: made(part) for name, part in each.items()}
        return {"float32": np.float32, "bool": np.bool_}.get(each) or tfds.features.Text()

    return tfds.features.FeaturesDict(made(named) | {"steps": tfds.features.Dataset(made(named["steps"]))})


def write(source: Path, folder: Path) -> None:
    """Write the data set."""
    import tensorflow_datasets as tfds

    about = json.loads(source.with_name("metadata.json").read_bytes())

    class Builder(tfds.core.GeneratorBasedBuilder):  # type: ignore[misc]
        """The exported episodes."""

        name = NAME
        VERSION = tfds.core.Version(VERSION)

        def _info(self) -> Any:
            return tfds.core.DatasetInfo(builder=self, features=features(tfds, about["features"]))

        def _split_generators(self, _manager: Any) -> Any:
            return {"train": self._generate_examples()}

        def _generate_examples(self) -> Any:
            with source.open(encoding="utf-8") as lines:
                for line in lines:
                    episode = json.loads(line)
                    yield episode["episode_metadata"]["episode_id"], episode

    Builder(data_dir=str(folder)).download_and_prepare()


if __name__ == "__main__":
    write(Path(sys.argv[1]), Path(sys.argv[2]))
    print(Path(sys.argv[2]) / NAME / VERSION)
