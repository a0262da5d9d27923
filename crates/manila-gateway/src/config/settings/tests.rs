use std::collections::BTreeMap;

use super::*;
use crate::protocol::era::Revision;

/// Compares the presentation of a tool's results with `expected`: format, placement and text mode.
#[track_caller]
fn check(settings: &Settings, tool: &str, prefers: Preferences, era: Era, expected: &str) {
    let Presentation { format, placement, text, .. } = settings.presentation(tool, prefers, era);
    let format = match format {
        ResultFormat::Contract(contract) => contract.id(),
        ResultFormat::Passthrough => ResultFormat::NONE,
    };
    assert_eq!(format!("{format} {placement:?} {text:?}"), expected);
}

#[test]
fn a_request_overrides_its_tool_and_a_tool_overrides_the_defaults() {
    let readable = ResultFormat::Contract(Contract::MachineReadableV1);
    let tool = |format, placement| ToolSettings { format, placement, ..ToolSettings::default() };
    let settings = Settings {
        tools: Arc::new(BTreeMap::from([
            ("passthrough".to_owned(), tool(Some(ResultFormat::Passthrough), None)),
            ("readable".to_owned(), tool(Some(readable), None)),
            ("in_text".to_owned(), tool(None, Some(Placement::Text))),
        ])),
        ..Settings::default()
    };
    let (newest, oldest) = (Era::FALLBACK, Era::Legacy(Revision::V2024_11_05));
    let mcp = Preferences::MCP;
    check(&settings, "other", mcp, newest, "response-v2 Structured Envelope");
    check(&settings, "other", mcp, oldest, "response-v2 Text Envelope");
    check(&settings, "in_text", mcp, newest, "response-v2 Text Envelope");
    check(&settings, "passthrough", mcp, newest, "none Structured Envelope");
    // The caller did not request an envelope of this contract, so it gets plain text (M11).
    check(&settings, "readable", mcp, newest, "machine-readable-v1 Structured Plain");
    let requested = Preferences { format: Some(readable), ..mcp };
    check(&settings, "passthrough", requested, newest, "machine-readable-v1 Structured Envelope");
    let as_text = Preferences { text: Some(TextMode::Requested), ..mcp };
    check(&settings, "other", as_text, newest, "response-v2 Structured Requested");
}
