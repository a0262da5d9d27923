//! The table of tools: that it is complete, readable and listed.

use std::collections::HashSet;

use serde_json::Value;

use super::super::tools::push_page;
use super::super::{TOOLS, Tool};
use super::conversation::{Client, call};

#[test]
fn describes_every_tool() {
    let mut names = HashSet::new();
    for tool in TOOLS {
        assert!(names.insert(tool.name), "{} stands twice in the table", tool.name);
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
fn lists_the_table_in_its_order() {
    let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
    let all = listed("{}");
    assert_eq!(all.names, names);
    assert_eq!(all.next_cursor, None);
    assert_eq!(listed(r#"{"cursor":"from-25"}"#).names, names[25..]);
}

#[test]
fn pages_the_list() {
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
        refused(tool.name, r#"{"unheard_of":1}"#);
        refused(tool.name, "[]");
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
        refused(tool, arguments);
    }
}

#[track_caller]
fn refused(tool: &str, arguments: &str) {
    let mut client = Client::connect(None);
    client.send(&call(tool, arguments));
    let answer = client.receive();
    assert!(answer.contains(r#""id":7,"error":{"code":-32602,"#), "{tool} {arguments}: {answer}");
}

struct Listed {
    names: Vec<String>,
    next_cursor: Option<String>,
}

fn listed(params: &str) -> Listed {
    let mut client = Client::connect(None);
    client.send(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{params}}}"#));
    let answer: Value = serde_json::from_str(&client.receive()).unwrap();
    let tools = answer["result"]["tools"].as_array().unwrap();
    Listed {
        names: tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect(),
        next_cursor: answer["result"]["nextCursor"].as_str().map(ToOwned::to_owned),
    }
}
