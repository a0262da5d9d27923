//! An MCP server with as many tools as a large real one. A benchmark that is started with
//! `ARGUMENT` becomes this server.

use std::fmt::Write as _;
use std::io::{BufRead, Write as _};

/// The argument that makes a benchmark this server.
pub const ARGUMENT: &str = "be-a-server";

/// The number of tools.
pub const N_TOOLS: usize = 40;

/// Serves until stdin closes.
///
/// # Panics
/// If stdout cannot be written.
pub fn serve() {
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let Some(id) = member(&line, "\"id\":") else { continue };
        let response = if line.contains("\"initialize\"") {
            format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{"listChanged":true}}}},"serverInfo":{{"name":"tools","version":"1"}}}}}}"#
            )
        } else if line.contains("\"tools/list\"") {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[{}]}}}}"#, tools())
        } else {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"no"}}}}"#)
        };
        writeln!(output, "{response}").and_then(|()| output.flush()).expect("the client reads");
    }
}

/// Returns the text after a key, up to the next comma or the end of the object.
#[must_use]
pub fn member<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let (_, after) = line.split_once(key)?;
    after.split([',', '}']).next()
}

/// Returns tools with a few parameters each, described as in real servers.
fn tools() -> String {
    (0..N_TOOLS).fold(String::new(), |mut text, n| {
        let comma = if n == 0 { "" } else { "," };
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            r#"{comma}{{"name":"find_orders_{n}","description":"Finds the orders of a customer in a span of time, the newest first, at most as many as wanted.","inputSchema":{{"type":"object","properties":{{"customer":{{"type":"string","description":"The customer's number"}},"since":{{"type":"string","description":"The first day, as 2026-11-17"}},"limit":{{"type":"integer","minimum":1,"maximum":100}}}},"required":["customer"]}}}}"#
        );
        text
    })
}
