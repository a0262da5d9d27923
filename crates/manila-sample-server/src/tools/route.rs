//! The tool `route`, whose arguments are repeated in HTTP headers.

use serde::Deserialize;
use serde_json::json;

use super::super::arguments::IntegerIn;
use super::super::disposition::{Disposition, HandlerError};
use super::super::result;
use super::{Call, Tool};

pub(super) const ROUTE: Tool = Tool {
    name: "route",
    title: "Route a crate",
    description: "Returns the destination of a crate. Over HTTP, modern clients repeat some \
                  arguments in headers, so that proxies can route requests without parsing them.",
    input_schema: r#"{
        "type": "object",
        "properties": {
            "region": {
                "type": "string", "description": "The destination.", "x-mcp-header": "Region"
            },
            "berth": {
                "type": "integer", "minimum": 0, "maximum": 9007199254740991,
                "description": "The number of the berth (dock) for unloading.",
                "x-mcp-header": "Berth"
            },
            "urgent": {
                "type": "boolean", "description": "Whether it is urgent.",
                "x-mcp-header": "Urgent"
            },
            "crate": {
                "type": "object",
                "properties": {
                    "mark": {
                        "type": "string", "description": "The label on the crate.",
                        "x-mcp-header": "Crate-Mark"
                    }
                },
                "additionalProperties": false
            },
            "note": {"type": "string", "description": "A note that is in no header."}
        },
        "required": ["region"],
        "additionalProperties": false
    }"#,
    output_schema: None,
    meta: None,
    handler: route,
};

/// The arguments that clients repeat in headers: JSON pointer and header.
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
    berth: Option<IntegerIn<0, 9_007_199_254_740_991>>,
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

fn route(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    let RouteArguments { region, berth, urgent, container, note } = call.arguments()?;
    let routed = json!({
        "region": region,
        "berth": berth.map(|IntegerIn(berth)| berth),
        "urgent": urgent.unwrap_or(false),
        "mark": container.and_then(|container| container.mark),
        "note": note,
    });
    result::push_mirrored(out, &routed.to_string());
    Ok(Disposition::Answer)
}
