//! Packs: command-line programs as tools, each described in a declarative file.
//!
//! A pack describes how to find a program, its tools and actions, the parameters of each action,
//! the command line they become, what the action changes, and how to read the output. A pack
//! contains no code, and no shell is involved.
//!
//! A program that serves packs calls [`serve_if_requested`] first in `main`: to serve a pack, it
//! runs itself again as an MCP server whose responses are observations.
#![forbid(unsafe_code)]

use std::time::Duration;

use manila::{Diagnosis, Observation, Observed};
use regex::Regex;

mod diagnose;
mod diagnostic_parts;
mod keys;
mod lines;
mod locks;
mod parameter;
mod path_text;
mod paths;
mod pointers;
mod prepare;
mod probe;
mod progress;
mod read;
mod refusal;
mod roots;
mod rule;
mod serve;
mod source;
mod tables;
mod template;
mod tool_list;
mod value;
mod worker;

pub use keys::{KEYS, schema};
pub use parameter::{Kind, Parameter, PathRules, TextRules};
pub use paths::Target;
pub use prepare::PreparedCall;
pub use probe::Version;
pub use refusal::Refusal;
pub use roots::Roots;
pub use serve::{OBSERVATION, serve_if_requested};
pub use source::{BUILT_IN, LoadedPack, PackError, PackServer, PackSettings};
use worker::Worker;

use pointers::Pointer;
use probe::Probe;
use rule::Rule;
use template::{Condition, Template};

use manila_files::ConfigError;

/// Parameters that every tool has. Packs cannot redefine them.
const RESERVED_PARAMETERS: [&str; 5] =
    ["action", "workingDirectory", prepare::WAIT, "machineReadable", "unsafeOutput"];

/// The reserved parameters that affect only the response.
const RESPONSE_PARAMETERS: [&str; 2] = ["machineReadable", "unsafeOutput"];

/// The tool that every pack has; it reports what is available on this machine.
const CAPABILITIES: &str = "server_capabilities";

/// A program and the tools made from it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Pack {
    /// Prefix of the names of its tools.
    pub name: String,
    /// Description, for people.
    pub about: String,
    /// The program: its name on the `PATH`, or its path.
    pub program: String,
    /// What to report if the program is missing.
    pub missing: manila_process::run::MissingProgram,
    /// Systems on which the program works, by Rust's names for them; empty means all.
    pub platforms: Vec<String>,
    /// Environment variables passed to the program; a trailing `*` matches any suffix.
    pub pass_env: Vec<String>,
    /// Its tools.
    pub tools: Vec<PackTool>,
    probe: Option<Probe>,
    /// Matches a progress line of the program.
    progress: Option<Regex>,
    rules: Vec<Rule>,
}

/// A tool of a pack.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PackTool {
    /// Name of the tool, without the pack's prefix.
    pub name: String,
    /// Purpose of the tool.
    pub about: String,
    /// Parameters of the tool.
    pub parameters: Vec<Parameter>,
    /// Actions of the tool.
    pub actions: Vec<Action>,
}

/// One operation of a tool.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Action {
    /// Name of the action, e.g. `MigrationsAdd`.
    pub name: String,
    /// What the action does.
    pub about: String,
    /// Parameters that the action requires.
    pub required: Vec<String>,
    /// Groups of mutually exclusive parameters.
    pub exclusive: Vec<Vec<String>>,
    /// Exit codes other than 0 that mean success.
    pub good_exits: Vec<i64>,
    /// What the action changes.
    pub effect: Effect,
    /// Time limit, if it differs from the default.
    pub timeout: Option<Duration>,
    /// Oldest version of the program that has this action.
    pub minimum: Option<Version>,
    /// A file or folder that must exist in the working directory or above it.
    pub needs: Option<String>,
    /// The streams that hold the output.
    pub output: Output,
    /// Values that are chosen before the command line is built.
    choices: Vec<Choice>,
    template: Template,
}

/// What an action changes. Actions that change the same target must not run at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Changes nothing.
    Reads,
    /// Changes what this parameter names, or a default target if the call does not set it.
    Writes(Option<String>),
    /// Changes something of which the program has only one, such as a cache.
    Global,
}

/// Where a successful program writes its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// Standard output.
    Stdout,
    /// Standard output and standard error.
    Both,
}

/// A choice made from the parameters or a file: the first case that holds is chosen.
#[derive(Debug, Clone)]
struct Choice {
    cases: Vec<Case>,
}

#[derive(Debug, Clone)]
struct Case {
    when: Vec<Condition>,
    /// A file in the working directory or above it, a pointer into it, and the text expected there.
    file: Option<(String, Pointer, String)>,
    /// Values to set, which are also reported as metadata.
    set: Vec<(String, String)>,
}

impl Pack {
    /// Parses a pack.
    ///
    /// ```
    /// use manila_pack::Pack;
    ///
    /// let wrong = Pack::from_toml("name = \"git\"\nprogramm = \"git\"").unwrap_err();
    /// assert_eq!((wrong.line, wrong.column), (2, 1));
    /// ```
    pub fn from_toml(text: &str) -> Result<Pack, ConfigError> {
        read::pack(text)
    }

    /// Reads the errors in a failed program's output into the observation.
    pub fn diagnose(&self, observation: &mut Observation) {
        if let Observed::Exited(exited) = &mut observation.observed
            && exited.code != 0
        {
            exited.diagnosis = Some(self.diagnose_output(&exited.stdout, &exited.stderr));
        }
    }

    /// Returns the errors in a program's output, by the pack's rules.
    #[must_use]
    pub fn diagnose_output(&self, stdout: &str, stderr: &str) -> Diagnosis {
        diagnose::diagnose(&self.rules, stdout, stderr)
    }

    /// Returns the names of its tools, without the pack's prefix.
    pub fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.name.as_str()).chain([CAPABILITIES])
    }

    /// Returns a tool's name as clients see it.
    #[must_use]
    pub fn public_name(&self, tool: &PackTool) -> String {
        format!("{}_{}", self.name, tool.name)
    }
}

impl PackTool {
    /// Returns the parameters that an action uses.
    #[must_use]
    pub fn parameters_of<'a>(&'a self, action: &'a Action) -> Vec<&'a Parameter> {
        let names = action.names();
        self.parameters.iter().filter(|it| names.contains(&it.name.as_str())).collect()
    }
}

impl Action {
    /// Returns the command line without the program. Groups that depend on parameters are in
    /// brackets.
    #[must_use]
    pub fn command_line(&self) -> String {
        self.template.to_string()
    }

    /// Returns the names that the action refers to: parameters and choices.
    fn names(&self) -> Vec<&str> {
        let tested = self.choices.iter().flat_map(|choice| &choice.cases).flat_map(|it| &it.when);
        let target = match &self.effect {
            Effect::Writes(Some(target)) => Some(target.as_str()),
            Effect::Writes(None) | Effect::Reads | Effect::Global => None,
        };
        let required = self.required.iter().map(String::as_str);
        let names = self.template.names().chain(tested.map(Condition::name));
        names.chain(target).chain(required).collect()
    }
}

#[cfg(test)]
mod tests;
