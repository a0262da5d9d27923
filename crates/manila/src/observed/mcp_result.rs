//! An MCP `CallToolResult`, taken apart in one pass.

use bytes::Bytes;

use crate::raw_json::{JsonObject, Kind, RawJson, ReadError, Reader};

/// An MCP `CallToolResult`.
///
/// It is foreign: members that are not known here are left alone, and one that is not what
/// MCP says makes the result an invalid answer of the tool, not an error of the reader.
#[derive(Debug, Clone, PartialEq)]
pub struct McpResult {
    pub(crate) structured: Option<RawJson>,
    pub(crate) is_error: bool,
    pub(crate) parts: Vec<Part>,
    pub(crate) broken: Option<Broken>,
    stage: Stage,
    meta: Option<RawJson>,
    /// The result as it came.
    pub(crate) raw: RawJson,
}

/// How far the call has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Stage {
    /// `resultType` says that there is more to come.
    is_unfinished: bool,
    has_task: bool,
    has_content: bool,
}

/// One block of `content`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    /// A text block's string token.
    Text(RawJson),
    /// Any other block; `index` is its place in the content that we will write.
    Media { block: RawJson, index: u64 },
}

/// Where a result is not what MCP says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Broken {
    pub(crate) pointer: String,
    pub(crate) rule: &'static str,
}

impl McpResult {
    /// Reads a result. Fails only if it is no JSON object at all.
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

    /// Takes a result apart that has been read with the message around it.
    #[must_use]
    pub fn from_object(object: &JsonObject) -> McpResult {
        McpResult::of(object.as_raw())
    }

    /// What the server said beside the result, in its `_meta`.
    #[must_use]
    pub fn meta(&self) -> Option<&RawJson> {
        self.meta.as_ref()
    }

    /// Whether it is no result yet: the server asks back, or has begun a task.
    #[must_use]
    pub fn is_handle(&self) -> bool {
        let Stage { is_unfinished, has_task, has_content } = self.stage;
        is_unfinished || (has_task && !has_content)
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<McpResult, ReadError> {
        let ((), raw) = reader.with_raw(|reader| {
            // What is no object is refused.
            reader.members(|reader, _| reader.raw().map(drop))
        })?;
        Ok(McpResult::of(&raw))
    }

    /// Takes an object apart that has been checked, and is not checked again.
    fn of(raw: &RawJson) -> McpResult {
        let mut result = McpResult {
            structured: None,
            is_error: false,
            parts: Vec::new(),
            broken: None,
            stage: Stage::default(),
            meta: None,
            raw: raw.clone(),
        };
        for member in raw.members() {
            let value = member.value();
            result.take(&member.key(), value);
        }
        result
    }

    fn take(&mut self, key: &str, value: RawJson) {
        self.stage.has_content |= key == "content";
        match key {
            "structuredContent" => self.structured = Some(value).filter(|it| !it.is_null()),
            "isError" => match value.as_bytes() {
                b"true" => self.is_error = true,
                b"false" | b"null" => self.is_error = false,
                _ => self.breaks("/isError".to_owned(), "must be a boolean"),
            },
            "content" if value.kind() == Kind::Array => self.take_content(&value),
            "content" => self.breaks("/content".to_owned(), "must be an array"),
            "_meta" => self.meta = Some(value),
            "task" => self.stage.has_task = true,
            "resultType" => {
                self.stage.is_unfinished = value.as_text().is_some_and(|kind| kind != "complete");
            }
            _ => {}
        }
    }

    fn take_content(&mut self, content: &RawJson) {
        self.parts.clear();
        // The envelope is the first block of what we write.
        let mut media_index = 1;
        for (place, raw) in content.items().enumerate() {
            let block = Block::of(&raw);
            match (block.kind.as_deref(), block.text) {
                (Some("text"), Some(text)) => self.parts.push(Part::Text(text)),
                (Some("text"), None) => {
                    self.breaks(format!("/content/{place}/text"), "must be a string");
                }
                (Some(_), _) => {
                    self.parts.push(Part::Media { block: raw, index: media_index });
                    media_index += 1;
                }
                (None, _) => self.breaks(format!("/content/{place}/type"), "must be a string"),
            }
        }
    }

    /// The first rule that is broken is the one that is told.
    fn breaks(&mut self, pointer: String, rule: &'static str) {
        self.broken.get_or_insert(Broken { pointer, rule });
    }
}

/// What decides how a block is taken.
#[derive(Default)]
struct Block {
    kind: Option<String>,
    text: Option<RawJson>,
}

impl Block {
    fn of(raw: &RawJson) -> Block {
        let mut block = Block::default();
        // What is no object has no members.
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
