//! Where each client keeps its servers.

use manila::json::Kind;

use super::node::{Node, Wrong};

/// A server as it stands in the file.
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) node: Node,
    /// The folder of the project to which it belongs.
    pub(super) project: Option<String>,
    /// Whether it is listed among those that are switched off.
    pub(super) is_disabled: bool,
}

/// Something that VS Code asks its user for.
pub(super) struct Input {
    pub(super) id: String,
    pub(super) description: Option<String>,
    /// What it is unless the user says otherwise; never that of a password.
    pub(super) default: Option<String>,
}

/// What a file has.
pub(super) struct Found {
    pub(super) entries: Vec<Entry>,
    pub(super) inputs: Vec<Input>,
}

/// More than any client could use, and few enough to compare each with each.
const SERVERS_MAX: usize = 1000;
const INPUTS_MAX: usize = 1000;

/// Where servers stand: Claude Desktop, Cursor and Claude Code; VS Code; its settings.
const SECTIONS: [&[&str]; 4] =
    [&["mcpServers"], &["servers"], &["mcp", "servers"], &["mcp", "mcpServers"]];

/// Where VS Code keeps what it asks for.
const INPUTS: [&[&str]; 2] = [&["inputs"], &["mcp", "inputs"]];

/// Lists in a project of Claude Code with the names of servers that are switched off there.
const DISABLED: [&str; 2] = ["disabledMcpServers", "disabledMcpjsonServers"];

/// Finds the servers of a document.
pub(super) fn find(document: &Node) -> Result<Found, Wrong> {
    document.must_be(Kind::Object)?;
    let mut entries = Vec::new();
    let sections: Vec<Node> = SECTIONS.iter().filter_map(|path| at(document, path)).collect();
    for section in &sections {
        for (name, node) in section.members()? {
            entries.push(Entry { name, node, project: None, is_disabled: false });
        }
    }
    let has_projects = projects(document, &mut entries)?;
    if entries.is_empty() {
        return Err(nothing(document, !sections.is_empty() || has_projects));
    }
    if entries.len() > SERVERS_MAX {
        let message = format!("has {} servers, but at most {SERVERS_MAX} are taken", entries.len());
        return Err(document.wrong(&message, "split it into several files"));
    }
    let mut inputs = Vec::new();
    for list in INPUTS.iter().filter_map(|path| at(document, path)) {
        for input in list.items()? {
            inputs.push(read_input(&input)?);
        }
    }
    if inputs.len() > INPUTS_MAX {
        let message = format!("has {} inputs, but at most {INPUTS_MAX} are taken", inputs.len());
        return Err(document.wrong(&message, "remove those that no server uses"));
    }
    Ok(Found { entries, inputs })
}

fn at(document: &Node, path: &[&str]) -> Option<Node> {
    path.iter().try_fold(document.clone(), |node, name| node.get(name))
}

/// The servers that Claude Code keeps for projects. Whether there is any such list.
fn projects(document: &Node, entries: &mut Vec<Entry>) -> Result<bool, Wrong> {
    let mut has_list = false;
    let projects = document.get("projects").filter(|node| node.kind() == Kind::Object);
    let Some(projects) = projects else { return Ok(false) };
    for (folder, project) in projects.members()? {
        let Some(section) = project.get("mcpServers") else { continue };
        has_list = true;
        let mut disabled = Vec::new();
        for list in DISABLED.iter().filter_map(|name| project.get(name)) {
            for name in list.items()? {
                disabled.push(name.text()?);
            }
        }
        for (name, node) in section.members()? {
            let is_disabled = disabled.contains(&name);
            entries.push(Entry { name, node, project: Some(folder.clone()), is_disabled });
        }
    }
    Ok(has_list)
}

fn read_input(input: &Node) -> Result<Input, Wrong> {
    let text = |name: &str| input.get(name).map(|node| node.text()).transpose();
    let id = text("id")?.ok_or_else(|| {
        input.wrong("an input must have an `id`", "give it the id by which servers name it")
    })?;
    let is_password = input.get("password").map(|node| node.boolean()).transpose()?;
    let default = input.get("default").filter(|node| node.kind() == Kind::String);
    let default = default.map(|node| node.text()).transpose()?;
    Ok(Input {
        id,
        description: text("description")?,
        default: default.filter(|text| is_password != Some(true) && !text.is_empty()),
    })
}

fn nothing(document: &Node, has_section: bool) -> Wrong {
    if has_section {
        let message = "no server is in it, though the place for servers is there";
        return document
            .wrong(message, "add a server in the client first, or write manila.toml by hand");
    }
    let is_server = |node: &Node| node.get("command").is_some() || node.get("url").is_some();
    let members = document.members().unwrap_or_default();
    let hint = if members.iter().any(|(_, node)| is_server(node)) {
        "put the servers into an object: {\"mcpServers\": {...}}"
    } else {
        "give the configuration of a client, e.g. claude_desktop_config.json, .cursor/mcp.json, \
         .vscode/mcp.json, .mcp.json or ~/.claude.json"
    };
    let message =
        "no MCP servers are in it: neither `mcpServers`, nor `servers`, nor `mcp.servers`";
    document.wrong(message, hint)
}
