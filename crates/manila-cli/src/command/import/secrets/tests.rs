use super::{mark, mark_header, mark_words};
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

/// Checks the last word of a command.
#[track_caller]
fn check_word(before: &str, word: &str, expected: &str) {
    let words: Vec<Template> = before.split(' ').chain([word]).map(read).collect();
    let marked = mark_words(&words);
    assert_eq!(
        marked.last().map(|it| show(&it.value)).as_deref(),
        Some(expected),
        "{before} {word}"
    );
}

#[track_caller]
fn check_header(name: &str, value: &str, expected: &str) {
    assert_eq!(show(&mark_header(name, &read(value))), expected, "{name}: {value}");
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

#[test]
fn marks_passwords_after_options() {
    check_word("db-mcp -p", "hunter2x", "<secret>");
    check_word("db-mcp", "-pHunter2x", "-p<secret>");
    check_word("db-mcp", "-p=hunter2x", "-p=<secret>");
    check_word("db-mcp --db", "-phunter", "-phunter");
    check_word("npx -y db-mcp -p", "hunter2x", "<secret>");
    check_word("npx -y db-mcp --pw", "hunter2x", "<secret>");
    check_word("mysql -u root", "-phunter2x", "-p<secret>");
    check_word("redis-cli -a", "hunter2x", "<secret>");
    check_word("x -u", "me:hunter2x", "me:<secret>");
    check_word("x --user", "me:hunter2x", "me:<secret>");
    // Ports, versions, packages, files and paths are not passwords.
    for value in ["8080", "8080:80", "127.0.0.1:53:53/udp", "3.12", "./x", "/x", "@a/b", "a.json"] {
        check_word("x -p", value, value);
    }
    check_word("npx -y -p", "some-package", "some-package");
    check_word("cmd /c npx -p", "some-package", "some-package");
    check_word("docker run -u", "1000:1000", "1000:1000");
    check_word("docker run -u", "node:node", "node:node");
    check_word("x -p", "${PORT}", "<PORT>");
    check_word("x -p", "-v", "-v");
}

#[test]
fn marks_parameters_of_urls() {
    let url = "https://example.com/mcp";
    check("url", &format!("{url}?key=x7&v=1"), &format!("{url}?key=<secret>&v=1"));
    check("url", &format!("{url}?v=1&sig=x7#a"), &format!("{url}?v=1&sig=<secret>#a"));
    check("url", &format!("{url}?key=${{KEY}}&v=1"), &format!("{url}?key=<KEY>&v=1"));
    check("url", &format!("{url}?keys=a&v=1"), &format!("{url}?keys=a&v=1"));
    check("url", &format!("{url}/key=a"), &format!("{url}/key=a"));
    check_word("x --url", &format!("{url}?db_pw=x7"), &format!("{url}?db_pw=<secret>"));
    check("DB_URL", &format!("{url}?pw=x7"), &format!("{url}?pw=<secret>"));
}

#[test]
fn marks_headers_by_their_values() {
    check_header("X-Custom", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "<secret>");
    check_header("X-Custom", "mF9745f4", "<secret>");
    check_header("X-Custom", "Bearer mF9745f4", "Bearer <secret>");
    check_header("X-Custom", "mF9745f4 ${X}", "<secret>");
    check_header("X-Auth-Info", "abc", "<secret>");
    check_header("Cookie", "abc", "<secret>");
    for value in
        ["eu", "eu-west-1", "2022-06-28", "application/json; q=0.9", "Acme", "true", "v2.1"]
    {
        check_header("X-Custom", value, value);
    }
    check_header("User-Agent", "mF9745f4/1.0", "mF9745f4/1.0");
    check_header("X-Custom", "${X}", "<X>");
    check_word("x -H", "X-Custom: mF9745f4", "X-Custom: <secret>");
    check_word("x", "--header=X-Custom:mF9745f4", "--header=X-Custom:<secret>");
    check_word("x -H", "X-Custom: eu", "X-Custom: eu");
}
