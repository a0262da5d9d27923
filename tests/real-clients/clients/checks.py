"""The checks for all Python clients.

A client module passes `run` a function that opens a client: an object with the methods used below, which calls its SDK
and returns plain data. cases/*.json has the expected values; checks.mjs has the same behaviour.
"""

import asyncio
import json
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import anyio

CHECK_SECONDS_MAX = 15
# The SDKs close a server's input and wait two seconds before they send signals.
CLOSE_SECONDS_MAX = 1.9


@dataclass
class Called:
    """The result of a tool call, as the client returns it."""

    is_error: bool
    structured: object
    content: list


class RpcError(Exception):
    """A JSON-RPC error, as the client raised it."""

    def __init__(self, code, message):
        super().__init__(f"{code} {message}")
        self.code = code


class Failed(Exception):
    """The failure of a check."""


def run(open_client):
    """Usage: client.py CASES SCRATCH TARGET, where TARGET is a URL or COMMAND...; CHECKS in the environment picks some.

    `open_client(target)` is an async context manager; entering it connects, leaving it closes.
    """
    cases_path, scratch, *target = sys.argv[1:]
    cases = json.loads(Path(cases_path).read_text(encoding="utf-8").replace("{scratch}", scratch))
    picked = os.environ["CHECKS"].split(",") if "CHECKS" in os.environ else cases
    anyio.run(main, open_client, {name: case for name, case in cases.items() if name in picked}, target)


def is_url(target):
    """Returns whether a client connects over HTTP, instead of starting a command."""
    return target[0].startswith(("http:", "https:"))


async def main(open_client, cases, target):
    open_check = "connect"
    try:
        async with open_client(target) as client:
            report("connect", True, client.protocol_version)
            for name, case in cases.items():
                if name not in ("connect", "close"):
                    await run_check(client, name, case)
            open_check = "close"
            started = time.monotonic()
        seconds = time.monotonic() - started
        late = f"it took {seconds:.1f} s: the gateway did not exit when its input closed, or kept a session open"
        expect(seconds < CLOSE_SECONDS_MAX, late)
        report("close", True, f"{seconds:.1f} s")
    except BaseException as error:
        report(open_check, False, error if isinstance(error, Failed) else describe(error))


async def run_check(client, name, case):
    try:
        with anyio.fail_after(CHECK_SECONDS_MAX):
            note = await CHECKS[case.get("kind", name)](client, case)
        report(name, True, note)
    except Failed as failed:
        report(name, False, failed)
    except TimeoutError:
        report(name, False, f"no response in {CHECK_SECONDS_MAX} s")
    except Exception as error:
        report(name, False, describe(error))


def describe(error):
    while getattr(error, "exceptions", None):
        error = error.exceptions[0]
    return f"the client raised {type(error).__name__}: {error}"


def report(check, ok, reason):
    line = {"check": check, "ok": ok}
    if reason:
        line["reason"] = str(reason)[:600]
    print(json.dumps(line, separators=(",", ":")), flush=True)


async def list_tools(client, case):
    tools = {tool["name"]: tool for tool in await client.list_tools()}
    missing = [name for name in case["tools"] if name not in tools]
    expect(not missing, f"not listed: {missing}")
    for name, tool in tools.items():
        # An MCP App reads structuredContent itself, so the gateway forwards its tool unchanged.
        if "ui" in tool.get("_meta", {}):
            continue
        schema = tool.get("outputSchema")
        expect(schema is not None, f"{name} has no outputSchema")
        expect(schema.get("type") == "object", f"{name}: the root of outputSchema has type {schema.get('type')!r}")
        expect("success" in schema.get("properties", {}), f"{name}: outputSchema is not the envelope's")
        expect("x-fastmcp-wrap-result" not in schema, f"{name}: outputSchema asks FastMCP to unwrap the envelope")
        # The TypeScript SDKs compile one schema per `$id`, and use the first tool's for all tools that share it.
        expect("$id" not in schema, f"{name}: the root of outputSchema has an $id")


async def call(client, case):
    called = await client.call(case["tool"], case["arguments"])
    data = success_data(called)
    check_data(data, case)


async def structured(client, case):
    await call(client, case)
    await client.check_typed(case["tool"], case["arguments"])


async def error(client, case):
    called = await client.call(case["tool"], case["arguments"])
    envelope = check_envelope(called)
    expect(called.is_error and not envelope["success"], f"not a failure: {brief(envelope)}")
    code = envelope["data"].get("error_code")
    expect(isinstance(code, str) and code, f"no data.error_code: {brief(envelope)}")
    expect(case.get("code", code) == code, f"error_code is {code}, expected {case.get('code')}")
    expect(case.get("says", "") in envelope["error"], f"error is {envelope['error']!r}")
    return code


async def unknown_tool(client, _case):
    try:
        called = await client.call("no-such-tool", {})
    except RpcError as rpc_error:
        expect(rpc_error.code == -32602, f"the JSON-RPC error is {rpc_error}")
        return
    raise Failed(f"a result instead of a JSON-RPC error: {brief(called.structured)}")


async def image(client, case):
    called = await client.call(case["tool"], case["arguments"])
    success_data(called)
    expect(len(called.content) > 1, "no block after the envelope")
    block = called.content[1]
    expect(block["type"] == "image", f"content[1] is {brief(block)}")
    expect(block.get("mimeType", "").startswith("image/"), f"mimeType is {block.get('mimeType')!r}")
    expect(len(block.get("data", "")) > 0, "the image is empty")


async def blocks(client, case):
    called = await client.call(case["tool"], case["arguments"])
    success_data(called)
    types = [block["type"] for block in called.content]
    expect(types == case["types"], f"the blocks are {types}")


async def progress(client, case):
    seen = []
    called = await client.call(case["tool"], case["arguments"], seen.append)
    success_data(called)
    # The SDKs run callbacks in separate tasks, so the last may run after the result. The TypeScript SDKs drop a
    # progress notification that arrives in one read with its result, so the cases expect one less than is sent.
    for _ in range(20):
        if len(seen) >= case["at_least"]:
            break
        await asyncio.sleep(0.05)
    expect(len(seen) >= case["at_least"], f"progress was reported {len(seen)} times: {seen}")
    expect(seen == sorted(seen), f"progress out of order: {seen}")


async def overlap(client, case):
    slow = asyncio.create_task(client.call(case["slow"]["tool"], case["slow"]["arguments"]))
    try:
        await asyncio.sleep(0.05)
        await call(client, case["quick"])
        expect(not slow.done(), "the quick call waited for the slow one")
        success_data(await slow)
    finally:
        slow.cancel()


async def crowd(client, case):
    messages = [f"{os.getpid()}-{i}" for i in range(case["calls"])]
    results = await asyncio.gather(*(client.call(case["tool"], {"message": message}) for message in messages))
    for message, called in zip(messages, results):
        text = success_data(called)["result"]
        expect(text == case["says"] + message, f"the response to {message} is {text!r}")


async def cancel(client, case):
    await client.cancel_call(case["tool"], case["arguments"], after_seconds=0.3)
    started = time.monotonic()
    await asyncio.sleep(0.2)
    await call(client, case["then"])
    expect(time.monotonic() - started < 5, "the next call waited for the cancelled one")


async def prompts(client, case):
    names = await client.list_prompts()
    missing = [name for name in case["names"] if name not in names]
    expect(not missing, f"not listed: {missing}")
    text = await client.get_prompt(case["get"], case["arguments"])
    expect(case["text"] in text, f"the prompt is {text[:200]!r}")


async def resources(client, case):
    uris = await client.list_resources()
    missing = [uri for uri in case["uris"] if uri not in uris]
    expect(not missing, f"not listed: {missing}; listed: {uris[:3]}")
    text = await client.read_resource(case["read"])
    expect(case["text"] in text, f"the resource is {text[:200]!r}")


async def contract_none(client, case):
    tools = {tool["name"]: tool for tool in await client.list_tools()}
    expect("outputSchema" not in tools[case["untouched"]], f"{case['untouched']} was given an outputSchema")
    called = await client.call(case["tool"], case["arguments"])
    expect(called.structured == case["structured"], f"structuredContent is {brief(called.structured)}")
    expect(json.loads(called.content[0]["text"]) == case["structured"], f"content[0] is {brief(called.content[0])}")


def success_data(called):
    envelope = check_envelope(called)
    expect(envelope["success"] and not called.is_error, f"not a success: {brief(envelope)}")
    return envelope["data"]


def check_envelope(called):
    """Checks that the result is an envelope of response-v2, and the same as text."""
    envelope = called.structured
    expect(isinstance(envelope, dict), f"structuredContent is not an object: {brief(envelope)}")
    expect(list(envelope) == ["success", "data", "error", "meta"], f"the envelope's keys are {list(envelope)}")
    expect(isinstance(envelope["data"], dict), "data is not an object")
    expect((envelope["error"] is None) == envelope["success"], "error is null exactly when success is true")
    expect(envelope["meta"].get("version") == "response-v2", f"meta is {brief(envelope['meta'])}")
    expect(called.is_error == (not envelope["success"]), f"isError is {called.is_error}, success {envelope['success']}")
    expect(len(called.content) > 0 and called.content[0]["type"] == "text", "content[0] is not text")
    expect(json.loads(called.content[0]["text"]) == envelope, "content[0] and structuredContent differ")
    return envelope


def check_data(data, case):
    for key, value in case.get("data", {}).items():
        expect(key in data and data[key] == value, f"data.{key} is not {value!r}: {brief(data)}")
    expect(case.get("contains", "") in json.dumps(data, ensure_ascii=False), f"{case.get('contains')!r} is not in {brief(data)}")


def expect(holds, reason):
    if not holds:
        raise Failed(reason)


def brief(value):
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 300 else text[:300] + "..."


CHECKS = {
    "list": list_tools,
    "call": call,
    "structured": structured,
    "error": error,
    "unknown-tool": unknown_tool,
    "image": image,
    "blocks": blocks,
    "progress": progress,
    "overlap": overlap,
    "crowd": crowd,
    "cancel": cancel,
    "prompts": prompts,
    "resources": resources,
    "contract-none": contract_none,
}
