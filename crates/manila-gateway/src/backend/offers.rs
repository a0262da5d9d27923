//! What a server offers, as it listed it last: while it is down, that is what is known of it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use manila::{JsonObject, RawJson};
use tracing::Instrument;

use super::answer::number;
use super::own_arguments;
use crate::backend::Backend;
use crate::backend::tools::{self, Noted, Tool};
use crate::protocol::era::Era;
use crate::protocol::naming;
use crate::protocol::presentation::Placement;
use crate::protocol::presentation::Shape;
use crate::upstream::{Arrived, Declined, Gone};

/// A kind of thing that servers list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listed {
    Tools,
    Prompts,
    Resources,
    Templates,
}

impl Listed {
    pub(crate) const ALL: [Listed; 4] =
        [Listed::Tools, Listed::Prompts, Listed::Resources, Listed::Templates];

    /// The kind that this method lists.
    pub(crate) fn listed_by(method: &str) -> Option<Listed> {
        Listed::ALL.into_iter().find(|kind| kind.method() == method)
    }

    pub(crate) fn method(self) -> &'static str {
        match self {
            Listed::Tools => "tools/list",
            Listed::Prompts => "prompts/list",
            Listed::Resources => "resources/list",
            Listed::Templates => "resources/templates/list",
        }
    }

    /// The member that holds the list.
    pub(crate) fn member(self) -> &'static str {
        match self {
            Listed::Tools => "tools",
            Listed::Prompts => "prompts",
            Listed::Resources => "resources",
            Listed::Templates => "resourceTemplates",
        }
    }

    /// The capability of servers that have it.
    pub(crate) fn capability(self) -> &'static str {
        match self {
            Listed::Tools => "tools",
            Listed::Prompts => "prompts",
            Listed::Resources | Listed::Templates => "resources",
        }
    }

    /// Whether this notification tells that the list has changed.
    fn is_changed_by(self, method: &str) -> bool {
        let kind =
            method.strip_prefix("notifications/").and_then(|it| it.strip_suffix("/list_changed"));
        kind == Some(self.capability())
    }
}

/// What a server offers, of each kind.
#[derive(Default)]
pub(crate) struct Offers([Mutex<Offer>; 4]);

#[derive(Default)]
struct Offer {
    items: Arc<Vec<RawJson>>,
    /// Whether it is what the server would answer now, for all that is known.
    is_fresh: bool,
    /// As clients see it, for the last one who asked.
    shown: Option<Shown>,
}

struct Shown {
    way: Way,
    items: Arc<Vec<RawJson>>,
}

/// How tools are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Way {
    pub(crate) shape: Option<Shape>,
    pub(crate) placement: Placement,
}

impl Offers {
    fn of(&self, kind: Listed) -> Option<std::sync::MutexGuard<'_, Offer>> {
        let [tools, prompts, resources, templates] = &self.0;
        let offer = match kind {
            Listed::Tools => tools,
            Listed::Prompts => prompts,
            Listed::Resources => resources,
            Listed::Templates => templates,
        };
        offer.lock().ok()
    }

    /// Notes that the server told of a change.
    pub(crate) fn changed(&self, method: &str) {
        for kind in Listed::ALL.into_iter().filter(|kind| kind.is_changed_by(method)) {
            self.doubt(kind);
        }
    }

    /// What was listed is not relied on any more.
    pub(crate) fn doubt_all(&self) {
        for kind in Listed::ALL {
            self.doubt(kind);
        }
    }

    /// What is shown is another than before.
    pub(crate) fn show_anew(&self) {
        for mut offer in Listed::ALL.into_iter().filter_map(|kind| self.of(kind)) {
            offer.shown = None;
        }
    }

    fn doubt(&self, kind: Listed) {
        if let Some(mut offer) = self.of(kind) {
            offer.is_fresh = false;
        }
    }

    fn fresh(&self, kind: Listed) -> Option<Arc<Vec<RawJson>>> {
        let offer = self.of(kind)?;
        offer.is_fresh.then(|| Arc::clone(&offer.items))
    }

    /// What was listed last, whatever has happened since.
    pub(crate) fn last(&self, kind: Listed) -> Arc<Vec<RawJson>> {
        self.of(kind).map(|offer| Arc::clone(&offer.items)).unwrap_or_default()
    }

    fn keep(&self, kind: Listed, items: Vec<RawJson>, is_fresh: bool) -> Arc<Vec<RawJson>> {
        let Some(mut offer) = self.of(kind) else { return Arc::new(items) };
        if *offer.items != items {
            offer.items = Arc::new(items);
            offer.shown = None;
        }
        offer.is_fresh = is_fresh;
        Arc::clone(&offer.items)
    }

    /// What is shown in this way of these items, or what `show` makes of them.
    fn shown(
        &self,
        kind: Listed,
        way: &Way,
        items: &Arc<Vec<RawJson>>,
        show: impl FnOnce() -> Vec<RawJson>,
    ) -> Arc<Vec<RawJson>> {
        if let Some(offer) = self.of(kind)
            && Arc::ptr_eq(&offer.items, items)
            && let Some(shown) = offer.shown.as_ref().filter(|shown| shown.way == *way)
        {
            return Arc::clone(&shown.items);
        }
        let shown = Arc::new(show());
        if let Some(mut offer) = self.of(kind)
            && Arc::ptr_eq(&offer.items, items)
        {
            offer.shown = Some(Shown { way: way.clone(), items: Arc::clone(&shown) });
        }
        shown
    }
}

/// Why nothing could be listed.
pub(crate) enum NotListed {
    /// The server is gone.
    Gone(Gone),
    /// The server answered, but with no list.
    Refused,
    /// The server did not answer in time.
    TimedOut,
    /// It, or something before it, refused on HTTP, or could not be reached.
    Declined(Declined),
}

impl NotListed {
    /// For people.
    pub(crate) fn reason(self) -> String {
        match self {
            NotListed::Gone(gone) => gone.0.reason.clone(),
            NotListed::Declined(declined) => declined.reason,
            NotListed::Refused => "the server did not list its tools".to_owned(),
            NotListed::TimedOut => "the server took too long to list its tools".to_owned(),
        }
    }
}

impl Backend {
    /// What the server offers: as it says now, or, where it cannot be asked, as it said last.
    pub(crate) async fn offered(&self, kind: Listed) -> Arc<Vec<RawJson>> {
        // A server that is being fetched need not hold up what others offer.
        const LONGEST: Duration = Duration::from_secs(10);
        match self.offers.fresh(kind) {
            Some(items) => items,
            None => match tokio::time::timeout(LONGEST, Box::pin(self.asked_for(kind))).await {
                Ok(Ok(items)) => items,
                Ok(Err(_)) | Err(_) => self.offers.last(kind),
            },
        }
    }

    /// What was offered, as clients see it.
    pub(crate) fn offers_shown(
        &self,
        kind: Listed,
        offered: &Arc<Vec<RawJson>>,
        way: &Way,
    ) -> Arc<Vec<RawJson>> {
        self.offers.shown(kind, way, offered, || {
            offered.iter().filter_map(|item| self.item_shown(kind, item, way)).collect()
        })
    }

    /// Asks the server what it offers.
    async fn asked_for(&self, kind: Listed) -> Result<Arc<Vec<RawJson>>, NotListed> {
        let ready = self.upstream.ready(None).await.map_err(|down| NotListed::Gone(Gone(down)))?;
        let capability = ready.capabilities().get(kind.capability());
        let Some(capability) = capability else {
            return Ok(self.offers.keep(kind, Vec::new(), true));
        };
        // Who promises to tell need not be asked again before.
        let is_told = capability.get("listChanged").is_some_and(|it| it.as_bytes() == b"true");
        let mut items = Vec::new();
        self.each_page(kind, None, |page| {
            items.extend(page.get(kind.member()).iter().flat_map(RawJson::items));
        })
        .await?;
        Ok(self.offers.keep(kind, items, is_told))
    }

    /// One thing of a list, as clients see it; `None` if they do not.
    fn item_shown(&self, kind: Listed, item: &RawJson, way: &Way) -> Option<RawJson> {
        match kind {
            Listed::Tools => match self.tools.note(item) {
                Noted::Tool(name, tool) => self.tool_shown(&name, &tool, way),
                Noted::Nameless | Noted::LeftOut => None,
            },
            Listed::Prompts => {
                let name = naming::text(item, "name")?;
                Some(naming::with_member(item, "name", &self.public_name(&name)))
            }
            Listed::Resources => self.with_public_uri(item, "uri"),
            Listed::Templates => self.with_public_uri(item, "uriTemplate"),
        }
    }

    /// A tool, as clients see it; `None` if it is not offered.
    pub(super) fn tool_shown(&self, name: &str, tool: &Tool, way: &Way) -> Option<RawJson> {
        let settings = self.settings();
        if !settings.offered.has(name) {
            return None;
        }
        let public = self.public_name(name);
        let shape = settings.shape_for(&public, way.shape);
        let is_plain = settings.text_mode_for(&public, way.shape).is_text();
        // Where plain text may come, nothing else is promised (M11).
        let placement =
            if is_plain { Placement::Text } else { settings.placement_for(&public, way.placement) };
        let mut shown = tools::shown(tool, shape, placement, settings.output_check_of(&public));
        if is_plain {
            shown = own_arguments::told(tool, &shown, settings.hiding.unsafe_output);
        }
        Some(if public == name { shown } else { naming::with_member(&shown, "name", &public) })
    }

    fn with_public_uri(&self, item: &RawJson, member: &str) -> Option<RawJson> {
        let uri = naming::text(item, member)?;
        Some(naming::with_member(item, member, &self.public_uri(&uri)))
    }

    /// Asks for one page after another.
    pub(super) async fn each_page(
        &self,
        kind: Listed,
        wanted: Option<Era>,
        take: impl FnMut(&RawJson),
    ) -> Result<(), NotListed> {
        self.each_page_of(kind.method(), wanted, take).await
    }

    /// The same for whatever a method lists.
    pub(super) async fn each_page_of(
        &self,
        method: &str,
        wanted: Option<Era>,
        mut take: impl FnMut(&RawJson),
    ) -> Result<(), NotListed> {
        const PAGES_MAX: usize = 1_000;
        let mut cursor: Option<RawJson> = None;
        let mut seen = HashSet::new();
        for _ in 0..PAGES_MAX {
            let params = JsonObject::build(|object| object.member("cursor", &cursor));
            let page = self.page(method, wanted, &params).await?;
            take(&page);
            cursor = page.get("nextCursor").filter(|next| next.as_text().is_some());
            let Some(next) = &cursor else { return Ok(()) };
            // A list that leads back into itself is complete.
            if !seen.insert(next.compact()) {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn page(
        &self,
        method: &str,
        wanted: Option<Era>,
        params: &JsonObject,
    ) -> Result<RawJson, NotListed> {
        let timeout = self.settings().timeout;
        let asked = tokio::time::timeout(timeout, async {
            let ready = self.upstream.ready(wanted).await.map_err(Gone)?;
            let mut waiting = ready.connection.ask(method, params).await?;
            waiting.arrived().await
        });
        match asked.instrument(self.span(method)).await {
            Ok(Err(gone)) => Err(NotListed::Gone(gone)),
            Ok(Ok(Arrived::Response(response))) => match response.answer {
                Ok(page) => Ok(page),
                // A server that does not know the method has nothing of the kind.
                Err(error) if number(&error) == Some(-32601) => Ok(JsonObject::default().into()),
                Err(_) => Err(NotListed::Refused),
            },
            // A list that cannot be read is none.
            Ok(Ok(Arrived::TooLarge | Arrived::Unusable(_) | Arrived::AskedBack(_))) => {
                Err(NotListed::Refused)
            }
            Ok(Ok(Arrived::Declined(declined))) => Err(NotListed::Declined(declined)),
            Err(_) => Err(NotListed::TimedOut),
        }
    }
}
