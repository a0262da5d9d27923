//! Where a server is, and what it wants to hear from whoever comes.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

/// Where a server is: a URL, and headers that go with each request, such as credentials.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
}

/// Why an address is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoAddress {
    /// The URL cannot be read.
    #[error("`{0}` is no URL: {1}")]
    Url(String, String),
    /// The URL is none of HTTP.
    #[error("a URL must start with http:// or https://, but `{0}` does not")]
    Scheme(String),
    /// The header cannot be read. Its value is not repeated.
    #[error("a header must be `Name: value`, but `{0}` is not")]
    Header(String),
    /// The header is written by Manila itself.
    #[error("the header `{0}` is written by Manila itself")]
    Own(String),
}

/// Headers that are part of how messages are carried.
const OWN: [&str; 9] = [
    "accept",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
];

impl Address {
    /// Reads an address, and headers of the form `Name: value`.
    ///
    /// ```
    /// use manila_gateway::{Address, NoAddress};
    ///
    /// assert!(Address::new("http://127.0.0.1:9000/mcp", &[]).is_ok());
    /// let wrong = Address::new("ftp://127.0.0.1/", &[]).unwrap_err();
    /// assert_eq!(wrong, NoAddress::Scheme("ftp://127.0.0.1/".to_owned()));
    /// ```
    pub fn new(url: &str, headers: &[String]) -> Result<Address, NoAddress> {
        let shown = without_secrets(url);
        let parsed =
            Url::parse(url).map_err(|error| NoAddress::Url(shown.clone(), error.to_string()))?;
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(NoAddress::Scheme(shown));
        }
        let mut map = HeaderMap::new();
        for header in headers {
            let (name, value) = read(header)?;
            map.append(name, value);
        }
        Ok(Address { url: parsed, headers: map })
    }

    /// A text of the server's without what we have told it in confidence.
    pub(crate) fn masked(&self, text: Bytes) -> Bytes {
        let mut masked: Option<String> = None;
        for secret in self.secrets() {
            let current = masked.as_deref().map_or(text.as_ref(), str::as_bytes);
            if memchr::memmem::find(current, secret.as_bytes()).is_some() {
                let shown = String::from_utf8_lossy(current);
                masked = Some(shown.replace(&secret, "[REDACTED]"));
            }
        }
        masked.map_or(text, Bytes::from)
    }

    /// What we tell the server and nobody else: headers, the password and the query of the URL.
    fn secrets(&self) -> Vec<String> {
        const SHORTEST: usize = 6;
        let values = self.headers.values().filter_map(|value| value.to_str().ok());
        let words = values.flat_map(|value| [value, value.rsplit(' ').next().unwrap_or(value)]);
        let mut secrets: Vec<String> = words.map(str::to_owned).collect();
        if let Some(password) = self.url.password() {
            let both = format!("{}:{password}", self.url.username());
            secrets.extend([STANDARD.encode(both), password.to_owned()]);
        }
        secrets.extend(self.url.query_pairs().map(|(_, value)| value.into_owned()));
        secrets.retain(|secret| secret.len() >= SHORTEST);
        // What holds another one goes first.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets
    }

    /// Whether it is on this machine.
    pub(crate) fn is_here(&self) -> bool {
        match self.url.host_str() {
            Some(host) => crate::protocol::host::is_loopback(host),
            None => false,
        }
    }
}

fn read(header: &str) -> Result<(HeaderName, HeaderValue), NoAddress> {
    // What comes after the name may be a secret, whatever stands between.
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    let shown: String = header.trim().chars().take_while(|letter| is_name(*letter)).collect();
    let wrong = || NoAddress::Header(format!("{shown}..."));
    let name = header.split(':').next().unwrap_or_default().trim();
    let (_, value) = header.split_once(':').ok_or_else(wrong)?;
    let name: HeaderName = name.parse().map_err(|_| wrong())?;
    if OWN.contains(&name.as_str()) || name.as_str().starts_with("mcp-param-") {
        return Err(NoAddress::Own(name.to_string()));
    }
    let mut value = HeaderValue::from_str(value.trim()).map_err(|_| wrong())?;
    value.set_sensitive(true);
    Ok((name, value))
}

/// What stands before an `@`, or behind a `?`, may be a secret.
fn without_secrets(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
        _ => url.to_owned(),
    }
}

/// For people: where it is, without anything that may be a secret. Some keep their keys in the
/// path.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = self.url.host_str().unwrap_or_default();
        let port = self.url.port().map(|port| format!(":{port}")).unwrap_or_default();
        write!(f, "{}://{host}{port}", self.url.scheme())
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
