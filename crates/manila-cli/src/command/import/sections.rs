//! Finds the servers in each client's configuration.

use manila::json::Kind;

use super::node::{ImportError, Node};

/// A server in the file.
pub(super) struct ServerEntry {
    pub(super) name: String,
    pub(super) node: Node,
    /// Folder of the project that the server belongs to.
    pub(super) project: Option<String>,
    /// Whether the client lists it as disabled.
    pub(super) is_disabled: bool,
}

/// A value that VS Code prompts the user for.
pub(super) struct Input {
    pub(super) id: String,
    pub(super) description: Option<String>,
    /// Default value; never that of a password.
    pub(super) default: Option<String>,
}

/// Contents of a client's configuration.
pub(super) struct ClientConfig {
    pub(super) entries: Vec<ServerEntry>,
    pub(super) inputs: Vec<Input>,
}

/// Limits on servers and inputs, because their names are compared in pairs.
const SERVERS_MAX: usize = 1000;
const INPUTS_MAX: usize = 1000;

/// Paths to the servers: Claude Desktop, Cursor and Claude Code; VS Code; settings of VS Code.
const SECTIONS: [&[&str]; 4] =
    [&["mcpServers"], &["servers"], &["mcp", "servers"], &["mcp", "mcpServers"]];

/// Paths to the inputs of VS Code.
const INPUTS: [&[&str]; 2] = [&["inputs"], &["mcp", "inputs"]];

/// Lists of disabled servers in a project of Claude Code.
const DISABLED: [&str; 2] = ["disabledMcpServers", "disabledMcpjsonServers"];

/// Reads the servers and inputs of a client's configuration.
pub(super) fn read_client_config(document: &Node) -> Result<ClientConfig, ImportError> {
    document.must_be(Kind::Object)?;
    let mut entries = Vec::new();
    let sections: Vec<Node> = SECTIONS.iter().filter_map(|path| at(document, path)).collect();
    for section in &sections {
        for (name, node) in section.members()? {
            entries.push(ServerEntry { name, node, project: None, is_disabled: false });
        }
    }
    let has_projects = add_projects(document, &mut entries)?;
    if entries.is_empty() {
        return Err(no_servers(document, !sections.is_empty() || has_projects));
    }
    if entries.len() > SERVERS_MAX {
        let message = format!("has {} servers; at most {SERVERS_MAX} are supported", entries.len());
        return Err(document.error(&message, "split it into several files"));
    }
    let mut inputs = Vec::new();
    for list in INPUTS.iter().filter_map(|path| at(document, path)) {
        for input in list.items()? {
            inputs.push(read_input(&input)?);
        }
    }
    if inputs.len() > INPUTS_MAX {
        let message = format!("has {} inputs; at most {INPUTS_MAX} are supported", inputs.len());
        return Err(document.error(&message, "remove those that no server uses"));
    }
    Ok(ClientConfig { entries, inputs })
}

fn at(document: &Node, path: &[&str]) -> Option<Node> {
    path.iter().try_fold(document.clone(), |node, name| node.get(name))
}

/// Adds the servers of Claude Code's projects, and returns whether any project has a list of them.
fn add_projects(document: &Node, entries: &mut Vec<ServerEntry>) -> Result<bool, ImportError> {
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
            entries.push(ServerEntry { name, node, project: Some(folder.clone()), is_disabled });
        }
    }
    Ok(has_list)
}

fn read_input(input: &Node) -> Result<Input, ImportError> {
    let text = |name: &str| input.get(name).map(|node| node.text()).transpose();
    let id = text("id")?.ok_or_else(|| {
        input.error("an input must have an `id`", "add the id that servers use in `${input:ID}`")
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

fn no_servers(document: &Node, has_section: bool) -> ImportError {
    if has_section {
        let message = "the list of servers is empty";
        return document
            .error(message, "add a server in the client first, or write manila.toml by hand");
    }
    let is_server = |node: &Node| node.get("command").is_some() || node.get("url").is_some();
    let members = document.members().unwrap_or_default();
    let hint = if members.iter().any(|(_, node)| is_server(node)) {
        "put the servers in an object: {\"mcpServers\": {...}}"
    } else {
        "pass the configuration of a client, e.g. claude_desktop_config.json, .cursor/mcp.json, \
         .vscode/mcp.json, .mcp.json or ~/.claude.json"
    };
    let message = "contains no MCP servers (`mcpServers`, `servers` or `mcp.servers`)";
    document.error(message, hint)
}
