//! One hello for all servers.

use std::sync::{Arc, Weak};
use std::time::Duration;

use manila::{JsonObject, RawJson};

use super::replace::tell_changed;
use super::{Gateway, Servers};
use crate::backend::Backend;
use crate::backend::Listed;
use crate::protocol::era::Era;
use crate::rt::clock;
use crate::upstream::{Down, Ready};

/// So long a client's hello waits for servers: clients give up after some seconds, and whoever is
/// later is told of by news.
const HELLO_LONGEST: Duration = Duration::from_secs(3);

/// What clients hear when they say hello.
pub(crate) enum Hello {
    /// The only server's own.
    Of(Arc<Ready>),
    /// Ours, of all servers.
    United(United),
}

/// What several servers can do together.
pub(crate) struct United {
    pub(crate) capabilities: JsonObject,
    pub(crate) instructions: Option<String>,
}

impl Gateway {
    /// What a client hears when it says hello in this era.
    pub(crate) async fn hello(&self, era: Era) -> Result<Hello, Arc<Down>> {
        let servers = self.servers();
        match servers.only() {
            Some(only) => only.upstream.ready(Some(era)).await.map(Hello::Of),
            None => Ok(Hello::United(servers.united().await)),
        }
    }

    /// Who answers, where the era says it with each answer.
    pub(crate) fn info(&self, era: Era) -> Option<RawJson> {
        self.servers().only()?.upstream.ready_now(Some(era))?.info.clone()
    }

    /// Greets all servers on our own behalf, each by itself, and learns what they offer. Those that
    /// are lazy wait until somebody needs them.
    pub fn greet_all(&self) {
        for backend in self.servers().all().iter().filter(|it| !it.settings().is_lazy) {
            tokio::spawn(learn(Arc::downgrade(backend)));
        }
    }

    /// Asks all servers at URLs whether they are there.
    pub(crate) async fn try_remote(&self) {
        let mut asked = tokio::task::JoinSet::new();
        for backend in self.servers().all().iter().cloned() {
            if backend.upstream.is_dialled() {
                asked.spawn(async move { drop(backend.upstream.ready(None).await) });
            }
        }
        asked.join_all().await;
    }

    /// Why servers cannot be asked now, those that cannot, by their names.
    #[must_use]
    pub fn troubles(&self) -> Vec<(String, String)> {
        let servers = self.servers();
        let troubles = servers.all().iter().filter_map(|backend| {
            let name = backend.settings().name.clone().unwrap_or_default();
            Some((name, backend.upstream.trouble()?))
        });
        troubles.collect()
    }
}

/// Learns what a server offers, before anybody asks for it, and tells those who have asked already.
/// One that cannot be asked is tried again, for as long as it is ours.
async fn learn(backend: Weak<Backend>) {
    const FIRST: Duration = Duration::from_millis(500);
    const LAST: Duration = Duration::from_secs(30);
    let started = clock::now();
    let mut pause = FIRST;
    let mut was_missing = false;
    while let Some(backend) = backend.upgrade() {
        match backend.upstream.ready(None).await {
            Ok(_) => {
                backend.offered(Listed::Tools).await;
                // Who came earlier has waited for it, unless it took too long or seemed to be
                // missing.
                let taken = clock::now().saturating_duration_since(started);
                if was_missing || taken >= HELLO_LONGEST {
                    tell_changed(&backend.audience);
                }
                return;
            }
            Err(down) => {
                drop(backend);
                was_missing = true;
                let planned = down.retry_after().unwrap_or_default();
                tokio::time::sleep(planned.max(pause).min(LAST)).await;
                pause = (pause * 2).min(LAST);
            }
        }
    }
}

impl Servers {
    /// What the servers can do together, as far as they say it soon.
    async fn united(&self) -> United {
        let mut asked = tokio::task::JoinSet::new();
        for (at, backend) in self.all().iter().enumerate() {
            let backend = Arc::clone(backend);
            asked.spawn(async move {
                let is_lazy = backend.settings().is_lazy;
                let ready = match backend.upstream.ready_now(None) {
                    None if is_lazy => None,
                    None => tokio::time::timeout(HELLO_LONGEST, backend.upstream.ready(None))
                        .await
                        .ok()
                        .and_then(Result::ok),
                    now @ Some(_) => now,
                };
                (at, backend.settings().name.clone().unwrap_or_default(), ready)
            });
        }
        let mut all = asked.join_all().await;
        all.sort_unstable_by_key(|(at, ..)| *at);
        let is_complete = all.iter().all(|(.., ready)| ready.is_some());
        let known = all.into_iter().filter_map(|(_, name, ready)| Some((name, ready?)));
        United::of(&known.collect::<Vec<_>>(), is_complete)
    }
}

impl United {
    fn of(servers: &[(String, Arc<Ready>)], is_complete: bool) -> United {
        let unknown = r#"{"completions":{},"prompts":{},"resources":{},"tools":{}}"#;
        let mut all: Vec<RawJson> =
            servers.iter().map(|(_, ready)| ready.capabilities().into()).collect();
        // Whoever has not said yet what it can do may be able to do anything.
        all.extend(RawJson::parse(unknown).ok().filter(|_| !is_complete));
        let united = all.iter().fold(JsonObject::default(), |united, next| union(&united, next));
        let instructions = servers.iter().filter_map(|(name, ready)| {
            let text = ready.greeting.get("instructions")?;
            Some(format!("{name}: {}", text.as_text()?))
        });
        let instructions: Vec<String> = instructions.collect();
        United {
            capabilities: promising(&united),
            instructions: (!instructions.is_empty()).then(|| instructions.join("\n\n")),
        }
    }
}

/// What two can do together: whatever one of them can.
fn union(one: &JsonObject, other: &RawJson) -> JsonObject {
    JsonObject::build(|object| {
        for member in one.members() {
            let (value, added) = (member.value(), other.get(&member.key()));
            match (JsonObject::new(value.clone()), added) {
                (Some(value), Some(added)) => {
                    object.token_member(member.key_token(), &union(&value, &added));
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

/// Since servers come and go, all lists may change; that is told.
fn promising(capabilities: &JsonObject) -> JsonObject {
    let promise = |value: &RawJson| {
        let own = JsonObject::new(value.clone()).unwrap_or_default().without("listChanged");
        JsonObject::build(|object| {
            for member in own.members() {
                object.token_member(member.key_token(), &member.value());
            }
            object.member("listChanged", &true);
        })
    };
    JsonObject::build(|object| {
        for member in capabilities.members() {
            let value = member.value();
            if ["tools", "prompts", "resources"].into_iter().any(|kind| member.is(kind)) {
                object.token_member(member.key_token(), &promise(&value));
            } else {
                object.token_member(member.key_token(), &value);
            }
        }
    })
}
