//! The operator's rules apply to every call, whichever format its caller requests: which tools are
//! offered, and which arguments and results are valid.

use serde_json::{Value, json};

use crate::http_client::{HttpProgram, JSON, LegacyClient, VERSION, modern_request};
use crate::mcp::Client;
use crate::program::{Scratch, manila};
use crate::scripted::connect;
use crate::shell_server::{legacy_script, modern_script, with_task};

/// Two tools: `crash`, and `ok` with an integer parameter and an integer result.
const LIST: &str = concat!(
    r#""result":{"tools":[{"name":"crash","inputSchema":{"type":"object"}},{"name":"ok","#,
    r#""inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}},"#,
    r#""outputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#,
    r#"MORE}]}"#
);
const GOOD: &str = r#""result":{"content":[],"structuredContent":{"n":7}}"#;
const WRONG: &str = r#""result":{"content":[],"structuredContent":{"n":"seven"}}"#;

/// Returns the script of a server with these responses.
fn script(list: &str, result: &str) -> String {
    legacy_script(&list.replace("MORE", ""), result)
}

/// Returns the configuration tables of two such servers, with these settings of the first.
fn tables(script: &str, settings: &str) -> String {
    let command = json!(["sh", "-c", script]);
    format!(
        "[upstream.a]\ncommand = {command}\n{settings}\n[upstream.b]\ncommand = {command}\n\
         start = \"lazy\"\n"
    )
}

/// A gateway, with a client over stdio and an HTTP listener.
struct Served {
    pipe: Client,
    http: HttpProgram,
    _scratch: Scratch,
}

impl Served {
    fn start(test: &str, config: &str) -> Served {
        let scratch = Scratch::new(test);
        let path = scratch.file("manila.toml", config);
        let args = ["serve", "--config", &path, "--stdio", "--http", "127.0.0.1:0", "-v"];
        let mut pipe = Client::start_manila(&args);
        let http = HttpProgram::of_client(&pipe);
        pipe.handshake("2025-11-25");
        Served { pipe, http, _scratch: scratch }
    }

    /// Calls a tool in every way in which a caller can request `none`. Returns each response with
    /// the name of the way.
    fn call_everywhere(&mut self, tool: &str, arguments: &Value) -> Vec<(&'static str, String)> {
        let meta = json!({"dev.manila/contract": "none"});
        let with_meta = json!({"name": tool, "arguments": arguments, "_meta": meta});
        let plain = json!({"name": tool, "arguments": arguments});
        let call = "tools/call";
        let request =
            |params: &Value| json!({"jsonrpc": "2.0", "id": "x", "method": call, "params": params});
        let escapes: Vec<String> = tool.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let path = format!("/tools/{}", escapes.concat());
        let header = "Manila-Contract: none";
        let post = |client: &LegacyClient<'_>, head: &[&str], body: &Value| {
            let session = client.head();
            let head = [&JSON[..], &[session.as_str()], head].concat();
            self.http.request("POST", "/mcp", &head, &body.to_string()).body
        };
        let (client, older) = (self.http.connect("2025-11-25"), self.http.connect("2025-03-26"));
        let name = format!("Mcp-Name: =?base64?{}?=", base64(tool.as_bytes()));
        let head = [&JSON[..], &[VERSION, "Mcp-Method: tools/call", &name]].concat();
        let modern = modern_request(1, "tools/call", &with_meta);
        let modern = self.http.request("POST", "/mcp", &head, &modern).body;
        let strict = request(&with_meta).to_string();
        let post_plain =
            |head: &[&str], body: &str| self.http.request("POST", &path, head, body).body;
        let http = [
            ("plain", post_plain(&[header], &arguments.to_string())),
            ("strict", post_plain(&[], &strict)),
            ("legacy header", post(&client, &[header], &request(&plain))),
            ("legacy meta", post(&client, &[], &request(&with_meta))),
            ("batch header", post(&older, &[header], &json!([request(&plain)]))),
            ("batch meta", post(&older, &[], &json!([request(&with_meta)]))),
            ("modern", modern),
        ];
        let mut all = Vec::from(http);
        let answer = self.pipe.request("pipe", "tools/call", &with_meta);
        all.push(("stdio", answer.to_string()));
        all
    }

    /// Returns the calls that the first server has received.
    fn received_calls(&self) -> Vec<String> {
        let stderr = self.pipe.stderr();
        let received = stderr.lines().filter_map(|line| line.split_once("[a] received: "));
        let calls = received.map(|(_, line)| line.to_owned());
        calls.filter(|line| line.contains("tools/call")).collect()
    }

    /// Waits until the first server has received this many calls.
    fn wait_for_calls(&self, n_calls: usize) {
        crate::serve::wait_until("the calls arrive", || self.received_calls().len() >= n_calls);
    }
}

/// Encodes bytes for the header `Mcp-Name`.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0, |bits, byte| bits << 8 | usize::from(*byte));
        let bits = bits << (8 * (3 - group.len()));
        let digits = (0..=group.len()).map(|n| char::from(DIGITS[bits >> (18 - 6 * n) & 63]));
        text.extend(digits);
        text.extend(std::iter::repeat_n('=', 3 - group.len()));
    }
    text
}

/// Spellings of `crash` that a lenient server could accept.
const SPELLINGS: [&str; 12] = [
    "crash",
    "Crash",
    "CRASH",
    "crash ",
    " crash",
    "crash\t",
    "%63rash",
    "%2563rash",
    "crash\u{0}",
    "\u{ff43}rash",
    "cra\u{200b}sh",
    "./crash",
];

#[test]
fn no_spelling_of_a_denied_name_reaches_the_server() {
    let config = tables(&script(LIST, GOOD), "deny = [\"crash\"]");
    let mut served = Served::start("rules-deny", &config);
    for name in SPELLINGS.into_iter().chain(["no-such-tool"]) {
        for (way, answer) in served.call_everywhere(&format!("a_{name}"), &json!({})) {
            let is_refused = answer.contains("TOOL_NOT_FOUND") || answer.contains("Unknown tool");
            assert!(is_refused, "{way}, {name:?}: {answer}");
        }
    }
    let answers = served.call_everywhere("a_ok", &json!({"n": 1}));
    for (way, answer) in &answers {
        assert!(answer.contains(r#""structuredContent":{"n":7}"#), "{way}: {answer}");
    }
    served.wait_for_calls(answers.len());
    let calls = served.received_calls();
    assert!(calls.iter().all(|call| call.contains(r#""name":"ok""#)), "{calls:#?}");
}

/// A server need not list its tools. It decides which exist, unless the operator withholds some.
#[track_caller]
fn check_without_list(settings: &str, list: &str, tool: &str, is_called: bool) {
    let config = tables(&script(list, GOOD), settings);
    let mut served = Served::start("rules-list", &config);
    let answers = served.call_everywhere(&format!("a_{tool}"), &json!({}));
    for (way, answer) in &answers {
        assert_eq!(answer.contains(r#"{"n":7}"#), is_called, "{way}, {settings}: {answer}");
        let is_refused = answer.contains("TOOL_NOT_FOUND") || answer.contains("Unknown tool");
        assert_eq!(is_refused, !is_called, "{way}, {settings}: {answer}");
    }
    let n_calls = if is_called { answers.len() } else { 0 };
    served.wait_for_calls(n_calls);
    assert_eq!(served.received_calls().len(), n_calls);
}

#[test]
fn a_server_without_a_list_decides_unless_tools_are_withheld() {
    let unknown = r#""error":{"code":-32601,"message":"Method not found"}"#;
    let broken = r#""error":{"code":-32000,"message":"no list today"}"#;
    for list in [unknown, broken] {
        check_without_list("", list, "ok", true);
        check_without_list("deny = [\"crash\"]", list, "Crash", false);
        check_without_list("deny = [\"crash\"]", list, "ok", false);
        check_without_list("allow = [\"ok\", \"c*\"]\ndeny = [\"crash\"]", list, "ok", true);
        check_without_list("allow = [\"ok\", \"c*\"]\ndeny = [\"crash\"]", list, "cRash", false);
    }
}

#[test]
fn invalid_arguments_never_reach_the_server() {
    let mut served = Served::start("rules-input", &tables(&script(LIST, GOOD), ""));
    for (way, answer) in served.call_everywhere("a_ok", &json!({"n": "one"})) {
        // A strict envelope is answered with the catalogue's error.
        let expected = if way == "strict" { "-32602" } else { "/n must be of type integer" };
        assert!(answer.contains(expected), "{way}: {answer}");
        let is_result = answer.contains(r#""isError":true"#);
        assert_eq!(is_result, way != "strict", "{way}: {answer}");
    }
    assert_eq!(served.received_calls(), [""; 0]);
}

/// Calls the tool whose result violates its schema.
fn call_wrong(test: &str, output_check: &str, more: &str) -> Vec<(&'static str, String)> {
    let script = script(&LIST.replace("MORE", more), WRONG);
    let config = format!("output_check = \"{output_check}\"\n") + &tables(&script, "");
    Served::start(test, &config).call_everywhere("a_ok", &json!({}))
}

#[test]
fn results_without_an_envelope_are_checked() {
    // The result of a tool of an MCP App is never in an envelope.
    for more in ["", r#","_meta":{"ui":{"resourceUri":"ui://x"}}"#] {
        for (way, answer) in call_wrong("rules-strict", "strict", more) {
            assert!(!answer.contains("seven"), "{way}: {answer}");
            let rule = "does not match the tool's output schema: /n must be of type integer";
            let is_result = answer.contains(r#""isError":true"#) && answer.contains(rule);
            assert_eq!(is_result, way != "strict", "{way}: {answer}");
        }
        for (way, answer) in call_wrong("rules-warn", "warn", more) {
            assert!(answer.contains(r#""structuredContent":{"n":"seven"}"#), "{way}: {answer}");
            let warning = r#""_meta":{"dev.manila/warnings":[{"code":"OUTPUT_SCHEMA_MISMATCH","#;
            let is_first = answer.contains(warning);
            // For clients of the modern era, the members have another order.
            let is_any = answer.contains(warning.trim_start_matches(r#""_meta":{"#));
            assert!(is_first || is_any, "{way}: {answer}");
        }
        for (way, answer) in call_wrong("rules-off", "off", more) {
            assert!(answer.contains("seven") && !answer.contains("SCHEMA"), "{way}: {answer}");
        }
    }
}

/// Calls a tool of an MCP App in the default contract, or any tool with `none`.
#[track_caller]
fn check_app(config: &str, result: &str, expected: &[&str], unexpected: &str) {
    let list = LIST.replace("MORE", r#","_meta":{"ui":{"resourceUri":"ui://x"}}"#);
    let script = script(&list, result);
    let scratch = Scratch::new("rules-app");
    let config = scratch.file("manila.toml", config);
    let mut client = Client::start(&["--config", &config], &["sh", "-c", &script]);
    client.handshake("2025-11-25");
    let answer = client.call("ok", &json!({})).to_string();
    for text in expected {
        assert!(answer.contains(text), "{answer}");
    }
    assert!(!answer.contains(unexpected), "{answer}");
}

#[test]
fn results_of_apps_are_checked() {
    check_app("output_check = \"strict\"", GOOD, &[r#"{"n":7}"#], "dev.manila");
    let refused = ["INVALID_TOOL_OUTPUT", r#""isError":true"#];
    check_app("output_check = \"strict\"", WRONG, &refused, "seven");
    check_app("", WRONG, &["seven", "OUTPUT_SCHEMA_MISMATCH"], "INVALID_TOOL_OUTPUT");
    // Warnings of another gateway are kept.
    let given = concat!(
        r#""result":{"content":[],"structuredContent":{},"#,
        r#""_meta":{"a":1,"dev.manila/warnings":[{"code":"X"}]}}"#
    );
    let both = r#""dev.manila/warnings":[{"code":"X"},{"code":"OUTPUT_SCHEMA_MISMATCH""#;
    check_app("", given, &[both, r#""a":1"#], "INVALID_TOOL_OUTPUT");
    // An error is a failure of the tool, which has no payload to check.
    let failed = r#""result":{"content":[{"type":"text","text":"no"}],"isError":true}"#;
    check_app("output_check = \"strict\"", failed, &[r#""text":"no""#], "INVALID_TOOL_OUTPUT");
    // Redaction makes this one invalid.
    let secret = r#""result":{"content":[],"structuredContent":{"n":7,"password":12345678}}"#;
    check_app("output_check = \"strict\"", secret, &["[REDACTED]", r#""n":7"#], "12345678");
    let number = r#""result":{"content":[],"structuredContent":{"n":1,"password":{"value":1}}}"#;
    check_app("output_check = \"strict\"", number, &[r#""n":1"#], "INVALID_TOOL_OUTPUT");
}

/// Returns the result of a task that a call with `none` became, in either era.
fn task_results(output_check: &str, result: &Value) -> [Value; 2] {
    let list = LIST.replace("MORE", "");
    let scratch = Scratch::new("rules-task");
    let config = scratch.file("manila.toml", format!("output_check = \"{output_check}\""));
    let options = ["--config", &config, "--contract", "none"];
    let handle = r#""result":{"task":{"taskId":"k","status":"working"}}"#;
    let script = legacy_script(&list, handle);
    let script = with_task(&script, &format!(r#""result":{result}"#));
    let mut client = Client::start(&options, &["sh", "-c", &script]);
    client.handshake("2025-11-25");
    client.call("ok", &json!({}));
    let legacy = client.request("r", "tasks/result", &json!({"taskId": "k"}));

    let handle = r#""result":{"resultType":"task","taskId":"k","status":"working"}"#;
    let details = json!({"resultType": "complete", "taskId": "k", "status": "completed",
        "result": result});
    let script = with_task(&modern_script(&list, handle), &format!(r#""result":{details}"#));
    let served = HttpProgram::wrap(&options, &["sh", "-c", &script]);
    served.send_modern("tools/call", &json!({"name": "ok"})).read_reply();
    let modern = served.send_modern("tasks/get", &json!({"taskId": "k"})).read_reply();
    [legacy["result"].clone(), modern.json()["result"]["result"].clone()]
}

#[test]
fn results_of_tasks_are_checked() {
    let wrong = json!({"content": [], "structuredContent": {"n": "seven"}});
    for result in task_results("strict", &wrong) {
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        assert!(text.contains("/n must be of type integer"), "{result}");
        assert_eq!(result["isError"], true, "{result}");
        assert!(!result.to_string().contains("seven"), "{result}");
    }
    for result in task_results("warn", &wrong) {
        let warnings = &result["_meta"]["dev.manila/warnings"];
        assert_eq!(warnings[0]["code"], "OUTPUT_SCHEMA_MISMATCH", "{result}");
        assert_eq!(result["structuredContent"], wrong["structuredContent"]);
    }
    let good = json!({"content": [], "structuredContent": {"n": 7}});
    for result in task_results("strict", &good) {
        assert_eq!(result, good);
    }
}

#[test]
fn a_result_that_redaction_makes_invalid_is_refused() {
    let schema = r#"{"type":"object","properties":{"password":{"type":"integer"}}}"#;
    let tool = format!(r#"{{"name":"ok","inputSchema":{{}},"outputSchema":{schema}}}"#);
    let list = format!(r#""result":{{"tools":[{tool}]}}"#);
    let result = r#""result":{"content":[],"structuredContent":{"password":12345678}}"#;
    let scratch = Scratch::new("rules-redacted");
    let config = scratch.file("manila.toml", "output_check = \"strict\"");
    let options = ["--config", &config, "--contract", "none"];
    let server = script(&list, result);
    let mut client = Client::start(&options, &["sh", "-c", &server]);
    client.handshake("2025-11-25");
    let answer = client.call("ok", &json!({}));
    let text = answer["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("With its secrets redacted, the result does not match"), "{answer}");
    assert_eq!(answer["isError"], true);
}

#[test]
fn an_operator_may_refuse_requests_for_none() {
    let refusal = "the operator does not allow `none`";
    let config = "[listen]\nallow_none = false\n".to_owned() + &tables(&script(LIST, GOOD), "");
    let mut served = Served::start("rules-none", &config);
    for (way, answer) in served.call_everywhere("a_ok", &json!({})) {
        // A strict envelope is answered with the catalogue's error.
        let expected = if way == "strict" { "-32602" } else { refusal };
        assert!(answer.contains(expected), "{way}: {answer}");
    }
    let listed = served.http.request("GET", "/tools", &["Manila-Contract: none"], "");
    assert!(listed.status == 400 && listed.body.contains(refusal), "{listed:?}");
    assert_eq!(served.received_calls(), [""; 0]);
    let other = served.http.request("POST", "/tools/a_ok", &["Manila-Contract: envelope-v1"], "{}");
    assert_eq!(other.status, 200, "{other:?}");

    // The operator's own choice applies.
    let none = "contract = \"none\"\n".to_owned() + &config;
    let mut served = Served::start("rules-own-none", &none);
    let plain = served.http.call("a_ok", &json!({}));
    assert_eq!(plain.json()["structuredContent"], json!({"n": 7}), "{plain:?}");
    assert_eq!(served.pipe.call("a_ok", &json!({}))["structuredContent"], json!({"n": 7}));

    let scratch = Scratch::new("rules-wrap-none");
    let path = scratch.file("manila.toml", "[listen]\nallow_none = false\n");
    let command = ["--", "sh", "-c", &script(LIST, GOOD)];
    let args = ["call", "ok", "--contract", "none", "--config", &path];
    let ran = manila(&[&args, &command[..]].concat(), b"");
    assert!(ran.code == 0 && ran.stdout.contains(r#""n":7"#), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn a_call_cannot_be_disguised_as_another_request() {
    let script = "while read line; do echo \"received: $line\" >&2; done";
    let mut client = connect(&[], script);
    for method in ["tools/Call", "TOOLS/CALL", "tools/call ", "tools/%63all", "tools/call\\u0000"] {
        let params = r#"{"name":"crash","arguments":{}}"#;
        let request = format!(r#""method":"{method}","params":{params}}}"#);
        client.send_line(&format!(r#"{{"jsonrpc":"2.0","id":"x",{request}"#));
        let answer = client.answer(&json!("x"));
        assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
        client.send_line(&format!(r#"{{"jsonrpc":"2.0",{request}"#));
    }
    // Some libraries ignore the case of members, and would read these.
    for members in [
        r#""method":"prompts/list","Method":"tools/call","params":{"name":"crash"}"#,
        r#""method":"prompts/list","param\u017f":{"name":"crash"}"#,
        r#""method":"tools/call","params":{"name":"ok","NAME":"crash"}"#,
        r#""method":"tools/call","params":{"name":"ok","Arguments":{"n":1}}"#,
    ] {
        client.send_line(&format!(r#"{{"jsonrpc":"2.0","id":"y",{members}}}"#));
        let answer = client.wait(|message| message["error"].is_object());
        assert!(answer.to_string().contains("differs only in case"), "{members}: {answer}");
    }
    let stderr = client.end().stderr;
    assert!(!stderr.contains("crash"), "{stderr}");
}
