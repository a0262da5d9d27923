//! Refusals of calls of a pack's tools (M7).

use manila::{Code, Failed, Invalid, JsonObject, Observed, closest};

use super::{Action, PackTool, Parameter};

/// The refusal of a call.
pub type Refusal = Box<Observed>;

/// Refuses a parameter that is unknown, or that this action does not have.
pub(super) fn unknown_parameter(
    tool: &PackTool,
    action: &Action,
    known: &[&Parameter],
    name: &str,
) -> Refusal {
    let is_of_tool = tool.parameters.iter().any(|it| it.name == name);
    let problem = if is_of_tool {
        format!("does not apply to the action '{}'", action.name)
    } else {
        match closest(name, known.iter().map(|it| it.name.as_str())) {
            Some(meant) => format!("is unknown; did you mean '{meant}'?"),
            None => "is unknown".to_owned(),
        }
    };
    invalid_parameter(name, "invalid value", Some(format!("Parameter '{name}' {problem}")))
}

/// Refuses a path outside of the allowed folders.
pub(super) fn outside_roots(parameter: &str, given: &str) -> Refusal {
    let depends = if given.contains("..") { ", or may leave them through `..`" } else { "" };
    let message =
        format!("Parameter '{parameter}': `{given}` is not inside the allowed folders{depends}");
    invalid_path(parameter, "invalid value", message)
}

/// Refuses a path that cannot be used.
pub(super) fn invalid_path(parameter: &str, reason: &str, message: String) -> Refusal {
    let mut failed = Failed::new(Code::InvalidPath, message);
    failed.details = JsonObject::build(|details| {
        details.member("parameter", parameter);
        details.member("reason", reason);
    });
    if parameter == "workingDirectory" {
        failed.remediation =
            Some("Set workingDirectory to the folder of a project in an allowed folder".to_owned());
    }
    Box::new(Observed::Failed(Box::new(failed)))
}

/// Refuses a call whose target became a different path while the call waited.
pub(super) fn target_moved() -> Refusal {
    let message = "The target of the call moved while the call waited".to_owned();
    let mut failed = Failed::new(Code::InvalidPath, message);
    failed.remediation = Some("Check the folders, then call again".to_owned());
    Box::new(Observed::Failed(Box::new(failed)))
}

/// Refuses a value that violates a rule of its parameter.
pub(super) fn invalid_parameter(parameter: &str, reason: &str, message: Option<String>) -> Refusal {
    Box::new(Observed::Invalid(Invalid {
        message,
        parameter: Some(parameter.to_owned()),
        reason: Some(reason.to_owned()),
        ..Invalid::default()
    }))
}
