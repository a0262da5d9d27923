//! A request as HTTP has it: method, path, headers, body.

/// One request.
#[derive(Debug)]
pub(super) struct Incoming {
    pub(super) method: String,
    /// Without a query.
    pub(super) path: String,
    /// Names in lower case.
    pub(super) headers: Vec<(String, Vec<u8>)>,
    pub(super) body: Vec<u8>,
}

impl Incoming {
    /// The value of the header `name`, which is in lower case.
    pub(super) fn header(&self, name: &str) -> Option<&[u8]> {
        let header = self.headers.iter().find(|(known, _)| known == name);
        header.map(|(_, value)| value.as_slice())
    }

    /// The same as text, if it is one of visible ASCII.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        let value = self.header(name).filter(|value| value.is_ascii())?;
        str::from_utf8(value).ok()
    }

    /// Whether the client wants the connection closed after the answer.
    pub(super) fn wants_close(&self) -> bool {
        self.text("connection").is_some_and(|it| it.eq_ignore_ascii_case("close"))
    }
}

/// Why a request is not served, with the status that says so.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) status: u16,
    /// One sentence for people.
    pub(super) why: &'static str,
}

impl Refused {
    pub(super) const fn new(status: u16, why: &'static str) -> Refused {
        Refused { status, why }
    }
}
