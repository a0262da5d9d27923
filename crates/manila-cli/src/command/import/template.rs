//! A value in which variables stand: each client's spelling of them, and ours.

/// A part of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Plain(String),
    /// A variable of the environment.
    Variable(String),
    /// A variable that Claude Code gives a value where it is not set.
    Defaulted {
        name: String,
        default: String,
    },
    /// What VS Code asks its user for.
    Input(String),
    /// What the client knows by itself.
    Known(&'static Known),
    /// A variable of which we know nothing; it stays as it is written.
    Foreign(String),
    /// What must not be written down.
    Secret(String),
}

/// Something that a client fills in by itself, and its name in the environment.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Known {
    word: &'static str,
    pub(super) name: &'static str,
    /// What to set it to; `None` where every environment has it.
    pub(super) meaning: Option<&'static str>,
}

const KNOWN: [Known; 5] = [
    Known { word: "userHome", name: "HOME", meaning: None },
    Known { word: "cwd", name: "PWD", meaning: None },
    Known {
        word: "workspaceFolder",
        name: "WORKSPACE_FOLDER",
        meaning: Some("the folder of the project, which was `${workspaceFolder}`"),
    },
    Known {
        word: "workspaceRoot",
        name: "WORKSPACE_FOLDER",
        meaning: Some("the folder of the project, which was `${workspaceRoot}`"),
    },
    Known {
        word: "workspaceFolderBasename",
        name: "WORKSPACE_FOLDER_BASENAME",
        meaning: Some("the name of the project's folder, which was `${workspaceFolderBasename}`"),
    },
];

/// The names that clients' own words get.
pub(super) fn known_names() -> impl Iterator<Item = &'static str> {
    KNOWN.iter().map(|known| known.name)
}

/// Reads a value as clients write it.
pub(super) fn read(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some(end) = closing(after) else { break };
        let (inside, after) = after.split_at(end);
        push_plain(&mut pieces, before);
        let piece = reference(inside);
        if let Piece::Plain(text) = &piece {
            push_plain(&mut pieces, text);
        } else {
            pieces.push(piece);
        }
        rest = after.strip_prefix('}').unwrap_or(after);
    }
    push_plain(&mut pieces, rest);
    pieces
}

fn push_plain(pieces: &mut Vec<Piece>, text: &str) {
    match pieces.last_mut() {
        _ if text.is_empty() => {}
        Some(Piece::Plain(last)) => last.push_str(text),
        _ => pieces.push(Piece::Plain(text.to_owned())),
    }
}

/// Where the brace is that closes a reference; a default may hold others.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        match letter {
            '{' if before == '$' => depth += 1,
            '}' if depth == 0 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
        before = letter;
    }
    None
}

fn reference(inside: &str) -> Piece {
    if let Some(known) = KNOWN.iter().find(|known| known.word == inside) {
        return Piece::Known(known);
    }
    if let "/" | "pathSeparator" = inside {
        return Piece::Plain(std::path::MAIN_SEPARATOR_STR.to_owned());
    }
    if let Some(id) = inside.strip_prefix("input:") {
        return Piece::Input(id.to_owned());
    }
    // Windows has names such as `ProgramFiles(x86)`.
    let is_nameable = |name: &&str| !name.is_empty() && !name.contains(['{', '}', '$', '=', '\0']);
    if let Some(name) = inside.strip_prefix("env:").filter(is_nameable) {
        return Piece::Variable(name.to_owned());
    }
    match inside.split_once(":-") {
        Some((name, default)) if is_identifier(name) => {
            Piece::Defaulted { name: name.to_owned(), default: default.to_owned() }
        }
        None if is_identifier(inside) => Piece::Variable(inside.to_owned()),
        _ => Piece::Foreign(format!("${{{inside}}}")),
    }
}

fn is_identifier(name: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    !name.starts_with(|first: char| first.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(is_letter)
}

/// Plain text as `manila.toml` has it, where `${` stands for a variable unless `$` is before it.
pub(super) fn escaped(text: &str) -> String {
    text.replace("${", "$${")
}

#[cfg(test)]
mod tests;
