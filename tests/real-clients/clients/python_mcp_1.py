"""PyPI `mcp` 1: `ClientSession` on `stdio_client` or `streamable_http_client`, the legacy handshake."""

import asyncio
from contextlib import asynccontextmanager

from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CancelledNotification, CancelledNotificationParams, ClientNotification

from checks import Called, RpcError, is_url, run


class PythonMcp1:
    def __init__(self, session, protocol_version):
        self.session = session
        self.protocol_version = protocol_version

    async def list_tools(self):
        tools = (await self.session.list_tools()).tools
        return [tool.model_dump(by_alias=True, exclude_none=True) for tool in tools]

    async def call(self, tool, arguments, on_progress=None):
        async def progress(progress, _total, _message):
            on_progress(progress)

        try:
            result = await self.session.call_tool(tool, arguments, progress_callback=progress if on_progress else None)
        except McpError as error:
            raise RpcError(error.error.code, error.error.message) from error
        content = [block.model_dump(by_alias=True, exclude_none=True, mode="json") for block in result.content]
        return Called(result.isError, result.structuredContent, content)

    async def check_typed(self, tool, arguments):
        """`call_tool` has already validated the result against the listed schema."""

    async def cancel_call(self, tool, arguments, after_seconds):
        # This SDK does not notify the server of a cancelled call, so hosts send the notification themselves.
        request_id = self.session._request_id
        task = asyncio.create_task(self.call(tool, arguments))
        await asyncio.sleep(after_seconds)
        params = CancelledNotificationParams(requestId=request_id, reason="the user pressed escape")
        await self.session.send_notification(ClientNotification(CancelledNotification(params=params)))
        task.cancel()
        await asyncio.wait([task])

    async def list_prompts(self):
        return [prompt.name for prompt in (await self.session.list_prompts()).prompts]

    async def get_prompt(self, name, arguments):
        return (await self.session.get_prompt(name, arguments)).messages[0].content.text

    async def list_resources(self):
        return [str(resource.uri) for resource in (await self.session.list_resources()).resources]

    async def read_resource(self, uri):
        return (await self.session.read_resource(uri)).contents[0].text


@asynccontextmanager
async def open_client(target):
    if is_url(target):
        transport = streamable_http_client(target[0])
    else:
        transport = stdio_client(StdioServerParameters(command=target[0], args=target[1:]))
    # Over HTTP, the transport has a third member: a function that returns the session id.
    async with transport as (read, write, *_), ClientSession(read, write) as session:
        initialized = await session.initialize()
        yield PythonMcp1(session, initialized.protocolVersion)


if __name__ == "__main__":
    run(open_client)
