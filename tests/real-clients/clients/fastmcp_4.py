"""PyPI `fastmcp` 4: its `Client`, which creates typed objects from structured results."""

import asyncio
from contextlib import asynccontextmanager

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from mcp import MCPError

from checks import Called, RpcError, expect, is_url, run


class FastMcp4:
    def __init__(self, client):
        self.client = client
        self.protocol_version = client.protocol_version

    async def list_tools(self):
        return [tool.model_dump(by_alias=True, exclude_none=True) for tool in await self.client.list_tools()]

    async def call(self, tool, arguments, on_progress=None):
        result = await self.result(tool, arguments, on_progress)
        content = [block.model_dump(by_alias=True, exclude_none=True) for block in result.content]
        return Called(bool(result.is_error), result.structured_content, content)

    async def result(self, tool, arguments, on_progress=None):
        async def progress(progress, _total, _message):
            on_progress(progress)

        try:
            return await self.client.call_tool(
                tool, arguments, raise_on_error=False, progress_handler=progress if on_progress else None
            )
        except MCPError as error:
            raise RpcError(error.code, error.message) from error

    async def check_typed(self, tool, arguments):
        # If FastMCP cannot create an object from the result, it only logs this, and `data` is None.
        data = (await self.result(tool, arguments)).data
        expect(data is not None, "FastMCP created no object from the envelope")
        success = data.get("success") if isinstance(data, dict) else getattr(data, "success", None)
        expect(success is True, f"FastMCP unwrapped the envelope: {data!r}")

    async def cancel_call(self, tool, arguments, after_seconds):
        # Cancelling the task makes the underlying SDK send notifications/cancelled, or close a modern HTTP stream.
        task = asyncio.create_task(self.call(tool, arguments))
        await asyncio.sleep(after_seconds)
        task.cancel()
        await asyncio.wait([task])

    async def list_prompts(self):
        return [prompt.name for prompt in await self.client.list_prompts()]

    async def get_prompt(self, name, arguments):
        return (await self.client.get_prompt(name, arguments)).messages[0].content.text

    async def list_resources(self):
        return [str(resource.uri) for resource in await self.client.list_resources()]

    async def read_resource(self, uri):
        return (await self.client.read_resource(uri))[0].text


@asynccontextmanager
async def open_client(target):
    # Without keep_alive=False, the gateway would keep running after the client is closed.
    stdio = None if is_url(target) else StdioTransport(command=target[0], args=target[1:], keep_alive=False)
    async with Client(stdio or target[0]) as client:
        yield FastMcp4(client)


if __name__ == "__main__":
    run(open_client)
