//! Notifications: subscribers, resource watches, and requests from servers to clients.
//!
//! Nothing here depends on a server or a transport: an [`Outbound`] carries frames to a client or
//! back to a server. The state of a client is stored by its number until the client leaves.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock};

use manila::RawJson;
use manila::request_envelope::Notification;

use crate::protocol::caller::{Client, Outbound};
use crate::protocol::era::Era;
use crate::protocol::outgoing::Outgoing;
use crate::rt::queue::Room;

mod resource_watch;
mod server_requests;
pub(crate) mod translate;

pub(crate) use resource_watch::{ServerSubscription, Watch, WatchedResources};
pub(crate) use server_requests::{RequestingServer, ServerRequests, method_not_found_response};

/// The subscribers, in the order in which they were added.
#[derive(Default)]
pub(crate) struct Notifications {
    subscribers: Mutex<Subscribers>,
    /// The queue that must have room before the gateway reads from the server. It is set if the
    /// server has only one client.
    backpressure: OnceLock<Room<Outgoing>>,
    /// The resources that clients watch, by client and by the URI that the client sees.
    watches: Mutex<HashMap<u64, HashMap<String, Watch>>>,
    /// Requests from servers to clients.
    pub(crate) server_requests: ServerRequests,
}

#[derive(Default)]
struct Subscribers {
    by_number: BTreeMap<u64, Subscriber>,
    /// The number of subscribers added so far, which makes each number unique.
    n_added: u64,
}

/// A receiver of notifications.
#[derive(Clone)]
pub(crate) struct Subscriber {
    pub(crate) client: Arc<Client>,
    pub(crate) outbound: Arc<dyn Outbound>,
    pub(crate) filter: NotificationFilter,
}

/// The notifications that a subscriber receives.
#[derive(Clone, Default)]
pub(crate) struct NotificationFilter {
    /// The lists whose changes it receives.
    pub(crate) lists: Lists,
    pub(crate) resources: Resources,
    /// Whether it receives all other notifications, such as log messages.
    pub(crate) rest: bool,
    /// The id of its `subscriptions/listen`, which each notification repeats.
    pub(crate) subscription: Option<RawJson>,
}

/// Lists that can change.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Lists {
    pub(crate) tools: bool,
    pub(crate) prompts: bool,
    pub(crate) resources: bool,
}

/// The resources whose changes a subscriber receives.
#[derive(Clone)]
pub(crate) enum Resources {
    /// All resources.
    All,
    /// These resources, by the URIs that the subscriber sees.
    Some(Arc<BTreeMap<String, Watch>>),
    /// The resources that the client watches.
    Watched,
}

impl Default for Resources {
    fn default() -> Resources {
        Resources::Some(Arc::default())
    }
}

impl Resources {
    /// Returns the public URIs of a changed resource, if the subscriber receives its changes.
    fn uris_for_change(
        &self,
        changed: &str,
        of_server: &Arc<WatchedResources>,
        view: &ClientView<'_>,
    ) -> Vec<String> {
        match self {
            Resources::All => vec![changed.to_owned()],
            Resources::Some(watches) => {
                let watches = watches.iter();
                let uris =
                    watches.filter_map(|(uri, it)| it.uri_for_change(uri, changed, of_server));
                uris.collect()
            }
            Resources::Watched => {
                view.notifications.uris_for_change(view.client, changed, of_server)
            }
        }
    }
}

/// A client, and the state of all clients.
struct ClientView<'a> {
    notifications: &'a Notifications,
    client: &'a Client,
}

impl NotificationFilter {
    /// Returns a filter that passes everything.
    pub(crate) fn everything() -> NotificationFilter {
        NotificationFilter {
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

impl Notifications {
    /// Adds a subscriber, until the returned guard is dropped.
    pub(crate) fn add(self: &Arc<Notifications>, subscriber: Subscriber) -> SubscriberGuard {
        let mut number = 0;
        if let Ok(mut subscribers) = self.subscribers.lock() {
            subscribers.n_added += 1;
            number = subscribers.n_added;
            subscribers.by_number.insert(number, subscriber);
        }
        SubscriberGuard { notifications: Arc::clone(self), number }
    }

    /// Makes the gateway read from the server only while this queue has room.
    pub(crate) fn set_backpressure(&self, queue: Room<Outgoing>) {
        let _ = self.backpressure.set(queue);
    }

    /// Returns whether several clients may share the server.
    pub(crate) fn is_shared(&self) -> bool {
        self.backpressure.get().is_none()
    }

    /// Waits until the gateway may read from the server.
    pub(crate) async fn wait_for_room(&self) {
        if let Some(queue) = self.backpressure.get() {
            queue.wait().await;
        }
    }

    /// Returns all subscribers.
    pub(crate) fn all(&self) -> Vec<Subscriber> {
        let subscribers = self.subscribers.lock().ok();
        subscribers.iter().flat_map(|it| it.by_number.values().cloned()).collect()
    }

    /// Returns the client with this number, if it is subscribed.
    pub(crate) fn client(&self, number: u64) -> Option<Arc<Client>> {
        self.all().into_iter().map(|it| it.client).find(|client| client.number == number)
    }

    /// Returns the only client of the legacy era, if there is exactly one.
    pub(crate) fn only_client(&self) -> Option<Arc<Client>> {
        let all = self.all();
        let mut clients = all.into_iter().filter(|it| it.client.era() != Era::Modern);
        let first = clients.next()?.client;
        clients.next().is_none().then_some(first)
    }

    /// Sends a notification to its subscribers, each in the format of its era.
    pub(crate) fn notify(&self, notification: &Notification, era: Era) {
        for subscriber in self.all() {
            if subscriber.filter.has(&notification.method) {
                let frame = translate::for_subscriber(notification, era, &subscriber);
                let _ = subscriber.outbound.put(frame);
            }
        }
    }

    /// Notifies the subscribers of a changed resource, each with the URI that it sees. `of_server`
    /// contains the watched resources of the server that owns it.
    pub(crate) fn notify_updated(
        &self,
        notification: &Notification,
        era: Era,
        of_server: &Arc<WatchedResources>,
    ) {
        let uri = notification.params.as_ref().and_then(|params| params.get("uri"));
        let Some(changed) = uri.as_ref().and_then(RawJson::as_text) else { return };
        for subscriber in self.all() {
            let view = ClientView { notifications: self, client: &subscriber.client };
            let uris = subscriber.filter.resources.uris_for_change(&changed, of_server, &view);
            for uri in uris {
                let frame = translate::with_uri(notification, &uri, era, &subscriber);
                let _ = subscriber.outbound.put(frame);
            }
        }
    }

    /// Returns the number of resources that a client watches.
    pub(crate) fn n_watches(&self, client: &Client) -> usize {
        let watches = self.watches.lock().ok();
        watches.and_then(|all| all.get(&client.number).map(HashMap::len)).unwrap_or(0)
    }

    /// Adds a watch of a client, unless the client has left.
    pub(crate) fn watch(&self, client: &Client, uri: String, watch: Watch) {
        let before = match self.watches.lock() {
            Ok(mut all) if !client.is_disconnected() => {
                all.entry(client.number).or_default().insert(uri, watch)
            }
            Ok(_) | Err(_) => Some(watch),
        };
        // Dropping a watch may send a message to a server, which must not happen under the lock.
        drop(before);
    }

    /// Removes a watch, and returns it so that the caller can wait for its end.
    pub(crate) fn unwatch(&self, client: &Client, uri: &str) -> Option<Watch> {
        self.watches.lock().ok()?.get_mut(&client.number)?.remove(uri)
    }

    /// Returns the URIs with which a client is notified of a changed resource.
    fn uris_for_change(
        &self,
        client: &Client,
        changed: &str,
        of_server: &Arc<WatchedResources>,
    ) -> Vec<String> {
        let all = self.watches.lock().ok();
        let watches = all.iter().filter_map(|all| all.get(&client.number)).flatten();
        watches.filter_map(|(uri, watch)| watch.uri_for_change(uri, changed, of_server)).collect()
    }

    /// Marks a client as disconnected, and removes its watches and its open server requests.
    pub(crate) fn remove_client(&self, client: &Client) {
        let watches = self.watches.lock().map(|mut all| {
            client.mark_disconnected();
            all.remove(&client.number)
        });
        drop(watches);
        self.server_requests.cancel_all(client);
    }
}

/// Keeps a subscriber until it is dropped.
pub(crate) struct SubscriberGuard {
    notifications: Arc<Notifications>,
    number: u64,
}

impl Drop for SubscriberGuard {
    fn drop(&mut self) {
        if let Ok(mut subscribers) = self.notifications.subscribers.lock() {
            subscribers.by_number.remove(&self.number);
        }
    }
}
