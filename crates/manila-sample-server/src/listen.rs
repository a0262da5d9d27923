//! `subscriptions/listen`: a request that stays open, to hear of changes.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::conduct::{Conduct, Stop};
use super::dispatch::Request;
use super::output::{Output, Part};
use super::{answer, resources, shape, subscribe};

#[derive(Deserialize)]
struct ListenParams {
    notifications: Filter,
}

/// What the client wants to hear of; nothing but the list of tools and resources ever changes here.
#[derive(Deserialize)]
struct Filter {
    #[serde(default, rename = "toolsListChanged")]
    tools_list_changed: bool,
    #[serde(default, rename = "resourceSubscriptions")]
    resources: Vec<String>,
}

/// `subscriptions/listen`.
pub(super) fn listen(request: &Request<'_>, _out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    let ListenParams { notifications } = request.params()?;
    let Filter { tools_list_changed, mut resources } = notifications;
    // What is not there is not promised.
    resources.retain(|uri| resources::is_there(&request.session.server, uri));
    let subscription = Subscription {
        id: request.id.to_owned(),
        output: Arc::clone(request.output),
        tools: tools_list_changed,
        resources,
    };
    request.session.server.enlist(request.session);
    request.session.subscriptions.add(subscription)?;
    Ok(Conduct::Nothing)
}

/// The open subscriptions of a session.
#[derive(Default)]
pub(super) struct Subscriptions {
    open: Mutex<Vec<Subscription>>,
}

struct Subscription {
    id: Box<RawValue>,
    output: Arc<Output>,
    tools: bool,
    resources: Vec<String>,
}

impl Subscription {
    /// What of the client's wishes is granted.
    fn granted(&self) -> String {
        let tools = self.tools.then(|| r#""toolsListChanged":true"#.to_owned());
        let resources = (!self.resources.is_empty())
            .then(|| format!("\"resourceSubscriptions\":{}", Value::from(&*self.resources)));
        let members: Vec<String> = tools.into_iter().chain(resources).collect();
        format!("{{{}}}", members.join(","))
    }

    /// Sends a notification of this subscription; `more` are params, each with a comma before it.
    fn notify(&self, method: &str, more: &str) -> io::Result<()> {
        let key = "io.modelcontextprotocol/subscriptionId";
        let params = format!("{{\"_meta\":{{\"{key}\":{}}}{more}}}", self.id);
        let mut line = Vec::new();
        answer::notification(&mut line, method, &params);
        self.output.send(Part::Aside, &line)
    }
}

impl Subscriptions {
    /// Opens a subscription; what happens from the acknowledgement on is told, and told after it.
    fn add(&self, subscription: Subscription) -> io::Result<()> {
        let mut open = self.open();
        let more = format!(",\"notifications\":{}", subscription.granted());
        subscription.notify("notifications/subscriptions/acknowledged", &more)?;
        open.push(subscription);
        Ok(())
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.open().len()
    }

    /// Tells those who want to hear of it; whoever is gone is found out about elsewhere.
    pub(super) fn tell_tools_changed(&self) {
        for subscription in self.open().iter().filter(|subscription| subscription.tools) {
            let _ = subscription.notify("notifications/tools/list_changed", "");
        }
    }

    /// The same for a resource that has changed.
    pub(super) fn tell_updated(&self, uri: &str) {
        let more = format!(",\"uri\":{}", Value::from(uri));
        for subscription in &*self.open() {
            if subscription.resources.iter().any(|watched| subscribe::is_part_of(uri, watched)) {
                let _ = subscription.notify("notifications/resources/updated", &more);
            }
        }
    }

    /// The resources that the client wants to hear of.
    pub(super) fn resources(&self) -> Vec<String> {
        self.open().iter().flat_map(|subscription| subscription.resources.clone()).collect()
    }

    /// The client wants to hear no more under the request `id`.
    pub(super) fn cancel(&self, id: &RawValue) {
        self.open().retain(|subscription| subscription.id.get() != id.get());
    }

    /// Ends all of them from our side, politely.
    pub(super) fn finish(&self) {
        for subscription in self.open().drain(..) {
            let mut line = Vec::new();
            shape::subscription_ended(&mut line, subscription.id.get());
            let _ = subscription.output.send(Part::Answer, &line);
        }
    }

    /// Ends all of them, as nobody listens.
    pub(super) fn forget(&self) {
        self.open().clear();
    }

    fn open(&self) -> MutexGuard<'_, Vec<Subscription>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
