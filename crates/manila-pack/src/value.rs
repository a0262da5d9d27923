//! What a caller gave for a parameter.

/// A value that was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// A text, or a path.
    Text(String),
    /// A whole number.
    Number(i64),
    /// `true` or `false`.
    Flag(bool),
    /// A list of texts.
    Texts(Vec<String>),
}

impl Value {
    /// How many words it is, where it is a list.
    pub(super) fn n_items(&self) -> Option<usize> {
        match self {
            Value::Texts(texts) => Some(texts.len()),
            Value::Text(_) | Value::Number(_) | Value::Flag(_) => None,
        }
    }

    /// The word that it is in a command line, or the nth of them.
    pub(super) fn word(&self, n: usize) -> String {
        match self {
            Value::Text(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Flag(flag) => flag.to_string(),
            Value::Texts(texts) => texts.get(n).cloned().unwrap_or_default(),
        }
    }
}
