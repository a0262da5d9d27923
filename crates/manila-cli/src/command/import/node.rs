//! A value of the client's configuration with its position, for error messages.

use std::collections::BTreeSet;

use bytes::Bytes;
use manila::json::Kind;
use manila::{Problem, RawJson, Syntax};

/// An error in a client's configuration.
#[derive(Debug)]
pub(super) struct ImportError {
    pub(super) message: String,
    pub(super) hint: String,
}

/// A value and its position.
#[derive(Clone)]
pub(super) struct Node {
    document: Bytes,
    value: RawJson,
    pointer: String,
}

impl Node {
    /// Parses a document.
    pub(super) fn document(text: Vec<u8>) -> Result<Node, ImportError> {
        let document = Bytes::from(text);
        let value = RawJson::parse(document.clone()).map_err(|error| ImportError {
            message: error.to_string(),
            // The usual hint mentions comments and trailing commas, which are allowed here.
            hint: match &error.problem {
                Problem::Syntax(Syntax::Expected(_) | Syntax::Escape | Syntax::Number) => {
                    "fix the JSON at this position".to_owned()
                }
                Problem::Syntax(_) | Problem::Rule { .. } | _ => error.hint().to_owned(),
            },
        })?;
        Ok(Node { document, value, pointer: String::new() })
    }

    pub(super) fn kind(&self) -> Kind {
        self.value.kind()
    }

    /// Returns whether both values have the same text, ignoring white space.
    pub(super) fn is_same(&self, other: &Node) -> bool {
        self.value.compact() == other.value.compact()
    }

    /// Returns the members of an object, in order; a duplicate name is an error.
    pub(super) fn members(&self) -> Result<Vec<(String, Node)>, ImportError> {
        self.must_be(Kind::Object)?;
        let mut members = Vec::new();
        let mut names = BTreeSet::new();
        for member in self.value.members() {
            let value = member.value();
            let name =
                self.below(value.clone(), &member.key()).decode_string(member.key_token())?;
            let node = self.below(value, &name);
            if !names.insert(name.clone()) {
                let message = "duplicate member name";
                return Err(
                    node.error(message, "remove one of them; clients differ in which one they use")
                );
            }
            members.push((name, node));
        }
        Ok(members)
    }

    /// Returns the member with this name, if this is an object that has it.
    pub(super) fn get(&self, name: &str) -> Option<Node> {
        self.value.get(name).map(|value| self.below(value, name))
    }

    /// Returns the items of an array.
    pub(super) fn items(&self) -> Result<Vec<Node>, ImportError> {
        self.must_be(Kind::Array)?;
        let items = self.value.items().enumerate();
        Ok(items.map(|(n, item)| self.below(item, &n.to_string())).collect())
    }

    /// Returns the text of a string.
    pub(super) fn text(&self) -> Result<String, ImportError> {
        self.must_be(Kind::String)?;
        self.decode_string(self.value.as_bytes())
    }

    pub(super) fn boolean(&self) -> Result<bool, ImportError> {
        self.must_be(Kind::Bool)?;
        Ok(self.value.as_bytes() == b"true")
    }

    /// Returns the value's JSON text.
    pub(super) fn as_written(&self) -> String {
        self.value.to_string()
    }

    /// Creates an error at this value.
    pub(super) fn error(&self, message: &str, hint: &str) -> ImportError {
        let (line, column) = self.position();
        let pointer = match self.pointer.as_str() {
            "" => String::new(),
            pointer => format!("{pointer}: "),
        };
        let message = format!("{pointer}{message} (line {line}, column {column})");
        ImportError { message, hint: hint.to_owned() }
    }

    /// Fails unless the value is of this kind.
    pub(super) fn must_be(&self, kind: Kind) -> Result<(), ImportError> {
        if self.kind() == kind {
            return Ok(());
        }
        let (expected, found) = (kind.name(), self.kind().name());
        let hint = match kind {
            Kind::String => "put it in double quotes",
            Kind::Array => "write it as [\"...\", \"...\"]",
            Kind::Object => "write it as an object, e.g. {\"command\": \"npx\"}",
            Kind::Number | Kind::Bool | Kind::Null => "write it without quotes",
        };
        Err(self.error(&format!("must be {expected}, but is {found}"), hint))
    }

    fn below(&self, value: RawJson, name: &str) -> Node {
        let name = name.replace('~', "~0").replace('/', "~1");
        Node { document: self.document.clone(), value, pointer: format!("{}/{name}", self.pointer) }
    }

    /// Decodes a string token. Fails on a lone surrogate, which would be lost.
    fn decode_string(&self, token: &[u8]) -> Result<String, ImportError> {
        serde_json::from_slice(token).map_err(|_| {
            let message = "contains a lone surrogate, which is not a character";
            self.error(message, "write the character itself instead of `\\u` escapes")
        })
    }

    /// Returns line and column, starting at 1.
    fn position(&self) -> (usize, usize) {
        // A value is a slice of its document, so its address gives its offset.
        let start = self.value.as_bytes().as_ptr().addr();
        let offset = start.saturating_sub(self.document.as_ptr().addr());
        let before = self.document.get(..offset).unwrap_or_default();
        let before = String::from_utf8_lossy(before);
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        (before.matches('\n').count() + 1, column)
    }
}
