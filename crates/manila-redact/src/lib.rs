//! Finds secrets in text and in JSON: bytes in, edits out.
//!
//! A [`Redactor`] has a table of rules ([`rules`]). It returns the secrets of a text as a list of
//! [`Edit`]s, each with a range and the rule that found it. It never copies the text: the caller
//! applies the edits with [`apply`], and uses the text unchanged if there are none.
//!
//! ```
//! use manila_redact::{Redactor, apply};
//!
//! let text = b"Server=localhost;Database=MyDb;User=admin;Password=SuperSecret123!";
//! let edits = Redactor::standard().text(text);
//! assert_eq!(
//!     apply(text, &edits),
//!     b"Server=localhost;Database=MyDb;User=admin;Password=[REDACTED]",
//! );
//! assert_eq!(edits[0].rule, "password");
//! ```
//!
//! In JSON, a key can also identify its value as a secret. Escaped characters are decoded first:
//!
//! ```
//! # use manila_redact::{Redactor, apply};
//! let json = br#"{"db": {"password": 12345678, "url": "x:\/\/me:hunter2\u0040host"}}"#;
//! assert_eq!(
//!     apply(json, &Redactor::standard().json(json)),
//!     br#"{"db": {"password": "[REDACTED]", "url": "x:\/\/me:[REDACTED]\u0040host"}}"#,
//! );
//! ```
#![forbid(unsafe_code)]

mod boundary;
mod cut;
mod edit;
mod escapes;
mod fast;
mod find;
mod json;
mod naive;
mod redactor;
mod rescan;
mod rules;
mod secret_name;
mod selection;
mod stream;
mod value;

pub use edit::{Edit, Form, REPLACEMENT, Tally, apply};
pub use redactor::Redactor;
pub use rules::{Rule, rules};
pub use secret_name::{is_secret_name, name_words};
pub use selection::{CustomRule, Options, OptionsError};
pub use stream::{LocatedFinding, RedactedChunk, Stream, locate};

/// Compiles the examples of the README as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests;
