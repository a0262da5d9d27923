"""An MCP server on stdio that responds as a specification says.

Usage: scripted.py SPECIFICATION. The file is a JSON object with these members, all optional:

- `tools`: the list of tools, or `{"count": N, "like": TOOL}` for many that differ in their names
- `answers`: for each tool the members of its response (`result` or `error`), or one of
  `{"raw": TEXT}`, a line in which `ID` becomes the request's id,
  `{"flood": N}`, a result with N bytes of text,
  `{"exit": CODE}`
  With `stderr`, a text is written to stderr first; with `events`, so many log messages are sent first.
- `log`: a file that gets each received message

In any value, `{"$text": TEXT, "$bytes": N}` is TEXT, repeated to N bytes. The tool `echo` always exists.
"""

import json
import sys


def expand(value):
    if isinstance(value, dict):
        if set(value) == {"$text", "$bytes"}:
            text = value["$text"]
            return (text * (value["$bytes"] // len(text) + 1))[: value["$bytes"]]
        return {name: expand(member) for name, member in value.items()}
    if isinstance(value, list):
        return [expand(item) for item in value]
    return value


def all_tools(tools) -> list[dict]:
    if isinstance(tools, dict):
        tools = [tools["like"] | {"name": f"tool_{number}"} for number in range(tools["count"])]
    echo = {"type": "object", "properties": {"message": {"type": "string"}}}
    return [{"name": "echo", "inputSchema": echo}, *tools]


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        spec = json.load(file)
    out = sys.stdout.buffer
    encoded: dict[str, bytes] = {}

    def write(line: bytes) -> None:
        out.write(line + b"\n")
        out.flush()

    def respond(id_, members: bytes) -> None:
        write(b'{"jsonrpc":"2.0","id":' + json.dumps(id_).encode() + b"," + members[1:])

    def members_of(key: str, value) -> bytes:
        if key not in encoded:
            encoded[key] = json.dumps(expand(value)).encode()
        return encoded[key]

    for line in sys.stdin.buffer:
        if not line.endswith(b"\n"):
            return  # The gateway has ended in the middle of a message.
        message = json.loads(line)
        if "log" in spec:
            with open(spec["log"], "ab") as log:
                log.write(line)
        if "id" not in message or "method" not in message:
            continue
        id_, method = message["id"], message["method"]
        if method == "initialize":
            info = {"name": "scripted", "version": "1"}
            result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "logging": {}}, "serverInfo": info}
            respond(id_, json.dumps({"result": result}).encode())
        elif method == "ping":
            respond(id_, b'{"result":{}}')
        elif method == "tools/list":
            if "tools" not in encoded:
                encoded["tools"] = json.dumps({"result": {"tools": all_tools(expand(spec.get("tools", [])))}}).encode()
            respond(id_, encoded["tools"])
        elif method == "tools/call":
            name = message["params"].get("name", "")
            answer = spec.get("answers", {}).get(name)
            if answer is None:
                text = str(message["params"].get("arguments", {}).get("message", name))
                respond(id_, json.dumps({"result": {"content": [{"type": "text", "text": text}]}}).encode())
                continue
            if "stderr" in answer:
                sys.stderr.write(expand(answer["stderr"]) + "\n")
                sys.stderr.flush()
            for number in range(answer.get("events", 0)):
                data = {"level": "error", "data": f"event {number} " + "x" * 1000}
                note = {"jsonrpc": "2.0", "method": "notifications/message", "params": data}
                write(json.dumps(note).encode())
            if "exit" in answer:
                sys.exit(answer["exit"])
            if "raw" in answer:
                write(answer["raw"].replace("ID", json.dumps(id_)).encode())
            elif "flood" in answer:
                # Written in pieces, because it may be larger than the memory that this server should use.
                out.write(
                    b'{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"' % json.dumps(id_).encode()
                )
                for _ in range(answer["flood"] // 65536):
                    out.write(b"x" * 65536)
                write(b'"}]}}')
            else:
                respond(
                    id_,
                    members_of("answer " + name, {key: answer[key] for key in ("result", "error") if key in answer}),
                )
        else:
            respond(id_, b'{"error":{"code":-32601,"message":"Method not found"}}')


if __name__ == "__main__":
    main()
