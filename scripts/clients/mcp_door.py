"""The protocol's own Python client against Darkroom, with the newest protocol version and the previous one. Arguments: address, key."""

import asyncio
import sys

from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

address, key = sys.argv[1:3]


async def use(mode: str) -> None:
    heard = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        heard.append(message)

    http = create_mcp_http_client(headers={"Authorization": f"Bearer {key}"})
    async with Client(streamable_http_client(f"{address}/mcp", http_client=http), mode=mode) as client:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["generate_image", "get_job", "list_models", "get_balance"], tools
        made = await client.call_tool(
            "generate_image", {"prompt": "a fox", "aspect_ratio": "16:9"}, progress_callback=progress
        )
        assert not made.is_error, made
        assert [part.type for part in made.content] == ["text", "image", "resource_link"], made.content
        assert made.structured_content["status"] == "done", made.structured_content
        assert heard, "progress"
        refused = await client.call_tool("generate_image", {"prompt": "a fox", "aspect_ratio": "7:5"})
        assert refused.is_error and "must be one of" in refused.content[0].text, refused
        image = (await client.list_resources()).resources[0]
        read = await client.read_resource(str(image.uri))
        assert read.contents[0].blob, read


for mode in ("auto", "legacy"):
    asyncio.run(use(mode))
