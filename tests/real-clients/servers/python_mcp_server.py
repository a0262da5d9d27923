"""A server on the Python SDK's `MCPServer`: the tools of fastmcp_server.py, with this SDK's schemas."""

import asyncio
from pathlib import Path

from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel

server = MCPServer("python-mcp-sample")
cancellations = 0
PNG = Path(__file__).with_name("pixel.png").read_bytes()


class Weather(BaseModel):
    city: str
    celsius: float


@server.tool()
def echo(message: str) -> str:
    """Return the message."""
    return f"Echo: {message}"


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
def weather(city: str) -> Weather:
    """Return an object."""
    return Weather(city=city, celsius=21.5)


@server.tool()
def forecast(city: str) -> list[Weather]:
    """Return a list. Its schema has `$defs` and a `$ref`, which must still resolve inside the envelope's schema."""
    return [Weather(city=city, celsius=21.5), Weather(city=city, celsius=19.0)]


@server.tool()
def dot() -> Image:
    """Return an image of one pixel."""
    return Image(data=PNG, format="png")


@server.tool()
def fail(message: str) -> str:
    """Fail with the message."""
    raise ToolError(message)


@server.tool()
async def count(steps: int, delay_ms: int, ctx: Context) -> str:
    """Count up, with progress. Cancelled calls are counted."""
    global cancellations
    try:
        for step in range(1, steps + 1):
            await asyncio.sleep(delay_ms / 1000)
            await ctx.report_progress(step, steps, f"step {step}")
    except asyncio.CancelledError:
        cancellations += 1
        raise
    return f"counted to {steps}"


@server.tool()
def cancelled() -> dict[str, int]:
    """Return the number of cancelled calls of `count`."""
    return {"count": cancellations}


@server.prompt()
def greet(name: str) -> str:
    """A greeting."""
    return f"Greet {name}."


@server.resource("sample://motto")
def motto() -> str:
    """One line of text."""
    return "One envelope for every tool."


if __name__ == "__main__":
    server.run()
