"""OpenAI's Agents SDK: it signs in with a browser, and makes an image with the key that it receives. Argument: address."""

import asyncio
import sys
import webbrowser
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlparse

from agents.mcp import MCPServerStreamableHttp
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.oauth2 import AuthorizationCodeResult
from mcp.shared.auth import OAuthClientMetadata


class Kept:
    """Stores tokens for as long as the program runs."""

    tokens = None
    client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


class Return(BaseHTTPRequestHandler):
    """The address to which the browser returns."""

    query: dict[str, list[str]] = {}

    def do_GET(self):
        Return.query = parse_qs(urlparse(self.path).query)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


async def use(address: str) -> None:
    callback = HTTPServer(("127.0.0.1", 0), Return)
    waiting = Thread(target=callback.handle_request)
    waiting.start()

    async def open_browser(url: str) -> None:
        await asyncio.to_thread(webbrowser.open, url)

    async def read_return() -> AuthorizationCodeResult:
        await asyncio.to_thread(waiting.join)
        said = {name: values[0] for name, values in Return.query.items()}
        return AuthorizationCodeResult(code=said["code"], state=said["state"], iss=said.get("iss"))

    auth = OAuthClientProvider(
        server_url=f"{address}/mcp",
        client_metadata=OAuthClientMetadata(
            client_name="Agents",
            redirect_uris=[f"http://127.0.0.1:{callback.server_port}/callback"],
        ),
        storage=Kept(),
        redirect_handler=open_browser,
        callback_handler=read_return,
    )
    params = {"url": f"{address}/mcp", "auth": auth, "timeout": 60}
    async with MCPServerStreamableHttp(params, client_session_timeout_seconds=60) as server:
        tools = [tool.name for tool in await server.list_tools()]
        assert tools == ["generate_image", "get_job", "list_models", "get_balance"], tools
        made = await server.call_tool("generate_image", {"prompt": "a fox"})
        assert not getattr(made, "is_error", getattr(made, "isError", False)), made
        assert any(part.type == "image" for part in made.content), made


asyncio.run(use(sys.argv[1]))
