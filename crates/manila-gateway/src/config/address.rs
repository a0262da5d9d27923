//! The address of a remote server: its URL, and the headers of each request.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

/// The address of a server: a URL, and headers to send with each request, such as credentials.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
}

/// The reason why an address is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// The URL cannot be parsed.
    #[error("`{0}` is not a URL: {1}")]
    Url(String, String),
    /// The URL's scheme is neither `http` nor `https`.
    #[error("a URL must start with http:// or https://, but `{0}` does not")]
    Scheme(String),
    /// The header cannot be parsed, for this reason. The reason does not contain its value.
    #[error("{0}")]
    Header(String),
    /// The header is reserved for Manila.
    #[error("the header `{0}` is reserved for Manila")]
    Reserved(String),
}

/// Headers that the transport sets.
const RESERVED: [&str; 9] = [
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
    /// Parses a URL, and headers of the form `Name: value`.
    ///
    /// ```
    /// use manila_gateway::{Address, AddressError};
    ///
    /// assert!(Address::new("http://127.0.0.1:9000/mcp", &[]).is_ok());
    /// let wrong = Address::new("ftp://127.0.0.1/", &[]).unwrap_err();
    /// assert_eq!(wrong, AddressError::Scheme("ftp://127.0.0.1/".to_owned()));
    /// ```
    pub fn new(url: &str, headers: &[String]) -> Result<Address, AddressError> {
        let shown = without_secrets(url);
        let parsed =
            Url::parse(url).map_err(|error| AddressError::Url(shown.clone(), error.to_string()))?;
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(AddressError::Scheme(shown));
        }
        let mut map = HeaderMap::new();
        for header in headers {
            let (name, value) = parse_header(header)?;
            map.append(name, value);
        }
        Ok(Address { url: parsed, headers: map })
    }

    /// Masks the credentials of this address in a text from the server.
    pub(crate) fn mask_credentials(&self, text: Bytes) -> Bytes {
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

    /// Returns the values that only this server may see: header values, and the URL's password and
    /// query values.
    fn secrets(&self) -> Vec<String> {
        const BYTES_MIN: usize = 6;
        let values = self.headers.values().filter_map(|value| value.to_str().ok());
        let parts = values.flat_map(|value| [value, value.rsplit(' ').next().unwrap_or(value)]);
        let mut secrets: Vec<String> = parts.map(str::to_owned).collect();
        if let Some(password) = self.url.password() {
            let both = format!("{}:{password}", self.url.username());
            secrets.extend([STANDARD.encode(both), password.to_owned()]);
        }
        secrets.extend(self.url.query_pairs().map(|(_, value)| value.into_owned()));
        secrets.retain(|secret| secret.len() >= BYTES_MIN);
        // A secret that contains another one is masked first.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets
    }

    /// Returns whether the server is on this machine.
    pub(crate) fn is_local(&self) -> bool {
        match self.url.host_str() {
            Some(host) => crate::protocol::host::is_loopback(host),
            None => false,
        }
    }
}

fn parse_header(header: &str) -> Result<(HeaderName, HeaderValue), AddressError> {
    // Everything after the name may be a secret, even without a colon between them.
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    let shown: String = header.trim().chars().take_while(|letter| is_name(*letter)).collect();
    let (name, value) = header.split_once(':').ok_or_else(|| {
        AddressError::Header(format!("a header must be `Name: value`, but `{shown}...` is not"))
    })?;
    let name: HeaderName = name.trim().parse().map_err(|_| {
        let rule = "use letters, digits and `-`";
        AddressError::Header(format!("invalid header name `{shown}...`: {rule}"))
    })?;
    if RESERVED.contains(&name.as_str()) || name.as_str().starts_with("mcp-param-") {
        return Err(AddressError::Reserved(name.to_string()));
    }
    let mut value = HeaderValue::from_str(value.trim()).map_err(|_| {
        AddressError::Header(format!("the value of `{name}` contains a control character"))
    })?;
    value.set_sensitive(true);
    Ok((name, value))
}

/// Removes the parts of a URL that may be secret: before an `@` and after a `?`.
fn without_secrets(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
        _ => url.to_owned(),
    }
}

/// Formats scheme, host and port only. The path is left out, because it may contain a key.
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
