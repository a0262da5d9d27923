//! `manila errors`

use manila::{Code, Entry, Spelling, spellings};
use serde::Serialize;

use crate::exit_status::ExitStatus;
use crate::output::Output;

/// List the failure codes with their HTTP status and JSON-RPC codes
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print JSON, including each contract's spelling of the codes
    #[arg(long)]
    json: bool,
}

/// A failure code as JSON.
#[derive(Serialize)]
pub(crate) struct Row {
    code: &'static str,
    meaning: &'static str,
    http_status: u16,
    jsonrpc_plain: i32,
    jsonrpc_mcp: i32,
    retry: bool,
    message: &'static str,
    remedy: &'static str,
    spellings: Vec<ContractSpelling>,
}

/// A contract's spelling of a code.
#[derive(Serialize)]
struct ContractSpelling {
    contract: &'static str,
    word: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mcp_error_code: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    when: Option<&'static str>,
}

impl ContractSpelling {
    fn of(spelling: Spelling) -> ContractSpelling {
        ContractSpelling {
            contract: spelling.contract.id(),
            word: spelling.word,
            group: spelling.group,
            mcp_error_code: spelling.number,
            when: spelling.when,
        }
    }
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    if args.json {
        let rows: Vec<Row> = Code::ALL.iter().copied().map(row).collect();
        out.line(&serde_json::to_vec_pretty(&rows)?)?;
        return Ok(ExitStatus::Success);
    }
    out.line(line("CODE", "HTTP", "PLAIN", "MCP", "RETRY", "MESSAGE").as_bytes())?;
    for code in Code::ALL {
        let entry = code.entry();
        let Entry { name, http_status, jsonrpc_plain, jsonrpc_mcp, message, .. } = *entry;
        let retry = if code.is_retryable() { "yes" } else { "no" };
        let numbers = [i32::from(http_status), jsonrpc_plain, jsonrpc_mcp].map(|it| it.to_string());
        let [http, plain, mcp] = &numbers;
        out.line(line(name, http, plain, mcp, retry, message).as_bytes())?;
    }
    out.line(b"\nMCP: the JSON-RPC code in MCP. PLAIN: the code outside MCP (`POST /tools/...`).")?;
    out.line(b"For details: manila explain CODE")?;
    Ok(ExitStatus::Success)
}

fn line(code: &str, http: &str, plain: &str, mcp: &str, retry: &str, message: &str) -> String {
    format!("{code:<25} {http:>4} {plain:>7} {mcp:>7} {retry:>5}  {message}")
}

/// Returns the row of a code.
pub(crate) fn row(code: Code) -> Row {
    let entry = code.entry();
    Row {
        code: entry.name,
        meaning: entry.meaning,
        http_status: entry.http_status,
        jsonrpc_plain: entry.jsonrpc_plain,
        jsonrpc_mcp: entry.jsonrpc_mcp,
        retry: code.is_retryable(),
        message: entry.message,
        remedy: entry.remedy,
        spellings: spellings()
            .filter(|spelling| spelling.code == code)
            .map(ContractSpelling::of)
            .collect(),
    }
}
