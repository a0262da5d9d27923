//! Packs: any program as well-behaved tools, from a declarative file.
//!
//! A pack says how a program is found, which tools and actions it offers, what each action's parameters
//! are, which command line they become, what it does to what, and how its output is read. There is no
//! code in it, and no shell behind it.

use std::time::Duration;

mod parameter;
mod prepare;
mod read;
mod tables;
mod template;
mod value;

pub use parameter::{Kind, Parameter, PathRules, Rules};
pub use prepare::{Prepared, Refused, Roots, Target};
use template::{Condition, Template};

use crate::config::ConfigError;

/// Parameters that every tool has, so that no pack can give them another meaning.
const OURS: [&str; 5] = ["action", "workingDirectory", "waitMs", "machineReadable", "unsafeOutput"];

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
    pub missing: Option<crate::run::Missing>,
    /// The systems on which it works, by Rust's names for them; all, if none is named.
    pub platforms: Vec<String>,
    /// Its tools.
    pub tools: Vec<PackTool>,
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
    /// What it does to what.
    pub effect: Effect,
    /// How long it may take, where that is not what is usual.
    pub timeout: Option<Duration>,
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

/// Something that is decided by what the caller gave, or by a file: the first case that holds counts.
#[derive(Debug, Clone)]
struct Choice {
    cases: Vec<Case>,
}

#[derive(Debug, Clone)]
struct Case {
    when: Vec<Condition>,
    /// A file in the working directory or above it, a place in it, and what must stand there.
    file: Option<(String, String, String)>,
    /// What holds then, and is told as metadata.
    set: Vec<(String, String)>,
}

impl Pack {
    /// Reads a pack.
    ///
    /// ```
    /// use manila_gateway::pack::Pack;
    ///
    /// let wrong = Pack::from_toml("name = \"git\"\nprogramm = \"git\"").unwrap_err();
    /// assert_eq!((wrong.line, wrong.column), (2, 1));
    /// ```
    pub fn from_toml(text: &str) -> Result<Pack, ConfigError> {
        read::pack(text)
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
