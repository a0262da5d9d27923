//! The top level of the configuration: the defaults for every server and tool.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use manila::Contract;
use manila_files::{ConfigError, Key, Kind, key, values};

use super::File;
use super::redact::RedactionPolicy;
use super::string_enum::string_enum;
use super::tool::ToolSettings;
use super::upstream::ToolFilter;
use super::value::{contract, result_format, set};
use crate::protocol::era::Era;
use crate::protocol::presentation::{
    NoneRequests, Placement, Preferences, Presentation, ResultFormat, TextMode,
};

/// The keys at the top level.
pub(super) const KEYS: &[Key] = &[
    key(
        "contract",
        Kind::ContractOrNone,
        "contract for all results, unless a server, a tool or a request sets another; `none` \
         forwards results without an envelope, with secrets redacted",
    ),
    key(
        "speaks",
        Kind::Contract,
        "contract that the server's results already follow, for contracts that cannot be \
         detected, such as `machine-readable-v1`",
    ),
    key(
        "placement",
        Kind::Enum(PlacementValue::NAMES),
        "where the envelope goes in a result: `structured` (in `structuredContent` and in the \
         first text block) or `text` (in the first text block only)",
    ),
    key(
        "timeout",
        Kind::Time,
        "how long a call may take without a response or progress notification, e.g. `\"30s\"`; \
         default 60s",
    ),
    key(
        "output_check",
        Kind::Enum(OutputCheckValue::NAMES),
        "what to do with a result that does not match its tool's `outputSchema`. `warn` (the \
         default) forwards it with the warning `OUTPUT_SCHEMA_MISMATCH`. `strict` replaces it with \
         the failure `INVALID_TOOL_OUTPUT`. `off` does not check, and advertises the envelope's \
         schema without the tool's own",
    ),
];

/// The settings of a gateway, or of one of its servers.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Settings {
    /// The prefix of this server's names, if it is one of several.
    pub name: Option<String>,
    /// Whether the gateway starts the server only when it is first needed.
    pub is_lazy: bool,
    /// The format of results whose caller requests none.
    pub format: ResultFormat,
    /// Whether callers may request results without an envelope.
    pub none_requests: NoneRequests,
    /// Whether `machine-readable-v1` results are plain text unless their caller requests an
    /// envelope (M11). This always applies to the contract of a single tool.
    pub is_plain: bool,
    /// The tools that are offered.
    pub tool_filter: ToolFilter,
    /// The settings for single tools, by the names that clients see.
    pub tools: Arc<BTreeMap<String, ToolSettings>>,
    /// The contract that the server's results already follow, if it cannot be detected.
    pub speaks: Option<Contract>,
    /// Where the envelope goes.
    pub placement: Placement,
    /// What to do with results that do not match their tool's `outputSchema`.
    pub output_check: OutputCheck,
    /// The redaction policy.
    pub redaction: Arc<RedactionPolicy>,
    /// How long a call may take without a response or progress notification.
    pub timeout: Duration,
    /// How long the server may take to complete the handshake. It may have to be downloaded first.
    pub start_timeout: Duration,
    /// The largest message accepted from a client or a server.
    pub message_bytes_max: usize,
    /// The maximum number of requests in flight, of all clients.
    pub in_flight_max: usize,
    /// The maximum total size of these requests.
    pub in_flight_bytes_max: usize,
    /// The maximum size of each queue.
    pub queue_bytes_max: usize,
    /// How long calls in flight may take to finish when the gateway stops.
    pub grace: Duration,
    /// How long the server may take to exit after its input is closed, and again after it is asked
    /// to terminate. Clients give up after two seconds.
    pub server_grace: Duration,
}

impl Settings {
    /// Returns how to present a tool's results to a caller of this era with these preferences.
    pub(crate) fn presentation(&self, tool: &str, prefers: Preferences, era: Era) -> Presentation {
        Presentation {
            format: self.format_for(tool, prefers.format),
            placement: self.placement_for(tool, self.placement.for_era(era)),
            text: prefers.text.unwrap_or_else(|| self.text_mode_for(tool, prefers.format)),
            media: prefers.media,
            era,
        }
    }

    /// Returns the format of a tool's results, given the format that the caller requests.
    pub(crate) fn format_for(&self, tool: &str, requested: Option<ResultFormat>) -> ResultFormat {
        requested.or_else(|| self.tools.get(tool)?.format).unwrap_or(self.format)
    }

    /// Returns where a tool's envelopes go, for clients that support this placement.
    pub(crate) fn placement_for(&self, tool: &str, supported: Placement) -> Placement {
        let configured = self.tools.get(tool).and_then(|tool| tool.placement);
        match (supported, configured) {
            (Placement::Structured, Some(configured)) => configured,
            (supported, _) => supported,
        }
    }

    /// Returns the text mode of a tool's results, for callers that request this format but no text
    /// mode.
    pub(crate) fn text_mode_for(&self, tool: &str, requested: Option<ResultFormat>) -> TextMode {
        if requested.is_none() && self.is_plain_for(tool) {
            TextMode::Plain
        } else {
            TextMode::Envelope
        }
    }

    /// Returns whether a tool's results are plain text unless their caller requests an envelope
    /// (M11).
    fn is_plain_for(&self, tool: &str) -> bool {
        let readable = ResultFormat::Contract(Contract::MachineReadableV1);
        match self.tools.get(tool).and_then(|tool| tool.format) {
            Some(format) => format == readable,
            None => self.is_plain && self.format == readable,
        }
    }

    /// Returns what to do with a tool's results that do not match its `outputSchema`.
    pub(crate) fn output_check_for(&self, tool: &str) -> OutputCheck {
        self.tools.get(tool).and_then(|tool| tool.output_check).unwrap_or(self.output_check)
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            name: None,
            is_lazy: false,
            is_plain: false,
            format: ResultFormat::Contract(Contract::default()),
            none_requests: NoneRequests::default(),
            tool_filter: ToolFilter::default(),
            tools: Arc::default(),
            speaks: None,
            placement: Placement::Structured,
            output_check: OutputCheck::default(),
            redaction: Arc::default(),
            timeout: Duration::from_secs(60),
            start_timeout: Duration::from_secs(60),
            message_bytes_max: 64 * 1024 * 1024,
            in_flight_max: 16_384,
            in_flight_bytes_max: 64 * 1024 * 1024,
            queue_bytes_max: 16 * 1024 * 1024,
            grace: Duration::from_secs(5),
            server_grace: Duration::from_millis(700),
        }
    }
}

/// Reads the keys at the top level.
pub(super) fn read(text: &str, file: &File) -> Result<Settings, ConfigError> {
    let mut settings = Settings { is_plain: true, ..Settings::default() };
    if let Some(id) = &file.contract {
        settings.format = result_format(text, id)?;
    }
    settings.speaks = file.speaks.as_ref().map(|id| contract(text, id)).transpose()?;
    settings.placement = file.placement.map_or(settings.placement, Placement::from);
    settings.output_check = file.output_check.map_or(settings.output_check, OutputCheck::from);
    set(text, file.timeout.as_ref(), &mut settings.timeout, values::duration)?;
    Ok(settings)
}

string_enum! {
    PlacementValue {
        Structured = "structured",
        Text = "text",
    }
}

impl From<PlacementValue> for Placement {
    fn from(value: PlacementValue) -> Placement {
        match value {
            PlacementValue::Structured => Placement::Structured,
            PlacementValue::Text => Placement::Text,
        }
    }
}

/// What to do with a result that does not match its tool's `outputSchema`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OutputCheck {
    /// Replace it with the failure `INVALID_TOOL_OUTPUT`.
    Strict,
    /// Forward it with the warning `OUTPUT_SCHEMA_MISMATCH`.
    #[default]
    Warn,
    /// Do not check it. The tool's own schema is not advertised either.
    Off,
}

string_enum! {
    OutputCheckValue {
        Strict = "strict",
        Warn = "warn",
        Off = "off",
    }
}

impl From<OutputCheckValue> for OutputCheck {
    fn from(value: OutputCheckValue) -> OutputCheck {
        match value {
            OutputCheckValue::Strict => OutputCheck::Strict,
            OutputCheckValue::Warn => OutputCheck::Warn,
            OutputCheckValue::Off => OutputCheck::Off,
        }
    }
}

#[cfg(test)]
mod tests;
