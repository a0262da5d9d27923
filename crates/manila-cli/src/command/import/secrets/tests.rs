use super::{is_secret_name, mark, mark_word};
use crate::command::import::server::Template;
use crate::command::import::template::{Piece, read};

fn show(value: &Template) -> String {
    let shown = |piece: &Piece| match piece {
        Piece::Plain(text) | Piece::Foreign(text) => text.clone(),
        Piece::Secret(_) => "<secret>".to_owned(),
        Piece::Variable(name) | Piece::Defaulted { name, .. } | Piece::Input(name) => {
            format!("<{name}>")
        }
        Piece::Known(known) => format!("<{}>", known.name),
    };
    value.iter().map(shown).collect()
}

#[track_caller]
fn check(label: &str, value: &str, expected: &str) {
    assert_eq!(show(&mark(Some(label), &read(value))), expected, "{label}: {value}");
}

#[track_caller]
fn check_word(before: &str, word: &str, expected: &str) {
    assert_eq!(show(&mark_word(Some(&read(before)), &read(word)).1), expected, "{before} {word}");
}

#[test]
fn recognises_names_of_secrets() {
    let secret = "GITHUB_TOKEN apiKey API_KEY --api-key X-Api-Key Authorization DB_PASSWORD \
                  CLIENT_SECRET_2 MY_SECRETS GITHUB_PAT ACCESSTOKEN sessionToken KEY OPENAI_APIKEY";
    for name in secret.split_whitespace() {
        assert!(is_secret_name(name), "{name}");
    }
    let public = "PATH HOME MAX_TOKENS KEYBOARD MONKEY KEY_FILE TOKEN_PATH URL PWD MODE ''";
    for name in public.split_whitespace() {
        assert!(!is_secret_name(name), "{name}");
    }
}

#[test]
fn marks_values_by_their_names() {
    check("API_KEY", "anything", "<secret>");
    check("API_KEY", "", "");
    check("API_KEY", "${API_KEY}", "<API_KEY>");
    check("API_KEY", "half-${OTHER}", "<secret>");
    check("Authorization", "Bearer abc", "Bearer <secret>");
    check("Authorization", "Bearer ${input:token}", "Bearer <token>");
    check("Authorization", "abc", "<secret>");
    check("BASIC_PASSWORD", "${USER}:${PASSWORD}", "<USER>:<PASSWORD>");
    check("USE_TOKEN", "true", "true");
}

#[test]
fn marks_values_by_the_rules() {
    check("DATABASE_URL", "postgres://me:hunter2x@host/db", "postgres://me:<secret>@host/db");
    check("NOTE", concat!("gh", "p_", "16C7e42F292c6912E7710c838347Ae178B4a"), "<secret>");
    check("NOTE", "nothing here", "nothing here");
    check("HEADERS", "MY_TOKEN: abc", "MY_TOKEN: <secret>");
    check(
        "OPENAPI_MCP_HEADERS",
        r#"{"Authorization": "Bearer ntn-abc123def456", "Version": "2022-06-28"}"#,
        r#"{"Authorization": "Bearer <secret>", "Version": "2022-06-28"}"#,
    );
    check("NOTE", "say [REDACTED] and postgres://me:hunter2x@host/db", "<secret>");
}

#[test]
fn marks_words_of_a_command() {
    check_word("--api-key", "abc123", "<secret>");
    check_word("--api-key", "--other", "--other");
    check_word("run", "--token=abc123", "--token=<secret>");
    check_word("-e", "API_KEY=abc123", "API_KEY=<secret>");
    check_word("run", "--env=API_KEY=abc123", "--env=API_KEY=<secret>");
    check_word("run", "--header=Authorization: abc", "--header=Authorization: <secret>");
    check_word("-e", "API_KEY", "API_KEY");
    check_word("-e", "API_KEY=${API_KEY}", "API_KEY=<API_KEY>");
    check_word("--header", "Authorization: Bearer abc", "Authorization: Bearer <secret>");
    check_word("--header", "Authorization:${AUTH}", "Authorization:<AUTH>");
    check_word("-y", "@scope/server@1.2", "@scope/server@1.2");
    check_word("--url", "https://u:hunter2x@host/?a=b", "https://u:<secret>@host/?a=b");
}
