"""LlamaIndex's content blocks as content of MCP."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Any

import mcp_types as types
from llama_index.core.base.llms.types import AudioBlock, DocumentBlock, ImageBlock, TextBlock


def contents_of(blocks: Iterable[Any]) -> list[types.ContentBlock]:
    """The blocks in their order. What is only linked is given as a link: nothing is fetched here."""
    return [_content(block) for block in blocks]


def _content(block: Any) -> types.ContentBlock:
    if isinstance(block, TextBlock):
        return types.TextContent(text=block.text)
    if isinstance(block, ImageBlock) and (block.image or block.path):
        return types.ImageContent(data=_base64(block.resolve_image()), mime_type=block.image_mimetype or "image/png")
    if isinstance(block, AudioBlock) and (block.audio or block.path):
        return types.AudioContent(data=_base64(block.resolve_audio()), mime_type=f"audio/{block.format or 'wav'}")
    if isinstance(block, DocumentBlock) and (block.data or block.path):
        return types.EmbeddedResource(resource=_resource(block))
    url = getattr(block, "url", None)
    if url and not str(url).startswith("data:"):
        return types.ResourceLink(uri=str(url), name=getattr(block, "title", None) or str(url))
    return types.TextContent(text=f"({getattr(block, 'block_type', 'content')}, which MCP cannot show)")


def _base64(data: Any) -> str:
    return base64.b64encode(data.read()).decode()


def _resource(block: DocumentBlock) -> types.TextResourceContents | types.BlobResourceContents:
    data = block.resolve_document().read()
    mime_type = block.document_mimetype or "application/octet-stream"
    uri = block.url or f"document:{block.title}"
    if mime_type.startswith("text/") or mime_type == "application/json":
        return types.TextResourceContents(uri=uri, mime_type=mime_type, text=data.decode("utf-8", "replace"))
    return types.BlobResourceContents(uri=uri, mime_type=mime_type, blob=base64.b64encode(data).decode())
