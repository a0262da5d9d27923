//! The table of all methods.

use super::dispatch::Request;
use super::disposition::{Disposition, HandlerError};
use super::era::Era;
use super::eras::Eras;
use super::{complete, discover, handshake, listen, prompts, resources, subscribe, tasks, tools};

/// A method.
pub(super) struct Method {
    name: &'static str,
    /// The eras that define it.
    eras: Eras,
    /// The cache hints for modern clients, as members with a leading comma each.
    pub(super) hints: &'static str,
    /// The handler.
    pub(super) run: Run,
}

type Run = fn(&Request<'_>, &mut Vec<u8>) -> Result<Disposition, HandlerError>;

/// Returns the method `name`, if the era defines it.
pub(super) fn find(name: &str, era: &Era) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name && era.is_in(method.eras))
}

const NO_CACHE: &str = "";
const CACHE_ONE_MINUTE: &str = ",\"ttlMs\":60000,\"cacheScope\":\"private\"";
const CACHE_PUBLIC: &str = ",\"ttlMs\":300000,\"cacheScope\":\"public\"";

/// All methods. The one that benchmarks call comes first.
const METHODS: &[Method] = &[
    method("tools/call", Eras::Both, NO_CACHE, tools::call),
    method("tools/list", Eras::Both, CACHE_PUBLIC, tools::list),
    method("ping", Eras::Legacy, NO_CACHE, handshake::ping),
    method("initialize", Eras::Legacy, NO_CACHE, handshake::initialize),
    method("logging/setLevel", Eras::Legacy, NO_CACHE, handshake::set_level),
    method("server/discover", Eras::Modern, CACHE_PUBLIC, discover::discover),
    method("subscriptions/listen", Eras::Modern, NO_CACHE, listen::listen),
    method("resources/list", Eras::Both, CACHE_PUBLIC, resources::list),
    method("resources/read", Eras::Both, CACHE_ONE_MINUTE, resources::read),
    method("resources/templates/list", Eras::Both, CACHE_PUBLIC, resources::list_templates),
    method("resources/subscribe", Eras::Legacy, NO_CACHE, subscribe::subscribe),
    method("resources/unsubscribe", Eras::Legacy, NO_CACHE, subscribe::unsubscribe),
    method("prompts/list", Eras::Both, CACHE_PUBLIC, prompts::list),
    method("prompts/get", Eras::Both, NO_CACHE, prompts::get),
    method("tasks/get", Eras::Both, NO_CACHE, tasks::get),
    method("tasks/cancel", Eras::Both, NO_CACHE, tasks::cancel),
    method("tasks/result", Eras::Legacy, NO_CACHE, tasks::result),
    method("tasks/list", Eras::Legacy, NO_CACHE, tasks::list),
    method("tasks/update", Eras::Modern, NO_CACHE, tasks::update),
    method("completion/complete", Eras::Both, NO_CACHE, complete::complete),
];

const fn method(name: &'static str, eras: Eras, hints: &'static str, run: Run) -> Method {
    Method { name, eras, hints, run }
}
