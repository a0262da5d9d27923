use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Secrets, translate};

/// Translates a configuration, and returns the parsed upstreams and the notes.
#[track_caller]
fn upstreams(config: &Value, secrets: Secrets) -> (toml::Table, Vec<String>) {
    let translated = translate(config.to_string().as_bytes(), "x.json", secrets).unwrap();
    let read: toml::Table = toml::from_str(&translated.toml)
        .unwrap_or_else(|error| panic!("{error}\n{}", translated.toml));
    let upstreams = read.get("upstream").and_then(toml::Value::as_table);
    (upstreams.cloned().unwrap_or_default(), translated.notes)
}

/// Unescapes a text of `manila.toml` that has no variables.
fn unescape(value: &toml::Value) -> String {
    value.as_str().unwrap().replace("$${", "${")
}

fn unescape_table(value: Option<&toml::Value>) -> BTreeMap<String, String> {
    let members = value.and_then(toml::Value::as_table).into_iter().flatten();
    members.map(|(name, value)| (name.clone(), unescape(value))).collect()
}

/// Text without variables: a `${` is never closed.
const TEXT: &str = "(?s)[^}]{0,20}|\\$?\\$\\{[a-z]{0,3}|[\"\\\\\u{0}-\u{1F}\u{7F}#\\[\\]]{0,6}";

proptest! {
    #[test]
    fn preserves_commands(
        command in "[^}\\s][^}]{0,8}",
        args in prop::collection::vec(TEXT, 0..6),
        env in prop::collection::btree_map("(?s).{0,8}", TEXT, 0..6),
    ) {
        let server = json!({"command": command, "args": args, "env": env});
        let (read, _) = upstreams(&json!({"mcpServers": {"a": server}}), Secrets::Kept);
        let words = read["a"]["command"].as_array().unwrap();
        let words: Vec<String> = words.iter().map(unescape).collect();
        prop_assert_eq!(words, [vec![command], args].concat());
        prop_assert_eq!(unescape_table(read["a"].get("env")), env);
    }

    #[test]
    fn preserves_headers(
        headers in prop::collection::btree_map("x-[a-z0-9-]{1,8}", TEXT, 0..6),
    ) {
        let server = json!({"url": "https://example.com/mcp", "headers": headers});
        let (read, _) = upstreams(&json!({"servers": {"a": server}}), Secrets::Kept);
        prop_assert_eq!(unescape_table(read["a"].get("headers")), headers);
    }

    #[test]
    fn output_and_notes_contain_no_secret(
        secret in "[a-zA-Z0-9]{16,24}",
        name in "[A-Z]{1,4}_(TOKEN|API_KEY|PASSWORD|PW)|MY_SECRET_[A-Z]{1,3}",
    ) {
        let option = format!("--{}", name.to_lowercase().replace('_', "-"));
        let (variable, url) = (format!("{name}={secret}"), format!("pg://me:{secret}@host/"));
        let address = format!("https://me:{secret}@example.com/?key={secret}");
        let config = json!({"mcpServers": {
            "a": {
                "command": "x",
                "args": [option, secret, variable, url, "-p", secret, "-u", format!("me:{secret}")],
                "env": {&name: secret, "OTHER": format!("{name}: {secret}")},
            },
            "b": {"url": address, "headers": {
                "Authorization": format!("Bearer {secret}"), &name: format!("${{X:-{secret}}}"),
            }},
        }});
        let translated = translate(config.to_string().as_bytes(), "x", Secrets::Named).unwrap();
        prop_assert!(!translated.toml.contains(&secret), "{}", translated.toml);
        prop_assert!(!translated.notes.concat().contains(&secret), "{:?}", translated.notes);
    }

    #[test]
    fn does_not_panic_on_any_input(bytes: Vec<u8>, text in "[\\[\\]{}\",:/*a$ ]{0,40}") {
        let _ = translate(&bytes, "x", Secrets::Named);
        let _ = translate(text.as_bytes(), "x", Secrets::Named);
    }
}

#[track_caller]
fn check_env(servers: &[Value], expected: &[&str]) {
    let servers: BTreeMap<String, &Value> =
        servers.iter().enumerate().map(|(n, it)| (format!("s{n}"), it)).collect();
    let (read, _) = upstreams(&json!({"mcpServers": servers}), Secrets::Named);
    let env = read.values().flat_map(|server| unescape_table(server.get("env")));
    let shown: Vec<String> = env.map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(shown, expected);
}

#[test]
fn one_variable_has_one_meaning() {
    let server = |env: Value| json!({"command": "x", "env": env});
    // The same secret twice is one variable, two secrets are two.
    check_env(
        &[
            server(json!({"API_KEY": "one"})),
            server(json!({"API_KEY": "one"})),
            server(json!({"API_KEY": "two"})),
        ],
        &["API_KEY=${API_KEY}", "API_KEY=${API_KEY}", "API_KEY=${S2_API_KEY}"],
    );
    // A secret does not get the name of a variable that the file uses elsewhere.
    check_env(
        &[server(json!({"API_KEY": "one"})), server(json!({"OTHER": "${env:API_KEY}"}))],
        &["API_KEY=${S0_API_KEY}", "OTHER=${API_KEY}"],
    );
    // An input does not get the name of a variable with another meaning.
    check_env(
        &[server(json!({"A": "${input:path}", "B": "${input:api-key}", "C": "${API_KEY}"}))],
        &["A=${INPUT_PATH}", "B=${INPUT_API_KEY}", "C=${API_KEY}"],
    );
    // `$${NAME}` would not be a variable.
    check_env(&[server(json!({"PRICE": "$${PRICE}"}))], &["PRICE=${PRICE_SECRET}"]);
}
