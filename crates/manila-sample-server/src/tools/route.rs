//! Route: a tool whose arguments stand in headers, too, where a call comes over HTTP.

use serde::Deserialize;
use serde_json::json;

use super::super::arguments::Whole;
use super::super::conduct::{Conduct, Stop};
use super::super::result;
use super::{Call, Tool};

pub(super) const ROUTE: Tool = Tool {
    name: "route",
    title: "Route a crate",
    description: "Tells where a crate goes. Over HTTP, modern clients repeat some arguments in \
                  headers, for those who route requests without reading them.",
    input_schema: r#"{
        "type": "object",
        "properties": {
            "region": {
                "type": "string", "description": "Where it goes.", "x-mcp-header": "Region"
            },
            "berth": {
                "type": "integer", "minimum": 0, "maximum": 9007199254740991,
                "description": "Where it is unloaded.", "x-mcp-header": "Berth"
            },
            "urgent": {
                "type": "boolean", "description": "Whether it cannot wait.",
                "x-mcp-header": "Urgent"
            },
            "crate": {
                "type": "object",
                "properties": {
                    "mark": {
                        "type": "string", "description": "What is written on it.",
                        "x-mcp-header": "Crate-Mark"
                    }
                },
                "additionalProperties": false
            },
            "note": {"type": "string", "description": "What nobody else needs to know."}
        },
        "required": ["region"],
        "additionalProperties": false
    }"#,
    output_schema: None,
    meta: None,
    handler: route,
};

/// The arguments that stand in headers: where they are, and the header.
pub(super) const HEADERS: &[(&str, &str)] = &[
    ("/region", "Mcp-Param-Region"),
    ("/berth", "Mcp-Param-Berth"),
    ("/urgent", "Mcp-Param-Urgent"),
    ("/crate/mark", "Mcp-Param-Crate-Mark"),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RouteArguments {
    region: String,
    berth: Option<Whole<0, 9_007_199_254_740_991>>,
    urgent: Option<bool>,
    #[serde(rename = "crate")]
    container: Option<Container>,
    note: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Container {
    mark: Option<String>,
}

fn route(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    let RouteArguments { region, berth, urgent, container, note } = call.arguments()?;
    let routed = json!({
        "region": region,
        "berth": berth.map(|Whole(berth)| berth),
        "urgent": urgent.unwrap_or(false),
        "mark": container.and_then(|container| container.mark),
        "note": note,
    });
    result::mirrored(out, &routed.to_string());
    Ok(Conduct::Answer)
}
