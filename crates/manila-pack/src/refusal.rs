//! What is said against a call of a pack's tool (M7).

use manila::{Code, Failed, Invalid, JsonObject, Observed, closest};

use super::{Action, PackTool, Parameter};

/// What is said against a call.
pub type Refused = Box<Observed>;

/// A parameter that there is not, or not for this action.
pub(super) fn unknown(
    tool: &PackTool,
    action: &Action,
    known: &[&Parameter],
    name: &str,
) -> Refused {
    let is_elsewhere = tool.parameters.iter().any(|it| it.name == name);
    let fault = if is_elsewhere {
        format!("is not for the action '{}'", action.name)
    } else {
        match closest(name, known.iter().map(|it| it.name.as_str())) {
            Some(meant) => format!("is not known; did you mean '{meant}'?"),
            None => "is not known".to_owned(),
        }
    };
    invalid(name, "invalid value", Some(format!("Parameter '{name}' {fault}")))
}

/// A path that leads elsewhere.
pub(super) fn outside(parameter: &str, given: &str) -> Refused {
    let depends = if given.contains("..") { ", or is not for every way to read `..`" } else { "" };
    let message =
        format!("Parameter '{parameter}': `{given}` is not inside the allowed folders{depends}");
    no_path(parameter, "invalid value", message)
}

/// A path that cannot be used.
pub(super) fn no_path(parameter: &str, reason: &str, message: String) -> Refused {
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

/// What is said where another path is meant after waiting for others than before.
pub(super) fn moved() -> Refused {
    let message = "What the call would change was moved while it waited".to_owned();
    let mut failed = Failed::new(Code::InvalidPath, message);
    failed.remediation = Some("Look at the folders again, then call again".to_owned());
    Box::new(Observed::Failed(Box::new(failed)))
}

/// A value that breaks a rule of its parameter.
pub(super) fn invalid(parameter: &str, reason: &str, message: Option<String>) -> Refused {
    Box::new(Observed::Invalid(Invalid {
        message,
        parameter: Some(parameter.to_owned()),
        reason: Some(reason.to_owned()),
        ..Invalid::default()
    }))
}
