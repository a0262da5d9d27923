use super::{Piece, read};

/// Checks how a value is parsed; `expected` has variables in `<>`, with their kinds.
#[track_caller]
fn check(text: &str, expected: &str) {
    let shown = |piece: &Piece| match piece {
        Piece::Plain(text) => text.clone(),
        Piece::Variable(name) => format!("<{name}>"),
        Piece::Defaulted { name, default } => format!("<{name} or {default}>"),
        Piece::Input(id) => format!("<input {id}>"),
        Piece::Known(known) => format!("<known {}>", known.name),
        Piece::Foreign(text) => format!("<foreign {text}>"),
        Piece::Secret(_) => "<secret>".to_owned(),
    };
    assert_eq!(read(text).iter().map(shown).collect::<String>(), expected, "{text}");
}

#[test]
fn parses_the_syntax_of_each_client() {
    check("plain", "plain");
    check("Bearer ${env:TOKEN}", "Bearer <TOKEN>");
    check("${env:ProgramFiles(x86)}\\node", "<ProgramFiles(x86)>\\node");
    check("${TOKEN}${OTHER}", "<TOKEN><OTHER>");
    check("${HOST:-localhost}:${PORT:-80}", "<HOST or localhost>:<PORT or 80>");
    check("${A:-${B:-c}}/d", "<A or ${B:-c}>/d");
    check("${A:-}", "<A or >");
    check("${input:api-key}", "<input api-key>");
    check("${userHome}/x", "<known HOME>/x");
    check("${workspaceFolder}", "<known WORKSPACE_FOLDER>");
}

#[test]
fn keeps_text_that_is_not_a_variable() {
    check("$HOME and $5 {x} ${", "$HOME and $5 {x} ${");
    check("${open", "${open");
    check("${config:editor.x}", "<foreign ${config:editor.x}>");
    check("${1}${}", "<foreign ${1}><foreign ${}>");
    check("${env:}", "<foreign ${env:}>");
    check(
        &format!("a${{/}}b{}", "${pathSeparator}"),
        &"a/b/".replace('/', std::path::MAIN_SEPARATOR_STR),
    );
}
