use std::collections::BTreeMap;

use super::*;
use crate::protocol::era::Revision;

/// Compares how a tool's results are presented with `expected`: shape, placement and text mode.
#[track_caller]
fn check(settings: &Settings, tool: &str, prefers: Preferences, era: Era, expected: &str) {
    let Presentation { shape, placement, text, .. } = settings.presentation(tool, prefers, era);
    let shape = match shape {
        Shape::Contract(contract) => contract.id(),
        Shape::AsItCame => Shape::NONE,
    };
    assert_eq!(format!("{shape} {placement:?} {text:?}"), expected);
}

#[test]
fn a_request_goes_before_its_tool_and_a_tool_before_the_rest() {
    let readable = Shape::Contract(Contract::MachineReadableV1);
    let own = |shape, placement| ToolSettings { shape, placement, ..ToolSettings::default() };
    let settings = Settings {
        tools: Arc::new(BTreeMap::from([
            ("passed_on".to_owned(), own(Some(Shape::AsItCame), None)),
            ("readable".to_owned(), own(Some(readable), None)),
            ("in_text".to_owned(), own(None, Some(Placement::Text))),
        ])),
        ..Settings::default()
    };
    let (newest, oldest) = (Era::PLAINEST, Era::Legacy(Revision::V2024_11_05));
    let mcp = Preferences::MCP;
    check(&settings, "other", mcp, newest, "response-v2 Structured Envelope");
    check(&settings, "other", mcp, oldest, "response-v2 Text Envelope");
    check(&settings, "in_text", mcp, newest, "response-v2 Text Envelope");
    check(&settings, "passed_on", mcp, newest, "none Structured Envelope");
    // The caller did not ask for an envelope of this contract, so it gets plain text (M11).
    check(&settings, "readable", mcp, newest, "machine-readable-v1 Structured Plain");
    let asked = Preferences { shape: Some(readable), ..mcp };
    check(&settings, "passed_on", asked, newest, "machine-readable-v1 Structured Envelope");
    let as_text = Preferences { text: Some(TextMode::Requested), ..mcp };
    check(&settings, "other", as_text, newest, "response-v2 Structured Requested");
}
