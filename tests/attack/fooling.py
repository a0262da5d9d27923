"""Attacks of a caller on the operator's rules, and of a server on the envelope."""

import json

from harness import SECRET, Bench, Gateway, attack, expect, tool

# Spellings of `crash` that a lenient server could accept.
SPELLINGS = [
    "crash",
    "Crash",
    "CRASH",
    "crash ",
    " crash",
    "crash\t",
    "%63rash",
    "%2563rash",
    "crash\0",
    "cr\u200bash",
    "\uff43rash",
    "./crash",
    "a_crash",
    "crash/",
    "crash\n",
    "crash\u0301",
]
NONE = {"dev.manila/contract": "none"}
NONE_HEADER = {"Manila-Contract": "none"}
WRONG = {"wrong": {"result": {"content": [], "structuredContent": {"n": "seven"}}}}
OUTPUT = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def percent(name: str) -> str:
    return "".join(f"%{byte:02x}" for byte in name.encode())


def call_everywhere(gateway: Gateway, name: str, arguments: dict) -> dict[str, str]:
    """Calls a tool in every way in which a caller can ask for `none`."""
    session, older = gateway.session(), gateway.session("2025-03-26")
    plain = {"name": name, "arguments": arguments}
    strict = {"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": plain | {"_meta": NONE}}
    path = f"/tools/{percent(name)}"
    batch = older.post([strict], older.headers())
    return {
        "plain": gateway.request("POST", path, NONE_HEADER, json.dumps(arguments).encode()).text,
        "strict": gateway.request("POST", path, {}, json.dumps(strict).encode()).text,
        "header": json.dumps(session.call(name, arguments, headers=NONE_HEADER), ensure_ascii=False),
        "meta": json.dumps(session.call(name, arguments, NONE), ensure_ascii=False),
        "batch": batch.text,
        "envelope": json.dumps(session.call(name, arguments), ensure_ascii=False),
    }


def two_servers(bench: Bench, settings: str, top: str = "", **spec) -> Gateway:
    command = json.dumps(bench.server(**spec))
    return bench.serve(f"{top}[upstream.a]\ncommand = {command}\n{settings}\n[upstream.b]\ncommand = {command}\n")


@attack("7", "`none` against output_check = strict")
def none_against_strict(bench: Bench) -> str:
    tools = [tool("wrong", outputSchema=OUTPUT)]
    gateway = two_servers(bench, "", 'output_check = "strict"\n', tools=tools, answers=WRONG)
    ways = call_everywhere(gateway, "a_wrong", {})
    for way, answer in ways.items():
        expect("seven" not in answer, f"{way}: {answer}")
    expect(bench.received_calls() == ["wrong"] * len(ways), f"received: {bench.received_calls()}")
    return f"withheld in {len(ways)} ways"


@attack("7", "`none` with invalid arguments")
def none_with_invalid_arguments(bench: Bench) -> str:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    gateway = two_servers(bench, "", tools=[tool("checked", inputSchema=schema)])
    ways = call_everywhere(gateway, "a_checked", {"n": "one"})
    expect(bench.received_calls() == [], f"reached the server: {bench.received_calls()}")
    return f"refused in {len(ways)} ways"


@attack("7", "spellings of denied names")
def spellings_of_names(bench: Bench) -> str:
    gateway = two_servers(bench, 'deny = ["crash", "secrets"]', tools=[tool("crash"), tool("secrets")])
    names = [f"a_{name}" for name in SPELLINGS] + ["A_crash", "a_%73ecrets", " a_crash", "a__crash", "b_../a_crash"]
    for name in names:
        call_everywhere(gateway, name, {})
    expect(bench.received_calls() == [], f"reached the server: {bench.received_calls()}")
    gateway.check_serves("a_echo")
    return f"{len(names)} spellings, none reached the server"


@attack("7", "spellings of `tools/call` and its members")
def spellings_of_methods(bench: Bench) -> str:
    gateway = two_servers(bench, 'deny = ["crash"]', tools=[tool("crash")])
    session = gateway.session()
    params = {"name": "a_crash", "arguments": {}}
    for method in (
        "tools/Call",
        "TOOLS/CALL",
        "tools/call ",
        " tools/call",
        "tools/%63all",
        "tools\\/call",
        "tools//call",
    ):
        session.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        session.post({"jsonrpc": "2.0", "method": method, "params": params})
    echo = {"name": "a_echo", "arguments": {"message": "x"}}
    for more in ({"Name": "crash"}, {"NAME": "crash"}, {"Arguments": {}}):
        session.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": echo | more})
    for more in ({"Params": params}, {"Method": "tools/call"}, {"METHOD": "tools/call"}):
        session.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": echo} | more)
    twice = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a_echo","name":"a_crash","arguments":{}}}'
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"} | session.headers()
    gateway.request("POST", "/mcp", headers, twice.encode())
    expect(bench.received_calls() == [], f"reached the server: {bench.received_calls()}")
    gateway.check_serves("a_echo")
    return "refused"


@attack("7", "`none` against allow_none = false")
def none_is_not_allowed(bench: Bench) -> str:
    command = json.dumps(bench.server(tools=[tool("t")]))
    gateway = bench.serve(f"[listen]\nallow_none = false\n[upstream.a]\ncommand = {command}\n")
    ways = call_everywhere(gateway, "t", {})
    ways["plain without"] = gateway.call("t", {}).text
    for way, answer in ways.items():
        is_asking = way not in ("envelope", "plain without")
        is_result = '"content":[{"type":"text","text":"t"}]' in answer.replace(" ", "")
        expect(not (is_asking and is_result), f"{way}: {answer}")
    expect(bench.received_calls() == ["t", "t"], f"received: {bench.received_calls()}")
    return f"refused in {len(ways) - 2} ways"


def disguised(bench: Bench, members: dict) -> str:
    """Calls a tool with a disguised answer. Its texts must be redacted."""
    answers = []
    for options in ([], ["--contract", "none"]):
        gateway = bench.wrap(bench.server(tools=[tool("t")], answers={"t": members}), *options)
        answers += [gateway.session().call("t", {}), gateway.session().call("t", {}, NONE)]
        answers.append(gateway.call("t", {}).messages()[0])
    for answer in answers:
        expect(SECRET not in json.dumps(answer), answer)
    expect(bench.received_calls() + bench.received_calls(2) == ["t"] * len(answers), "a call did not reach the server")
    return f"no secret in {len(answers)} answers"


CONTENT = [{"type": "text", "text": f"is {SECRET}"}]


@attack("8", "`input_required` from a legacy server")
def input_required(bench: Bench) -> str:
    question = {
        "method": "elicitation/create",
        "params": {"message": f"{SECRET}?", "requestedSchema": {"type": "object"}},
    }
    result = {"resultType": "input_required", "content": CONTENT, "inputRequests": {"a": question}, "note": SECRET}
    return disguised(bench, {"result": result})


@attack("8", "a result beside the handle of a task")
def task_handle(bench: Bench) -> str:
    task = {"taskId": "t1", "status": "working", "statusMessage": f"has {SECRET}"}
    text = disguised(bench, {"result": {"task": task, "structuredContent": {"n": SECRET}, "content": CONTENT}})
    disguised(bench, {"result": {"resultType": "task", "structuredContent": {"n": SECRET}} | task})
    return text


@attack("8", "`statusMessage` of a task")
def status_message(bench: Bench) -> str:
    return disguised(
        bench, {"result": {"task": {"taskId": "t1", "status": "failed", "statusMessage": f"has {SECRET}"}}}
    )


@attack("8", "errors that ask for an action")
def errors_with_secrets(bench: Bench) -> str:
    texts = []
    for code in (-32042, -32020, -32021, -32022, -32600, -32601, -32602, -32603, 1):
        page = {"mode": "url", "elicitationId": "e", "url": "https://example.com/", "message": f"{SECRET}?"}
        data = {"elicitations": [page], "requested": SECRET, "supported": ["2026-07-28"], "more": [SECRET]}
        texts.append(disguised(bench, {"error": {"code": code, "message": f"has {SECRET}", "data": data}}))
    return f"{len(texts)} codes: {texts[0]}"


@attack("", "results that resemble envelopes")
def false_envelopes(bench: Bench) -> str:
    envelope = {
        "success": True,
        "data": {"n": SECRET},
        "error": None,
        "meta": {"version": "response-v2", "warnings": [SECRET]},
    }
    texts = disguised(bench, {"result": {"content": CONTENT, "structuredContent": envelope}})
    disguised(bench, {"result": {"content": [{"type": "text", "text": json.dumps(envelope)}]}})
    return texts


@attack("", "results with members of other kinds")
def odd_results(bench: Bench) -> str:
    odd = [
        {"content": SECRET},
        {"content": {"text": SECRET}},
        {"content": [SECRET, [SECRET], 7, None]},
        {"more": SECRET},
        {"content": CONTENT, "isError": "yes"},
        {"content": CONTENT, "_meta": {"a": SECRET}},
        [SECRET],
        SECRET,
    ]
    for result in odd:
        disguised(bench, {"result": result})
    return f"no secret in answers to {len(odd)} kinds"
