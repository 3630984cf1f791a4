"""FastMCP with its defaults: it signs in with a browser, makes an image with the key that it receives, and reads the image. Argument: address."""

import asyncio
import sys

from fastmcp import Client


async def use(address: str) -> None:
    async with Client(f"{address}/mcp", auth="oauth") as client:
        tools = [tool.name for tool in await client.list_tools()]
        assert tools == ["generate_image", "get_job", "list_models", "get_balance"], tools
        made = await client.call_tool("generate_image", {"prompt": "a fox"})
        assert made.structured_content["status"] == "done", made
        assert await client.read_resource((await client.list_resources())[0].uri)


asyncio.run(use(sys.argv[1]))
