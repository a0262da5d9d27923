use std::sync::Arc;

use manila::{Contract, RawJson};

use super::{Carrier, Noted, Tools, shown};
use crate::gateway::Shape;
use crate::handle::Placement;

#[track_caller]
fn check(tool: &str, placement: Placement, expected: &str) {
    let tools = Tools::new(Arc::new(|_| ()), false, Carrier::Pipe, Arc::default());
    let raw = RawJson::parse(tool.to_owned()).unwrap();
    let Noted::Tool(_, tool) = tools.note(&raw) else { panic!("it has a name") };
    let shape = Shape::Contract(Contract::MachineReadableV1);
    let found = shown(&tool, shape, placement).to_string();
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
