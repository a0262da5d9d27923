//! Finds secrets in text and in JSON: bytes in, edits out.
//!
//! A [`Redactor`] has a table of rules ([`rules`]) and says where in a text secrets stand, as a
//! list of [`Edit`]s: a range, and the rule that found it. It never copies the text; whoever
//! has edits applies them with [`apply`], and without any the text goes on as it is.
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
//! In JSON a secret is known by its key, too, and escapes hide nothing:
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

mod again;
mod boundary;
mod edit;
mod escapes;
mod fast;
mod find;
mod json;
mod naive;
mod redactor;
mod rules;
mod selection;
mod stream;
mod value;

pub use edit::{Edit, Form, MARK, Tally, apply};
pub use redactor::Redactor;
pub use rules::{Rule, rules};
pub use selection::{Extra, Options, UnusableRule};
pub use stream::{Found, Ready, Stream, places};

/// The examples of the crate's README are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests;
