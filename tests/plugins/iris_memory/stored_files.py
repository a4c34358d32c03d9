"""Memories for tests of recall: a few words each, put straight into the corpus."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import BaseNode, Document, NodeRelationship, TextNode

from ragstone.core import Host
from ragstone.plugins.iris_memory import memory_of

NOW = datetime.now(UTC)


@dataclass(frozen=True)
class File:
    """A file of one chunk."""

    path: str
    text: str
    doc_type: str = "note"
    days: float = 0.0
    more: dict[str, Any] = field(default_factory=dict)


def mail(path: str, text: str, days: float = 0.0, sender: str = "", to: str = "", subject: str = "") -> File:
    known = {"from": sender, "to": to, "cc": "", "subject": subject}
    addresses = {"sender": sender.rpartition("<")[2].strip(">").lower(), "recipients": to.lower()}
    head = f"From: {sender}\nTo: {to}\nSubject: {subject}\n\n"
    return File(path, head + text, "email", days, {**known, **addresses, "section": subject})


class _Whole(NodeParser):
    """One chunk a file."""

    fingerprint: str = "whole"

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **_: Any) -> list[BaseNode]:
        return [
            TextNode(
                id_=hashlib.sha256(f"{node.node_id}\0{node.get_content()}".encode()).hexdigest()[:16],
                text=node.get_content(),
                metadata=node.metadata,
                excluded_embed_metadata_keys=list(node.metadata),
                relationships={NodeRelationship.SOURCE: node.as_related_node_info()},
            )
            for node in nodes
        ]


def store(host: Host, *files: File) -> None:
    """Put the files into the host's memory, whatever its root holds."""
    corpus = memory_of(host).corpus
    corpus.__dict__["parser"] = _Whole()
    corpus.ingest(
        [
            Document(
                id_=file.path,
                text=file.text,
                metadata={
                    "path": file.path,
                    "doc_type": file.doc_type,
                    "section": "",
                    "date": (NOW - timedelta(days=file.days)).timestamp(),
                    "line_first": 1,
                    "line_last": len(file.text.splitlines()),
                    **file.more,
                },
            )
            for file in files
        ]
    )
