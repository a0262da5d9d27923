//! The definitions of a pack's tools, as clients list them.

use manila::JsonObject;

use super::prepare::{WAIT, WAIT_MS_MAX};
use super::{Action, CAPABILITIES, Effect, Pack, PackTool, Parameter};

impl Pack {
    /// Returns the definitions of its tools, with names without the pack's prefix.
    #[must_use]
    pub fn tool_definitions(&self) -> Vec<JsonObject> {
        let tools = self.tools.iter().map(PackTool::definition);
        tools.chain([self.capabilities_definition()]).collect()
    }

    /// Returns the definition of the tool that reports what is available on this machine.
    fn capabilities_definition(&self) -> JsonObject {
        let about = format!(
            "Reports the capabilities of `{}` on this machine: whether the program is installed, \
             its version and its actions",
            self.program
        );
        let schema = JsonObject::build(|schema| {
            schema.member("type", "object");
            schema.member("properties", &JsonObject::default());
            schema.member("additionalProperties", &false);
        });
        JsonObject::build(|tool| {
            tool.member("name", CAPABILITIES);
            tool.member("description", &about);
            tool.member("inputSchema", &schema);
            tool.member("annotations", &annotations(true));
        })
    }
}

/// Returns the annotations of a tool.
fn annotations(is_read_only: bool) -> JsonObject {
    JsonObject::build(|object| object.member("readOnlyHint", &is_read_only))
}

impl PackTool {
    /// Describes which actions use a parameter, if not all do, and which ones require it.
    fn describe_uses(&self, parameter: &Parameter) -> String {
        let name = &parameter.name;
        let names = |matches: &dyn Fn(&&Action) -> bool| {
            let actions = self.actions.iter().filter(matches).map(|action| action.name.as_str());
            actions.collect::<Vec<_>>()
        };
        let used = names(&|action| action.names().contains(&name.as_str()));
        let required = names(&|action| action.required.contains(name));
        let for_some =
            (used.len() < self.actions.len()).then(|| format!(". For {}", used.join(", ")));
        let needed =
            (!required.is_empty()).then(|| format!(". Required for {}", required.join(", ")));
        for_some.into_iter().chain(needed).collect()
    }

    fn definition(&self) -> JsonObject {
        let names: Vec<&str> = self.actions.iter().map(|action| action.name.as_str()).collect();
        let summaries = self.actions.iter().map(|it| format!("{}: {}", it.name, it.about));
        let summaries: Vec<String> = summaries.collect();
        let properties = JsonObject::build(|properties| {
            let action = JsonObject::build(|action| {
                action.member("type", "string");
                action.member("enum", &names);
                action.member("description", &summaries.join(" "));
            });
            properties.member("action", &action);
            for parameter in &self.parameters {
                let characters = parameter.describe_characters();
                let about =
                    format!("{}{characters}{}", parameter.about, self.describe_uses(parameter));
                properties.member(&parameter.name, &parameter.schema(&about));
            }
            let about = "The working directory; it must be in an allowed folder";
            let folder = JsonObject::build(|folder| {
                folder.member("type", "string");
                folder.member("description", about);
            });
            properties.member("workingDirectory", &folder);
            if self.actions.iter().any(|action| action.effect != Effect::Reads) {
                let about = "Maximum time to wait, in milliseconds, for another operation on the \
                             same target; without it, a conflict fails at once with CONFLICT";
                let wait = JsonObject::build(|wait| {
                    wait.member("type", "integer");
                    wait.member("minimum", &0_u64);
                    wait.member("maximum", &WAIT_MS_MAX);
                    wait.member("description", about);
                });
                properties.member(WAIT, &wait);
            }
        });
        let schema = JsonObject::build(|schema| {
            schema.member("type", "object");
            schema.member("properties", &properties);
            schema.member("required", &["action"][..]);
            schema.member("additionalProperties", &false);
        });
        JsonObject::build(|tool| {
            tool.member("name", &self.name);
            tool.member("description", &self.about);
            tool.member("inputSchema", &schema);
            let is_read_only = self.actions.iter().all(|action| action.effect == Effect::Reads);
            tool.member("annotations", &annotations(is_read_only));
        })
    }
}
