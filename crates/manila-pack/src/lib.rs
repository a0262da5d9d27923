//! Packs: any program as well-behaved tools, from a declarative file.
//!
//! A pack says how a program is found, which tools and actions it offers, what each action's
//! parameters are, which command line they become, what it does to what, and how its output is
//! read. There is no code in it, and no shell behind it.
//!
//! A program that serves packs calls [`dispatch`] first in `main`: a pack is served by this program
//! run again, as an MCP server whose answers are observations.
#![forbid(unsafe_code)]

use std::time::Duration;

use manila::{Diagnosed, Observation, Observed};
use regex::Regex;

mod diagnose;
mod found;
mod keys;
mod lines;
mod listed;
mod locks;
mod parameter;
mod places;
mod prepare;
mod probe;
mod read;
mod refusal;
mod report;
mod roots;
mod rule;
mod serve;
mod source;
mod tables;
mod template;
mod value;
mod work;

pub use keys::{KEYS, schema};
pub use parameter::{Kind, Parameter, PathRules, Rules};
pub use prepare::{Prepared, Target};
pub use probe::Version;
pub use refusal::Refused;
pub use roots::Roots;
pub use serve::{OBSERVATION, dispatch};
pub use source::{BUILT_IN, NotRead, Served, Source, Work};
use work::Worker;

use places::Pointer;
use probe::Probe;
use rule::Rule;
use template::{Condition, Template};

use manila_files::ConfigError;

/// Parameters that every tool has, so that no pack can give them another meaning.
const OURS: [&str; 5] =
    ["action", "workingDirectory", prepare::WAIT, "machineReadable", "unsafeOutput"];

/// Those of them that speak of the answer.
const OF_THE_ANSWER: [&str; 2] = ["machineReadable", "unsafeOutput"];

/// The tool that every pack has: what of it can be used here.
const CAPABILITIES: &str = "server_capabilities";

/// A program, and the tools that it is made into.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Pack {
    /// What its tools' names begin with.
    pub name: String,
    /// What it is, for people.
    pub about: String,
    /// The program, as it is found on the `PATH`.
    pub program: String,
    /// What is said of the program where it is missing, and what can be done.
    pub missing: manila_process::run::Missing,
    /// The systems on which it works, by Rust's names for them; all, if none is named.
    pub platforms: Vec<String>,
    /// Variables of the environment that the program is given; a `*` at the end is any letters.
    pub pass_env: Vec<String>,
    /// Its tools.
    pub tools: Vec<PackTool>,
    probe: Option<Probe>,
    /// How a line of the program tells how far it has come.
    progress: Option<Regex>,
    rules: Vec<Rule>,
}

/// A tool of a pack.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PackTool {
    /// Its name, to which the pack's is added.
    pub name: String,
    /// What it is for.
    pub about: String,
    /// What it can be told.
    pub parameters: Vec<Parameter>,
    /// What it can do.
    pub actions: Vec<Action>,
}

/// Something that a tool can do.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Action {
    /// Its name, e.g. `MigrationsAdd`.
    pub name: String,
    /// What it does.
    pub about: String,
    /// The parameters that it cannot do without.
    pub required: Vec<String>,
    /// Groups of parameters of which only one may be given.
    pub exclusive: Vec<Vec<String>>,
    /// Exit codes beside 0 that are no failure.
    pub good_exits: Vec<i64>,
    /// What it does to what.
    pub effect: Effect,
    /// How long it may take, where that is not what is usual.
    pub timeout: Option<Duration>,
    /// The oldest version of the program that has it.
    pub minimum: Option<Version>,
    /// A file or folder that must be there, in the working directory or above it.
    pub needs: Option<String>,
    /// Where its output stands.
    pub output: Output,
    /// What is decided before the command line is made.
    choices: Vec<Choice>,
    template: Template,
}

/// What an action does to what. Actions that write the same must not run at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Nothing changes.
    Reads,
    /// What the parameter of this name says changes; the working directory, if it is not given.
    Writes(Option<String>),
    /// Something changes of which there is only one.
    Global,
}

/// Where a program that did its work tells what it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// On standard output.
    Stdout,
    /// On standard error, too.
    Both,
}

/// Something that is decided by what the caller gave, or by a file: the first case that holds
/// counts.
#[derive(Debug, Clone)]
struct Choice {
    cases: Vec<Case>,
}

#[derive(Debug, Clone)]
struct Case {
    when: Vec<Condition>,
    /// A file in the working directory or above it, a place in it, and what must stand there.
    file: Option<(String, Pointer, String)>,
    /// What holds then, and is told as metadata.
    set: Vec<(String, String)>,
}

impl Pack {
    /// Reads a pack.
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

    /// Reads what a program's output tells, where it failed.
    pub fn diagnose(&self, observation: &mut Observation) {
        if let Observed::Exited(exited) = &mut observation.observed
            && exited.code != 0
        {
            exited.diagnosed = Some(self.diagnosed(&exited.stdout, &exited.stderr));
        }
    }

    /// What the program's output tells, by the pack's own rules.
    #[must_use]
    pub fn diagnosed(&self, stdout: &str, stderr: &str) -> Diagnosed {
        diagnose::diagnosed(&self.rules, stdout, stderr)
    }

    /// The names that it has for its tools.
    pub fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.name.as_str()).chain([CAPABILITIES])
    }

    /// A tool's name, as callers know it.
    #[must_use]
    pub fn public_name(&self, tool: &PackTool) -> String {
        format!("{}_{}", self.name, tool.name)
    }
}

impl PackTool {
    /// The parameters that an action speaks of.
    #[must_use]
    pub fn parameters_of<'a>(&'a self, action: &'a Action) -> Vec<&'a Parameter> {
        let names = action.names();
        self.parameters.iter().filter(|it| names.contains(&it.name.as_str())).collect()
    }
}

impl Action {
    /// Its command line without the program: what stands in brackets is there only with its
    /// parameters.
    #[must_use]
    pub fn command_line(&self) -> String {
        self.template.to_string()
    }

    /// The parameters that it speaks of, and what it decides.
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
