"""Clients behind a proxy that cuts connections, or with a time-out of their own. Arguments: client name, address, key, time-out in seconds or 0."""

import asyncio
import base64
import sys

name, url, key, seconds = sys.argv[1:5]
timeout = float(seconds) or None
prompt = f"a fox for {name} within {seconds}"


def by_openai() -> bytes:
    from openai import OpenAI

    client = OpenAI(base_url=f"{url}/v1", api_key=key, **({"timeout": timeout} if timeout else {}))
    return base64.b64decode(client.images.generate(model="nb2", prompt=prompt).data[0].b64_json)


def by_genai() -> bytes:
    from google import genai
    from google.genai import types

    options = types.HttpOptions(
        base_url=url,
        timeout=int(timeout * 1000) if timeout else None,
        retry_options=types.HttpRetryOptions(attempts=4),
    )
    client = genai.Client(api_key=key, http_options=options)
    answer = client.models.generate_content(model="nb2", contents=prompt)
    return answer.candidates[0].content.parts[0].inline_data.data


def by_litellm() -> bytes:
    import litellm

    answer = litellm.image_generation(
        model="openai/nb2", prompt=prompt, api_base=f"{url}/v1", api_key=key, **({"timeout": timeout} if timeout else {})
    )
    return base64.b64decode(answer.data[0].b64_json)


async def by_mcp() -> bytes:
    from mcp import Client
    from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

    http = create_mcp_http_client(headers={"Authorization": f"Bearer {key}"})
    async with Client(streamable_http_client(f"{url}/mcp", http_client=http), mode="auto") as client:
        # As an agent does when it is asked to try again.
        for left in (3, 2, 1, 0):
            try:
                answer = await client.call_tool(
                    "generate_image", {"prompt": prompt, "model": "nb2"}, read_timeout_seconds=timeout
                )
                return base64.b64decode(next(part.data for part in answer.content if part.type == "image"))
            except Exception:
                if left == 0:
                    raise
    raise AssertionError("no answer")


clients = {"openai": by_openai, "genai": by_genai, "litellm": by_litellm}
image = asyncio.run(by_mcp()) if name == "mcp" else clients[name]()
assert len(image) > 100, len(image)
