//! `manila explain`

use std::fmt::Write;

use manila::{Code, Diagnostic, closest, code_from_spelling, diagnostic, diagnostics, spellings};
use serde::Serialize;

use crate::command::errors;
use crate::exit_status::ExitStatus;
use crate::output::Output;
use crate::refusal::Refusal;

/// Explain a failure code and how to fix it
///
/// Accepts canonical codes (TOOL_NOT_FOUND), any contract's spelling of one (upgrade_required,
/// RATE_LIMIT_EXCEEDED, ADAPTER.INPUT.PATH, EXIT_1), and compiler diagnostics (CS0103).
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Code from a response or a log, e.g. TOOL_NOT_FOUND
    #[arg(value_name = "CODE")]
    code: String,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Meaning of a code.
enum Meaning {
    /// Canonical codes; the given code is read as the first one.
    Codes(Vec<Code>),
    Diagnostic(&'static Diagnostic),
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let given = args.code.trim();
    let meaning = find(given).ok_or_else(|| unknown(given))?;
    let text = match (&meaning, args.json) {
        (Meaning::Codes(codes), false) => describe_codes(given, codes)?,
        (Meaning::Diagnostic(found), false) => describe_diagnostic(found)?,
        (Meaning::Codes(codes), true) => {
            let rows: Vec<_> = codes.iter().copied().map(errors::row).collect();
            serde_json::to_string_pretty(&rows)?
        }
        (Meaning::Diagnostic(found), true) => serde_json::to_string_pretty(&[Row::of(found)])?,
    };
    out.line(text.trim_end().as_bytes())?;
    Ok(ExitStatus::Success)
}

/// Finds a code as spelled, or else ignoring case.
fn find(given: &str) -> Option<Meaning> {
    let any_case = || known_codes().find(|known| known.eq_ignore_ascii_case(given));
    find_exactly(given).or_else(|| any_case().and_then(find_exactly))
}

fn find_exactly(given: &str) -> Option<Meaning> {
    if let Some(found) = diagnostic(given) {
        return Some(Meaning::Diagnostic(found));
    }
    let mut codes = vec![code_from_spelling(given)?];
    // A canonical name takes precedence over a contract's identical spelling of another code.
    if Code::from_name(given).is_err() {
        for spelling in spellings().filter(|spelling| spelling.word == given) {
            if !codes.contains(&spelling.code) {
                codes.push(spelling.code);
            }
        }
    }
    Some(Meaning::Codes(codes))
}

/// Returns the canonical codes, the contracts' spellings and the diagnostics.
fn known_codes() -> impl Iterator<Item = &'static str> {
    let names = Code::ALL.iter().map(|code| code.name());
    let spelled = spellings().map(|spelling| spelling.word);
    names.chain(spelled).chain(diagnostics().iter().map(|entry| entry.code.as_ref()))
}

fn unknown(given: &str) -> Refusal {
    let hint = match closest(given, known_codes()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => {
            "`manila errors` lists the codes; among compiler diagnostics, only those of .NET have \
                 explanations"
                .to_owned()
        }
    };
    Refusal::new(format!("unknown code `{given}`"), hint)
}

fn describe_codes(given: &str, codes: &[Code]) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    let is_shared = codes.len() > 1;
    if let ([read_as, ..], true) = (codes, is_shared) {
        let names: Vec<&str> = codes.iter().map(|code| code.name()).collect();
        writeln!(
            text,
            "{given} stands for {}. Manila reads it as {read_as} unless it knows more.\n",
            names.join(" or ")
        )?;
    }
    if is_unexplained_diagnostic(given, codes) {
        let code = Code::CommandFailed;
        writeln!(text, "No explanation is known for {given}. Manila reports it as {code}.\n")?;
    }
    for code in codes {
        let entry = code.entry();
        let retry = if code.is_retryable() { "yes" } else { "no" };
        writeln!(text, "{}", entry.name)?;
        writeln!(text, "  {}", entry.meaning)?;
        writeln!(text, "  what to do   {}", entry.remedy)?;
        writeln!(text, "  retry        {retry}")?;
        writeln!(text, "  HTTP         {}", entry.http_status)?;
        let (plain, mcp) = (entry.jsonrpc_plain, entry.jsonrpc_mcp);
        writeln!(text, "  JSON-RPC     {plain} (plain), {mcp} (MCP)")?;
        for spelling in spellings().filter(|spelling| spelling.code == *code) {
            let number = spelling.number.map(|number| number.to_string());
            let more = [spelling.group, number.as_deref(), spelling.when];
            let more: Vec<&str> = more.into_iter().flatten().collect();
            let more =
                if more.is_empty() { String::new() } else { format!(" ({})", more.join(", ")) };
            writeln!(text, "  in {:<20} {}{more}", spelling.contract.id(), spelling.word)?;
        }
        for other in spellings().filter(|it| it.word == code.name() && it.code != *code) {
            writeln!(text, "  also         {}'s spelling of {}", other.contract, other.code)?;
        }
        writeln!(text)?;
    }
    Ok(text)
}

/// Returns whether a code has the form of a diagnostic, e.g. CS9999, but no explanation.
fn is_unexplained_diagnostic(given: &str, codes: &[Code]) -> bool {
    codes == [Code::CommandFailed]
        && !given.starts_with("EXIT_")
        && given.ends_with(|letter: char| letter.is_ascii_digit())
        && known_codes().all(|known| !known.eq_ignore_ascii_case(given))
}

fn describe_diagnostic(found: &Diagnostic) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    writeln!(text, "{}", found.code)?;
    writeln!(text, "  {}", found.explanation)?;
    writeln!(text, "  what to do   {}", found.hint)?;
    for (n, fix) in found.fixes.iter().enumerate() {
        let label = if n == 0 { "fixes" } else { "" };
        writeln!(text, "  {label:<12} - {fix}")?;
    }
    writeln!(text, "  read more    {}", found.link)?;
    writeln!(text, "  reported as  {}", Code::CommandFailed)?;
    Ok(text)
}

/// A diagnostic as JSON.
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
