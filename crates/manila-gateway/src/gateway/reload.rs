//! Replaces servers and settings while clients are connected. Unchanged servers keep running.

use std::sync::Arc;
use std::time::Duration;

use manila::request_envelope::Notification;
use manila::{JsonObject, RawJson};

use super::{Gateway, start_servers};
use crate::backend::Backend;
use crate::config::NamedServer;
use crate::config::Settings;
use crate::notifications::Notifications;
use crate::protocol::era::Era;
use crate::protocol::jsonrpc;

impl Gateway {
    /// Replaces the servers and the settings. Servers that already run keep running with their new
    /// settings. Removed servers stop after their open requests have ended.
    pub fn reload(&self, servers: Vec<NamedServer>, settings: Settings) {
        let before = self.servers();
        self.shared.redactor.set(Arc::clone(&settings.redaction.redactor));
        let after = start_servers(servers, before.all(), &self.shared, &*self.events_of);
        let is_kept = |it: &Arc<Backend>| after.all().iter().any(|kept| Arc::ptr_eq(kept, it));
        let removed: Vec<_> = before.all().iter().filter(|it| !is_kept(it)).cloned().collect();
        let names = after.all().iter().filter_map(|it| it.settings().name.clone());
        let names: Vec<String> = names.collect();
        self.shared.uris.keep_only(|server| names.iter().any(|name| name == server));
        self.limits.set(&settings);
        self.settings.store(Arc::new(settings));
        self.servers.store(Arc::new(after));
        self.perform_handshakes();
        for backend in removed {
            tokio::spawn(async move { retire(&backend).await });
        }
        notify_lists_changed(&self.notifications);
    }
}

/// Notifies clients that all lists have changed.
pub(super) fn notify_lists_changed(notifications: &Notifications) {
    for kind in ["tools", "prompts", "resources"] {
        let method = format!("notifications/{kind}/list_changed");
        let params = JsonObject::default();
        let Ok(frame) = RawJson::parse(jsonrpc::notification(&method, &params)) else { return };
        let notification = Notification { method, params: Some(params), frame };
        notifications.notify(&notification, Era::FALLBACK);
    }
}

/// Stops a removed server once its open requests have ended.
async fn retire(backend: &Backend) {
    const POLL_INTERVAL: Duration = Duration::from_millis(50);
    let is_busy =
        || backend.upstream.ready_now(None).is_some_and(|it| it.connection.has_open_requests());
    let timeout = backend.settings().timeout;
    let done = async {
        while is_busy() {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    // Requests that exceed the timeout of a call end with the server.
    let _ = tokio::time::timeout(timeout, done).await;
    backend.upstream.stop().await;
}
