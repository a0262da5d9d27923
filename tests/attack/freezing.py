"""Attacks that keep the gateway from serving other clients, or from ending."""

import json
import threading
import time

from harness import Bench, Others, attack, expect, mib, tool

# Patterns that keep a backtracking engine busy for seconds to hours.
SLOW_PATTERNS = [r"(?!.*--)[a-z0-9-]+$", r"(?=.*\d)(?=.*[a-z]).{8,}", "^(?=(a+)+$)(?=(a|a)*b)"]


def with_pattern(key: str, pattern: str) -> dict:
    """Returns a tool with a pattern in one of its schemas."""
    schema = {"type": "object", "properties": {"s": {"type": "string", "pattern": pattern}}}
    return tool("slow", **{key: schema})


def attack_arguments(bench: Bench, n_bytes: int) -> str:
    figures = []
    for pattern in SLOW_PATTERNS:
        gateway = bench.wrap(bench.server(tools=[with_pattern("inputSchema", pattern)]))
        with Others(gateway) as others:
            begin = time.monotonic()
            reply = gateway.call("slow", {"s": "a" * n_bytes + "--!"}, seconds=50.0)
            figures.append(time.monotonic() - begin)
        others.check()
        expect(reply.status in (200, 422), f"status {reply.status}: {reply.text[:200]}")
    return f"answered after at most {max(figures):.1f} s; {others.check()}"


@attack("1", "lookaround pattern, argument of 90 KB")
def lookaround_90_kb(bench: Bench) -> str:
    return attack_arguments(bench, 90_000)


@attack("1", "lookaround pattern, argument of 1 MB")
def lookaround_1_mb(bench: Bench) -> str:
    return attack_arguments(bench, 1_000_000)


@attack("1", "lookaround pattern, SIGTERM meanwhile")
def lookaround_sigterm(bench: Bench) -> str:
    client = bench.pipe(bench.server(tools=[with_pattern("inputSchema", SLOW_PATTERNS[0])]))
    client.request("tools/list", {}, "list")
    for number in range(3):
        params = {"name": "slow", "arguments": {"s": "a" * 1_000_000 + "--!"}}
        client.start("tools/call", params, f"slow-{number}")
    begin = time.monotonic()
    status = client.gateway.terminate()
    expect(status == 0, f"exit status {status}")
    return f"ended after {time.monotonic() - begin:.1f} s"


@attack("1", "lookaround pattern, result of 50 KB")
def lookaround_result(bench: Bench) -> str:
    figures = []
    for pattern in SLOW_PATTERNS:
        content = {"content": [], "structuredContent": {"s": {"$text": "a", "$bytes": 50_000}}}
        answers = {"slow": {"result": content}}
        gateway = bench.wrap(bench.server(tools=[with_pattern("outputSchema", pattern)], answers=answers))
        with Others(gateway) as others:
            begin = time.monotonic()
            reply = gateway.call("slow", {}, seconds=50.0)
            figures.append(time.monotonic() - begin)
        others.check()
        expect(reply.status < 600, "no response")
    return f"answered after at most {max(figures):.1f} s; {others.check()}"


@attack("1", "600 patterns for one long argument")
def many_patterns(bench: Bench) -> str:
    patterns = [{"properties": {"s": {"pattern": f"^a+{'?' * (n % 2)}$"}}} for n in range(600)]
    gateway = bench.wrap(bench.server(tools=[tool("slow", inputSchema={"type": "object", "allOf": patterns})]))
    with Others(gateway) as others:
        reply = gateway.call("slow", {"s": "a" * 200_000}, seconds=50.0)
    expect(reply.status == 422 and "maxSteps" in reply.text, reply.text)
    expect(bench.received_calls().count("slow") == 0, "the call reached the server")
    return f"refused by `maxSteps`; {others.check()}"


def attack_answers(bench: Bench, text: str, n_bytes: int, n_calls: int) -> str:
    """Calls a tool with large answers, with two clients, while others call small ones."""
    content = {"content": [{"type": "text", "text": {"$text": text, "$bytes": n_bytes}}]}
    gateway = bench.serve(
        "[upstream.big]\ncommand = "
        + json.dumps(bench.server(tools=[tool("big")], answers={"big": {"result": content}}))
        + "\n[upstream.small]\ncommand = "
        + json.dumps(bench.server())
    )
    failures: list[str] = []

    def attack_once() -> None:
        for _ in range(n_calls):
            reply = gateway.call("big_big", {}, seconds=120.0)
            if reply.status != 200:
                failures.append(f"status {reply.status}: {reply.text[:200]}")

    with Others(gateway, "small_echo") as others:
        threads = [threading.Thread(target=attack_once, daemon=True) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(240)
    expect(not failures, "; ".join(failures[:2]))
    return f"{2 * n_calls} answers of {mib(n_bytes)}; {others.check()}"


@attack("2", "large answers beside small ones")
def large_answers(bench: Bench) -> str:
    return attack_answers(bench, "the quick brown fox ", bench.pick(2_000_000, 10_000_000), bench.pick(2, 10))


@attack("2", "larger answers beside small ones")
def larger_answers(bench: Bench) -> str:
    return attack_answers(bench, "line of a log\n", bench.pick(6_000_000, 50_000_000), bench.pick(1, 4))


@attack("2", "answers full of `password: ` beside small ones")
def hostile_answers(bench: Bench) -> str:
    return attack_answers(bench, "password: ", bench.pick(2_000_000, 50_000_000), bench.pick(1, 3))


@attack("2", "large requests beside small ones")
def large_requests(bench: Bench) -> str:
    gateway = bench.wrap(bench.server())
    body = {"message": "password: " * (bench.pick(2_000_000, 30_000_000) // 10)}
    with Others(gateway) as others:
        for _ in range(bench.pick(2, 6)):
            reply = gateway.call("echo", body, seconds=120.0)
            expect(reply.status == 200, f"status {reply.status}: {reply.text[:200]}")
    return others.check()


def nested(depth: int) -> dict:
    """Returns a schema of this depth."""
    schema: dict = {}
    for _ in range(depth):
        schema = {"not": schema}
    return schema


@attack("3", "one tool that is too deep for the list")
def deep_tool(bench: Bench) -> str:
    checked = {"type": "object", "properties": {"n": {"type": "integer"}}}
    tools = [tool("deep", inputSchema=nested(150)), tool("checked", inputSchema=checked)]
    gateway = bench.wrap(bench.server(tools=tools))
    listed = [it["name"] for it in gateway.request("GET", "/tools").messages()[0]["tools"]]
    expect(listed == ["echo", "checked"], f"listed: {listed}")
    reply = gateway.call("checked", {"n": "x"})
    expect(reply.status == 422, f"an invalid argument: status {reply.status}")
    expect(gateway.call("deep", {}).status == 404, "the tool that is left out can be called")
    expect(bench.received_calls() == [], "a call reached the server")
    return "only that tool is left out, and the others are checked"


@attack("", "a schema with references to itself")
def recursive_schema(bench: Bench) -> str:
    schema = {
        "type": "object",
        "$defs": {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(30)} | {"d30": {}},
        "properties": {"s": {"$ref": "#/$defs/d0"}, "t": {"$ref": "#"}},
    }
    gateway = bench.wrap(bench.server(tools=[tool("slow", inputSchema=schema)]))
    value: dict = {"s": "x"}
    for _ in range(60):
        value = {"t": value}
    with Others(gateway) as others:
        reply = gateway.call("slow", value, seconds=50.0)
    return f"status {reply.status}; {others.check()}"
