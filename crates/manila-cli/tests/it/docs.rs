//! The documents that follow from the code: written by `UPDATE=1`, checked otherwise.

use std::fmt::Write;

use manila::check::RULES;
use manila::{Code, Contract, Observation, RawJson, Spelling, Subject, diagnostics, spellings};
use manila_gateway::config::KEYS;
use manila_redact::Rule;

use crate::program::{check_generated, files, manila, read, root};
use crate::refused::judged;

const GENERATED: &str = "<!-- Generated from the code: UPDATE=1 cargo test -p manila-cli -->\n";

/// The commands, in the order of the help.
pub(crate) fn commands() -> Vec<String> {
    let help = manila(&["--help"], b"").stdout;
    let listed = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next());
    let lines = listed.unwrap_or_default().lines();
    // What goes on over a second line is indented further.
    let names = lines.filter_map(|line| line.strip_prefix("  ").filter(|it| !it.starts_with(' ')));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn errors_follow_from_the_catalogue() {
    let mut text = format!("# Failure codes\n\n{GENERATED}\n");
    text += "Every failure has one canonical code. Each contract spells it in its own words.\n";
    text +=
        "`manila errors --json` gives the same for scripts, `manila explain CODE` one of them.\n\n";
    text += "| code | HTTP | JSON-RPC, plain | JSON-RPC, on MCP | try again | message |\n";
    text += "|---|---|---|---|---|---|\n";
    for code in Code::ALL {
        let entry = code.entry();
        let retry = if code.is_retryable() { "yes" } else { "no" };
        let (http, plain, mcp) = (entry.http_status, entry.jsonrpc_plain, entry.jsonrpc_mcp);
        let message = entry.message;
        writeln!(text, "| `{code}` | {http} | {plain} | {mcp} | {retry} | {message} |").unwrap();
    }
    text += "\n## What each one means\n";
    for code in Code::ALL {
        let entry = code.entry();
        writeln!(
            text,
            "\n### `{code}`\n\n{} {}.",
            entry.meaning,
            entry.remedy.trim_end_matches('.')
        )
        .unwrap();
        writeln!(text, "\n| contract | word | type or category | mcpErrorCode | when |").unwrap();
        writeln!(text, "|---|---|---|---|---|").unwrap();
        for spelling in spellings().filter(|spelling| spelling.code == *code) {
            let Spelling { contract, word, group, number, when, .. } = spelling;
            let number = number.map(|number| number.to_string()).unwrap_or_default();
            let (group, when) = (group.unwrap_or_default(), when.unwrap_or_default());
            writeln!(text, "| `{contract}` | `{word}` | {group} | {number} | {when} |").unwrap();
        }
    }
    text += "\n## Diagnostics of commands\n\n";
    text +=
        "Codes that compilers and build tools print are explained where the contract has a place\n";
    text += "for it. All of them are `COMMAND_FAILED`.\n\n| code | what to do |\n|---|---|\n";
    for entry in diagnostics() {
        writeln!(text, "| [`{}`]({}) | {} |", entry.code, entry.link, entry.hint).unwrap();
    }
    check_generated(&root().join("docs/errors.md"), &text);
}

#[test]
fn redaction_follows_from_the_rules() {
    let (tokens, classes): (Vec<&Rule>, Vec<&Rule>) =
        manila_redact::rules().iter().partition(|rule| rule.is_token());
    let mut text = format!("# Redaction\n\n{GENERATED}\n");
    text += REDACTION;
    text += "\n## What is known by its surroundings\n\n";
    text += "| rule | protects | looks for | finds | leaves alone |\n|---|---|---|---|---|\n";
    let cell = |text: &str| format!("`{}`", text.replace('\n', "⏎").replace('|', "\\|"));
    for rule in classes {
        let (name, protects) = (rule.name(), rule.protects());
        let looks_for = cell(&rule.pattern().replace('`', "'"));
        let (found, left) = (cell(rule.example()), cell(rule.counterexample()));
        writeln!(text, "| `{name}` | {protects} | {looks_for} | {found} | {left} |").unwrap();
    }
    writeln!(text, "\n## What is known by its own form\n\n{} formats.\n", tokens.len()).unwrap();
    text += "| rule | protects | pattern | finds | leaves alone |\n|---|---|---|---|---|\n";
    for rule in tokens {
        let (name, protects, pattern) = (rule.name(), rule.protects(), cell(&rule.pattern()));
        let (found, left) = (cell(rule.example()), cell(rule.counterexample()));
        writeln!(text, "| `{name}` | {protects} | {pattern} | {found} | {left} |").unwrap();
    }
    check_generated(&root().join("docs/redaction.md"), &text);
}

const REDACTION: &str = "\
Every text that leaves Manila has its secrets replaced by `[REDACTED]` first: payloads, text blocks,
commands, standard output and error, messages, hints, details, notifications, errors of the
protocol, and what is told on standard error. It is on unless you switch it off, and `manila redact`
does the same for files and pipes.

- **Found** is what the rules below find, in any spelling: `=`, `:`, JSON, YAML, TOML, headers,
  options, URLs, connection strings, XML, code. In JSON also by the key, at any depth, in arrays, in
  a `value` inside of it or beside it, and in JSON inside of strings. Escapes, line ends and upper
  case hide nothing.
- **Left alone** are digests, UUIDs, request and trace ids, cursors, versions, placeholders
  (`<your-token>`, `${VAR}`, `xxxx`, `changeme`), values of fewer than 6 characters (but for
  `Authorization`), prose and code that only speaks of passwords, and media. On MCP: ids, cursors,
  `progressToken`, `requestState`, `taskId`, `uri`, base64 `blob` and `data`, what a server asks the
  client (sampling, elicitation), results and errors that ask the client to do something first, and
  what servers offer (`initialize` and lists).
- **JSON stays JSON** with the same structure; a number that is a secret becomes the string
  `\"[REDACTED]\"`. Text keeps its lines. To redact twice changes nothing more.
- **A receipt** tells how many secrets were hidden and by which rules, never what: in `response-v2`
  the warning `CONTENT_REDACTED`, in `machine-readable-v1` `metadata.redacted`, in
  `mcp.envelope.v0.1` the warning `ADAPTER.REDACTED`. `envelope-v1` has no place for it. `--verbose`
  tells it on standard error for every answer.
- A rule by which a value is known by a label wants more of it where the label alone says little:
  what stands beside `token` must look random.

[configuration.md](configuration.md) says how to add rules, switch some off, and allow values.
[performance.md](performance.md) says what it costs. It is no vault: what looks like no secret, and
has no label, is not known to be one.

In the examples `·` stands inside of each fake secret, so that nobody's scanner reports this page.
";

#[test]
fn configuration_follows_from_its_keys() {
    let mut text = format!("# Configuration\n\n{GENERATED}\n");
    text += "`manila serve` reads `manila.toml`, or the file that `--config` names; \
             `manila serve --check` only says whether it is\n\
             good. `--config manila.toml` also binds `manila wrap`, `call`, `tools`, `seal`, \
             `convert` and `redact`, which have no use for\n\
             servers and listeners. A key that does not exist is refused, with its line and \
             what may have been meant.\n\n\
             An editor tells the same while you write, and completes keys and words, if it \
             knows the file's JSON Schema:\n\
             [manila.schema.json](manila.schema.json), which `manila schema config` prints. \
             Taplo, and with it Even Better TOML in VS Code,\n\
             finds it by the first line of `manila.toml`, with a path from there or a URL:\n\n\
             ```toml\n#:schema docs/manila.schema.json\n```\n\nEverything at once:\n\n```toml\n";
    text += EXAMPLE;
    text += "```\n\n| key | what it does |\n|---|---|\n";
    for key in KEYS {
        writeln!(text, "| `{}` | {} |", key.path, key.what).unwrap();
    }
    text += "\nA caller asks for one answer with its secrets by `_meta` \
             `{\"dev.manila/unsafeOutput\": true}`, or under\n`machine-readable-v1` by the \
             argument `unsafeOutput: true`, which is taken out before the tool sees it\n(and so is \
             `machineReadable`), unless the tool has a parameter of that name itself. Where it is \
             not\nallowed, the answer is redacted all the same and says so with the warning \
             `UNSAFE_OUTPUT_IGNORED`\n(`metadata.warning` in `machine-readable-v1`, which has no \
             warnings). Whenever an answer is not\nredacted, standard error tells it.\n";
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
fn the_schema_for_editors_follows_from_the_keys() {
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
fn commands_follow_from_the_help() {
    let mut text = format!("# Commands\n\n{GENERATED}\n```text\n");
    text += manila(&["--help"], b"").stdout.trim_end();
    text += "\n```\n";
    for command in commands() {
        let help = manila(&[&command, "--help"], b"").stdout;
        writeln!(text, "\n## `manila {command}`\n\n```text\n{}\n```", help.trim_end()).unwrap();
        if command == "pack" {
            for own in ["list", "show", "check"] {
                let help = manila(&[&command, own, "--help"], b"").stdout;
                writeln!(text, "\n```text\n{}\n```", help.trim_end()).unwrap();
            }
        }
    }
    let text: Vec<&str> = text.lines().map(str::trim_end).collect();
    check_generated(&root().join("docs/commands.md"), &(text.join("\n") + "\n"));
}

#[test]
fn contracts_follow_from_the_table_and_from_real_envelopes() {
    let mut text = format!("# Contracts\n\n{GENERATED}\n");
    text += "The same call in four contracts. `manila contracts` lists them, \
             `manila schema CONTRACT`\n\
             prints their JSON Schemas, `manila seal --contract all` shows them side by side.\n\
             `manila schema CONTRACT --around FILE` puts the schema of a payload into that of a \
             contract.\n";
    for contract in Contract::ALL {
        let info = contract.info();
        writeln!(text, "\n## `{}`\n\n{}.", info.id, capital(info.summary)).unwrap();
        writeln!(text, "\nPick it when {}.", info.pick_when).unwrap();
        for (title, example) in [
            ("A tool that answered", "examples/security_scan.json"),
            ("A tool that failed", "examples/file_not_found.json"),
            ("A command that failed", "examples/failed_build.json"),
        ] {
            let args = ["seal", "--pretty", "--contract", info.id, example];
            let envelope = manila(&args, b"").stdout;
            let title = format!("\n{title} ([`{example}`](../{example})):\n");
            writeln!(text, "{title}\n```json\n{}\n```", envelope.trim_end()).unwrap();
        }
        let losses = losses(contract).join("\n");
        writeln!(text, "\nWhat it cannot carry, or not as it is:\n\n{losses}").unwrap();
    }
    text += "\n## Documents beside the contracts\n\n\
             `manila schema NAME` prints their JSON Schemas, too.\n\n\
             | name | what it is |\n|---|---|\n";
    for subject in Subject::ALL.into_iter().filter(|subject| subject.contract().is_none()) {
        writeln!(text, "| `{subject}` | {} |", subject.summary()).unwrap();
    }
    check_generated(&root().join("docs/contracts.md"), &text);
}

#[test]
fn checking_follows_from_the_rules_and_their_vectors() {
    let mut text = format!("# Checking and converting\n\n{GENERATED}\n{CHECKING}");
    for (title, refuses) in [("Rules that refuse", true), ("Advice", false)] {
        writeln!(text, "\n## {title}\n\n| rule | holds when | clauses |\n|---|---|---|").unwrap();
        for rule in RULES.iter().filter(|rule| rule.refuses() == refuses) {
            let clauses = rule.clauses.join(", ");
            let clauses = if clauses.is_empty() { "JSON" } else { &clauses };
            writeln!(text, "| `{}` | {} | {clauses} |", rule.name, rule.asks).unwrap();
        }
    }
    text += "\n## A vector for each\n\n\
             | contract | what is wrong | pointer | rule | clause |\n|---|---|---|---|---|\n";
    let mut vectors = judged("conformance/refused");
    vectors.sort_by(|(a, _), (b, _)| a.cmp(b));
    for (label, vector) in vectors {
        let file = format!("[{}](../{label}.json)", vector.about);
        for broken in &vector.violations {
            let pointer = if broken.pointer.is_empty() { "the whole" } else { &broken.pointer };
            let clause = broken.clause.as_deref().unwrap_or("JSON");
            let (contract, rule) = (&vector.contract, &broken.rule);
            writeln!(text, "| `{contract}` | {file} | `{pointer}` | `{rule}` | {clause} |")
                .unwrap();
        }
    }
    check_generated(&root().join("docs/checking.md"), &text);
}

const CHECKING: &str = include_str!("checking.txt");

/// What a contract loses of all the observations in `conformance/`.
fn losses(contract: Contract) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for path in files("conformance/observations") {
        let text = read(&path);
        let observation = RawJson::parse(text).unwrap().get("observation").unwrap();
        let seen = Observation::from_json(observation.to_string()).unwrap();
        let reply = seen.seal(contract, &manila::Context::new([0; 16]));
        for loss in reply.losses {
            let told = format!("- `{}`: {}", loss.what, loss.why);
            if !all.contains(&told) {
                all.push(told);
            }
        }
    }
    all.sort();
    all
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// The fenced blocks of this language in a document.
pub(crate) fn blocks(document: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    let parts = document.split(fence.as_str()).skip(1);
    parts.filter_map(|part| part.split("\n```").next().map(str::to_owned)).collect()
}

#[test]
fn observations_in_the_documents_can_be_sealed() {
    let document = read(&root().join("docs/observations.md"));
    let examples = blocks(&document, "json");
    assert!(examples.len() >= 13, "one example a kind");
    for example in examples {
        let ran = manila(&["seal", "--contract", "all"], example.as_bytes());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{example}");
    }
}

#[test]
fn the_readme_says_what_is_true() {
    let readme = read(&root().join("README.md"));
    let gateway = read(&root().join("docs/gateway.md"));
    let checking = read(&root().join("docs/checking.md"));
    let mut n_run = 0;
    for block in [&readme, &gateway, &checking].into_iter().flat_map(|page| blocks(page, "sh")) {
        for line in block.lines() {
            let command = line.strip_prefix("cargo run -- ").or(line.strip_prefix("manila "));
            // What serves does not end by itself.
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
    assert!(n_run >= 12, "only {n_run} commands of the README were run");
    assert!(readme.contains("\ncargo test --workspace\n"), "the test command is there");
}
