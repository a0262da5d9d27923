//! An MCP `CallToolResult`, parsed in one pass.

use bytes::Bytes;

use crate::raw_json::{JsonObject, Kind, RawJson, ReadError, Reader};

/// An MCP `CallToolResult`.
///
/// It is foreign data: unknown members are kept. A member that breaks MCP's rules makes the result
/// an invalid response of the tool, not a parse error.
#[derive(Debug, Clone, PartialEq)]
pub struct McpResult {
    pub(crate) structured: Option<RawJson>,
    pub(crate) is_error: bool,
    pub(crate) parts: Vec<Part>,
    pub(crate) broken: Option<BrokenRule>,
    state: State,
    meta: Option<RawJson>,
    /// The original JSON.
    pub(crate) raw: RawJson,
}

/// The state of the call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct State {
    /// Whether `resultType` announces that more will follow.
    is_interim: bool,
    has_task: bool,
    has_content: bool,
}

/// One block of `content`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    /// A text block's string token.
    Text(RawJson),
    /// Any other block; `index` is its place in the content that Manila writes.
    Media { block: RawJson, index: u64 },
}

/// The place where a result breaks MCP's rules, and the rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BrokenRule {
    pub(crate) pointer: String,
    pub(crate) rule: &'static str,
}

impl McpResult {
    /// Parses a result. Fails only if the input is not a JSON object.
    ///
    /// ```
    /// use manila::{Context, Contract, McpResult, Observation, Observed};
    ///
    /// let result = McpResult::from_json(r#"{"content": [{"type": "text", "text": "hi"}]}"#)?;
    /// let reply = Observation::new(Observed::Mcp(result))
    ///     .seal(Contract::McpEnvelopeV01, &Context::new([0; 16]));
    /// assert_eq!(
    ///     reply.envelope.to_string(),
    ///     r#"{"schema_version":"mcp.envelope.v0.1","result":"hi"}"#,
    /// );
    /// # Ok::<(), manila::ReadError>(())
    /// ```
    pub fn from_json(json: impl Into<Bytes>) -> Result<McpResult, ReadError> {
        Reader::payload_document(&json.into(), McpResult::read)
    }

    /// Creates a result from JSON that was parsed as part of a message.
    #[must_use]
    pub fn from_object(object: &JsonObject) -> McpResult {
        McpResult::of(object.as_raw())
    }

    /// Returns the result's `_meta`.
    #[must_use]
    pub fn meta(&self) -> Option<&RawJson> {
        self.meta.as_ref()
    }

    /// Returns whether `resultType` announces that more will follow, such as `input_required`. Only
    /// the modern era has this member.
    #[must_use]
    pub fn is_interim(&self) -> bool {
        self.state.is_interim
    }

    /// Returns whether this is only the handle of a task that the server has started, without
    /// content of its own.
    #[must_use]
    pub fn is_task_handle(&self) -> bool {
        let State { has_task, has_content, .. } = self.state;
        has_task && !has_content && self.structured.is_none()
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<McpResult, ReadError> {
        let ((), raw) = reader.with_raw(|reader| {
            // Rejects JSON that is not an object.
            reader.members(|reader, _| reader.raw().map(drop))
        })?;
        Ok(McpResult::of(&raw))
    }

    /// Parses an object whose syntax has already been checked.
    fn of(raw: &RawJson) -> McpResult {
        let mut result = McpResult {
            structured: None,
            is_error: false,
            parts: Vec::new(),
            broken: None,
            state: State::default(),
            meta: None,
            raw: raw.clone(),
        };
        for member in raw.members() {
            let value = member.value();
            result.read_member(&member.key(), value);
        }
        result
    }

    fn read_member(&mut self, key: &str, value: RawJson) {
        self.state.has_content |= key == "content";
        match key {
            "structuredContent" => self.structured = Some(value).filter(|it| !it.is_null()),
            "isError" => match value.as_bytes() {
                b"true" => self.is_error = true,
                b"false" | b"null" => self.is_error = false,
                _ => self.mark_broken("/isError".to_owned(), "must be a boolean"),
            },
            "content" if value.kind() == Kind::Array => self.read_content(&value),
            "content" => self.mark_broken("/content".to_owned(), "must be an array"),
            "_meta" => self.meta = Some(value),
            "task" => self.state.has_task = true,
            "resultType" => {
                self.state.is_interim = value.as_text().is_some_and(|kind| kind != "complete");
            }
            _ => {}
        }
    }

    fn read_content(&mut self, content: &RawJson) {
        self.parts.clear();
        // The envelope is the first block that Manila writes.
        let mut media_index = 1;
        for (place, raw) in content.items().enumerate() {
            let block = Block::of(&raw);
            match (block.kind.as_deref(), block.text) {
                (Some("text"), Some(text)) => self.parts.push(Part::Text(text)),
                (Some("text"), None) => {
                    self.mark_broken(format!("/content/{place}/text"), "must be a string");
                }
                (Some(_), _) => {
                    self.parts.push(Part::Media { block: raw, index: media_index });
                    media_index += 1;
                }
                (None, _) => self.mark_broken(format!("/content/{place}/type"), "must be a string"),
            }
        }
    }

    /// Records the first broken rule only.
    fn mark_broken(&mut self, pointer: String, rule: &'static str) {
        self.broken.get_or_insert(BrokenRule { pointer, rule });
    }
}

/// The members that decide how a block is used.
#[derive(Default)]
struct Block {
    kind: Option<String>,
    text: Option<RawJson>,
}

impl Block {
    fn of(raw: &RawJson) -> Block {
        let mut block = Block::default();
        // A value that is not an object has no members.
        for member in raw.members() {
            if member.is("type") {
                block.kind = member.value().as_text().map(std::borrow::Cow::into_owned);
            } else if member.is("text") {
                block.text = Some(member.value()).filter(|value| value.kind() == Kind::String);
            }
        }
        block
    }
}
