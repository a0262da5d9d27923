//! The members of a message, and the rules for each (Q1, Q2).
//!
//! Parsing stops at the first broken rule; checking collects all of them. Both use the same
//! functions.

use super::{Message, Notification, Profile, Request, Response};
use crate::raw_json::{JsonObject, Kind, RawJson, ReadError, Reader};

/// The members of a message.
#[derive(Default)]
pub(crate) struct Parts {
    version: Option<RawJson>,
    id: Option<RawJson>,
    method: Option<RawJson>,
    params: Option<RawJson>,
    named: NamedParams,
    result: Option<RawJson>,
    error: Option<RawJson>,
    /// The repeated members.
    duplicates: Vec<&'static str>,
    /// The first member of a request that is given in another case.
    respelled: Option<&'static str>,
}

/// The parameters that are read by name. If one is repeated, the last value wins.
#[derive(Default)]
struct NamedParams {
    name: Option<RawJson>,
    arguments: Option<RawJson>,
    meta: Option<RawJson>,
    /// The first one that is ambiguous.
    ambiguous: Option<AmbiguousParam>,
}

/// A parameter whose value depends on the reader of the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AmbiguousParam {
    /// It is repeated, and readers may use either value.
    Repeated(&'static str),
    /// It is given in another case, which some readers ignore.
    Respelled(&'static str),
}

/// The rule for a member whose name differs from a known one only in case.
pub(crate) const RESPELLED: &str = "is given with a name that differs only in case";

/// A rule that a message breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BrokenRule {
    /// The member that breaks it.
    pub(crate) member: &'static str,
    pub(crate) rule: &'static str,
    pub(crate) clause: &'static str,
    pub(crate) message: &'static str,
}

/// The role of a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Request,
    Notification,
    Response,
}

/// Returns the rule that a document breaks if it is not an object.
pub(crate) fn not_an_object(kind: Kind) -> (&'static str, String) {
    match kind {
        Kind::Array => ("batch", "is a batch; send its messages one by one".to_owned()),
        Kind::Object | Kind::String | Kind::Number | Kind::Bool | Kind::Null => {
            ("type", format!("must be an object, but is {}", kind.name()))
        }
    }
}

impl NamedParams {
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), ReadError> {
        reader.members(|reader, key| {
            let value = reader.raw()?;
            self.put(key, value);
            Ok(())
        })
    }

    fn put(&mut self, key: &str, value: RawJson) {
        let (name, place) = match key {
            "name" => ("name", &mut self.name),
            "arguments" => ("arguments", &mut self.arguments),
            "_meta" => ("_meta", &mut self.meta),
            _ => {
                if let Some(name) = find_respelled(key, &["name", "arguments", "_meta"]) {
                    self.ambiguous.get_or_insert(AmbiguousParam::Respelled(name));
                }
                return;
            }
        };
        if place.replace(value).is_some() {
            self.ambiguous.get_or_insert(AmbiguousParam::Repeated(name));
        }
    }
}

impl Parts {
    pub(super) fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), ReadError> {
        reader.members(|reader, key| {
            let value = match (key, reader.next_kind()) {
                // Params may be large, so their members are found in the same pass.
                ("params", Kind::Object) => reader.with_raw(|reader| self.named.read(reader))?.1,
                _ => reader.raw()?,
            };
            self.put(key, value);
            Ok(())
        })
    }

    /// Creates the parts of an object that has already been parsed.
    pub(crate) fn of(object: &RawJson) -> Parts {
        let mut parts = Parts::default();
        for member in object.members() {
            parts.put(&member.key(), member.value());
        }
        parts
    }

    fn put(&mut self, key: &str, value: RawJson) {
        let (name, place) = match key {
            "jsonrpc" => ("jsonrpc", &mut self.version),
            "id" => ("id", &mut self.id),
            "method" => ("method", &mut self.method),
            "params" => ("params", &mut self.params),
            "result" => ("result", &mut self.result),
            "error" => ("error", &mut self.error),
            _ => {
                if let Some(name) = find_respelled(key, &["method", "params"]) {
                    self.respelled.get_or_insert(name);
                }
                return;
            }
        };
        if place.replace(value).is_some() && !self.duplicates.contains(&name) {
            self.duplicates.push(name);
        }
    }

    /// Returns the message as in MCP, or the first rule that it breaks.
    pub(super) fn message(&mut self, frame: RawJson) -> Result<Message, BrokenRule> {
        match self.role(Profile::Mcp) {
            Role::Request => self.request(frame, Profile::Mcp).map(Message::Request),
            Role::Notification => self.notification(frame).map(Message::Notification),
            Role::Response => self.response(frame).map(Message::Response),
        }
    }

    /// Returns the request, or the first rule that it breaks.
    pub(super) fn request(
        &mut self,
        frame: RawJson,
        profile: Profile,
    ) -> Result<Request, BrokenRule> {
        self.check_unique()?;
        self.check_spelling()?;
        self.version()?;
        let (method, params, id) = (self.method()?, self.params(profile)?, self.id(profile)?);
        let NamedParams { name, arguments, meta, ambiguous } = std::mem::take(&mut self.named);
        Ok(Request { id, method, params, name, arguments, meta, ambiguous, frame })
    }

    fn notification(&self, frame: RawJson) -> Result<Notification, BrokenRule> {
        self.check_unique()?;
        self.check_spelling()?;
        self.version()?;
        let (method, params) = (self.method()?, self.params(Profile::Mcp)?);
        Ok(Notification { method, params, frame })
    }

    fn response(&self, frame: RawJson) -> Result<Response, BrokenRule> {
        self.check_unique()?;
        self.version()?;
        Ok(Response { answer: self.result_or_error()?, id: self.response_id()?, frame })
    }

    /// Returns every rule that the message breaks.
    pub(crate) fn broken_rules(&self, profile: Profile) -> Vec<BrokenRule> {
        let duplicates = self.duplicates.iter().copied().map(duplicate_member);
        let spelling = match self.role(profile) {
            Role::Request | Role::Notification => self.check_spelling().err(),
            Role::Response => None,
        };
        let duplicates = duplicates.chain(spelling);
        let version = self.version().err();
        let method = || self.method().err();
        let params = || self.params(profile).err();
        let others = match self.role(profile) {
            Role::Request => [method(), params(), self.id(profile).err()],
            Role::Notification => [method(), params(), None],
            Role::Response => [self.result_or_error().err(), self.response_id().err(), None],
        };
        duplicates.chain(version).chain(others.into_iter().flatten()).collect()
    }

    /// Returns whether `params` is `null`, which MCP does not define.
    pub(crate) fn has_null_params(&self) -> bool {
        self.params.as_ref().is_some_and(RawJson::is_null)
    }

    /// Returns the id, if it is valid in a response.
    pub(super) fn valid_id(&self) -> Option<RawJson> {
        self.id.clone().filter(|id| self.duplicates.is_empty() && is_id(id))
    }

    /// Returns the role of the message. In MCP, Q1 applies only to requests (Q2).
    fn role(&self, profile: Profile) -> Role {
        let is_response = self.result.is_some() || self.error.is_some();
        match profile {
            Profile::Mcp if self.method.is_none() && is_response => Role::Response,
            Profile::Mcp if self.method.is_some() && self.id.is_none() => Role::Notification,
            Profile::Strict | Profile::Mcp => Role::Request,
        }
    }

    /// Rejects a repeated member, because two readers may use different values.
    fn check_unique(&self) -> Result<(), BrokenRule> {
        self.duplicates.first().map_or(Ok(()), |name| Err(duplicate_member(name)))
    }

    /// Rejects a member of a request in another case, because some readers ignore case and would
    /// read another request.
    fn check_spelling(&self) -> Result<(), BrokenRule> {
        let message = RESPELLED;
        self.respelled.map_or(Ok(()), |member| {
            Err(BrokenRule { member, rule: "unique", clause: "Q1", message })
        })
    }

    fn version(&self) -> Result<(), BrokenRule> {
        let broken = |rule, message| BrokenRule { member: "jsonrpc", rule, clause: "Q1", message };
        let Some(version) = &self.version else { return Err(broken("required", "is required")) };
        let is_version_2 =
            version.as_bytes() == b"\"2.0\"" || version.as_text().is_some_and(|it| it == "2.0");
        if is_version_2 { Ok(()) } else { Err(broken("const", "must be \"2.0\"")) }
    }

    fn method(&self) -> Result<String, BrokenRule> {
        let broken = |rule, message| BrokenRule { member: "method", rule, clause: "Q1", message };
        let Some(method) = &self.method else { return Err(broken("required", "is required")) };
        let Some(text) = method.as_text() else { return Err(broken("type", "must be a string")) };
        if text.is_empty() {
            return Err(broken("minLength", "must not be empty"));
        }
        Ok(text.into_owned())
    }

    /// Returns the parameters, an object. In MCP they may be absent or `null`, which many clients
    /// send.
    fn params(&self, profile: Profile) -> Result<Option<JsonObject>, BrokenRule> {
        let broken = |rule, message| BrokenRule { member: "params", rule, clause: "Q1", message };
        let given = match profile {
            Profile::Strict => self.params.as_ref(),
            Profile::Mcp => self.params.as_ref().filter(|params| !params.is_null()),
        };
        match (given, profile) {
            (None, Profile::Mcp) => Ok(None),
            (None, Profile::Strict) => Err(broken("required", "is required")),
            (Some(params), _) => JsonObject::new(params.clone())
                .map(Some)
                .ok_or_else(|| broken("type", "must be an object")),
        }
    }

    /// Returns the id: a string that is not empty, or in MCP an integer.
    fn id(&self, profile: Profile) -> Result<RawJson, BrokenRule> {
        let (clause, expected) = match profile {
            Profile::Strict => ("Q1", "must be a string"),
            Profile::Mcp => ("Q2", "must be a string or an integer"),
        };
        let broken = |rule, message| BrokenRule { member: "id", rule, clause, message };
        let Some(id) = &self.id else { return Err(broken("required", "is required")) };
        match (id.kind(), profile) {
            (Kind::String, _) if !is_id(id) => Err(broken("minLength", "must not be empty")),
            (Kind::String, _) => Ok(id.clone()),
            (Kind::Number, Profile::Mcp) if is_id(id) => Ok(id.clone()),
            (Kind::Number | Kind::Object | Kind::Array | Kind::Bool | Kind::Null, _) => {
                Err(broken("type", expected))
            }
        }
    }

    /// Returns the result or the error object.
    fn result_or_error(&self) -> Result<Result<RawJson, RawJson>, BrokenRule> {
        let broken = |rule, message| BrokenRule { member: "error", rule, clause: "Q2", message };
        match (&self.result, &self.error) {
            (Some(result), None) => Ok(Ok(result.clone())),
            (None, Some(error)) => Ok(Err(error.clone())),
            (Some(_), Some(_)) => Err(broken("oneOf", "must not be combined with a result")),
            (None, None) => Err(broken("required", "is required if there is no result")),
        }
    }

    /// Returns the id of the request, or `None` if the server could not read it.
    fn response_id(&self) -> Result<Option<RawJson>, BrokenRule> {
        match &self.id {
            None => Ok(None),
            Some(id) if id.is_null() => Ok(None),
            Some(id) if is_id(id) => Ok(Some(id.clone())),
            Some(_) => {
                let message = "must be an integer, or a string that is not empty";
                Err(BrokenRule { member: "id", rule: "type", clause: "Q2", message })
            }
        }
    }
}

/// Returns the name that differs from the key only in case, if any.
fn find_respelled(key: &str, names: &[&'static str]) -> Option<&'static str> {
    let is_same = |name: &&&'static str| {
        if key.is_ascii() {
            return key.eq_ignore_ascii_case(name);
        }
        // Some characters beyond ASCII are equal to an ASCII letter if case is ignored.
        key.chars().flat_map(char::to_uppercase).eq(name.chars().flat_map(char::to_uppercase))
    };
    names.iter().find(is_same).copied()
}

fn duplicate_member(member: &'static str) -> BrokenRule {
    BrokenRule { member, rule: "unique", clause: "Q1", message: "is given twice" }
}

/// Q2: returns whether `id` is a string that is not empty, or an integer.
fn is_id(id: &RawJson) -> bool {
    match id.kind() {
        Kind::String => id.as_bytes().len() > 2,
        Kind::Number => !id.as_bytes().iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')),
        Kind::Object | Kind::Array | Kind::Bool | Kind::Null => false,
    }
}
