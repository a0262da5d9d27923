"""PyPI `mcp` 2: `Client` with its defaults, which sends `server/discover` first and falls back to `initialize`."""

import asyncio
from contextlib import asynccontextmanager

from mcp import Client, MCPError, StdioServerParameters

from checks import Called, RpcError, is_url, run


class PythonMcp2:
    def __init__(self, client):
        self.client = client
        self.protocol_version = client.protocol_version

    async def list_tools(self):
        tools = (await self.client.list_tools()).tools
        return [tool.model_dump(by_alias=True, exclude_none=True) for tool in tools]

    async def call(self, tool, arguments, on_progress=None):
        async def progress(progress, _total, _message):
            on_progress(progress)

        try:
            result = await self.client.call_tool(tool, arguments, progress_callback=progress if on_progress else None)
        except MCPError as error:
            raise RpcError(error.code, error.message) from error
        content = [block.model_dump(by_alias=True, exclude_none=True) for block in result.content]
        return Called(bool(result.is_error), result.structured_content, content)

    async def check_typed(self, tool, arguments):
        """`call_tool` has already validated the result against the listed schema."""

    async def cancel_call(self, tool, arguments, after_seconds):
        # Cancelling the task makes the SDK send notifications/cancelled, or close the stream of a modern HTTP request.
        task = asyncio.create_task(self.call(tool, arguments))
        await asyncio.sleep(after_seconds)
        task.cancel()
        await asyncio.wait([task])

    async def list_prompts(self):
        return [prompt.name for prompt in (await self.client.list_prompts()).prompts]

    async def get_prompt(self, name, arguments):
        return (await self.client.get_prompt(name, arguments)).messages[0].content.text

    async def list_resources(self):
        return [str(resource.uri) for resource in (await self.client.list_resources()).resources]

    async def read_resource(self, uri):
        return (await self.client.read_resource(uri)).contents[0].text


@asynccontextmanager
async def open_client(target):
    async with Client(target[0] if is_url(target) else StdioServerParameters(command=target[0], args=target[1:])) as client:
        yield PythonMcp2(client)


if __name__ == "__main__":
    run(open_client)
