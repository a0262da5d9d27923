//! `manila explain`

use std::fmt::Write;

use manila::{Code, Diagnostic, closest, code_from_spelling, diagnostic, diagnostics, spellings};
use serde::Serialize;

use crate::command::errors;
use crate::exit_status::ExitStatus;
use crate::output::Output;
use crate::refusal::Refusal;

/// Explain a code: what it means and what to do about it
///
/// Takes canonical codes (TOOL_NOT_FOUND), any contract's word for one (upgrade_required,
/// RATE_LIMIT_EXCEEDED, ADAPTER.INPUT.PATH, EXIT_1), and compiler diagnostics (CS0103).
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The code, as it stands in an answer or a log
    #[arg(value_name = "CODE")]
    code: String,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What a word stands for.
enum Meaning {
    /// Canonical codes; the first is the one that the word is read as.
    Codes(Vec<Code>),
    Diagnostic(&'static Diagnostic),
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let word = args.code.trim();
    let meaning = find(word).ok_or_else(|| unknown(word))?;
    let text = match (&meaning, args.json) {
        (Meaning::Codes(codes), false) => told(word, codes)?,
        (Meaning::Diagnostic(found), false) => told_diagnostic(found)?,
        (Meaning::Codes(codes), true) => {
            let rows: Vec<_> = codes.iter().copied().map(errors::row).collect();
            serde_json::to_string_pretty(&rows)?
        }
        (Meaning::Diagnostic(found), true) => serde_json::to_string_pretty(&[Row::of(found)])?,
    };
    out.line(text.trim_end().as_bytes())?;
    Ok(ExitStatus::Good)
}

/// As it is spelled, else in any case.
fn find(word: &str) -> Option<Meaning> {
    let any_case = || every_word().find(|known| known.eq_ignore_ascii_case(word));
    find_exactly(word).or_else(|| any_case().and_then(find_exactly))
}

fn find_exactly(word: &str) -> Option<Meaning> {
    if let Some(found) = diagnostic(word) {
        return Some(Meaning::Diagnostic(found));
    }
    let mut codes = vec![code_from_spelling(word)?];
    // A canonical name is itself, whatever some contract means by the same word.
    if Code::from_name(word).is_err() {
        for spelling in spellings().filter(|spelling| spelling.word == word) {
            if !codes.contains(&spelling.code) {
                codes.push(spelling.code);
            }
        }
    }
    Some(Meaning::Codes(codes))
}

fn every_word() -> impl Iterator<Item = &'static str> {
    let names = Code::ALL.iter().map(|code| code.name());
    let words = spellings().map(|spelling| spelling.word);
    names.chain(words).chain(diagnostics().iter().map(|entry| entry.code.as_ref()))
}

fn unknown(word: &str) -> Refusal {
    let hint = match closest(word, every_word()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => {
            "`manila errors` lists the codes; of diagnostics, those of .NET are known".to_owned()
        }
    };
    Refusal::new(format!("nothing is known about the code `{word}`"), hint)
}

fn told(word: &str, codes: &[Code]) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    let is_shared = codes.len() > 1;
    if let ([read_as, ..], true) = (codes, is_shared) {
        let names: Vec<&str> = codes.iter().map(|code| code.name()).collect();
        writeln!(
            text,
            "{word} stands for {}; where nothing else is known, it is",
            names.join(", ")
        )?;
        writeln!(text, "read as {read_as}.\n")?;
    }
    for code in codes {
        let entry = code.entry();
        let retry = if code.is_retryable() { "yes" } else { "no" };
        writeln!(text, "{}", entry.name)?;
        writeln!(text, "  {}", entry.meaning)?;
        writeln!(text, "  what to do   {}", entry.remedy)?;
        writeln!(text, "  try again    {retry}")?;
        writeln!(text, "  HTTP         {}", entry.http_status)?;
        writeln!(text, "  JSON-RPC     {}, on MCP {}", entry.jsonrpc_plain, entry.jsonrpc_mcp)?;
        for spelling in spellings().filter(|spelling| spelling.code == *code) {
            let number = spelling.number.map(|number| number.to_string());
            let more = [spelling.group, number.as_deref(), spelling.when];
            let more: Vec<&str> = more.into_iter().flatten().collect();
            let more =
                if more.is_empty() { String::new() } else { format!(" ({})", more.join(", ")) };
            writeln!(text, "  in {:<20} {}{more}", spelling.contract.id(), spelling.word)?;
        }
        for other in spellings().filter(|it| it.word == code.name() && it.code != *code) {
            writeln!(text, "  also         {}'s word for {}", other.contract, other.code)?;
        }
        writeln!(text)?;
    }
    Ok(text)
}

fn told_diagnostic(found: &Diagnostic) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    writeln!(text, "{}", found.code)?;
    writeln!(text, "  {}", found.explanation)?;
    writeln!(text, "  what to do   {}", found.hint)?;
    for (n, fix) in found.fixes.iter().enumerate() {
        let label = if n == 0 { "fixes" } else { "" };
        writeln!(text, "  {label:<12} - {fix}")?;
    }
    writeln!(text, "  read more    {}", found.link)?;
    writeln!(text, "  a diagnostic of a failed command, canonically {}", Code::CommandFailed)?;
    Ok(text)
}

#[derive(Serialize)]
struct Row<'a> {
    code: &'a str,
    canonical: &'static str,
    explanation: &'a str,
    hint: &'a str,
    fixes: &'a [&'static str],
    link: &'a str,
}

impl Row<'_> {
    fn of(found: &Diagnostic) -> Row<'_> {
        Row {
            code: &found.code,
            canonical: Code::CommandFailed.name(),
            explanation: &found.explanation,
            hint: &found.hint,
            fixes: &found.fixes,
            link: &found.link,
        }
    }
}
