//! Reads one server's members and notes those that cannot be converted.

use manila::json::Kind;
use manila_gateway::{Address, AddressError};

use super::node::{ImportError, Node};
use super::sections::ServerEntry;
use super::template::{Piece, read};

/// A value with its variables.
pub(super) type Template = Vec<Piece>;

/// A converted server.
pub(super) struct Server {
    pub(super) transport: Transport,
    /// Why the server is written as a comment, if so.
    pub(super) disabled: Option<String>,
}

/// Transport of a server.
pub(super) enum Transport {
    Command { words: Vec<Template>, env: Vec<(String, Template)>, cwd: Option<Template> },
    Url { url: Template, headers: Vec<(String, Template)> },
}

impl Transport {
    /// Returns all values.
    pub(super) fn templates(&self) -> Vec<&Template> {
        match self {
            Transport::Command { words, env, cwd } => {
                words.iter().chain(env.iter().map(|(_, value)| value)).chain(cwd).collect()
            }
            Transport::Url { url, headers } => {
                std::iter::once(url).chain(headers.iter().map(|(_, value)| value)).collect()
            }
        }
    }
}

/// Members of any server.
const OF_ALL: [&str; 3] = ["type", "disabled", "enabled"];
const OF_COMMAND: [&str; 4] = ["command", "args", "env", "cwd"];
const OF_URL: [&str; 2] = ["url", "headers"];

/// Alternatives to members that Manila cannot convert.
const ALTERNATIVES: [(&str, &str); 6] = [
    ("envFile", "set the variables of that file in Manila's environment, or add them to `env`"),
    ("auth", "Manila does not log in; put a token in `headers`"),
    ("oauth", "Manila does not log in; put a token in `headers`"),
    ("headersHelper", "Manila runs no helpers; put a token in `headers`"),
    ("timeout", "set `timeout` in [upstream.NAME]"),
    ("autoApprove", "the client decides which calls need approval"),
];

/// Transport for a server's `type`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TransportKind {
    Command,
    Url,
}

const TYPES: [(&str, TransportKind); 4] = [
    ("stdio", TransportKind::Command),
    ("http", TransportKind::Url),
    ("streamable-http", TransportKind::Url),
    ("streamableHttp", TransportKind::Url),
];

/// Reads a server, and notes the members that are not converted.
pub(super) fn read_server(
    entry: &ServerEntry,
    notes: &mut Vec<String>,
) -> Result<Server, ImportError> {
    // A `null` member counts as missing.
    let mut members = entry.node.members()?;
    members.retain(|(_, node)| node.kind() != Kind::Null);
    let members = Members { node: &entry.node, members };
    let mut disabled = members.disabled_reason(entry.is_disabled)?;
    let kind = members.transport_kind()?;
    let supported: &[&str] = match kind {
        TransportKind::Command => &OF_COMMAND,
        TransportKind::Url => &OF_URL,
    };
    members.note_unsupported(entry, supported, notes);
    let transport = match kind {
        TransportKind::Command => members.command(entry, notes)?,
        TransportKind::Url => {
            let (url, node) =
                members.template("url")?.ok_or_else(|| members.missing_transport())?;
            disabled = disabled.or(unsupported_url(&url, &node)?);
            Transport::Url { url, headers: members.headers(entry, notes)? }
        }
    };
    if let Some(why) = &disabled {
        notes.push(format!("{} is written as a comment: {why}", entry.label()));
    }
    Ok(Server { transport, disabled })
}

impl ServerEntry {
    /// Returns the server's description for messages.
    pub(super) fn label(&self) -> String {
        match &self.project {
            Some(folder) => format!("server `{}` of the project `{folder}`", self.name),
            None => format!("server `{}`", self.name),
        }
    }
}

/// The members of a server.
struct Members<'a> {
    node: &'a Node,
    members: Vec<(String, Node)>,
}

impl Members<'_> {
    fn get(&self, name: &str) -> Option<&Node> {
        self.members.iter().find(|(known, _)| known == name).map(|(_, node)| node)
    }

    /// Returns why the server is disabled or not supported, if so.
    fn disabled_reason(&self, is_listed: bool) -> Result<Option<String>, ImportError> {
        let flag = |name: &str| self.get(name).map(Node::boolean).transpose();
        if is_listed || flag("disabled")? == Some(true) || flag("enabled")? == Some(false) {
            return Ok(Some("it is disabled in the client".to_owned()));
        }
        let name = self.get("type").map(Node::text).transpose()?;
        let is_unknown = |name: &String| TYPES.iter().all(|(known, _)| known != name);
        Ok(name
            .filter(is_unknown)
            .map(|name| format!("its type is `{name}`; Manila supports stdio and streamable HTTP")))
    }

    /// Determines the transport by the server's type, or else by its members.
    fn transport_kind(&self) -> Result<TransportKind, ImportError> {
        let name = self.get("type").map(Node::text).transpose()?;
        let known = TYPES.iter().find(|(known, _)| Some(*known) == name.as_deref());
        let has = |name: &str| self.get(name).is_some();
        match (known, has("command"), has("url")) {
            (Some((_, TransportKind::Command)), true, _) | (None, true, false) => {
                Ok(TransportKind::Command)
            }
            (Some((_, TransportKind::Url)), _, true) | (None, false, true) => {
                Ok(TransportKind::Url)
            }
            (None, true, true) => Err(self.node.error(
                "has both `command` and `url`",
                "remove one of them, or choose one with `type`",
            )),
            _ => Err(self.missing_transport()),
        }
    }

    /// Returns the error for a server without a program or an address.
    fn missing_transport(&self) -> ImportError {
        let hint = "add the server's program as `command`, or its address as `url`";
        let name = self.get("type").and_then(|node| node.text().ok());
        let known = TYPES.iter().find(|(known, _)| Some(*known) == name.as_deref());
        match known {
            Some((name, TransportKind::Command)) => {
                self.node.error(&format!("is of type `{name}`, but has no `command`"), hint)
            }
            Some((name, TransportKind::Url)) => {
                self.node.error(&format!("is of type `{name}`, but has no `url`"), hint)
            }
            None => self.node.error("has neither `command` nor `url`", hint),
        }
    }

    /// Notes every member that is not converted.
    fn note_unsupported(&self, entry: &ServerEntry, supported: &[&str], notes: &mut Vec<String>) {
        for (name, node) in &self.members {
            let name = name.as_str();
            let is_known = OF_COMMAND.contains(&name) || OF_URL.contains(&name);
            // Clients write `"env": {}` beside a URL by default.
            let is_empty = matches!(node.as_written().as_str(), "{}" | "[]");
            if OF_ALL.contains(&name) || supported.contains(&name) || (is_known && is_empty) {
                continue;
            }
            let why = match ALTERNATIVES.iter().find(|(known, _)| *known == name) {
                Some((_, instead)) => instead,
                None if is_known => "it does not apply to this transport",
                None => "Manila has no such setting",
            };
            notes.push(format!("{}: `{name}` is not converted: {why}", entry.label()));
        }
    }

    /// Returns a non-empty text with its variables.
    fn template(&self, name: &str) -> Result<Option<(Template, Node)>, ImportError> {
        let Some(node) = self.get(name) else { return Ok(None) };
        let text = node.text()?;
        if text.trim().is_empty() {
            return Err(node.error("must not be empty", "add a value, or remove it"));
        }
        Ok(Some((read(&text), node.clone())))
    }

    fn command(
        &self,
        entry: &ServerEntry,
        notes: &mut Vec<String>,
    ) -> Result<Transport, ImportError> {
        let (command, node) = self.template("command")?.ok_or_else(|| self.missing_transport())?;
        let args = self.get("args").map(Node::items).transpose()?.unwrap_or_default();
        if args.is_empty() && node.text()?.contains(' ') && !node.text()?.contains(['/', '\\']) {
            let label = entry.label();
            notes.push(format!(
                "{label}: `command` contains spaces, but no shell splits it; move the arguments to \
                 `args`"
            ));
        }
        let mut words = vec![command];
        for arg in args {
            words.push(read(&arg.text()?));
        }
        let cwd = self.template("cwd")?.map(|(template, _)| template);
        // Claude Code starts a project's servers in its folder.
        let folder = || entry.project.as_ref().map(|folder| vec![Piece::Plain(folder.clone())]);
        Ok(Transport::Command { words, env: self.env(entry, notes)?, cwd: cwd.or_else(folder) })
    }

    fn env(
        &self,
        entry: &ServerEntry,
        notes: &mut Vec<String>,
    ) -> Result<Vec<(String, Template)>, ImportError> {
        let members = self.get("env").map(Node::members).transpose()?.unwrap_or_default();
        let mut env = Vec::new();
        for (name, node) in members {
            match node.kind() {
                // VS Code accepts numbers, and unsets a variable that is `null`.
                Kind::Number => env.push((name, vec![Piece::Plain(node.as_written())])),
                Kind::Null => notes.push(format!(
                    "{}: `env.{name}` is not converted: Manila cannot unset variables",
                    entry.label()
                )),
                Kind::Object | Kind::Array | Kind::String | Kind::Bool => {
                    env.push((name, read(&node.text()?)));
                }
            }
        }
        Ok(env)
    }

    fn headers(
        &self,
        entry: &ServerEntry,
        notes: &mut Vec<String>,
    ) -> Result<Vec<(String, Template)>, ImportError> {
        let members = self.get("headers").map(Node::members).transpose()?.unwrap_or_default();
        let mut headers = Vec::new();
        for (name, node) in members {
            let text = node.text()?;
            match Address::new("http://localhost/", &[format!("{name}: -")]) {
                Ok(_) => headers.push((name, read(&text))),
                Err(AddressError::Reserved(_)) => notes.push(format!(
                    "{}: `headers.{name}` is not converted: Manila sets this header itself",
                    entry.label()
                )),
                Err(AddressError::Url(..) | AddressError::Scheme(_) | AddressError::Header(_)) => {
                    let hint = "use only letters, digits, `-` and `_`";
                    return Err(node.error("is not a header name", hint));
                }
            }
        }
        Ok(headers)
    }
}

/// Returns why a URL is not supported, if that is known before its variables are set.
fn unsupported_url(url: &Template, node: &Node) -> Result<Option<String>, ImportError> {
    let [Piece::Plain(url)] = url.as_slice() else { return Ok(None) };
    match Address::new(url, &[]) {
        Ok(_) => Ok(None),
        Err(AddressError::Scheme(_)) => {
            Ok(Some("the scheme of its URL is not supported".to_owned()))
        }
        Err(AddressError::Url(..) | AddressError::Header(_) | AddressError::Reserved(_)) => {
            Err(node.error("is not a URL", "write it like https://example.com/mcp"))
        }
    }
}
