//! The table of tools: it is complete, valid and listed.

use std::collections::HashSet;

use serde_json::Value;

use super::super::tools::push_page;
use super::super::{TOOLS, Tool};
use super::conversation::{Client, call};

#[test]
fn describes_every_tool() {
    let mut names = HashSet::new();
    for tool in TOOLS {
        assert!(names.insert(tool.name), "{} is in the table twice", tool.name);
        assert!(!tool.title.is_empty() && tool.description.ends_with('.'), "{}", tool.name);
        assert!(!tool.description.contains("  "), "{}", tool.name);
        let schema: Value = serde_json::from_str(tool.input_schema).expect(tool.name);
        assert_eq!(schema["type"], "object", "{}", tool.name);
        assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
        if let Some(schema) = tool.output_schema {
            let schema: Value = serde_json::from_str(schema).expect(tool.name);
            assert_eq!(schema["type"], "object", "{}", tool.name);
        }
    }
}

#[test]
fn lists_tools_in_the_order_of_the_table() {
    let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
    let page = list_tools("{}");
    assert_eq!(page.names, names);
    assert_eq!(page.next_cursor, None);
    assert_eq!(list_tools(r#"{"cursor":"from-25"}"#).names, names[25..]);
}

#[test]
fn splits_the_list_into_pages() {
    let tools: Vec<&Tool> = TOOLS[..5].iter().collect();
    for (start, n_tools, next) in [(0, 2, "from-2"), (2, 2, "from-4"), (4, 1, ""), (3, 2, "")] {
        let mut out = Vec::new();
        push_page(&mut out, &tools, start, 2);
        let page: Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(page["tools"].as_array().map(Vec::len), Some(n_tools));
        assert_eq!(page["nextCursor"].as_str().unwrap_or_default(), next);
    }
}

#[test]
fn refuses_arguments_outside_the_schema() {
    for tool in TOOLS {
        check_refused(tool.name, r#"{"unheard_of":1}"#);
        check_refused(tool.name, "[]");
    }
    for (tool, arguments) in [
        ("echo", "{}"),
        ("echo", r#"{"message":7}"#),
        ("add", r#"{"a":1,"b":"2"}"#),
        ("list", r#"{"count":-1}"#),
        ("list", r#"{"count":100001}"#),
        ("list", r#"{"count":1.5}"#),
        ("huge", r#"{"bytes":0}"#),
        ("huge", r#"{"bytes":200000001}"#),
        ("fail", r#"{"how":"softly"}"#),
        ("progress", r#"{"steps":0}"#),
        ("wait", r#"{"ms":600001}"#),
        ("wait", r#"{"ms":1e300}"#),
        ("job", r#"{"ms":-1}"#),
        ("log", r#"{"message":"m","level":"loud"}"#),
        ("touch", r#"{"place":"floor"}"#),
        ("crash", r#"{"code":256}"#),
        ("misbehave", r#"{"how":"a little"}"#),
    ] {
        check_refused(tool, arguments);
    }
}

#[track_caller]
fn check_refused(tool: &str, arguments: &str) {
    let mut client = Client::connect(None);
    client.send(&call(tool, arguments));
    let response = client.receive();
    let is_refused = response.contains(r#""id":7,"error":{"code":-32602,"#);
    assert!(is_refused, "{tool} {arguments}: {response}");
}

struct ToolPage {
    names: Vec<String>,
    next_cursor: Option<String>,
}

fn list_tools(params: &str) -> ToolPage {
    let mut client = Client::connect(None);
    client.send(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{params}}}"#));
    let response: Value = serde_json::from_str(&client.receive()).unwrap();
    let tools = response["result"]["tools"].as_array().unwrap();
    ToolPage {
        names: tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect(),
        next_cursor: response["result"]["nextCursor"].as_str().map(ToOwned::to_owned),
    }
}
