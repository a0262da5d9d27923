//! One server: its members, and what becomes of each.

use manila::json::Kind;
use manila_gateway::{Address, NoAddress};

use super::found::Entry;
use super::node::{Node, Wrong};
use super::template::{Piece, read};

/// A value with its variables.
pub(super) type Template = Vec<Piece>;

/// A server as Manila understands it.
pub(super) struct Server {
    pub(super) reach: Reach,
    /// Why it is written as a comment, if it is.
    pub(super) off: Option<String>,
}

/// How a server is reached.
pub(super) enum Reach {
    Command { words: Vec<Template>, env: Vec<(String, Template)>, cwd: Option<Template> },
    Url { url: Template, headers: Vec<(String, Template)> },
}

impl Reach {
    /// Every value.
    pub(super) fn templates(&self) -> Vec<&Template> {
        match self {
            Reach::Command { words, env, cwd } => {
                words.iter().chain(env.iter().map(|(_, value)| value)).chain(cwd).collect()
            }
            Reach::Url { url, headers } => {
                std::iter::once(url).chain(headers.iter().map(|(_, value)| value)).collect()
            }
        }
    }
}

/// Members that any server may have.
const OF_ALL: [&str; 3] = ["type", "disabled", "enabled"];
const OF_COMMAND: [&str; 4] = ["command", "args", "env", "cwd"];
const OF_URL: [&str; 2] = ["url", "headers"];

/// What to do about members that Manila cannot take over.
const INSTEAD: [(&str, &str); 6] = [
    ("envFile", "set the variables of that file where Manila is started, or name them in `env`"),
    ("auth", "Manila logs in nowhere; put a token into `headers`"),
    ("oauth", "Manila logs in nowhere; put a token into `headers`"),
    ("headersHelper", "Manila runs no helper; put a token into `headers`"),
    ("timeout", "`manila wrap --timeout` says how long a call may take"),
    ("autoApprove", "which calls need to be approved is the client's to decide"),
];

/// How a server's `type` is reached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Command,
    Url,
}

const TYPES: [(&str, Way); 4] = [
    ("stdio", Way::Command),
    ("http", Way::Url),
    ("streamable-http", Way::Url),
    ("streamableHttp", Way::Url),
];

/// Reads a server, and notes what is not taken over.
pub(super) fn read_server(entry: &Entry, notes: &mut Vec<String>) -> Result<Server, Wrong> {
    // A member that is `null` says as much as none.
    let mut members = entry.node.members()?;
    members.retain(|(_, node)| node.kind() != Kind::Null);
    let members = Members { node: &entry.node, members };
    let mut off = members.off(entry.is_disabled)?;
    let way = members.way()?;
    let own: &[&str] = match way {
        Way::Command => &OF_COMMAND,
        Way::Url => &OF_URL,
    };
    members.tell_others(entry, own, notes);
    let reach = match way {
        Way::Command => members.command(entry, notes)?,
        Way::Url => {
            let (url, node) = members.template("url")?.ok_or_else(|| members.unreachable())?;
            off = off.or(unreachable_url(&url, &node)?);
            Reach::Url { url, headers: members.headers(entry, notes)? }
        }
    };
    if let Some(why) = &off {
        notes.push(format!("{} is written as a comment: {why}", entry.called()));
    }
    Ok(Server { reach, off })
}

impl Entry {
    /// The server, for messages.
    pub(super) fn called(&self) -> String {
        match &self.project {
            Some(folder) => format!("server `{}` of the project `{folder}`", self.name),
            None => format!("server `{}`", self.name),
        }
    }
}

struct Members<'a> {
    node: &'a Node,
    members: Vec<(String, Node)>,
}

impl Members<'_> {
    fn get(&self, name: &str) -> Option<&Node> {
        self.members.iter().find(|(known, _)| known == name).map(|(_, node)| node)
    }

    /// Why the server is not to be used, if so.
    fn off(&self, is_listed: bool) -> Result<Option<String>, Wrong> {
        let says = |name: &str| self.get(name).map(Node::boolean).transpose();
        if is_listed || says("disabled")? == Some(true) || says("enabled")? == Some(false) {
            return Ok(Some("it is disabled in the client".to_owned()));
        }
        let word = self.get("type").map(Node::text).transpose()?;
        let is_unknown = |word: &String| TYPES.iter().all(|(known, _)| known != word);
        Ok(word.filter(is_unknown).map(|word| {
            format!("its type is `{word}`, and Manila speaks stdio and streamable HTTP")
        }))
    }

    /// By its type, else by what it has.
    fn way(&self) -> Result<Way, Wrong> {
        let word = self.get("type").map(Node::text).transpose()?;
        let known = TYPES.iter().find(|(known, _)| Some(*known) == word.as_deref());
        let has = |name: &str| self.get(name).is_some();
        match (known, has("command"), has("url")) {
            (Some((_, Way::Command)), true, _) | (None, true, false) => Ok(Way::Command),
            (Some((_, Way::Url)), _, true) | (None, false, true) => Ok(Way::Url),
            (None, true, true) => Err(self.node.wrong(
                "has both `command` and `url`",
                "remove one of them, or say with `type` which one is meant",
            )),
            _ => Err(self.unreachable()),
        }
    }

    fn unreachable(&self) -> Wrong {
        let hint = "add the program that starts the server as `command`, or its address as `url`";
        let word = self.get("type").and_then(|node| node.text().ok());
        let known = TYPES.iter().find(|(known, _)| Some(*known) == word.as_deref());
        match known {
            Some((word, Way::Command)) => {
                self.node.wrong(&format!("is of type `{word}`, but has no `command`"), hint)
            }
            Some((word, Way::Url)) => {
                self.node.wrong(&format!("is of type `{word}`, but has no `url`"), hint)
            }
            None => self.node.wrong("has neither `command` nor `url`", hint),
        }
    }

    /// Tells every member that is lost.
    fn tell_others(&self, entry: &Entry, own: &[&str], notes: &mut Vec<String>) {
        for (name, node) in &self.members {
            let name = name.as_str();
            let is_known = OF_COMMAND.contains(&name) || OF_URL.contains(&name);
            // `"env": {}` at a URL is what clients write by themselves.
            let is_empty = matches!(node.as_written().as_str(), "{}" | "[]");
            if OF_ALL.contains(&name) || own.contains(&name) || (is_known && is_empty) {
                continue;
            }
            let why = match INSTEAD.iter().find(|(known, _)| *known == name) {
                Some((_, instead)) => instead,
                None if is_known => "it says nothing about a server that is reached in this way",
                None => "Manila has nothing like it",
            };
            notes.push(format!("{}: `{name}` is not taken over: {why}", entry.called()));
        }
    }

    /// A text that is not empty, with its variables.
    fn template(&self, name: &str) -> Result<Option<(Template, Node)>, Wrong> {
        let Some(node) = self.get(name) else { return Ok(None) };
        let text = node.text()?;
        if text.trim().is_empty() {
            return Err(node.wrong("must not be empty", "say what is meant, or remove it"));
        }
        Ok(Some((read(&text), node.clone())))
    }

    fn command(&self, entry: &Entry, notes: &mut Vec<String>) -> Result<Reach, Wrong> {
        let (command, node) = self.template("command")?.ok_or_else(|| self.unreachable())?;
        let args = self.get("args").map(Node::items).transpose()?.unwrap_or_default();
        if args.is_empty() && node.text()?.contains(' ') && !node.text()?.contains(['/', '\\']) {
            let called = entry.called();
            notes.push(format!(
                "{called}: `command` has spaces, and is one word all the same: no shell takes it \
                 apart"
            ));
        }
        let mut words = vec![command];
        for arg in args {
            words.push(read(&arg.text()?));
        }
        let cwd = self.template("cwd")?.map(|(template, _)| template);
        // Claude Code starts the servers of a project in its folder.
        let folder = || entry.project.as_ref().map(|folder| vec![Piece::Plain(folder.clone())]);
        Ok(Reach::Command { words, env: self.env(entry, notes)?, cwd: cwd.or_else(folder) })
    }

    fn env(
        &self,
        entry: &Entry,
        notes: &mut Vec<String>,
    ) -> Result<Vec<(String, Template)>, Wrong> {
        let members = self.get("env").map(Node::members).transpose()?.unwrap_or_default();
        let mut env = Vec::new();
        for (name, node) in members {
            match node.kind() {
                // VS Code takes numbers, and unsets what is `null`.
                Kind::Number => env.push((name, vec![Piece::Plain(node.as_written())])),
                Kind::Null => notes.push(format!(
                    "{}: `env.{name}` is not taken over: Manila unsets no variables",
                    entry.called()
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
        entry: &Entry,
        notes: &mut Vec<String>,
    ) -> Result<Vec<(String, Template)>, Wrong> {
        let members = self.get("headers").map(Node::members).transpose()?.unwrap_or_default();
        let mut headers = Vec::new();
        for (name, node) in members {
            let text = node.text()?;
            match Address::new("http://localhost/", &[format!("{name}: -")]) {
                Ok(_) => headers.push((name, read(&text))),
                Err(NoAddress::Own(_)) => notes.push(format!(
                    "{}: `headers.{name}` is not taken over: Manila writes this header itself",
                    entry.called()
                )),
                Err(NoAddress::Url(..) | NoAddress::Scheme(_) | NoAddress::Header(_)) => {
                    let hint = "a header's name has letters, digits, `-` and `_`";
                    return Err(node.wrong("is no name of a header", hint));
                }
            }
        }
        Ok(headers)
    }
}

/// Why a URL cannot be reached, where that can be told before its variables are known.
fn unreachable_url(url: &Template, node: &Node) -> Result<Option<String>, Wrong> {
    let [Piece::Plain(url)] = url.as_slice() else { return Ok(None) };
    match Address::new(url, &[]) {
        Ok(_) => Ok(None),
        Err(NoAddress::Scheme(_)) => {
            Ok(Some("its URL has a scheme that cannot be reached".to_owned()))
        }
        Err(NoAddress::Url(..) | NoAddress::Header(_) | NoAddress::Own(_)) => {
            Err(node.wrong("is no URL", "write it like https://example.com/mcp"))
        }
    }
}
