//! Those who listen to what the server says on its own.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use bytes::Bytes;
use manila::RawJson;
use manila::request_envelope::Notification;

use crate::backend::{Watch, Watched};
use crate::protocol::caller::{Client, Line};
use crate::protocol::era::Era;
use crate::rt::queue::Room;
use crate::upstream::Connection;

mod deliver;
mod questions;
mod retold;

pub(crate) use deliver::deliver;
pub(crate) use questions::Questions;

/// Those who listen, in the order in which they came.
#[derive(Default)]
pub(crate) struct Audience {
    listeners: Mutex<Listeners>,
    /// The queue that must have room before the server is listened to: that of the one client
    /// which shares its pipe with nobody.
    patient: OnceLock<Room<Bytes>>,
}

#[derive(Default)]
struct Listeners {
    by_number: BTreeMap<u64, Listener>,
    n_given: u64,
}

/// Somebody who listens.
#[derive(Clone)]
pub(crate) struct Listener {
    pub(crate) client: Arc<Client>,
    pub(crate) line: Arc<dyn Line>,
    pub(crate) wants: Wants,
}

/// What somebody wants to hear.
#[derive(Clone, Default)]
pub(crate) struct Wants {
    /// Which lists it wants to hear of when they change.
    pub(crate) lists: Lists,
    pub(crate) resources: Resources,
    /// Everything that has no name above: the log, and what nobody has heard of yet.
    pub(crate) rest: bool,
    /// The id of the `subscriptions/listen` that asked for it, which all of it carries.
    pub(crate) subscription: Option<RawJson>,
}

/// Lists that can change.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Lists {
    pub(crate) tools: bool,
    pub(crate) prompts: bool,
    pub(crate) resources: bool,
}

/// Whose changes somebody wants to hear of.
#[derive(Clone)]
pub(crate) enum Resources {
    /// All that the server tells of.
    All,
    /// These, by the URIs that it knows.
    Some(Arc<BTreeMap<String, Watch>>),
    /// Those that the client watches.
    Watched,
}

impl Default for Resources {
    fn default() -> Resources {
        Resources::Some(Arc::default())
    }
}

impl Resources {
    /// The URIs under which a change of a server's resource is told; those of others are not.
    fn heard_as(&self, changed: &str, of_server: &Arc<Watched>, client: &Client) -> Vec<String> {
        match self {
            Resources::All => vec![changed.to_owned()],
            Resources::Some(watches) => {
                let watches = watches.iter();
                let heard = watches.filter_map(|(uri, it)| it.heard_as(uri, changed, of_server));
                heard.collect()
            }
            Resources::Watched => client.heard_as(changed, of_server),
        }
    }
}

impl Wants {
    /// Everything.
    pub(crate) fn everything() -> Wants {
        Wants {
            lists: Lists { tools: true, prompts: true, resources: true },
            resources: Resources::All,
            rest: true,
            subscription: None,
        }
    }

    fn has(&self, method: &str) -> bool {
        match method {
            "notifications/tools/list_changed" => self.lists.tools,
            "notifications/prompts/list_changed" => self.lists.prompts,
            "notifications/resources/list_changed" => self.lists.resources,
            _ => self.rest,
        }
    }
}

impl Audience {
    /// Lets somebody listen, until what is given back is dropped.
    pub(crate) fn add(self: &Arc<Audience>, listener: Listener) -> Listening {
        let mut number = 0;
        if let Ok(mut listeners) = self.listeners.lock() {
            listeners.n_given += 1;
            number = listeners.n_given;
            listeners.by_number.insert(number, listener);
        }
        Listening { audience: Arc::clone(self), number }
    }

    /// From now on the server is listened to only while this queue has room.
    pub(crate) fn wait_for(&self, queue: Room<Bytes>) {
        let _ = self.patient.set(queue);
    }

    /// Whether many clients may share the server.
    pub(crate) fn is_shared(&self) -> bool {
        self.patient.get().is_none()
    }

    /// Waits until the server may be listened to.
    async fn room(&self) {
        if let Some(queue) = self.patient.get() {
            queue.wait().await;
        }
    }

    /// All who listen now.
    pub(crate) fn all(&self) -> Vec<Listener> {
        let listeners = self.listeners.lock().ok();
        listeners.iter().flat_map(|it| it.by_number.values().cloned()).collect()
    }

    /// The client of this number, if it listens.
    fn client(&self, number: u64) -> Option<Arc<Client>> {
        self.all().into_iter().map(|it| it.client).find(|client| client.number == number)
    }

    /// The only client with a hello of its own, if there is only one.
    fn only_client(&self) -> Option<Arc<Client>> {
        let all = self.all();
        let mut clients = all.into_iter().filter(|it| it.client.era() != Era::Modern);
        let first = clients.next()?.client;
        clients.next().is_none().then_some(first)
    }

    /// Tells those who want to hear it, each in the words of its era.
    pub(crate) fn tell(&self, notification: &Notification, told_in: Era) {
        for listener in self.all() {
            if listener.wants.has(&notification.method) {
                let frame = retold::for_listener(notification, told_in, &listener);
                // Whoever is gone needs no news.
                let _ = listener.line.put(frame);
            }
        }
    }

    /// Tells those who watch it that a resource has changed, each under the URI that it knows.
    /// `of_server` is what is watched of the server that has the resource.
    pub(crate) fn tell_updated(
        &self,
        notification: &Notification,
        told_in: Era,
        of_server: &Arc<Watched>,
    ) {
        let uri = notification.params.as_ref().and_then(|params| params.get("uri"));
        let Some(changed) = uri.as_ref().and_then(RawJson::as_text) else { return };
        for listener in self.all() {
            let heard = listener.wants.resources.heard_as(&changed, of_server, &listener.client);
            for uri in heard {
                let frame = retold::under_uri(notification, &uri, told_in, &listener);
                // Whoever is gone needs no news.
                let _ = listener.line.put(frame);
            }
        }
    }

    /// Takes back what a server asked that is gone.
    fn end_questions(&self, asked_by: &Arc<Connection>) {
        for Listener { client, .. } in self.all() {
            for frame in client.questions.end(asked_by) {
                // Whoever is gone needs no news.
                let _ = client.line.put(frame);
            }
        }
    }
}

/// Somebody who listens. Dropped, it does no more.
pub(crate) struct Listening {
    audience: Arc<Audience>,
    number: u64,
}

impl Drop for Listening {
    fn drop(&mut self) {
        if let Ok(mut listeners) = self.audience.listeners.lock() {
            listeners.by_number.remove(&self.number);
        }
    }
}
