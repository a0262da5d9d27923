//! The top level of the configuration: what holds for every server and tool that has no setting of
//! its own.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use manila::Contract;
use manila_files::{ConfigError, Key, Kind, key, values};

use super::File;
use super::redact::Hiding;
use super::tool::ToolSettings;
use super::upstream::Offered;
use super::value::{contract, set, shape};
use super::words::words;
use crate::protocol::era::Era;
use crate::protocol::presentation::{Placement, Preferences, Presentation, Shape, TextMode};

/// The keys at the top level.
pub(super) const KEYS: &[Key] = &[
    key(
        "contract",
        Kind::Shape,
        "the contract of all answers, unless a server, a tool or a request has another; `none` \
         passes them on as they come",
    ),
    key(
        "speaks",
        Kind::Contract,
        "the contract in which the server answers already, where its answers do not show it: \
         `machine-readable-v1` has no mark",
    ),
    key(
        "placement",
        Kind::Words(PlacementWord::WORDS),
        "where the envelope goes in a result: `structured` (as `structuredContent`, and as the \
         first text block), or `text` (as the first text block only)",
    ),
    key(
        "timeout",
        Kind::Time,
        "how long a call may take without a sign of life, e.g. `\"30s\"`; 60s by default",
    ),
    key(
        "output_check",
        Kind::Words(OutputCheckWord::WORDS),
        "what becomes of an answer that does not fit its tool's own `outputSchema`: `warn` passes \
         it on with the warning `OUTPUT_SCHEMA_MISMATCH`, which is what happens otherwise; \
         `strict` makes it a failure, `INVALID_TOOL_OUTPUT`, without the answer; `off` checks \
         nothing, and advertises the envelope's schema without the tool's own",
    ),
];

/// How a gateway works.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Settings {
    /// What the names of this server begin with, where it is one of several.
    pub name: Option<String>,
    /// Whether it is started when it is needed for the first time, and not before.
    pub is_lazy: bool,
    /// What becomes of results whose caller does not say it.
    pub shape: Shape,
    /// Whether results of `machine-readable-v1` are plain text where their caller does not ask for
    /// an envelope (M11). A contract of a single tool's is always meant so.
    pub is_plain: bool,
    /// What of its tools is offered.
    pub offered: Offered,
    /// What is other for single tools, by the names that clients know.
    pub tools: Arc<BTreeMap<String, ToolSettings>>,
    /// The contract in which the server answers already, where its answers do not show it.
    pub speaks: Option<Contract>,
    /// Where the envelope goes.
    pub placement: Placement,
    /// What becomes of answers that are not what their tools promise.
    pub output_check: OutputCheck,
    /// How secrets are hidden.
    pub hiding: Arc<Hiding>,
    /// How long a call may take without a sign of life.
    pub timeout: Duration,
    /// How long the server may take to answer `initialize`: it may have to be fetched first.
    pub start_timeout: Duration,
    /// The largest message that is read, from either side.
    pub frame_bytes_max: usize,
    /// How many requests of a client may be open.
    pub in_flight_max: usize,
    /// How many bytes they may have together.
    pub in_flight_bytes_max: usize,
    /// How much may wait in each queue.
    pub queue_bytes_max: usize,
    /// How long open calls have to end when we stop.
    pub grace: Duration,
    /// How long the server has to end when its input is closed, and again when it is asked to.
    /// Clients lose patience after two seconds.
    pub server_grace: Duration,
}

impl Settings {
    /// How results of a tool, as clients know it, are presented to a caller of this era with these
    /// preferences.
    pub(crate) fn presentation(&self, tool: &str, prefers: Preferences, era: Era) -> Presentation {
        Presentation {
            shape: self.shape_for(tool, prefers.shape),
            placement: self.placement_for(tool, self.placement.for_era(era)),
            text: prefers.text.unwrap_or_else(|| self.text_mode_for(tool, prefers.shape)),
            media: prefers.media,
            era,
        }
    }

    /// The shape of results of a tool whose caller asks for this one, or for none.
    pub(crate) fn shape_for(&self, tool: &str, asked: Option<Shape>) -> Shape {
        asked.or_else(|| self.tools.get(tool)?.shape).unwrap_or(self.shape)
    }

    /// Where the envelopes of a tool go, for clients that can be given this placement.
    pub(crate) fn placement_for(&self, tool: &str, possible: Placement) -> Placement {
        let own = self.tools.get(tool).and_then(|tool| tool.placement);
        match (possible, own) {
            (Placement::Structured, Some(own)) => own,
            (possible, _) => possible,
        }
    }

    /// What text the results of a tool are, for callers that ask for this shape, or for none, and
    /// say nothing about text.
    pub(crate) fn text_mode_for(&self, tool: &str, asked: Option<Shape>) -> TextMode {
        if asked.is_none() && self.is_plain_for(tool) {
            TextMode::Plain
        } else {
            TextMode::Envelope
        }
    }

    /// Whether results of a tool are plain text where their caller does not ask for an envelope
    /// (M11).
    fn is_plain_for(&self, tool: &str) -> bool {
        let readable = Shape::Contract(Contract::MachineReadableV1);
        match self.tools.get(tool).and_then(|tool| tool.shape) {
            Some(own) => own == readable,
            None => self.is_plain && self.shape == readable,
        }
    }

    /// What becomes of answers of a tool, as clients know it, that are not what it promises.
    pub(crate) fn output_check_of(&self, tool: &str) -> OutputCheck {
        self.tools.get(tool).and_then(|tool| tool.output_check).unwrap_or(self.output_check)
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            name: None,
            is_lazy: false,
            is_plain: false,
            shape: Shape::Contract(Contract::default()),
            offered: Offered::default(),
            tools: Arc::default(),
            speaks: None,
            placement: Placement::Structured,
            output_check: OutputCheck::default(),
            hiding: Arc::default(),
            timeout: Duration::from_secs(60),
            start_timeout: Duration::from_secs(60),
            frame_bytes_max: 64 * 1024 * 1024,
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
        settings.shape = shape(text, id)?;
    }
    settings.speaks = file.speaks.as_ref().map(|id| contract(text, id)).transpose()?;
    settings.placement = file.placement.map_or(settings.placement, Placement::from);
    settings.output_check = file.output_check.map_or(settings.output_check, OutputCheck::from);
    set(text, file.timeout.as_ref(), &mut settings.timeout, values::duration)?;
    Ok(settings)
}

words! {
    PlacementWord {
        Structured = "structured",
        Text = "text",
    }
}

impl From<PlacementWord> for Placement {
    fn from(word: PlacementWord) -> Placement {
        match word {
            PlacementWord::Structured => Placement::Structured,
            PlacementWord::Text => Placement::Text,
        }
    }
}

/// What becomes of an answer that does not fit its tool's own `outputSchema`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OutputCheck {
    /// It is a failure, `INVALID_TOOL_OUTPUT`.
    Strict,
    /// It goes on, with the warning `OUTPUT_SCHEMA_MISMATCH`.
    #[default]
    Warn,
    /// It is not checked, so the schema of the tool is not advertised either.
    Off,
}

words! {
    OutputCheckWord {
        Strict = "strict",
        Warn = "warn",
        Off = "off",
    }
}

impl From<OutputCheckWord> for OutputCheck {
    fn from(word: OutputCheckWord) -> OutputCheck {
        match word {
            OutputCheckWord::Strict => OutputCheck::Strict,
            OutputCheckWord::Warn => OutputCheck::Warn,
            OutputCheckWord::Off => OutputCheck::Off,
        }
    }
}

#[cfg(test)]
mod tests;
