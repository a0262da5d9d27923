use std::sync::Arc;

use manila::{Contract, RawJson};

use super::{Carrier, Noted, Tool, Tools, shown};
use crate::config::OutputCheck;
use crate::protocol::presentation::Placement;
use crate::protocol::presentation::Shape;

fn noted(tool: &str) -> Arc<Tool> {
    let tools = Tools::new(Arc::new(|_| ()), false, Carrier::Pipe, Arc::default());
    let raw = RawJson::parse(tool.to_owned()).unwrap();
    let Noted::Tool(_, tool) = tools.note(&raw) else { panic!("it has a name") };
    tool
}

#[track_caller]
fn check(tool: &str, placement: Placement, expected: &str) {
    let tool = noted(tool);
    let shape = Shape::Contract(Contract::MachineReadableV1);
    let found = shown(&tool, shape, placement, OutputCheck::Warn).to_string();
    let schema = manila::output_schema(Contract::MachineReadableV1, None).to_string();
    assert_eq!(found.replace(&schema, "ENVELOPE"), expected);
}

#[test]
fn only_the_output_schema_changes() {
    check(
        r#"{"zeta": 1.0, "name": "a", "outputSchema": {"type": "object"}, "\u0061b": [1, 2]}"#,
        Placement::Structured,
        r#"{"zeta":1.0,"name":"a","outputSchema":ENVELOPE,"\u0061b":[1,2]}"#,
    );
    check(r#"{"name": "a"}"#, Placement::Structured, r#"{"name":"a","outputSchema":ENVELOPE}"#);
    check(r#"{"name":"a","outputSchema":{"type":"object"}}"#, Placement::Text, r#"{"name":"a"}"#);
    let app = r#"{"name":"a","outputSchema":{},"_meta":{"ui":{"resourceUri":"ui://x"}}}"#;
    check(app, Placement::Structured, app);
}

#[test]
fn what_nobody_checks_is_not_advertised() {
    let tool = noted(r#"{"name":"a","outputSchema":{"type":"object","required":["n"]}}"#);
    let own = tool.raw.get("outputSchema");
    for contract in Contract::ALL {
        let shape = Shape::Contract(contract);
        for (mode, promised) in [
            (OutputCheck::Strict, own.as_ref()),
            (OutputCheck::Warn, own.as_ref()),
            (OutputCheck::Off, None),
        ] {
            let found = shown(&tool, shape, Placement::Structured, mode).get("outputSchema");
            let expected = manila::output_schema(contract, promised).to_string();
            assert_eq!(found.unwrap().to_string(), expected, "{contract} {mode:?}");
        }
    }
    // Results that are passed on as they come are the server's own promise.
    let raw = shown(&tool, Shape::AsItCame, Placement::Structured, OutputCheck::Off);
    assert_eq!(raw, tool.raw);
}
