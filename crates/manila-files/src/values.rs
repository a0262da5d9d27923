//! Values in configuration files: durations and sizes with units, text with variables.

use std::net::{Ipv4Addr, SocketAddr};
use std::num::IntErrorKind;
use std::time::Duration;

/// The units of durations, in milliseconds.
const DURATION_UNITS: [(&str, u64); 4] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)];

/// The units of sizes, in bytes.
const SIZE_UNITS: [(&str, usize); 7] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("kB", 1_000),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
];

/// Parses a duration, e.g. `500ms`, `30s`, `5m`; without a unit, the number is in seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
    let unit =
        DURATION_UNITS.into_iter().find_map(|(unit, ms)| Some((text.strip_suffix(unit)?, ms)));
    let (number, unit_ms) = unit.unwrap_or((text, 1_000));
    let number: u64 = match number.trim().parse() {
        Ok(number) => number,
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => u64::MAX,
        Err(_) => return Err("use a number with ms, s, m or h, e.g. 30s".to_owned()),
    };
    let duration = Duration::from_millis(number.saturating_mul(unit_ms));
    if duration.is_zero() || duration > LONGEST {
        return Err("use a duration above 0 and at most 24h".to_owned());
    }
    Ok(duration)
}

/// Parses a number of bytes, e.g. `1000000`, `512KiB`, `64MiB`.
pub fn bytes(text: &str) -> Result<usize, String> {
    const SMALLEST: usize = 1_024;
    const LARGEST: usize = 4 << 30;
    let unit =
        SIZE_UNITS.into_iter().find_map(|(unit, size)| Some((text.strip_suffix(unit)?, size)));
    let (number, unit) = unit.unwrap_or((text, 1));
    let number: usize = number
        .trim()
        .parse()
        .map_err(|_| "use a number with KiB, MiB or GiB, e.g. 64MiB".to_owned())?;
    let size = number.saturating_mul(unit);
    if (SMALLEST..=LARGEST).contains(&size) {
        Ok(size)
    } else {
        Err("use a size from 1KiB to 4GiB".to_owned())
    }
}

/// Parses an address of this machine; a port alone means the loopback address.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    let text = text.trim_start_matches("http://").trim_end_matches('/');
    if let Ok(port) = text.trim_start_matches(':').parse() {
        return Ok(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    }
    let numeric = text.replacen("localhost:", "127.0.0.1:", 1);
    numeric.parse().map_err(|_| "use an address and a port, e.g. 127.0.0.1:7300".to_owned())
}

/// Returns a pattern for editors that matches the usual spellings of a duration.
///
/// [`duration`] rejects values that are too long.
pub(crate) fn duration_pattern() -> String {
    amount_pattern(&DURATION_UNITS.map(|(unit, _)| unit))
}

/// Returns a pattern for editors that matches the usual spellings of a size.
///
/// [`bytes`] rejects values that are too small or too large.
pub(crate) fn bytes_pattern() -> String {
    amount_pattern(&SIZE_UNITS.map(|(unit, _)| unit))
}

/// Returns a pattern for a number other than 0 with an optional unit.
fn amount_pattern(units: &[&str]) -> String {
    format!("^ *[0-9]*[1-9][0-9]* *({})?$", units.join("|"))
}

/// Matches the usual spellings of an address. [`address`] rejects invalid hosts and ports.
pub(crate) const ADDRESS_PATTERN: &str = concat!(
    r"^(http://)?(:?[0-9]{1,5}|",
    r"(localhost|[0-9]{1,3}(\.[0-9]{1,3}){3}|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5})/?$"
);

/// Matches HTTP URLs; a variable may replace any part.
pub(crate) const URL_PATTERN: &str = r"^(https?://.|.*\$\{.+\})";

/// Replaces each `${NAME}` with the value of that variable, and `$${` with `${`.
///
/// Fails with the variable's name if it is not set.
pub fn expand_variables(
    text: &str,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<String, String> {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        if let Some(before) = before.strip_suffix('$') {
            expanded.push_str(before);
            expanded.push_str("${");
            rest = after;
            continue;
        }
        let Some((name, after)) = after.split_once('}') else { break };
        expanded.push_str(before);
        expanded.push_str(&variable(name).ok_or_else(|| name.to_owned())?);
        rest = after;
    }
    expanded.push_str(rest);
    Ok(expanded)
}

/// The maximum length of a server's name, which prefixes the names of its tools: `SERVER_TOOL`.
pub const SERVER_NAME_CHARS_MAX: usize = 32;

/// Returns a pattern for editors that matches a server's name.
pub(crate) fn server_name_pattern() -> String {
    format!("^[A-Za-z0-9-]{{1,{SERVER_NAME_CHARS_MAX}}}$")
}

/// Matches the name of a redaction rule, as a pattern for editors.
pub(crate) const RULE_NAME_PATTERN: &str = "^[a-z0-9._-]{1,64}$";
