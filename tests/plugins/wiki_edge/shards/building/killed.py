"""``python -m tests.plugins.wiki_edge.shards.building.killed SOURCE OUT LOG``: a build of many small parts.

Each batch that is embedded adds its number of texts to LOG, so that nobody can embed anything twice unseen.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from ragstone.core.testing import WordEmbedding, open_host
from ragstone.plugins.wiki_edge import BuildOptions, build_shard

#: Of the dump of ``test_build``: twenty parts, of three articles each.
PART_MB = 0.001


def main(source: Path, out: Path, log: Path) -> None:
    """Build, slowly enough to be killed at any point of it."""
    plain = WordEmbedding.get_text_embedding_batch

    def counted(self: WordEmbedding, texts: list[str], *rest: Any, **named: Any) -> Any:
        with log.open("a") as file:
            file.write(f"{len(texts)}\n")
        time.sleep(0.02)
        return plain(self, texts, *rest, **named)

    WordEmbedding.get_text_embedding_batch = counted  # type: ignore[method-assign]
    with open_host(out.parent / "host") as host:
        print("begun", flush=True)
        build_shard(BuildOptions(source, out, "killed", language="en", part_mb=PART_MB), host)
    print("done", flush=True)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
