//! Other servers and settings while clients are served: who did not change goes on as if nothing
//! were.

use std::sync::Arc;
use std::time::Duration;

use manila::request_envelope::Notification;
use manila::{JsonObject, RawJson};

use super::{Gateway, started};
use crate::backend::Backend;
use crate::config::Member;
use crate::config::Settings;
use crate::notifications::Audience;
use crate::protocol::era::Era;
use crate::protocol::jsonrpc;

impl Gateway {
    /// From now on there are these servers. Those that run already go on, also with other settings;
    /// those that are gone end when their open calls are answered.
    pub fn replace(&self, members: Vec<Member>, settings: Settings) {
        let before = self.servers();
        self.shared.rules.set(Arc::clone(&settings.hiding.redactor));
        let now = started(members, before.all(), &self.shared, &*self.events_of);
        let is_kept = |it: &Arc<Backend>| now.all().iter().any(|kept| Arc::ptr_eq(kept, it));
        let gone: Vec<_> = before.all().iter().filter(|it| !is_kept(it)).cloned().collect();
        let names = now.all().iter().filter_map(|it| it.settings().name.clone());
        let names: Vec<String> = names.collect();
        self.shared.uris.keep_only(|server| names.iter().any(|name| name == server));
        self.limits.set(&settings);
        self.settings.store(Arc::new(settings));
        self.servers.store(Arc::new(now));
        self.greet_all();
        for backend in gone {
            tokio::spawn(async move { retire(&backend).await });
        }
        tell_changed(&self.audience);
    }
}

/// Tells clients that all lists are other now.
pub(super) fn tell_changed(audience: &Audience) {
    for kind in ["tools", "prompts", "resources"] {
        let method = format!("notifications/{kind}/list_changed");
        let params = JsonObject::default();
        let Ok(frame) = RawJson::parse(jsonrpc::notification(&method, &params)) else { return };
        let notification = Notification { method, params: Some(params), frame };
        audience.tell(&notification, Era::PLAINEST);
    }
}

/// Ends a server that is not needed any more, when what it works on is done.
async fn retire(backend: &Backend) {
    const LOOK: Duration = Duration::from_millis(50);
    let is_busy = || backend.upstream.ready_now(None).is_some_and(|it| it.connection.is_asked());
    let longest = backend.settings().timeout;
    let done = async {
        while is_busy() {
            tokio::time::sleep(LOOK).await;
        }
    };
    // What takes longer than a call may ends with it.
    let _ = tokio::time::timeout(longest, done).await;
    backend.upstream.stop().await;
}
