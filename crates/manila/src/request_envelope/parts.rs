//! The members that make a message, and the rules for each (Q1, Q2).
//!
//! Whoever reads a message stops at the first rule that it breaks; whoever checks one hears all
//! of them. Both ask the same functions.

use super::{Message, Notification, Profile, Request, Response};
use crate::raw_json::{JsonObject, Kind, RawJson, ReadError, Reader};

/// The members that make a message.
#[derive(Default)]
pub(crate) struct Parts {
    version: Option<RawJson>,
    id: Option<RawJson>,
    method: Option<RawJson>,
    params: Option<RawJson>,
    named: Named,
    result: Option<RawJson>,
    error: Option<RawJson>,
    /// Those that are given twice.
    twice: Vec<&'static str>,
}

/// The parameters that are read by name. Of several with one name it is the last.
#[derive(Default)]
struct Named {
    name: Option<RawJson>,
    arguments: Option<RawJson>,
    meta: Option<RawJson>,
    /// The first that is given twice.
    repeated: Option<&'static str>,
}

/// A rule that a message breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Broken {
    /// The member that breaks it.
    pub(crate) member: &'static str,
    pub(crate) rule: &'static str,
    pub(crate) clause: &'static str,
    pub(crate) message: &'static str,
}

/// What a message is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Request,
    Notification,
    Response,
}

/// The rule that a document breaks which is no object.
pub(crate) fn not_an_object(kind: Kind) -> (&'static str, String) {
    match kind {
        Kind::Array => ("batch", "is a batch; send its messages one by one".to_owned()),
        Kind::Object | Kind::String | Kind::Number | Kind::Bool | Kind::Null => {
            ("type", format!("must be an object, but is {}", kind.name()))
        }
    }
}

impl Named {
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
            _ => return,
        };
        if place.replace(value).is_some() {
            self.repeated.get_or_insert(name);
        }
    }
}

impl Parts {
    pub(super) fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), ReadError> {
        reader.members(|reader, key| {
            let value = match (key, reader.next_kind()) {
                // They may be large, so what stands in them is found while they are read.
                ("params", Kind::Object) => reader.with_raw(|reader| self.named.read(reader))?.1,
                _ => reader.raw()?,
            };
            self.put(key, value);
            Ok(())
        })
    }

    /// The members of an object that has been read.
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
            _ => return,
        };
        if place.replace(value).is_some() && !self.twice.contains(&name) {
            self.twice.push(name);
        }
    }

    /// The message as MCP has it, or the first rule that it breaks.
    pub(super) fn message(&mut self, frame: RawJson) -> Result<Message, Broken> {
        match self.role(Profile::Mcp) {
            Role::Request => self.request(frame, Profile::Mcp).map(Message::Request),
            Role::Notification => self.notification(frame).map(Message::Notification),
            Role::Response => self.response(frame).map(Message::Response),
        }
    }

    /// The request, or the first rule that it breaks.
    pub(super) fn request(&mut self, frame: RawJson, profile: Profile) -> Result<Request, Broken> {
        self.once()?;
        self.version()?;
        let (method, params, id) = (self.method()?, self.params(profile)?, self.id(profile)?);
        let Named { name, arguments, meta, repeated } = std::mem::take(&mut self.named);
        Ok(Request { id, method, params, name, arguments, meta, repeated, frame })
    }

    fn notification(&self, frame: RawJson) -> Result<Notification, Broken> {
        self.once()?;
        self.version()?;
        let (method, params) = (self.method()?, self.params(Profile::Mcp)?);
        Ok(Notification { method, params, frame })
    }

    fn response(&self, frame: RawJson) -> Result<Response, Broken> {
        self.once()?;
        self.version()?;
        Ok(Response { answer: self.answer()?, id: self.answered()?, frame })
    }

    /// Every rule that the message breaks.
    pub(crate) fn broken(&self, profile: Profile) -> Vec<Broken> {
        let twice = self.twice.iter().copied().map(is_twice);
        let version = self.version().err();
        let method = || self.method().err();
        let params = || self.params(profile).err();
        let others = match self.role(profile) {
            Role::Request => [method(), params(), self.id(profile).err()],
            Role::Notification => [method(), params(), None],
            Role::Response => [self.answer().err(), self.answered().err(), None],
        };
        twice.chain(version).chain(others.into_iter().flatten()).collect()
    }

    /// Whether a client wrote `null` where it has no parameters, which MCP does not know.
    pub(crate) fn has_null_params(&self) -> bool {
        self.params.as_ref().is_some_and(RawJson::is_null)
    }

    /// The id, where there is one that can be answered.
    pub(super) fn answerable(&self) -> Option<RawJson> {
        self.id.clone().filter(|id| self.twice.is_empty() && is_id(id))
    }

    /// Q2: a message of MCP may be no request, and then Q1 does not bind it.
    fn role(&self, profile: Profile) -> Role {
        let is_answer = self.result.is_some() || self.error.is_some();
        match profile {
            Profile::Mcp if self.method.is_none() && is_answer => Role::Response,
            Profile::Mcp if self.method.is_some() && self.id.is_none() => Role::Notification,
            Profile::Strict | Profile::Mcp => Role::Request,
        }
    }

    /// Two readers of a message with a member twice may take different ones.
    fn once(&self) -> Result<(), Broken> {
        self.twice.first().map_or(Ok(()), |name| Err(is_twice(name)))
    }

    fn version(&self) -> Result<(), Broken> {
        let broken = |rule, message| Broken { member: "jsonrpc", rule, clause: "Q1", message };
        let Some(version) = &self.version else { return Err(broken("required", "is required")) };
        let is_version_2 =
            version.as_bytes() == b"\"2.0\"" || version.as_text().is_some_and(|it| it == "2.0");
        if is_version_2 { Ok(()) } else { Err(broken("const", "must be \"2.0\"")) }
    }

    fn method(&self) -> Result<String, Broken> {
        let broken = |rule, message| Broken { member: "method", rule, clause: "Q1", message };
        let Some(method) = &self.method else { return Err(broken("required", "is required")) };
        let Some(text) = method.as_text() else { return Err(broken("type", "must be a string")) };
        if text.is_empty() {
            return Err(broken("minLength", "must not be empty"));
        }
        Ok(text.into_owned())
    }

    /// An object; on MCP there may be none, and a `null` stands for none: many a client writes it.
    fn params(&self, profile: Profile) -> Result<Option<JsonObject>, Broken> {
        let broken = |rule, message| Broken { member: "params", rule, clause: "Q1", message };
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

    /// A string that is not empty; on MCP it may be an integer too.
    fn id(&self, profile: Profile) -> Result<RawJson, Broken> {
        let (clause, words) = match profile {
            Profile::Strict => ("Q1", "must be a string"),
            Profile::Mcp => ("Q2", "must be a string or an integer"),
        };
        let broken = |rule, message| Broken { member: "id", rule, clause, message };
        let Some(id) = &self.id else { return Err(broken("required", "is required")) };
        match (id.kind(), profile) {
            (Kind::String, _) if !is_id(id) => Err(broken("minLength", "must not be empty")),
            (Kind::String, _) => Ok(id.clone()),
            (Kind::Number, Profile::Mcp) if is_id(id) => Ok(id.clone()),
            (Kind::Number | Kind::Object | Kind::Array | Kind::Bool | Kind::Null, _) => {
                Err(broken("type", words))
            }
        }
    }

    /// The result, or the error object.
    fn answer(&self) -> Result<Result<RawJson, RawJson>, Broken> {
        let broken = |rule, message| Broken { member: "error", rule, clause: "Q2", message };
        match (&self.result, &self.error) {
            (Some(result), None) => Ok(Ok(result.clone())),
            (None, Some(error)) => Ok(Err(error.clone())),
            (Some(_), Some(_)) => Err(broken("oneOf", "stands beside a result")),
            (None, None) => Err(broken("required", "is required where there is no result")),
        }
    }

    /// The id that is answered; there is none where the request was not understood.
    fn answered(&self) -> Result<Option<RawJson>, Broken> {
        match &self.id {
            None => Ok(None),
            Some(id) if id.is_null() => Ok(None),
            Some(id) if is_id(id) => Ok(Some(id.clone())),
            Some(_) => {
                let message = "must be an integer, or a string that is not empty";
                Err(Broken { member: "id", rule: "type", clause: "Q2", message })
            }
        }
    }
}

fn is_twice(member: &'static str) -> Broken {
    Broken { member, rule: "unique", clause: "Q1", message: "is given twice" }
}

/// Q2: a string that is not empty, or an integer.
fn is_id(id: &RawJson) -> bool {
    match id.kind() {
        Kind::String => id.as_bytes().len() > 2,
        Kind::Number => !id.as_bytes().iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')),
        Kind::Object | Kind::Array | Kind::Bool | Kind::Null => false,
    }
}
