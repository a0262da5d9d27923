"""Clients that send exactly what an attack specifies."""

import http.client
import json
import socket
import threading
import time
from dataclasses import dataclass

JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
STREAM = JSON | {"Accept": "text/event-stream, application/json"}


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")

    def messages(self) -> list[dict]:
        """Returns the messages of the body, which is JSON or an event stream."""
        if "event-stream" not in self.headers.get("content-type", ""):
            return [json.loads(self.body)] if self.body else []
        data = [line[5:] for line in self.text.replace("\r\n", "\n").split("\n") if line.startswith("data:")]
        return [json.loads(item) for item in data if item.strip()]


def connect(address: tuple[str, int], seconds: float = 30.0) -> socket.socket:
    return socket.create_connection(address, timeout=seconds)


def read_reply(stream: socket.socket, method: str = "POST") -> Reply:
    response = http.client.HTTPResponse(stream, method=method)
    response.begin()
    headers = {name.lower(): value for name, value in response.getheaders()}
    try:
        body = response.read()
    except http.client.IncompleteRead as error:
        body = error.partial
    return Reply(response.status, headers, body)


def send_raw(address: tuple[str, int], data: bytes, seconds: float = 30.0) -> Reply | None:
    """Sends bytes and reads one response; returns `None` if the connection is closed instead."""
    with connect(address, seconds) as stream:
        try:
            stream.sendall(data)
            return read_reply(stream)
        except (http.client.HTTPException, ConnectionError, TimeoutError):
            return None


def head(address: tuple[str, int], method: str, path: str, headers: dict[str, str], length: int) -> bytes:
    all_headers = {"Host": f"{address[0]}:{address[1]}", "Content-Length": str(length), "Connection": "close"} | headers
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in all_headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def request(
    address: tuple[str, int],
    method: str,
    path: str,
    headers: dict[str, str] | None = None,
    body: bytes = b"",
    seconds: float = 60.0,
) -> Reply:
    with connect(address, seconds) as stream:
        try:
            stream.sendall(head(address, method, path, headers or {}, len(body)) + body)
        except ConnectionError:
            pass  # A gateway that refuses early does not read everything.
        return read_reply(stream, method)


class Session:
    """A client of the legacy era over HTTP."""

    def __init__(self, address: tuple[str, int], revision: str):
        self.address = address
        params = {
            "protocolVersion": revision,
            "clientInfo": {"name": "attack", "version": "1"},
            "capabilities": {"elicitation": {}},
        }
        reply = self.post({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}, {})
        if reply.status != 200:
            raise ValueError(f"initialize: status {reply.status}: {reply.text[:200]}")
        self.id = reply.headers.get("mcp-session-id", "")
        self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def headers(self) -> dict[str, str]:
        return {"Mcp-Session-Id": self.id}

    def post(self, message, more: dict[str, str] | None = None, seconds: float = 60.0) -> Reply:
        headers = JSON | (self.headers() if more is None else more)
        return request(self.address, "POST", "/mcp", headers, json.dumps(message).encode(), seconds)

    def call(self, tool: str, arguments: dict, meta: dict | None = None, headers: dict | None = None) -> dict:
        """Calls a tool and returns the response."""
        params = {"name": tool, "arguments": arguments} | ({"_meta": meta} if meta else {})
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        reply = self.post(message, self.headers() | (headers or {}))
        found = [answer for answer in reply.messages() if answer.get("id") == 1]
        return found[0] if found else {"status": reply.status, "body": reply.text[:500]}

    def start_stream(self, tool: str, arguments: dict, id_: int) -> socket.socket:
        """Starts a call whose response is an event stream, and returns the connection."""
        params = {"name": tool, "arguments": arguments}
        body = json.dumps({"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": params}).encode()
        stream = connect(self.address)
        stream.sendall(head(self.address, "POST", "/mcp", STREAM | self.headers(), len(body)) + body)
        return stream


class Pipe:
    """A client over stdio."""

    def __init__(self, gateway, revision: str = "2025-11-25", is_reading: bool = True):
        self.gateway = gateway
        self.answers: dict = {}
        self.changed = threading.Condition()
        self.has_ended = False
        if is_reading:
            threading.Thread(target=self.read, daemon=True).start()
            params = {
                "protocolVersion": revision,
                "clientInfo": {"name": "attack", "version": "1"},
                "capabilities": {"elicitation": {}},
            }
            self.request("initialize", params, "start")
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def read(self) -> None:
        for line in self.gateway.child.stdout:
            message = json.loads(line)
            with self.changed:
                if "method" not in message:
                    self.answers[message.get("id")] = message
                self.changed.notify_all()
        with self.changed:
            self.has_ended = True
            self.changed.notify_all()

    def send(self, message: dict) -> None:
        self.send_bytes(json.dumps(message).encode() + b"\n")

    def send_bytes(self, data: bytes) -> None:
        self.gateway.child.stdin.write(data)
        self.gateway.child.stdin.flush()

    def start(self, method: str, params: dict, id_) -> None:
        self.send({"jsonrpc": "2.0", "id": id_, "method": method, "params": params})

    def answer(self, id_, seconds: float = 60.0) -> dict:
        end = time.monotonic() + seconds
        with self.changed:
            while id_ not in self.answers:
                if self.has_ended or not self.changed.wait(max(0.0, end - time.monotonic())):
                    raise TimeoutError(f"no answer to {id_!r}: {self.gateway.stderr()[-200:]}")
            return self.answers.pop(id_)

    def request(self, method: str, params: dict, id_, seconds: float = 60.0) -> dict:
        self.start(method, params, id_)
        return self.answer(id_, seconds)

    def call(self, tool: str, arguments: dict, meta: dict | None = None, seconds: float = 60.0) -> dict:
        params = {"name": tool, "arguments": arguments} | ({"_meta": meta} if meta else {})
        return self.request("tools/call", params, f"call-{tool}", seconds)
