//! The value of a parameter.

/// A value that has been checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// A text, or a path.
    Text(String),
    /// An integer.
    Number(i64),
    /// `true` or `false`.
    Flag(bool),
    /// A list of texts.
    Texts(Vec<String>),
}

impl Value {
    /// Returns the number of items, if this is a list.
    pub(super) fn n_items(&self) -> Option<usize> {
        match self {
            Value::Texts(texts) => Some(texts.len()),
            Value::Text(_) | Value::Number(_) | Value::Flag(_) => None,
        }
    }

    /// Returns the value as a word of a command line, or item `n` of a list.
    pub(super) fn word(&self, n: usize) -> String {
        match self {
            Value::Text(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Flag(flag) => flag.to_string(),
            Value::Texts(texts) => texts.get(n).cloned().unwrap_or_default(),
        }
    }
}
