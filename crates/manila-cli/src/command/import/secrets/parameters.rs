//! Marks the secrets in the parameters of URLs: `?key=…`

use manila_redact::is_secret_name;

use super::mark_by_name;
use crate::command::import::server::Template;
use crate::command::import::template::{Piece, push_plain};

/// Names of parameters that mark a secret, in addition to those of other values.
const NAMES: [&str; 5] = ["auth", "sig", "signature", "session", "sid"];

/// The characters that end a parameter.
const ENDS: [char; 4] = ['?', '&', ';', '#'];

/// Marks the secret parameters in a value.
pub(super) fn mark_parameters(value: &Template) -> Template {
    let mut pieces = Vec::new();
    let mut is_query = false;
    for piece in value {
        match piece {
            Piece::Plain(text) => mark_in_text(text, &mut is_query, &mut pieces),
            Piece::Foreign(_)
            | Piece::Variable(_)
            | Piece::Defaulted { .. }
            | Piece::Input(_)
            | Piece::Known(_)
            | Piece::Secret(_) => pieces.push(piece.clone()),
        }
    }
    pieces
}

fn mark_in_text(text: &str, is_query: &mut bool, pieces: &mut Template) {
    for part in text.split_inclusive(ENDS) {
        let parameter = part.trim_end_matches(ENDS);
        let (_, end) = part.split_at(parameter.len());
        match parameter.split_once('=').filter(|_| *is_query) {
            Some((name, secret)) if is_secret_parameter(name) && !secret.is_empty() => {
                push_plain(pieces, &format!("{name}="));
                pieces.extend(mark_by_name(&vec![Piece::Plain(secret.to_owned())]));
                push_plain(pieces, end);
            }
            _ => push_plain(pieces, part),
        }
        *is_query |= end == "?";
    }
}

fn is_secret_parameter(name: &str) -> bool {
    is_secret_name(name) || NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
}
