//! Values with variables, in each client's syntax and in that of `manila.toml`.

/// A part of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Plain(String),
    /// An environment variable.
    Variable(String),
    /// An environment variable with a default, as Claude Code supports it.
    Defaulted {
        name: String,
        default: String,
    },
    /// A value that VS Code prompts the user for.
    Input(String),
    /// A variable that the client defines.
    Known(&'static ClientVariable),
    /// An unknown variable; it stays unchanged.
    Foreign(String),
    /// A secret, which must not be written.
    Secret(String),
}

/// A variable that a client defines, and its name in the environment.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ClientVariable {
    /// The client's name for it.
    client_name: &'static str,
    /// The name in the environment.
    pub(super) name: &'static str,
    /// What to set it to; `None` if every environment has it.
    pub(super) meaning: Option<&'static str>,
}

const CLIENT_VARIABLES: [ClientVariable; 5] = [
    ClientVariable { client_name: "userHome", name: "HOME", meaning: None },
    ClientVariable { client_name: "cwd", name: "PWD", meaning: None },
    ClientVariable {
        client_name: "workspaceFolder",
        name: "WORKSPACE_FOLDER",
        meaning: Some("the project's folder (was `${workspaceFolder}`)"),
    },
    ClientVariable {
        client_name: "workspaceRoot",
        name: "WORKSPACE_FOLDER",
        meaning: Some("the project's folder (was `${workspaceRoot}`)"),
    },
    ClientVariable {
        client_name: "workspaceFolderBasename",
        name: "WORKSPACE_FOLDER_BASENAME",
        meaning: Some("the name of the project's folder (was `${workspaceFolderBasename}`)"),
    },
];

/// Returns the environment names of all client variables.
pub(super) fn known_names() -> impl Iterator<Item = &'static str> {
    CLIENT_VARIABLES.iter().map(|known| known.name)
}

/// Parses a value in the clients' syntax.
pub(super) fn read(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some(end) = closing_brace(after) else { break };
        let (inside, after) = after.split_at(end);
        push_plain(&mut pieces, before);
        let piece = parse_reference(inside);
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

/// Adds plain text to a value.
pub(super) fn push_plain(pieces: &mut Vec<Piece>, text: &str) {
    match pieces.last_mut() {
        _ if text.is_empty() => {}
        Some(Piece::Plain(last)) => last.push_str(text),
        _ => pieces.push(Piece::Plain(text.to_owned())),
    }
}

/// Returns the position of the closing brace of a reference; a default may contain references.
fn closing_brace(text: &str) -> Option<usize> {
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

/// Parses the text between `${` and `}`.
fn parse_reference(inside: &str) -> Piece {
    if let Some(known) = CLIENT_VARIABLES.iter().find(|known| known.client_name == inside) {
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

/// Escapes plain text for `manila.toml`, where `$${` is a literal `${`.
pub(super) fn escape(text: &str) -> String {
    text.replace("${", "$${")
}

#[cfg(test)]
mod tests;
