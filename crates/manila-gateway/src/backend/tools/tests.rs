use std::sync::Arc;

use manila::{Contract, RawJson};

use super::{ListedTool, Tool, Tools, TransportKind, present};
use crate::config::OutputCheck;
use crate::protocol::presentation::Placement;
use crate::protocol::presentation::ResultFormat;

fn note_tool(tool: &str) -> Arc<Tool> {
    let tools = Tools::new(Arc::new(|_| ()), false, TransportKind::Pipe, Arc::default());
    let raw = RawJson::parse(tool.to_owned()).unwrap();
    let ListedTool::Tool(_, tool) = tools.store(&raw) else { panic!("it has a name") };
    tool
}

#[track_caller]
fn check(tool: &str, placement: Placement, expected: &str) {
    let tool = note_tool(tool);
    let format = ResultFormat::Contract(Contract::MachineReadableV1);
    let found = present(&tool, format, placement, OutputCheck::Warn).to_string();
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
fn does_not_advertise_a_schema_that_is_not_checked() {
    let tool = note_tool(r#"{"name":"a","outputSchema":{"type":"object","required":["n"]}}"#);
    let declared = tool.raw.get("outputSchema");
    for contract in Contract::ALL {
        let format = ResultFormat::Contract(contract);
        for (mode, advertised) in [
            (OutputCheck::Strict, declared.as_ref()),
            (OutputCheck::Warn, declared.as_ref()),
            (OutputCheck::Off, None),
        ] {
            let found = present(&tool, format, Placement::Structured, mode).get("outputSchema");
            let expected = manila::output_schema(contract, advertised).to_string();
            assert_eq!(found.unwrap().to_string(), expected, "{contract} {mode:?}");
        }
    }
    // An unchanged result keeps the schema that the server declares.
    let raw = present(&tool, ResultFormat::Passthrough, Placement::Structured, OutputCheck::Off);
    assert_eq!(raw, tool.raw);
}
