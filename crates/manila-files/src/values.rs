//! Values that people write: times and sizes with units, texts with variables.

use std::net::{Ipv4Addr, SocketAddr};
use std::num::IntErrorKind;
use std::time::Duration;

/// The units of times, in milliseconds.
const TIMES: [(&str, u64); 4] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)];

/// The units of sizes, in bytes.
const SIZES: [(&str, usize); 7] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("kB", 1_000),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
];

/// Reads a time, e.g. `500ms`, `30s`, `5m`; a number alone is seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
    let unit = TIMES.into_iter().find_map(|(unit, ms)| Some((text.strip_suffix(unit)?, ms)));
    let (number, unit_ms) = unit.unwrap_or((text, 1_000));
    let number: u64 = match number.trim().parse() {
        Ok(number) => number,
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => u64::MAX,
        Err(_) => return Err("give a number and a unit, e.g. 30s".to_owned()),
    };
    let duration = Duration::from_millis(number.saturating_mul(unit_ms));
    if duration.is_zero() || duration > LONGEST {
        return Err("it must be more than 0 and at most 24h".to_owned());
    }
    Ok(duration)
}

/// Reads a number of bytes, e.g. `1000000`, `512KiB`, `64MiB`.
pub fn bytes(text: &str) -> Result<usize, String> {
    const SMALLEST: usize = 1_024;
    const LARGEST: usize = 4 << 30;
    let unit = SIZES.into_iter().find_map(|(unit, size)| Some((text.strip_suffix(unit)?, size)));
    let (number, unit) = unit.unwrap_or((text, 1));
    let number: usize =
        number.trim().parse().map_err(|_| "give a number of bytes, e.g. 64MiB".to_owned())?;
    let size = number.saturating_mul(unit);
    if (SMALLEST..=LARGEST).contains(&size) {
        Ok(size)
    } else {
        Err("it must be at least 1KiB and at most 4GiB".to_owned())
    }
}

/// Reads an address of this machine; a port alone is enough.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    let text = text.trim_start_matches("http://").trim_end_matches('/');
    if let Ok(port) = text.trim_start_matches(':').parse() {
        return Ok(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    }
    let numeric = text.replacen("localhost:", "127.0.0.1:", 1);
    numeric.parse().map_err(|_| "give an address and a port, e.g. 127.0.0.1:7300".to_owned())
}

/// The usual spellings of a time, as a pattern for editors. What is too long is told by `duration`.
pub(crate) fn duration_pattern() -> String {
    amount(&TIMES.map(|(unit, _)| unit))
}

/// The usual spellings of a size. What is too small or too large is told by `bytes`.
pub(crate) fn bytes_pattern() -> String {
    amount(&SIZES.map(|(unit, _)| unit))
}

/// A number that is not 0, and perhaps a unit.
fn amount(units: &[&str]) -> String {
    format!("^ *[0-9]*[1-9][0-9]* *({})?$", units.join("|"))
}

/// The usual spellings of an address. Hosts and ports that do not exist are told by `address`.
pub(crate) const ADDRESS_PATTERN: &str = concat!(
    r"^(http://)?(:?[0-9]{1,5}|",
    r"(localhost|[0-9]{1,3}(\.[0-9]{1,3}){3}|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5})/?$"
);

/// The URLs of HTTP; a variable may stand for any part.
pub(crate) const URL_PATTERN: &str = r"^(https?://.|.*\$\{.+\})";

/// A text in which `${NAME}` stands for a variable, and `$${` for `${`. An error is the name of a
/// variable that is not set.
pub fn with_variables(
    text: &str,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<String, String> {
    let mut whole = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        if let Some(before) = before.strip_suffix('$') {
            whole.push_str(before);
            whole.push_str("${");
            rest = after;
            continue;
        }
        let Some((name, after)) = after.split_once('}') else { break };
        whole.push_str(before);
        whole.push_str(&variable(name).ok_or_else(|| name.to_owned())?);
        rest = after;
    }
    whole.push_str(rest);
    Ok(whole)
}

/// The longest name of a server: tools are named `NAME_TOOL`.
pub const SERVER_NAME_CHARS_MAX: usize = 32;

/// What the name of a server looks like, as a pattern for editors.
pub(crate) fn server_name_pattern() -> String {
    format!("^[A-Za-z0-9-]{{1,{SERVER_NAME_CHARS_MAX}}}$")
}

/// What the name of a redaction rule looks like, as a pattern for editors.
pub(crate) const RULE_NAME_PATTERN: &str = "^[a-z0-9._-]{1,64}$";
