"""Attacks on the HTTP listener, by clients that break the rules of HTTP or JSON-RPC."""

import concurrent.futures
import json
import random
import socket
import time

import clients
from clients import JSON
from harness import MIB, Bench, Others, attack, expect, mib, tool

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
HOSTS = [
    "evil.example",
    "evil.example:80",
    "127.0.0.1.evil.example",
    "localhost@evil.example",
    "localhost.evil.example",
    "192.0.2.1",
    "0.0.0.0",
    "127.0.0.1 evil.example",
    "[::ffff:192.0.2.1]",
    "2130706433",
    "evil.example#localhost",
]
ORIGINS = [
    "http://evil.example",
    "null",
    "http://localhost.evil.example",
    "file://localhost",
    "http://127.0.0.1@evil.example",
    "https://evil.example:7300",
    "chrome-extension://abcdef",
    "http://evil.example http://localhost",
]


@attack("", "foreign hosts and origins")
def foreign_hosts(bench: Bench) -> str:
    gateway = bench.wrap(bench.server())
    cases = [{"Host": host} for host in HOSTS] + [{"Origin": origin} for origin in ORIGINS]
    for headers in cases:
        for method, path, body in (("GET", "/healthz", b""), ("POST", "/tools/echo", b"{}"), ("POST", "/mcp", PING)):
            reply = gateway.request(method, path, JSON | headers, body)
            expect(reply.status in (400, 403), f"{path} {headers}: status {reply.status}")
            allowed = reply.headers.get("access-control-allow-origin")
            expect(allowed is None, f"{headers}: allows {allowed}")
    expect(bench.received_calls() == [], "a call reached the server")
    return f"{len(cases)} headers refused"


@attack("10", "absolute targets that name another host")
def absolute_targets(bench: Bench) -> str:
    gateway = bench.wrap(bench.server())
    targets = [f"http://{host}/tools/echo" for host in HOSTS[:7]]
    targets += [
        "https://evil.example/tools/echo",
        "http://127.0.0.1@evil.example/tools/echo",
        "//evil.example/tools/echo",
    ]
    for target in targets:
        reply = clients.send_raw(gateway.address, clients.head(gateway.address, "POST", target, JSON, 2) + b"{}")
        is_refused = reply is None or reply.status in (400, 403, 404)
        expect(is_refused, f"{target}: status {reply and reply.status}")
    for target in ("evil.example:443", "evil.example:80", "127.0.0.1.evil.example:80"):
        reply = clients.send_raw(gateway.address, clients.head(gateway.address, "CONNECT", target, {}, 0))
        expect(reply is None or reply.status >= 400, f"CONNECT {target}: status {reply and reply.status}")
    expect(bench.received_calls() == [], "a call reached the server")
    own = f"http://{gateway.address[0]}:{gateway.address[1]}/healthz"
    expect(gateway.request("GET", own).status == 200, "its own address as a target is refused")
    return f"{len(targets) + 3} targets refused"


def smuggled(address: tuple[str, int]) -> list[bytes]:
    """Returns requests that two parsers could read differently; each has a call in its body."""
    inner = b"POST /tools/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 24\r\n\r\n" + b'{"message": "smuggled!"}'
    host = f"Host: {address[0]}:{address[1]}\r\n".encode()
    length = f"Content-Length: {len(inner)}\r\n".encode()
    start = b"POST /healthz HTTP/1.1\r\n" + host
    end = b"0\r\n\r\n"
    heads = [
        length + b"Transfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: chunked\r\n" + length,
        length + b"Transfer-Encoding : chunked\r\n",
        length + b"Transfer-Encoding: xchunked\r\n",
        length + b"Transfer-Encoding: chunked, identity\r\n",
        length + b"Transfer-Encoding:\tchunked\r\n",
        length + b"Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n",
        length + b"X: y\r\n Transfer-Encoding: chunked\r\n",
        length + b"X: y\nTransfer-Encoding: chunked\r\n",
        b"Content-Length: 5\r\nContent-Length: 100\r\n",
        b"Content-Length: 5, 5\r\n",
        b"Content-Length: +5\r\n",
        b"Content-Length: -1\r\n",
        b"Content-Length: 0x5\r\n",
        b"Content-Length: 99999999999999999999\r\n",
        b"Content-Length: 5\r\nTransfer-Encoding: \x0bchunked\r\n",
    ]
    chunks = [b"5;a=\n0\r\n", b"0005\r\n", b"-5\r\n", b"5 \r\n", b"ffffffffffffffff1\r\n", b"5\n", b"5\r"]
    requests = [start + head + b"\r\n" + end + inner for head in heads]
    chunked = start + b"Transfer-Encoding: chunked\r\n\r\n"
    return requests + [chunked + chunk + b"aaaaa\r\n\r\n" + inner for chunk in chunks]


@attack("", "smuggled requests")
def smuggling(bench: Bench) -> str:
    gateway = bench.wrap(bench.server())
    requests = smuggled(gateway.address)
    for data in requests:
        with clients.connect(gateway.address, 2.0) as stream:
            answers = b""
            try:
                stream.sendall(data)
                stream.shutdown(socket.SHUT_WR)
                while piece := stream.recv(65536):
                    answers += piece
            except (ConnectionError, TimeoutError):
                pass
        statuses = [line.split()[1] for line in answers.split(b"\r\n") if line.startswith(b"HTTP/1.1 ")]
        head = data.split(b"\r\n\r\n")[0][60:160]
        is_one_refusal = len(statuses) <= 1 and all(status.startswith((b"4", b"5")) for status in statuses)
        expect(is_one_refusal, f"{head!r}: {statuses}")
    expect("echo" not in bench.received_calls(), "a smuggled call reached the server")
    gateway.check_serves()
    return f"{len(requests)} ambiguous requests refused, no inner call ran"


@attack("", "incomplete requests and idle connections")
def incomplete_requests(bench: Bench) -> str:
    n_streams = bench.pick(300, 3_000)
    gateway = bench.wrap(bench.server())
    gateway.check_serves()
    before = gateway.memory()
    text = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50000000\r\nX: " + b"y" * 2_000 + b"\r\n\r\n{"
    streams = []
    for number in range(n_streams):
        stream = clients.connect(gateway.address)
        stream.sendall(text[: number * len(text) // n_streams])
        streams.append(stream)
    with Others(gateway) as others:
        for stream in streams[:: max(1, n_streams // 50)]:
            stream.sendall(b"z")
        gateway.check_serves()
    grown = gateway.memory() - before
    for stream in streams:
        stream.close()
    expect(grown < 128 * MIB, f"{mib(grown)} more")
    return f"{n_streams} connections: {mib(grown)} more; {others.check()}"


@attack("", "clients that do not read their responses")
def clients_that_do_not_read(bench: Bench) -> str:
    n_clients = bench.pick(10, 60)
    # From one server, results keep their order, so the other clients use another server.
    command = json.dumps(bench.sample())
    gateway = bench.serve(f"[upstream.a]\ncommand = {command}\n[upstream.b]\ncommand = {command}\n")
    gateway.check_serves("b_echo")
    body = json.dumps({"bytes": 4 * MIB}).encode()
    streams = []
    for _ in range(n_clients):
        stream = clients.connect(gateway.address)
        stream.sendall(clients.head(gateway.address, "POST", "/tools/a_huge", {}, len(body)) + body)
        streams.append(stream)
    with Others(gateway, "b_echo") as others:
        gateway.check_serves("b_echo")
        time.sleep(1)
    for stream in streams:
        stream.close()
    return f"{n_clients} clients; {others.check()}"


@attack("", "bodies and heads over the limits")
def over_the_limits(bench: Bench) -> str:
    gateway = bench.wrap(bench.server(), "--message-bytes-max", "1MiB")
    gateway.check_serves()
    before = gateway.memory()
    session = gateway.session()
    n_bytes = bench.pick(8, 100) * MIB
    for path, headers in (("/mcp", JSON | session.headers()), ("/tools/echo", {})):
        reply = gateway.request("POST", path, headers, b" " * n_bytes)
        expect(reply.status == 413, f"{path}: status {reply.status}")
        # Nothing of such a body is sent.
        start = clients.head(gateway.address, "POST", path, headers, 10**15)
        reply = clients.send_raw(gateway.address, start)
        expect(reply is not None and reply.status == 413, f"{path}: {reply}")
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    with clients.connect(gateway.address) as stream:
        start = b"POST /tools/echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        try:
            for piece in [start, *[chunk] * (n_bytes // 0x10000)]:
                stream.sendall(piece)
            reply = clients.read_reply(stream)
            expect(reply.status == 413, f"chunked: status {reply.status}")
        except OSError:
            pass  # The connection may be reset before the response is read.
    for headers in ({f"X-{number}": "y" for number in range(2_000)}, {"X": "y" * 2_000_000}):
        reply = clients.send_raw(gateway.address, clients.head(gateway.address, "GET", "/healthz", headers, 0))
        expect(reply is None or reply.status == 431, f"head: status {reply and reply.status}")
    reply = clients.send_raw(gateway.address, clients.head(gateway.address, "GET", "/" + "a" * 500_000, {}, 0))
    expect(reply is None or reply.status in (414, 431), f"target: status {reply and reply.status}")
    gateway.check_serves()
    grown = gateway.memory("VmHWM") - before
    expect(grown < 64 * MIB, f"{mib(grown)} more at the peak")
    return f"refused, {mib(grown)} more at the peak"


@attack("", "deep and malformed JSON")
def malformed_json(bench: Bench) -> str:
    gateway = bench.wrap(bench.server())
    session = gateway.session()
    depth = bench.pick(200_000, 5_000_000)
    params = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":'
    bodies = [
        params + b"[" * depth + b"]" * depth + b"}}}",
        params + b'{"a":' * depth,
        b"[" * depth,
        params + b'"\xff\xfe"}}}',
        params + b'"\\ud800"}}}',
        params + b"1e999999999}}}",
        params + b"9" * 100_000 + b"}}}",
        params + b"NaN}}}",
        b"\xef\xbb\xbf" + PING,
        PING + PING,
        PING[:-1],
        b"\0" * 1000,
        b'{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":"' + b"x" * 1_000_000 + b'","method":"ping"}',
        b'{"jsonrpc":"2.0","id":1,"method":"' + b"m" * 1_000_000 + b'"}',
    ]
    for body in bodies:
        for path, headers in (("/mcp", JSON | session.headers()), ("/tools/echo", {})):
            reply = gateway.request("POST", path, headers, body)
            expect(reply.status < 500, f"{body[:80]!r} to {path}: status {reply.status}: {reply.text[:100]}")
    gateway.check_serves()
    return f"{len(bodies)} bodies, up to {depth} levels"


@attack("", "batches")
def batches(bench: Bench) -> str:
    gateway = bench.wrap(bench.server())
    ping = json.loads(PING)
    call = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "echo", "arguments": {"message": "x"}}}
    statuses = []
    for revision, batch in (
        ("2025-11-25", [ping]),
        ("2025-03-26", [ping] * 101),
        ("2025-03-26", [ping] * 100_000),
        ("2025-03-26", []),
        ("2025-03-26", [[ping]] * 3),
        ("2025-03-26", [{"jsonrpc": "2.0", "id": n} | call for n in range(5_000)]),
    ):
        reply = gateway.session(revision).post(batch)
        n_answers = len(reply.messages()[0]) if reply.text.startswith("[") else 0
        statuses.append(reply.status)
        expect(
            n_answers <= 100 and reply.status < 500,
            f"{len(batch)} messages: status {reply.status}, {n_answers} answers",
        )
    expect(len(bench.received_calls()) <= 100, f"{len(bench.received_calls())} calls reached the server")
    gateway.check_serves()
    return f"statuses {statuses}"


@attack("10", "carriage returns from a server, in event streams")
def carriage_returns(bench: Bench) -> str:
    line = (
        '{"jsonrpc":"2.0",\r"id":ID,\r "result":\r\r{"content":[{"type":"text",\r"text":"a\\r\\rdata: evil"}]\r}\r}\r'
    )
    note = {"events": 1}
    gateway = bench.wrap(bench.server(tools=[tool("cr")], answers={"cr": {"raw": line} | note}))
    for options in ({}, {"Manila-Contract": "none"}):
        session = gateway.session()
        params = {"name": "cr", "arguments": {}}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
        reply = gateway.request("POST", "/mcp", clients.STREAM | session.headers() | options, body)
        expect("event-stream" in reply.headers.get("content-type", ""), f"not a stream: {reply.headers}")
        expect(b"\r" not in reply.body.replace(b"\r\n", b"\n"), f"a carriage return in {reply.text[:200]!r}")
        answers = [it for it in reply.messages() if it.get("id") == 1]
        expect(len(answers) == 1 and "evil" in json.dumps(answers), f"answers: {answers}")
    return "removed between tokens, escaped in texts"


@attack("", "sessions of other clients")
def foreign_sessions(bench: Bench) -> str:
    gateway = bench.wrap(bench.server())
    own = gateway.session()
    guesses = [own.id[:-1] + letter for letter in "0123456789abcdef" if letter != own.id[-1]]
    guesses += [
        own.id.upper() + "x",
        own.id + " x",
        own.id + ", x",
        own.id[1:],
        "x" * 5_000,
        "../" + own.id,
        own.id + "%00",
        "",
    ]
    for guess in guesses:
        for method, body in (("POST", PING), ("GET", b""), ("DELETE", b"")):
            reply = gateway.request(method, "/mcp", JSON | {"Mcp-Session-Id": guess}, body)
            expect(reply.status in (400, 404, 405, 406, 431), f"{method} with {guess[:50]!r}: status {reply.status}")
    expect("result" in own.call("echo", {"message": "x"}), "the session is gone")
    return f"{len(guesses)} guesses refused"


@attack("", "random bytes instead of requests")
def random_bytes(bench: Bench) -> str:
    rounds = bench.pick(150, 3_000)
    gateway = bench.wrap(bench.server())
    gateway.check_serves()
    source = random.Random(11)
    seed = clients.head(gateway.address, "POST", "/mcp", JSON, len(PING)) + PING

    def send(_: int) -> None:
        data = bytearray(seed)
        for _ in range(source.randrange(1, 20)):
            at = source.randrange(len(data))
            data[at : at + source.randrange(3)] = bytes(source.randrange(256) for _ in range(source.randrange(4)))
        with clients.connect(gateway.address, 0.5) as stream:
            try:
                stream.sendall(data)
                stream.shutdown(socket.SHUT_WR)
                stream.recv(1000)
            except OSError:
                pass

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(send, range(rounds)))
    gateway.check_serves()
    expect("panicked" not in gateway.stderr(), gateway.stderr()[-200:])
    return f"{rounds} requests"


@attack("", "addresses of other machines to listen on")
def listen_addresses(bench: Bench) -> str:
    addresses = ["0.0.0.0:0", "[::]:0", "192.0.2.1:0", "0:0", "*:0", "[::ffff:0.0.0.0]:0"]
    for address in addresses:
        ran = bench.run("wrap", "--http", address, "--", *bench.server(), seconds=10)
        expect(ran.returncode == 2, f"{address}: status {ran.returncode}")
    return f"{len(addresses)} refused"
