//! `subscriptions/listen`: a request that stays open to receive notifications of changes.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::dispatch::Request;
use super::disposition::{Disposition, HandlerError};
use super::output::{Output, Part};
use super::{jsonrpc, resources, shape, subscribe};

#[derive(Deserialize)]
struct ListenParams {
    notifications: Filter,
}

/// The changes that the client subscribes to. On this server, only the tool list and resources
/// change.
#[derive(Deserialize)]
struct Filter {
    #[serde(default, rename = "toolsListChanged")]
    tools_list_changed: bool,
    #[serde(default, rename = "resourceSubscriptions")]
    resources: Vec<String>,
}

/// Handles `subscriptions/listen`.
pub(super) fn listen(
    request: &Request<'_>,
    _out: &mut Vec<u8>,
) -> Result<Disposition, HandlerError> {
    let ListenParams { notifications } = request.params()?;
    let Filter { tools_list_changed, mut resources } = notifications;
    // A client can subscribe only to existing resources.
    resources.retain(|uri| resources::is_known(&request.session.server, uri));
    let subscription = Subscription {
        id: request.id.to_owned(),
        output: Arc::clone(request.output),
        tools: tools_list_changed,
        resources,
    };
    request.session.server.register(request.session);
    request.session.subscriptions.add(subscription)?;
    Ok(Disposition::Nothing)
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
    /// Returns the granted part of the client's filter.
    fn granted_filter(&self) -> String {
        let tools = self.tools.then(|| r#""toolsListChanged":true"#.to_owned());
        let resources = (!self.resources.is_empty())
            .then(|| format!("\"resourceSubscriptions\":{}", Value::from(&*self.resources)));
        let members: Vec<String> = tools.into_iter().chain(resources).collect();
        format!("{{{}}}", members.join(","))
    }

    /// Sends a notification of this subscription; `more` has params, each with a leading comma.
    fn notify(&self, method: &str, more: &str) -> io::Result<()> {
        let key = "io.modelcontextprotocol/subscriptionId";
        let params = format!("{{\"_meta\":{{\"{key}\":{}}}{more}}}", self.id);
        let mut line = Vec::new();
        jsonrpc::notification(&mut line, method, &params);
        self.output.send(Part::Other, &line)
    }
}

impl Subscriptions {
    /// Opens a subscription. The client is notified of every change after the acknowledgement, and
    /// never before it.
    fn add(&self, subscription: Subscription) -> io::Result<()> {
        let mut open = self.open();
        let more = format!(",\"notifications\":{}", subscription.granted_filter());
        subscription.notify("notifications/subscriptions/acknowledged", &more)?;
        open.push(subscription);
        Ok(())
    }

    /// Returns the number of open subscriptions.
    pub(super) fn len(&self) -> usize {
        self.open().len()
    }

    /// Notifies the subscribers to the tool list. A disconnect is detected elsewhere.
    pub(super) fn notify_tools_changed(&self) {
        for subscription in self.open().iter().filter(|subscription| subscription.tools) {
            let _ = subscription.notify("notifications/tools/list_changed", "");
        }
    }

    /// Notifies the subscribers to the resource `uri`. A disconnect is detected elsewhere.
    pub(super) fn notify_updated(&self, uri: &str) {
        let more = format!(",\"uri\":{}", Value::from(uri));
        for subscription in &*self.open() {
            if subscription.resources.iter().any(|watched| subscribe::is_part_of(uri, watched)) {
                let _ = subscription.notify("notifications/resources/updated", &more);
            }
        }
    }

    /// Returns the resources that the client has subscribed to.
    pub(super) fn resources(&self) -> Vec<String> {
        self.open().iter().flat_map(|subscription| subscription.resources.clone()).collect()
    }

    /// Ends the subscription of the request `id`, which the client has cancelled.
    pub(super) fn cancel(&self, id: &RawValue) {
        self.open().retain(|subscription| subscription.id.get() != id.get());
    }

    /// Ends all subscriptions from the server's side, each with a response.
    pub(super) fn finish(&self) {
        for subscription in self.open().drain(..) {
            let mut line = Vec::new();
            shape::push_subscription_end(&mut line, subscription.id.get());
            let _ = subscription.output.send(Part::Answer, &line);
        }
    }

    /// Ends all subscriptions without a response, because the client has disconnected.
    pub(super) fn clear(&self) {
        self.open().clear();
    }

    fn open(&self) -> MutexGuard<'_, Vec<Subscription>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
