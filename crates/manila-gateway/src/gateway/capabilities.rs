//! One handshake result for all servers: merges their capabilities and instructions.

use std::sync::{Arc, Weak};
use std::time::Duration;

use manila::{JsonObject, RawJson};

use super::reload::notify_lists_changed;
use super::{Gateway, Servers};
use crate::backend::Backend;
use crate::protocol::era::Era;
use crate::protocol::list_kind::ListKind;
use crate::rt::clock;
use crate::rt::offload::Offloadable;
use crate::upstream::{Ready, Unavailable};

/// How long a client's handshake waits for servers. Clients give up after some seconds; servers
/// that start later are announced with `list_changed`.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(3);

/// The contents of the gateway's handshake result.
pub(crate) enum HandshakeInfo {
    /// Those of the only server.
    Single(Arc<Ready>),
    /// Those of all servers, merged.
    Merged(MergedCapabilities),
}

/// The capabilities and instructions of several servers.
pub(crate) struct MergedCapabilities {
    pub(crate) capabilities: JsonObject,
    pub(crate) instructions: Option<String>,
}

impl Gateway {
    /// Returns the contents of the handshake result for a client of this era.
    pub(crate) async fn handshake_info(&self, era: Era) -> Result<HandshakeInfo, Arc<Unavailable>> {
        let servers = self.servers();
        match servers.only() {
            Some(only) => only.upstream.ready(Some(era)).await.map(HandshakeInfo::Single),
            None => Ok(HandshakeInfo::Merged(servers.merge_capabilities().await)),
        }
    }

    /// Returns the only server's name and version, which the modern era has in each response.
    pub(crate) fn server_info(&self, era: Era) -> Option<RawJson> {
        self.servers().only()?.upstream.ready_now(Some(era))?.info.clone()
    }

    /// Performs the handshake with each server in the background, on the gateway's behalf, and
    /// fetches its list of tools. Skips lazy servers, which start when first used.
    pub fn perform_handshakes(&self) {
        for backend in self.servers().all().iter().filter(|it| !it.settings().is_lazy) {
            tokio::spawn(Offloadable::new(prefetch_lists(Arc::downgrade(backend))));
        }
    }

    /// Checks whether the remote servers are available.
    pub(crate) async fn check_remote(&self) {
        let mut checks = tokio::task::JoinSet::new();
        for backend in self.servers().all().iter().cloned() {
            if backend.upstream.is_remote() {
                checks.spawn(async move { drop(backend.upstream.ready(None).await) });
            }
        }
        checks.join_all().await;
    }

    /// Returns the servers that are unavailable now: their names, and the reasons.
    #[must_use]
    pub fn unavailable_servers(&self) -> Vec<(String, String)> {
        let servers = self.servers();
        let unavailable = servers.all().iter().filter_map(|backend| {
            let name = backend.settings().name.clone().unwrap_or_default();
            Some((name, backend.upstream.unavailable_reason()?))
        });
        unavailable.collect()
    }
}

/// Fetches a server's list of tools before the first request for it, and notifies clients that
/// requested it too early. Retries an unavailable server until it is removed from the gateway.
async fn prefetch_lists(backend: Weak<Backend>) {
    const FIRST_PAUSE: Duration = Duration::from_millis(500);
    const LONGEST_PAUSE: Duration = Duration::from_secs(30);
    let started = clock::now();
    let mut pause = FIRST_PAUSE;
    let mut was_unavailable = false;
    while let Some(backend) = backend.upgrade() {
        match backend.upstream.ready(None).await {
            Ok(_) => {
                backend.list_items(ListKind::Tools).await;
                // Earlier clients have waited for the server, unless it was unavailable or took
                // too long.
                let elapsed = clock::now().saturating_duration_since(started);
                if was_unavailable || elapsed >= HANDSHAKE_TIMEOUT {
                    notify_lists_changed(&backend.notifications);
                }
                return;
            }
            Err(unavailable) => {
                drop(backend);
                was_unavailable = true;
                let planned = unavailable.retry_after().unwrap_or_default();
                tokio::time::sleep(planned.max(pause).min(LONGEST_PAUSE)).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

impl Servers {
    /// Merges the capabilities of the servers that are ready within `HANDSHAKE_TIMEOUT`.
    async fn merge_capabilities(&self) -> MergedCapabilities {
        let mut handshakes = tokio::task::JoinSet::new();
        for (index, backend) in self.all().iter().enumerate() {
            let backend = Arc::clone(backend);
            handshakes.spawn(async move {
                let is_lazy = backend.settings().is_lazy;
                let ready = match backend.upstream.ready_now(None) {
                    None if is_lazy => None,
                    None => tokio::time::timeout(HANDSHAKE_TIMEOUT, backend.upstream.ready(None))
                        .await
                        .ok()
                        .and_then(Result::ok),
                    ready @ Some(_) => ready,
                };
                (index, backend.settings().name.clone().unwrap_or_default(), ready)
            });
        }
        let mut all = handshakes.join_all().await;
        all.sort_unstable_by_key(|(index, ..)| *index);
        let is_complete = all.iter().all(|(.., ready)| ready.is_some());
        let known = all.into_iter().filter_map(|(_, name, ready)| Some((name, ready?)));
        MergedCapabilities::of(&known.collect::<Vec<_>>(), is_complete)
    }
}

impl MergedCapabilities {
    fn of(servers: &[(String, Arc<Ready>)], is_complete: bool) -> MergedCapabilities {
        let unknown = r#"{"completions":{},"prompts":{},"resources":{},"tools":{}}"#;
        let mut all: Vec<RawJson> =
            servers.iter().map(|(_, ready)| ready.capabilities().into()).collect();
        // A server whose capabilities are unknown may have any.
        all.extend(RawJson::parse(unknown).ok().filter(|_| !is_complete));
        let merged = all.iter().fold(JsonObject::default(), |merged, next| merge(&merged, next));
        let instructions = servers.iter().filter_map(|(name, ready)| {
            let text = ready.handshake_result.get("instructions")?;
            Some(format!("{name}: {}", text.as_text()?))
        });
        let instructions: Vec<String> = instructions.collect();
        MergedCapabilities {
            capabilities: with_list_changed(&merged),
            instructions: (!instructions.is_empty()).then(|| instructions.join("\n\n")),
        }
    }
}

/// Merges two sets of capabilities: the result has each capability that one of them has.
fn merge(one: &JsonObject, other: &RawJson) -> JsonObject {
    JsonObject::build(|object| {
        for member in one.members() {
            let (value, added) = (member.value(), other.get(&member.key()));
            match (JsonObject::new(value.clone()), added) {
                (Some(value), Some(added)) => {
                    object.token_member(member.key_token(), &merge(&value, &added));
                }
                (None, Some(added)) if added.as_bytes() == b"true" => {
                    object.token_member(member.key_token(), &added);
                }
                (_, _) => object.token_member(member.key_token(), &value),
            }
        }
        for member in other.members().filter(|member| one.get(&member.key()).is_none()) {
            object.token_member(member.key_token(), &member.value());
        }
    })
}

/// Declares `listChanged` for all lists, because they change whenever a server starts or stops.
fn with_list_changed(capabilities: &JsonObject) -> JsonObject {
    let declare = |value: &RawJson| {
        let others = JsonObject::new(value.clone()).unwrap_or_default().without("listChanged");
        JsonObject::build(|object| {
            for member in others.members() {
                object.token_member(member.key_token(), &member.value());
            }
            object.member("listChanged", &true);
        })
    };
    JsonObject::build(|object| {
        for member in capabilities.members() {
            let value = member.value();
            if ["tools", "prompts", "resources"].into_iter().any(|kind| member.is(kind)) {
                object.token_member(member.key_token(), &declare(&value));
            } else {
                object.token_member(member.key_token(), &value);
            }
        }
    })
}
