//! A pack's tools, as they are listed to clients.

use manila::JsonObject;

use super::prepare::{WAIT, WAIT_MS_MAX};
use super::{Action, CAPABILITIES, Effect, Pack, PackTool, Parameter};

impl Pack {
    /// Its tools, as they are listed to clients: by their names of their own.
    #[must_use]
    pub fn listed(&self) -> Vec<JsonObject> {
        let own = self.tools.iter().map(PackTool::listed);
        own.chain([self.capabilities_listed()]).collect()
    }

    /// The tool that tells what can be used here.
    fn capabilities_listed(&self) -> JsonObject {
        let about = format!(
            "What of `{}` can be used here: whether the program is there, its version, and which \
             actions it has",
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
            tool.member("annotations", &hints(true));
        })
    }
}

/// What clients may know of a tool without reading about it.
fn hints(is_read_only: bool) -> JsonObject {
    JsonObject::build(|hints| hints.member("readOnlyHint", &is_read_only))
}

impl PackTool {
    /// Which actions use a parameter, and which cannot do without it, where that are not all.
    fn uses(&self, parameter: &Parameter) -> String {
        let name = &parameter.name;
        let names = |is_it: &dyn Fn(&&Action) -> bool| {
            let actions = self.actions.iter().filter(is_it).map(|action| action.name.as_str());
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

    fn listed(&self) -> JsonObject {
        let names: Vec<&str> = self.actions.iter().map(|action| action.name.as_str()).collect();
        let does = self.actions.iter().map(|it| format!("{}: {}", it.name, it.about));
        let does: Vec<String> = does.collect();
        let properties = JsonObject::build(|properties| {
            let action = JsonObject::build(|action| {
                action.member("type", "string");
                action.member("enum", &names);
                action.member("description", &does.join(" "));
            });
            properties.member("action", &action);
            for parameter in &self.parameters {
                let characters = parameter.characters_told();
                let about = format!("{}{characters}{}", parameter.about, self.uses(parameter));
                properties.member(&parameter.name, &parameter.schema(&about));
            }
            let about = "The folder to work in, inside of those that are allowed";
            let folder = JsonObject::build(|folder| {
                folder.member("type", "string");
                folder.member("description", about);
            });
            properties.member("workingDirectory", &folder);
            if self.actions.iter().any(|action| action.effect != Effect::Reads) {
                let about = "How long to wait, in milliseconds, for another operation that changes \
                             the same; without it, the answer is CONFLICT at once";
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
            tool.member("annotations", &hints(is_read_only));
        })
    }
}
