"""A FastMCP server with typed tools, like that of an author who does not know Manila.

It serves stdio, or HTTP if PORT is set in the environment.
"""

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.utilities.types import Image

server = FastMCP("fastmcp-sample")
cancellations = 0
PNG = Path(__file__).with_name("pixel.png").read_bytes()


@dataclass
class Weather:
    city: str
    celsius: float


@server.tool
def echo(message: str) -> str:
    """Return the message."""
    return f"Echo: {message}"


@server.tool
def add(a: int, b: int) -> int:
    """Add two numbers. An integer is not an object, so FastMCP wraps it and declares that in the schema."""
    return a + b


@server.tool
def weather(city: str) -> Weather:
    """Return an object."""
    return Weather(city, 21.5)


@server.tool
def forecast(city: str) -> list[Weather]:
    """Return a list, which FastMCP wraps."""
    return [Weather(city, 21.5), Weather(city, 19.0)]


@server.tool
def dot() -> Image:
    """Return an image of one pixel."""
    return Image(data=PNG, format="png")


@server.tool
def fail(message: str) -> str:
    """Fail with the message."""
    raise ToolError(message)


@server.tool
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


@server.tool
def cancelled() -> dict[str, int]:
    """Return the number of cancelled calls of `count`."""
    return {"count": cancellations}


@server.prompt
def greet(name: str) -> str:
    """A greeting."""
    return f"Greet {name}."


@server.resource("sample://motto")
def motto() -> str:
    """One line of text."""
    return "One envelope for every tool."


if __name__ == "__main__":
    if "PORT" in os.environ:
        server.run(transport="http", host="127.0.0.1", port=int(os.environ["PORT"]), show_banner=False)
    else:
        server.run(show_banner=False)
