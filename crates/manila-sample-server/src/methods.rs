//! Methods: the one list of them.

use super::conduct::{Conduct, Stop};
use super::dispatch::Request;
use super::era::Era;
use super::eras::Eras;
use super::{complete, discover, handshake, listen, prompts, resources, subscribe, tasks, tools};

/// A method.
pub(super) struct Method {
    name: &'static str,
    /// The eras that have it.
    eras: Eras,
    /// For how long a modern client may keep the result, as members with a comma before each.
    pub(super) hints: &'static str,
    /// What it does.
    pub(super) run: Run,
}

type Run = fn(&Request<'_>, &mut Vec<u8>) -> Result<Conduct, Stop>;

/// The method `name`, if the era has it.
pub(super) fn find(name: &str, era: &Era) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name && era.is_of(method.eras))
}

const NEVER_KEPT: &str = "";
const KEPT_A_MINUTE: &str = ",\"ttlMs\":60000,\"cacheScope\":\"private\"";
const KEPT_BY_ALL: &str = ",\"ttlMs\":300000,\"cacheScope\":\"public\"";

/// Every method; the one that benchmarks call comes first.
const METHODS: &[Method] = &[
    method("tools/call", Eras::Both, NEVER_KEPT, tools::call),
    method("tools/list", Eras::Both, KEPT_BY_ALL, tools::list),
    method("ping", Eras::Legacy, NEVER_KEPT, handshake::ping),
    method("initialize", Eras::Legacy, NEVER_KEPT, handshake::initialize),
    method("logging/setLevel", Eras::Legacy, NEVER_KEPT, handshake::set_level),
    method("server/discover", Eras::Modern, KEPT_BY_ALL, discover::discover),
    method("subscriptions/listen", Eras::Modern, NEVER_KEPT, listen::listen),
    method("resources/list", Eras::Both, KEPT_BY_ALL, resources::list),
    method("resources/read", Eras::Both, KEPT_A_MINUTE, resources::read),
    method("resources/templates/list", Eras::Both, KEPT_BY_ALL, resources::list_templates),
    method("resources/subscribe", Eras::Legacy, NEVER_KEPT, subscribe::subscribe),
    method("resources/unsubscribe", Eras::Legacy, NEVER_KEPT, subscribe::unsubscribe),
    method("prompts/list", Eras::Both, KEPT_BY_ALL, prompts::list),
    method("prompts/get", Eras::Both, NEVER_KEPT, prompts::get),
    method("tasks/get", Eras::Both, NEVER_KEPT, tasks::get),
    method("tasks/cancel", Eras::Both, NEVER_KEPT, tasks::cancel),
    method("tasks/result", Eras::Legacy, NEVER_KEPT, tasks::result),
    method("tasks/list", Eras::Legacy, NEVER_KEPT, tasks::list),
    method("tasks/update", Eras::Modern, NEVER_KEPT, tasks::update),
    method("completion/complete", Eras::Both, NEVER_KEPT, complete::complete),
];

const fn method(name: &'static str, eras: Eras, hints: &'static str, run: Run) -> Method {
    Method { name, eras, hints, run }
}
