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
    /// The result as it came.
    pub(crate) raw: RawJson,
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

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<McpResult, ReadError> {
        let raw = reader.raw_of(Kind::Object)?;
        Ok(McpResult::of(raw))
    }

    /// Takes a result apart that has been checked with the message around it.
    #[must_use]
    pub fn from_object(object: JsonObject) -> McpResult {
        McpResult::of(object.into())
    }

    fn of(raw: RawJson) -> McpResult {
        let mut result =
            McpResult { structured: None, is_error: false, parts: Vec::new(), broken: None, raw };
        let raw = result.raw.clone();
        for member in raw.members() {
            match member.key().as_ref() {
                "structuredContent" => {
                    result.structured = Some(member.value()).filter(|value| !value.is_null());
                }
                "isError" => match member.value().as_bytes() {
                    b"true" => result.is_error = true,
                    b"false" | b"null" => result.is_error = false,
                    _ => result.breaks("/isError".to_owned(), "must be a boolean"),
                },
                "content" if member.value().kind() == Kind::Array => {
                    result.take_content(&member.value());
                }
                "content" => result.breaks("/content".to_owned(), "must be an array"),
                _ => {}
            }
        }
        result
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
        for member in raw.members() {
            match member.key().as_ref() {
                "type" => {
                    block.kind = member.value().as_text().map(std::borrow::Cow::into_owned);
                }
                "text" => {
                    block.text = Some(member.value()).filter(|value| value.kind() == Kind::String);
                }
                _ => {}
            }
        }
        block
    }
}
