use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Secrets, translate};

/// The upstreams of a translation, read back.
#[track_caller]
fn upstreams(config: &Value, secrets: Secrets) -> (toml::Table, Vec<String>) {
    let translated = translate(config.to_string().as_bytes(), "x.json", secrets).unwrap();
    let read: toml::Table = toml::from_str(&translated.toml)
        .unwrap_or_else(|error| panic!("{error}\n{}", translated.toml));
    let upstreams = read.get("upstream").and_then(toml::Value::as_table);
    (upstreams.cloned().unwrap_or_default(), translated.notes)
}

/// A text of `manila.toml` without variables, as Manila takes it.
fn taken(value: &toml::Value) -> String {
    value.as_str().unwrap().replace("$${", "${")
}

fn taken_table(value: Option<&toml::Value>) -> BTreeMap<String, String> {
    let members = value.and_then(toml::Value::as_table).into_iter().flatten();
    members.map(|(name, value)| (name.clone(), taken(value))).collect()
}

/// Text that names no variable: nothing closes what it opens.
const TEXT: &str = "(?s)[^}]{0,20}|\\$?\\$\\{[a-z]{0,3}|[\"\\\\\u{0}-\u{1F}\u{7F}#\\[\\]]{0,6}";

proptest! {
    #[test]
    fn a_command_comes_back_as_it_was(
        command in "[^}\\s][^}]{0,8}",
        args in prop::collection::vec(TEXT, 0..6),
        env in prop::collection::btree_map("(?s).{0,8}", TEXT, 0..6),
    ) {
        let server = json!({"command": command, "args": args, "env": env});
        let (read, _) = upstreams(&json!({"mcpServers": {"a": server}}), Secrets::Kept);
        let words = read["a"]["command"].as_array().unwrap();
        let words: Vec<String> = words.iter().map(taken).collect();
        prop_assert_eq!(words, [vec![command], args].concat());
        prop_assert_eq!(taken_table(read["a"].get("env")), env);
    }

    #[test]
    fn headers_come_back_as_they_were(
        headers in prop::collection::btree_map("x-[a-z0-9-]{1,8}", TEXT, 0..6),
    ) {
        let server = json!({"url": "https://example.com/mcp", "headers": headers});
        let (read, _) = upstreams(&json!({"servers": {"a": server}}), Secrets::Kept);
        prop_assert_eq!(taken_table(read["a"].get("headers")), headers);
    }

    #[test]
    fn a_secret_is_told_nowhere(
        secret in "[a-zA-Z0-9]{16,24}",
        name in "[A-Z]{1,4}_(TOKEN|API_KEY|PASSWORD)|MY_SECRET_[A-Z]{1,3}",
    ) {
        let option = format!("--{}", name.to_lowercase().replace('_', "-"));
        let (variable, url) = (format!("{name}={secret}"), format!("pg://me:{secret}@host/"));
        let config = json!({"mcpServers": {
            "a": {
                "command": "x",
                "args": [option, secret, variable, url],
                "env": {&name: secret, "OTHER": format!("{name}: {secret}")},
            },
            "b": {"url": format!("https://me:{secret}@example.com/"), "headers": {
                "Authorization": format!("Bearer {secret}"), &name: format!("${{X:-{secret}}}"),
            }},
        }});
        let translated = translate(config.to_string().as_bytes(), "x", Secrets::Named).unwrap();
        prop_assert!(!translated.toml.contains(&secret), "{}", translated.toml);
        prop_assert!(!translated.notes.concat().contains(&secret), "{:?}", translated.notes);
    }

    #[test]
    fn no_bytes_are_too_wrong(bytes: Vec<u8>, text in "[\\[\\]{}\",:/*a$ ]{0,40}") {
        let _ = translate(&bytes, "x", Secrets::Named);
        let _ = translate(text.as_bytes(), "x", Secrets::Named);
    }
}

#[track_caller]
fn check_env(servers: &[Value], expected: &[&str]) {
    let servers: BTreeMap<String, &Value> =
        servers.iter().enumerate().map(|(n, it)| (format!("s{n}"), it)).collect();
    let (read, _) = upstreams(&json!({"mcpServers": servers}), Secrets::Named);
    let env = read.values().flat_map(|server| taken_table(server.get("env")));
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
    // A variable that the file names already is no other secret's, wherever it is named.
    check_env(
        &[server(json!({"API_KEY": "one"})), server(json!({"OTHER": "${env:API_KEY}"}))],
        &["API_KEY=${S0_API_KEY}", "OTHER=${API_KEY}"],
    );
    // An input is no variable that means something else.
    check_env(
        &[server(json!({"A": "${input:path}", "B": "${input:api-key}", "C": "${API_KEY}"}))],
        &["A=${INPUT_PATH}", "B=${INPUT_API_KEY}", "C=${API_KEY}"],
    );
    // `$${NAME}` would be no variable.
    check_env(&[server(json!({"PRICE": "$${PRICE}"}))], &["PRICE=${PRICE_SECRET}"]);
}
