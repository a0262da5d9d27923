//! Documents that are generated from the code: `UPDATE=1` writes them, other runs compare them.

use std::collections::BTreeSet;
use std::fmt::Write;

use manila::check::RULES;
use manila::{
    Code, Contract, DocumentKind, Observation, RawJson, Spelling, diagnostics, spellings,
};
use manila_gateway::config::KEYS;
use manila_redact::Rule;

use crate::check_vectors::read_vectors;
use crate::program::{check_generated, files, manila, read, root};

// Handwritten parts of the pages.
const CHECKING: &str = include_str!("pages/checking.txt");
const CONFIGURATION: &str = include_str!("pages/configuration.txt");
const CONTRACTS: &str = include_str!("pages/contracts.txt");
const REDACTION: &str = include_str!("pages/redaction.txt");
const UNREDACTED: &str = include_str!("pages/unredacted.txt");

const GENERATED: &str = "<!-- Generated from the code: UPDATE=1 cargo test -p manila-cli -->\n";

/// Returns the commands in the order of the help.
pub(crate) fn commands() -> Vec<String> {
    let help = manila(&["--help"], b"").stdout;
    let listed = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next());
    let lines = listed.unwrap_or_default().lines();
    // The second line of an entry is indented further.
    let names = lines.filter_map(|line| line.strip_prefix("  ").filter(|it| !it.starts_with(' ')));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn errors_page_matches_the_catalogue() {
    let mut text = format!("# Failure codes\n\n{GENERATED}\n");
    text += "Every failure has one canonical code. Each contract has its own spelling for it.\n";
    text += "`manila explain CODE` describes one code; `manila errors --json` prints all.\n\n";
    text += "*JSON-RPC, plain* is the code in the response to a\n";
    text += "[request envelope](http.md#request-envelopes); *JSON-RPC, MCP* is the one on MCP.\n";
    text += "Below, *type or category* is `error_type` in `response-v2` and `category` in\n";
    text += "`machine-readable-v1`; `mcpErrorCode` is a member of `machine-readable-v1`.\n\n";
    text += "| code | HTTP | JSON-RPC, plain | JSON-RPC, MCP | retry | message |\n";
    text += "|---|---|---|---|---|---|\n";
    for code in Code::ALL {
        let entry = code.entry();
        let retry = if code.is_retryable() { "yes" } else { "no" };
        let (http, plain, mcp) = (entry.http_status, entry.jsonrpc_plain, entry.jsonrpc_mcp);
        let message = entry.message;
        writeln!(text, "| `{code}` | {http} | {plain} | {mcp} | {retry} | {message} |").unwrap();
    }
    text += "\n## Meaning and spellings\n";
    for code in Code::ALL {
        let entry = code.entry();
        writeln!(
            text,
            "\n### `{code}`\n\n{} {}.",
            entry.meaning,
            entry.remedy.trim_end_matches('.')
        )
        .unwrap();
        writeln!(text, "\n| contract | spelling | type or category | mcpErrorCode | when |")
            .unwrap();
        writeln!(text, "|---|---|---|---|---|").unwrap();
        for spelling in spellings().filter(|spelling| spelling.code == *code) {
            let Spelling { contract, word, group, number, when, .. } = spelling;
            let number = number.map(|number| number.to_string()).unwrap_or_default();
            let (group, when) = (group.unwrap_or_default(), when.unwrap_or_default());
            writeln!(text, "| `{contract}` | `{word}` | {group} | {number} | {when} |").unwrap();
        }
    }
    text += "\n## Diagnostics of compilers and build tools\n\n";
    text += "Manila recognises these codes in the output of a program. The failure is\n";
    text += "`COMMAND_FAILED`; envelopes contain the hint if the contract has a member for it.\n\n";
    text += "| code | hint |\n|---|---|\n";
    for entry in diagnostics() {
        writeln!(text, "| [`{}`]({}) | {} |", entry.code, entry.link, entry.hint).unwrap();
    }
    check_generated(&root().join("docs/errors.md"), &text);
}

#[test]
fn redaction_page_matches_the_rules() {
    let (tokens, classes): (Vec<&Rule>, Vec<&Rule>) =
        manila_redact::rules().iter().partition(|rule| rule.is_token());
    let mut text = format!("# Redaction\n\n{GENERATED}\n");
    text += REDACTION;
    text += "\n## Rules that recognise a secret by its context\n\n";
    text += "| rule | protects | context | redacts | does not redact |\n|---|---|---|---|---|\n";
    let cell = |text: &str| format!("`{}`", text.replace('\n', "⏎").replace('|', "\\|"));
    for rule in classes {
        let (name, protects) = (rule.name(), rule.protects());
        let context = cell(&rule.pattern().replace('`', "'"));
        let (redacted, ignored) = (cell(rule.example()), cell(rule.counterexample()));
        writeln!(text, "| `{name}` | {protects} | {context} | {redacted} | {ignored} |").unwrap();
    }
    writeln!(
        text,
        "\n## Rules that recognise a secret by its format\n\n{} formats.\n",
        tokens.len()
    )
    .unwrap();
    text += "| rule | protects | pattern | redacts | does not redact |\n|---|---|---|---|---|\n";
    for rule in tokens {
        let (name, protects, pattern) = (rule.name(), rule.protects(), cell(&rule.pattern()));
        let (redacted, ignored) = (cell(rule.example()), cell(rule.counterexample()));
        writeln!(text, "| `{name}` | {protects} | {pattern} | {redacted} | {ignored} |").unwrap();
    }
    check_generated(&root().join("docs/redaction.md"), &text);
}

#[test]
fn configuration_page_matches_the_keys() {
    let mut text = format!("# Configuration\n\n{GENERATED}\n");
    text += CONFIGURATION;
    text += "\n## Example with every key\n\n```toml\n";
    text += EXAMPLE;
    text += "```\n\n## Keys\n\n| key | description |\n|---|---|\n";
    for key in KEYS {
        writeln!(text, "| `{}` | {} |", key.path, key.description).unwrap();
    }
    text += UNREDACTED;
    check_generated(&root().join("docs/configuration.md"), &text);
    let packs = root().join("examples/packs").display().to_string();
    let read = manila_gateway::Config::for_serving(EXAMPLE, |name| {
        Some(if name == "PACKS" { packs.clone() } else { "x".to_owned() })
    });
    assert!(read.is_ok(), "{read:?}");
    for key in KEYS {
        let last = key.path.rsplit('.').next().unwrap_or_default();
        assert!(last == "NAME" || EXAMPLE.contains(last), "{} is not in the example", key.path);
    }
}

#[test]
fn editor_schema_matches_the_keys() {
    let ran = manila(&["schema", "config"], b"");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    check_generated(&root().join("docs/manila.schema.json"), &ran.stdout);
}

const EXAMPLE: &str = r#"contract = "response-v2"
speaks = "machine-readable-v1"
placement = "structured"
timeout = "60s"
output_check = "warn"

[listen]
http = "127.0.0.1:7300"
stdio = false
allow_none = true

[upstream.files]
command = ["npx", "-y", "@modelcontextprotocol/server-filesystem", "."]
env = { LOG_LEVEL = "warn", API_KEY = "${FILES_API_KEY}" }
pass_env = ["HTTPS_PROXY"]
cwd = "/srv/files"
start = "lazy"
start_timeout = "2m"
contract = "envelope-v1"
speaks = "response-v2"
timeout = "30s"
output_check = "strict"
allow = ["read_*", "list_*"]
deny = ["read_secret_*"]

[upstream.search]
url = "http://127.0.0.1:9000/mcp"
headers = { Authorization = "Bearer ${SEARCH_TOKEN}" }

[pack.cargo]
roots = ["."]
env = { RUSTFLAGS = "-Dwarnings" }
pass_env = ["SCCACHE_*"]
start = "lazy"
contract = "machine-readable-v1"
timeout = "10m"
output_chars_max = 1000000
programs_max = 16
allow = ["project"]
deny = ["package"]

[pack.git]
file = "${PACKS}/git.toml"

[tool.files_read_file]
contract = "response-v2"
placement = "text"
timeout = "5s"
output_check = "off"
redact = true

[limits]
message_bytes_max = "64MiB"
in_flight_max = 16384
in_flight_bytes_max = "64MiB"
queue_bytes_max = "16MiB"
stream_bytes_max = "64MiB"
connections_max = 4096
sessions_max = 10000
session_idle = "30m"
head_timeout = "60s"
body_timeout = "60s"
grace = "5s"

[redact]
off = ["certificate"]
extra = [{ name = "internal-id", pattern = "INT-[0-9]{8}" }]
allow = ["correct-horse-battery"]
allow_patterns = ["^test-"]
unsafe_output = false
passthrough = "redacted"

[journal]
folder = "/var/log/manila"
file_bytes_max = "64MiB"
files_max = 5
"#;

#[test]
fn commands_page_matches_the_help() {
    let mut text = format!("# Commands\n\n{GENERATED}\n```text\n");
    text += manila(&["--help"], b"").stdout.trim_end();
    text += "\n```\n";
    for command in commands() {
        let help = manila(&[&command, "--help"], b"").stdout;
        writeln!(text, "\n## `manila {command}`\n\n```text\n{}\n```", help.trim_end()).unwrap();
        if command == "pack" {
            for subcommand in ["list", "show", "check"] {
                let help = manila(&[&command, subcommand, "--help"], b"").stdout;
                writeln!(text, "\n```text\n{}\n```", help.trim_end()).unwrap();
            }
        }
    }
    let text: Vec<&str> = text.lines().map(str::trim_end).collect();
    check_generated(&root().join("docs/commands.md"), &(text.join("\n") + "\n"));
}

#[test]
fn contracts_page_matches_the_table_and_real_envelopes() {
    let mut text = format!("# Contracts\n\n{GENERATED}\n");
    text += CONTRACTS;
    for contract in Contract::ALL {
        let info = contract.info();
        writeln!(text, "\n## `{}`\n\n{}.", info.id, capital(info.summary)).unwrap();
        writeln!(text, "\nPick it when {}.", info.pick_when).unwrap();
        for (title, example) in [
            ("A successful tool", "examples/security_scan.json"),
            ("A tool that failed", "examples/file_not_found.json"),
            ("A command that failed", "examples/failed_build.json"),
        ] {
            let args = ["seal", "--pretty", "--contract", info.id, example];
            let envelope = manila(&args, b"").stdout;
            let title = format!("\n{title} ([`{example}`](../{example})):\n");
            writeln!(text, "{title}\n```json\n{}\n```", envelope.trim_end()).unwrap();
        }
        let losses = losses(contract).join("\n");
        writeln!(text, "\nWhat it cannot carry, or changes:\n\n{losses}").unwrap();
    }
    text += "\n## Other documents\n\n\
             `manila schema NAME` prints the JSON Schema of these documents too.\n\n\
             | name | description |\n|---|---|\n";
    for kind in DocumentKind::ALL.into_iter().filter(|kind| kind.contract().is_none()) {
        writeln!(text, "| `{kind}` | {} |", kind.summary()).unwrap();
    }
    assert!(CONTRACTS.contains(&format!("`{}` is the default", Contract::default())));
    check_generated(&root().join("docs/contracts.md"), &text);
}

#[test]
fn checking_page_matches_the_rules_and_their_vectors() {
    let mut text = format!("# Checking and converting\n\n{GENERATED}\n{CHECKING}");
    for (title, refuses) in [("Rules", true), ("Advice", false)] {
        writeln!(text, "\n## {title}\n\n| rule | requirement | clauses |\n|---|---|---|").unwrap();
        for rule in RULES.iter().filter(|rule| rule.refuses() == refuses) {
            let clauses = rule.clauses.join(", ");
            let clauses = if clauses.is_empty() { "JSON" } else { &clauses };
            writeln!(text, "| `{}` | {} | {clauses} |", rule.name, rule.requirement).unwrap();
        }
    }
    text += "\n## A vector for each rule\n\n\
             | contract | violation | pointer | rule | clause |\n|---|---|---|---|---|\n";
    let mut vectors = read_vectors("conformance/refused");
    vectors.sort_by(|(a, _), (b, _)| a.cmp(b));
    for (label, vector) in vectors {
        let file = format!("[{}](../{label}.json)", vector.about);
        for broken in &vector.violations {
            let pointer = if broken.pointer.is_empty() { "(root)" } else { &broken.pointer };
            let clause = broken.clause.as_deref().unwrap_or("JSON");
            let (contract, rule) = (&vector.contract, &broken.rule);
            writeln!(text, "| `{contract}` | {file} | `{pointer}` | `{rule}` | {clause} |")
                .unwrap();
        }
    }
    check_generated(&root().join("docs/checking.md"), &text);
}

/// Returns the losses of a contract over all observations in `conformance/`, as a list.
///
/// The facts for which the contract has no place share one entry.
fn losses(contract: Contract) -> Vec<String> {
    let mut all = BTreeSet::new();
    for path in files("conformance/observations") {
        let text = read(&path);
        let observation = RawJson::parse(text).unwrap().get("observation").unwrap();
        let seen = Observation::from_json(observation.to_string()).unwrap();
        let reply = seen.seal(contract, &manila::Context::new([0; 16]));
        all.extend(reply.losses.into_iter().map(|loss| (loss.what, loss.why)));
    }
    let (no_place, others): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|(_, why)| *why == "the contract has no place for it");
    let names: Vec<String> = no_place.iter().map(|(what, _)| format!("`{what}`")).collect();
    let mut rows = vec![format!("- No place for: {}", names.join(", "))];
    rows.extend(others.iter().map(|(what, why)| format!("- `{what}`: {why}")));
    rows
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// Returns the fenced blocks of a language in a document.
pub(crate) fn blocks(document: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    let parts = document.split(fence.as_str()).skip(1);
    parts.filter_map(|part| part.split("\n```").next().map(str::to_owned)).collect()
}

#[test]
fn observations_in_the_documents_can_be_sealed() {
    let document = read(&root().join("docs/observations.md"));
    let examples = blocks(&document, "json");
    assert!(examples.len() >= 13, "one example for each kind");
    for example in examples {
        let ran = manila(&["seal", "--contract", "all"], example.as_bytes());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{example}");
    }
}

#[test]
fn commands_in_the_documents_run() {
    let readme = read(&root().join("README.md"));
    let guides = ["getting-started", "gateway", "checking", "http", "packs", "serve", "eras"];
    let guides = guides.map(|name| read(&root().join(format!("docs/{name}.md"))));
    let mut n_run = 0;
    for block in [&readme].into_iter().chain(&guides).flat_map(|page| blocks(page, "sh")) {
        for line in block.lines() {
            let command = line.strip_prefix("cargo run -- ").or(line.strip_prefix("manila "));
            // A command that serves does not exit.
            let ends = |command: &&str| !command.contains("--http");
            let is_plain = |command: &&str| !command.contains(['|', '>', '\'']);
            let Some(command) = command.filter(ends).filter(is_plain) else {
                continue;
            };
            let command = command.replace("target/debug/manila", "manila");
            let args: Vec<&str> = command.split_whitespace().collect();
            let ran = manila(&args, b"");
            assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
            n_run += 1;
        }
    }
    assert!(n_run >= 25, "only {n_run} commands of the documents were run");
    assert!(readme.contains("\ncargo test --workspace\n"), "the test command is there");
}
