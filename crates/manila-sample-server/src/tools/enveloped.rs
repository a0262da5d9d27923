//! The tool `enveloped`, whose result already is an envelope of a chosen contract.

use serde::Deserialize;

use super::super::disposition::{Disposition, HandlerError};
use super::super::result;
use super::{Call, Tool};

pub(super) const ENVELOPED: Tool = Tool {
    name: "enveloped",
    title: "Already in an envelope",
    description: "Returns an envelope of the contract you choose, or one that breaks its \
                  contract. Shows whether a gateway reads envelopes or wraps them again.",
    input_schema: r#"{
        "type": "object",
        "properties": {
            "contract": {
                "type": "string",
                "enum": ["envelope-v1", "response-v2", "machine-readable-v1",
                    "mcp.envelope.v0.1", "broken", "nested"],
                "description": "The contract of the envelope."
            }
        },
        "required": ["contract"],
        "additionalProperties": false
    }"#,
    output_schema: None,
    meta: None,
    handler: enveloped,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EnvelopedArguments {
    contract: Which,
}

#[derive(Deserialize)]
enum Which {
    #[serde(rename = "envelope-v1")]
    EnvelopeV1,
    #[serde(rename = "response-v2")]
    ResponseV2,
    #[serde(rename = "machine-readable-v1")]
    MachineReadableV1,
    #[serde(rename = "mcp.envelope.v0.1")]
    McpEnvelopeV01,
    #[serde(rename = "broken")]
    Broken,
    #[serde(rename = "nested")]
    Nested,
}

fn enveloped(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    let EnvelopedArguments { contract } = call.arguments()?;
    let envelope = match contract {
        Which::EnvelopeV1 => {
            r#"{"tier":"pro","tool_version":"2.1.0","tool_id":"tide_table","request_id":"tide-7","capabilities":["envelope-v1","forecast"],"duration_ms":12,"error":null,"upgrade_hints":[],"data":{"high_m":4.20}}"#
        }
        Which::ResponseV2 => {
            r#"{"success":true,"data":{"high_m":4.20},"error":null,"meta":{"version":"response-v2","request_id":"tide-7","warnings":["gauge was silent"],"station":"Kobe"}}"#
        }
        Which::MachineReadableV1 => {
            r#"{"success":false,"errors":[{"code":"NU1101","message":"Unable to find package Tides","category":"Package","rawOutput":"error NU1101: Unable to find package Tides","mcpErrorCode":-32002,"data":{"exitCode":1}}],"exitCode":1}"#
        }
        Which::McpEnvelopeV01 => {
            r#"{"schema_version":"mcp.envelope.v0.1","meta":{"adapter":"harbour"},"result":{"high_m":4.20},"provenance":null}"#
        }
        Which::Broken => {
            r#"{"schema_version":"mcp.envelope.v0.1","result":{"high_m":4.20},"extra":1}"#
        }
        Which::Nested => {
            r#"{"schema_version":"mcp.envelope.v0.1","result":{"schema_version":"mcp.envelope.v0.1","result":4.20}}"#
        }
    };
    result::push_mirrored(out, envelope);
    Ok(Disposition::Answer)
}
