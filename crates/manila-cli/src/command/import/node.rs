//! A value of the configuration with its place, so that what is wrong can be told with it.

use std::collections::BTreeSet;

use bytes::Bytes;
use manila::RawJson;
use manila::json::Kind;

/// What is wrong in a configuration.
#[derive(Debug)]
pub(super) struct Wrong {
    pub(super) message: String,
    pub(super) hint: String,
}

/// A value and its place.
#[derive(Clone)]
pub(super) struct Node {
    document: Bytes,
    value: RawJson,
    pointer: String,
}

impl Node {
    /// Reads a document.
    pub(super) fn document(text: Vec<u8>) -> Result<Node, Wrong> {
        let document = Bytes::from(text);
        let value = RawJson::parse(document.clone())
            .map_err(|error| Wrong { message: error.to_string(), hint: error.hint().to_owned() })?;
        Ok(Node { document, value, pointer: String::new() })
    }

    pub(super) fn kind(&self) -> Kind {
        self.value.kind()
    }

    /// Whether the value is written in the same way, white space aside.
    pub(super) fn is_same(&self, other: &Node) -> bool {
        self.value.compact() == other.value.compact()
    }

    /// The members of an object, in order, each name once.
    pub(super) fn members(&self) -> Result<Vec<(String, Node)>, Wrong> {
        self.must_be(Kind::Object)?;
        let mut members = Vec::new();
        let mut names = BTreeSet::new();
        for member in self.value.members() {
            let value = member.value();
            let name = self.below(value.clone(), &member.key()).exact(member.key_token())?;
            let node = self.below(value, &name);
            if !names.insert(name.clone()) {
                let message = "a member of this name is there already";
                return Err(node
                    .wrong(message, "remove one of them; clients differ in which one they take"));
            }
            members.push((name, node));
        }
        Ok(members)
    }

    /// The member of this name, if this is an object that has it.
    pub(super) fn get(&self, name: &str) -> Option<Node> {
        self.value.get(name).map(|value| self.below(value, name))
    }

    /// The items of an array.
    pub(super) fn items(&self) -> Result<Vec<Node>, Wrong> {
        self.must_be(Kind::Array)?;
        let items = self.value.items().enumerate();
        Ok(items.map(|(n, item)| self.below(item, &n.to_string())).collect())
    }

    /// The text of a string.
    pub(super) fn text(&self) -> Result<String, Wrong> {
        self.must_be(Kind::String)?;
        self.exact(self.value.as_bytes())
    }

    pub(super) fn boolean(&self) -> Result<bool, Wrong> {
        self.must_be(Kind::Bool)?;
        Ok(self.value.as_bytes() == b"true")
    }

    /// The value as it is written.
    pub(super) fn as_written(&self) -> String {
        self.value.to_string()
    }

    /// What is wrong with this value.
    pub(super) fn wrong(&self, message: &str, hint: &str) -> Wrong {
        let (line, column) = self.position();
        let pointer = if self.pointer.is_empty() { "the document" } else { &self.pointer };
        Wrong {
            message: format!("{pointer}: {message} (line {line}, column {column})"),
            hint: hint.to_owned(),
        }
    }

    /// Refuses every kind but this one.
    pub(super) fn must_be(&self, kind: Kind) -> Result<(), Wrong> {
        if self.kind() == kind {
            return Ok(());
        }
        let (wanted, found) = (kind.name(), self.kind().name());
        let hint = match kind {
            Kind::String => "put it into double quotes",
            Kind::Array => "write it as [\"...\", \"...\"]",
            Kind::Object => "write it as {\"name\": ...}",
            Kind::Number | Kind::Bool | Kind::Null => "write it without quotes",
        };
        Err(self.wrong(&format!("must be {wanted}, but is {found}"), hint))
    }

    fn below(&self, value: RawJson, name: &str) -> Node {
        let name = name.replace('~', "~0").replace('/', "~1");
        Node { document: self.document.clone(), value, pointer: format!("{}/{name}", self.pointer) }
    }

    /// The text of a string token. Half of a surrogate pair is no text, and would be lost.
    fn exact(&self, token: &[u8]) -> Result<String, Wrong> {
        serde_json::from_slice(token).map_err(|_| {
            let message = "holds half of a surrogate pair, which is no character";
            self.wrong(message, "write the character itself instead of `\\u` escapes")
        })
    }

    /// Line and column, from 1.
    fn position(&self) -> (usize, usize) {
        // A value is a part of its document, so its address says where.
        let start = self.value.as_bytes().as_ptr().addr();
        let offset = start.saturating_sub(self.document.as_ptr().addr());
        let before = self.document.get(..offset).unwrap_or_default();
        let before = String::from_utf8_lossy(before);
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        (before.matches('\n').count() + 1, column)
    }
}
