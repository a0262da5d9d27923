//! Notifications: who listens, what is watched, and what servers asked clients.
//!
//! Nothing here knows a server or a transport: a line takes frames to a client or back to a server.
//! What belongs to one client is kept by its number, and forgotten when it leaves.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock};

use bytes::Bytes;
use manila::RawJson;
use manila::request_envelope::Notification;

use crate::protocol::caller::{Client, Line};
use crate::protocol::era::Era;
use crate::rt::queue::Room;

mod questions;
pub(crate) mod retold;
mod watch;

pub(crate) use questions::{Asker, Questions, declined};
pub(crate) use watch::{Subscribed, Watch, Watched};

/// Those who listen, in the order in which they came.
#[derive(Default)]
pub(crate) struct Audience {
    listeners: Mutex<Listeners>,
    /// The queue that must have room before the server is listened to: that of the one client
    /// which shares its pipe with nobody.
    patient: OnceLock<Room<Bytes>>,
    /// The resources whose changes clients want to hear of, by client and by the URIs that it
    /// knows.
    watches: Mutex<HashMap<u64, HashMap<String, Watch>>>,
    /// What servers have asked clients.
    pub(crate) questions: Questions,
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
    fn heard_as(&self, changed: &str, of_server: &Arc<Watched>, own: &Own<'_>) -> Vec<String> {
        match self {
            Resources::All => vec![changed.to_owned()],
            Resources::Some(watches) => {
                let watches = watches.iter();
                let heard = watches.filter_map(|(uri, it)| it.heard_as(uri, changed, of_server));
                heard.collect()
            }
            Resources::Watched => own.audience.heard_as(own.client, changed, of_server),
        }
    }
}

/// A client among the others.
struct Own<'a> {
    audience: &'a Audience,
    client: &'a Client,
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
    pub(crate) async fn room(&self) {
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
    pub(crate) fn client(&self, number: u64) -> Option<Arc<Client>> {
        self.all().into_iter().map(|it| it.client).find(|client| client.number == number)
    }

    /// The only client with a hello of its own, if there is only one.
    pub(crate) fn only_client(&self) -> Option<Arc<Client>> {
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
            let own = Own { audience: self, client: &listener.client };
            let heard = listener.wants.resources.heard_as(&changed, of_server, &own);
            for uri in heard {
                let frame = retold::under_uri(notification, &uri, told_in, &listener);
                // Whoever is gone needs no news.
                let _ = listener.line.put(frame);
            }
        }
    }

    /// How many resources a client watches.
    pub(crate) fn n_watches(&self, client: &Client) -> usize {
        let watches = self.watches.lock().ok();
        watches.and_then(|all| all.get(&client.number).map(HashMap::len)).unwrap_or(0)
    }

    /// Lets a client hear of changes of a resource, unless it has left.
    pub(crate) fn watch(&self, client: &Client, uri: String, watch: Watch) {
        let before = match self.watches.lock() {
            Ok(mut all) if !client.has_left() => {
                all.entry(client.number).or_default().insert(uri, watch)
            }
            Ok(_) | Err(_) => Some(watch),
        };
        // Dropping a watch may tell a server, which must not happen under the lock.
        drop(before);
    }

    /// Ends what `watch` began. The watch that is returned can be waited for.
    pub(crate) fn unwatch(&self, client: &Client, uri: &str) -> Option<Watch> {
        self.watches.lock().ok()?.get_mut(&client.number)?.remove(uri)
    }

    /// The URIs under which a client hears of a change of a server's resource.
    fn heard_as(&self, client: &Client, changed: &str, of_server: &Arc<Watched>) -> Vec<String> {
        let all = self.watches.lock().ok();
        let watches = all.iter().filter_map(|all| all.get(&client.number)).flatten();
        watches.filter_map(|(uri, watch)| watch.heard_as(uri, changed, of_server)).collect()
    }

    /// Forgets a client: it wants nothing more, and answers nothing more.
    pub(crate) fn leave(&self, client: &Client) {
        let watches = self.watches.lock().map(|mut all| {
            client.leave();
            all.remove(&client.number)
        });
        drop(watches);
        self.questions.decline_all(client);
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
