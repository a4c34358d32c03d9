"""The plugin whose tools and prompts the scenarios of ``@modelcontextprotocol/conformance`` ask for by name."""

from __future__ import annotations

import base64
from typing import Any

from llama_index.core.base.llms.types import (
    AudioBlock,
    ChatMessage,
    ContentBlock,
    DocumentBlock,
    ImageBlock,
    MessageRole,
    TextBlock,
)
from llama_index.core.prompts import BasePromptTemplate, ChatPromptTemplate, PromptTemplate
from llama_index.core.tools import BaseTool, FunctionTool
from pydantic import BaseModel, ConfigDict, create_model

from ragstone.core import Host, NotFound, hookimpl

#: One red pixel.
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
#: A head without a sound.
WAV = b"RIFF$\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0D\xac\0\0\x88X\1\0\2\0\x10\0data\0\0\0\0"


#: Its name is a key of the schema's ``$defs``.
Address = create_model("address", street=(str, ""), city=(str, ""))


class Person(BaseModel):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"$schema": "https://json-schema.org/draft/2020-12/schema"}
    )

    name: str = ""
    address: Address = Address()


def document(text: str, *, url: str, mimetype: str = "text/plain") -> DocumentBlock:
    return DocumentBlock(data=text.encode(), url=url, document_mimetype=mimetype)


def embed(_template: object, **arguments: Any) -> list[ChatMessage]:
    """The messages of a template that embeds the resource whose address it is given."""
    embedded = document("Embedded resource content for testing.", url=arguments["resourceUri"])
    return [user(embedded), user(TextBlock(text="Please process the embedded resource above."))]


#: Made like this because mypy's plugin for pydantic does not know the base's own constructor.
EmbeddingPrompt: Any = type("EmbeddingPrompt", (ChatPromptTemplate,), {"format_messages": embed})


def user(*blocks: ContentBlock) -> ChatMessage:
    return ChatMessage(role=MessageRole.USER, blocks=list(blocks))


class FixturePlugin:
    @hookimpl
    def ragstone_tools(self, host: Host) -> list[BaseTool]:
        def test_simple_text() -> str:
            """Return a text."""
            return "This is a simple text response for testing."

        def test_image_content() -> ImageBlock:
            """Return an image."""
            return ImageBlock(image=PNG)

        def test_audio_content() -> AudioBlock:
            """Return a sound."""
            return AudioBlock(audio=WAV, format="wav")

        def test_embedded_resource() -> DocumentBlock:
            """Return a resource."""
            return document("This is an embedded resource content.", url="test://embedded-resource")

        def test_multiple_content_types() -> list[Any]:
            """Return a text, an image and a resource."""
            data = document('{"test":"data","value":123}', url="test://mixed", mimetype="application/json")
            return [TextBlock(text="Multiple content types test:"), ImageBlock(image=PNG), data]

        def test_error_handling() -> str:
            """Fail."""
            raise NotFound("This tool intentionally returns an error for testing")

        def json_schema_2020_12_tool(**person: Any) -> str:
            return str(person)

        plain = [
            test_simple_text,
            test_image_content,
            test_audio_content,
            test_embedded_resource,
            test_multiple_content_types,
            test_error_handling,
        ]
        described = FunctionTool.from_defaults(json_schema_2020_12_tool, description="Take a person.", fn_schema=Person)
        return [*(FunctionTool.from_defaults(each) for each in plain), described]

    @hookimpl
    def ragstone_prompts(self) -> dict[str, BasePromptTemplate]:
        def metadata() -> dict[str, Any]:
            return {"description": "A prompt for testing."}

        image = [user(ImageBlock(image=PNG)), user(TextBlock(text="Please analyze the image above."))]
        embedding = EmbeddingPrompt([user(TextBlock(text="{resourceUri}"))], metadata=metadata())
        arguments = "Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"
        return {
            "test_simple_prompt": PromptTemplate("This is a simple prompt for testing.", metadata=metadata()),
            "test_prompt_with_arguments": PromptTemplate(arguments, metadata=metadata()),
            "test_prompt_with_embedded_resource": embedding,
            "test_prompt_with_image": ChatPromptTemplate(image, metadata=metadata()),
            "not_for_people": PromptTemplate("Only the host uses this: {context_str}"),
        }
