"""Attacks that make the gateway use more and more memory, or end."""

import concurrent.futures
import json
import subprocess
import time

import clients
from harness import MIB, Bench, Fell, attack, expect, mib, tool, wait_until


def big_answer(n_bytes: int, **more) -> dict:
    content = [{"type": "text", "text": {"$text": "some text ", "$bytes": n_bytes}}]
    return {"big": {"result": {"content": content}} | more}


@attack("4", "streams that are not read")
def unread_streams(bench: Bench) -> str:
    n_bytes, n_sessions = bench.pick(2 * MIB, 8 * MIB), bench.pick(30, 300)
    gateway = bench.wrap(bench.server(tools=[tool("big")], answers=big_answer(n_bytes, events=1)))
    gateway.check_serves()
    before = gateway.memory()

    def open_and_leave(_: int) -> None:
        session = gateway.session()
        stream = session.start_stream("big", {}, 1)
        stream.recv(100)
        stream.close()

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(open_and_leave, range(n_sessions)))
    wait_until("the calls end", lambda: "manila_requests_in_flight 0" in gateway.request("GET", "/metrics").text, 50)
    gateway.check_serves()
    grown = gateway.memory() - before
    # The default of limits.stream_bytes_max is 64 MiB; the allocator keeps some more.
    bound = 64 * MIB + bench.pick(40, 128) * MIB
    text = f"{n_sessions} sessions with {mib(n_bytes)} each: {mib(grown)} more"
    expect(grown <= bound, text)
    return text


@attack("5", "invented names of tools against /metrics")
def invented_names(bench: Bench) -> str:
    gateway = bench.wrap(bench.server())
    gateway.check_serves()
    before, n_before = gateway.memory(), len(gateway.request("GET", "/metrics").body)
    n_names, n_long = bench.pick(300, 5_000), bench.pick(30, 300)
    session = gateway.session()
    for number in range(n_names):
        if number % 2:
            gateway.call(f"invented_{number}", {})
        else:
            session.call(f"invented_{number}", {}, {"dev.manila/contract": "none"} if number % 4 else None)
    for number in range(n_long):
        session.call(f"{number}" + "x" * 20_000, {})
    metrics = gateway.request("GET", "/metrics").body
    expect(b"invented_" not in metrics, "an invented name is a label")
    grown = len(metrics) - n_before
    expect(grown < 20_000, f"/metrics has grown by {grown} bytes")
    text = (
        f"{n_names} names, {n_long} of 20 KB: /metrics {grown} bytes more, memory {mib(gateway.memory() - before)} more"
    )
    expect(gateway.memory() - before < 64 * MIB, text)
    return text


@attack("6", "a server with many tools")
def many_tools(bench: Bench) -> str:
    n_tools = bench.pick(2_000, 100_000)
    properties = {name: {"type": "string", "description": "A text."} for name in ("path", "text", "mode")}
    like = tool(
        "t", description="Does something with a file.", inputSchema={"type": "object", "properties": properties}
    )
    gateway = bench.wrap(bench.server(tools={"count": n_tools, "like": like}))
    gateway.check_serves()
    n_listed = gateway.request("GET", "/tools", seconds=300.0).text.count('"tool_')
    size = gateway.memory()
    text = f"{n_tools} tools, {n_listed} listed: {mib(size)}"
    expect(size <= bench.pick(150, 250) * MIB, text)
    return text


@attack("6", "one answer near the limit of a message")
def peak_of_an_answer(bench: Bench) -> str:
    n_bytes = bench.pick(16 * MIB, 64 * MIB - 4096)
    gateway = bench.wrap(bench.server(tools=[tool("big")], answers=big_answer(n_bytes)))
    gateway.check_serves()
    before = gateway.memory()
    reply = gateway.call("big", {}, seconds=120.0)
    expect(reply.status == 200, f"status {reply.status}: {reply.text[:200]}")
    times = (gateway.memory("VmHWM") - before) / n_bytes
    text = f"an answer of {mib(n_bytes)}: {times:.1f} times its size at the peak"
    expect(times <= 3.5, text)
    return text


@attack("6", "a client on stdio that never reads")
def client_that_never_reads(bench: Bench) -> str:
    gateway = bench.start("wrap", "--", *bench.server(), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    client = clients.Pipe(gateway, is_reading=False)
    opening = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "mute", "version": "1"}}
    client.start("initialize", opening, "start")
    client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    # Few large answers fill the queue as well as many small ones.
    params = {"name": "echo", "arguments": {"message": "x" * 500}}
    n_calls = 60_000
    n_sent = 0
    try:
        for n_sent in range(1, n_calls + 1):
            client.start("tools/call", params, n_sent)
            if n_sent % 100 == 0:
                expect(gateway.memory() < 512 * MIB, f"{mib(gateway.memory())} after {n_sent} calls")
    except (BrokenPipeError, ConnectionError):
        pass  # The gateway has ended.
    try:
        status = gateway.wait(20)
    except Fell as error:
        raise Fell(f"{error}, {n_sent} calls sent, {mib(gateway.memory())}") from None
    words = [line for line in gateway.stderr().splitlines() if line.strip() and not line.startswith("[")]
    text = f"status {status} after {n_sent} calls: {words[-1] if words else 'no word'}"
    expect(status == 1 and bool(words), text)
    return text


@attack("6", "an answer over the limit")
def answer_over_the_limit(bench: Bench) -> str:
    n_bytes = 300 * MIB
    spec = {"tools": [tool("big")], "answers": {"big": {"flood": n_bytes}}}
    gateway = bench.wrap(bench.server(**spec), "--message-bytes-max", "1MiB", "--timeout", "50s")
    gateway.check_serves()
    before = gateway.memory()
    pid = process_of_server(gateway)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        flood = pool.submit(gateway.call, "big", {}, seconds=60.0)
        wait_until("the call arrives", lambda: "big" in bench.received_calls())
        gateway.check_serves()
        reply = flood.result()
    expect(reply.status != 200, f"status {reply.status}")
    gateway.check_serves()
    expect(process_of_server(gateway) == pid, "the server was ended for every client")
    grown = gateway.memory("VmHWM") - before
    expect(grown < 64 * MIB, f"{mib(grown)} more at the peak")
    return f"a line of {mib(n_bytes)}: status {reply.status}, the server lives, {mib(grown)} more at the peak"


def process_of_server(gateway) -> str:
    """Returns how often the server was started, by the metrics."""
    metrics = gateway.request("GET", "/metrics").text
    return next(line for line in metrics.splitlines() if line.startswith("manila_server_starts_total{"))


@attack("", "a flood on the server's stderr and of log messages")
def floods_of_a_server(bench: Bench) -> str:
    n_bytes, n_events = bench.pick(1 * MIB, 50 * MIB), bench.pick(2_000, 50_000)
    # The gateway slows down a server that writes more lines than a person can read.
    noise = "noise " * 80 + "\n"
    answers = {
        "shout": {"stderr": {"$text": noise, "$bytes": n_bytes}, "result": {"content": []}},
        "line": {"stderr": {"$text": "noise ", "$bytes": n_bytes}, "result": {"content": []}},
        "notify": {"events": n_events, "result": {"content": []}},
    }
    gateway = bench.wrap(bench.server(tools=[tool(name) for name in answers], answers=answers))
    gateway.check_serves()
    before = gateway.memory()
    session = gateway.session()
    for name in answers:
        answer = session.call(name, {})
        expect("result" in answer, answer)
    gateway.check_serves()
    grown = gateway.memory() - before
    text = f"{mib(n_bytes)} twice and {n_events} messages: {mib(grown)} more, log {mib(len(gateway.stderr()))}"
    expect(grown < 128 * MIB, text)
    return text


@attack("", "sessions that are opened and left")
def abandoned_sessions(bench: Bench) -> str:
    n_sessions = bench.pick(400, 12_000)
    gateway = bench.wrap(bench.server())
    gateway.check_serves()
    before = gateway.memory()
    for _ in range(n_sessions):
        gateway.session()
    gateway.check_serves()
    grown = gateway.memory() - before
    text = f"{n_sessions} sessions: {mib(grown)} more"
    expect(grown < 128 * MIB, text)
    return text


@attack("", "calls that wait, beyond the limit")
def calls_that_wait(bench: Bench) -> str:
    n_calls = bench.pick(200, 2_000)
    config = "[limits]\nin_flight_max = 100\n[upstream.s]\ncommand = " + json.dumps(bench.sample())
    gateway = bench.serve(config)
    gateway.check_serves()
    streams = []
    body = b'{"ms": 600000}'
    for _ in range(n_calls):
        stream = clients.connect(gateway.address)
        stream.sendall(clients.head(gateway.address, "POST", "/tools/wait", {}, len(body)) + body)
        streams.append(stream)
    reply = None

    def is_refused() -> bool:
        nonlocal reply
        reply = gateway.call("echo", {"message": "x"})
        return reply.status == 429

    wait_until("the limit applies", is_refused)
    expect(gateway.request("GET", "/healthz").status == 200, "/healthz fails")
    for stream in streams:
        stream.close()
    begin = time.monotonic()
    wait_until("calls of closed connections end", lambda: gateway.call("echo", {"message": "x"}).status == 200)
    return f"{n_calls} calls, of which 100 may wait; free again after {time.monotonic() - begin:.1f} s"
