//! The last lists that a server sent. They are used while the server is unavailable.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use manila::{JsonObject, RawJson};
use tracing::Instrument;

use super::gateway_arguments;
use super::mcp_response::error_number;
use crate::backend::Backend;
use crate::backend::tools::{self, ListedTool, Tool};
use crate::protocol::era::Era;
use crate::protocol::list_kind::ListKind;
use crate::protocol::naming;
use crate::protocol::presentation::Placement;
use crate::protocol::presentation::ResultFormat;
use crate::rt::offload::return_to_reactor;
use crate::upstream::{Disconnected, HttpFailure, UpstreamReply};

/// The last list of each kind.
#[derive(Default)]
pub(crate) struct ListCache([Mutex<CachedList>; 4]);

#[derive(Default)]
struct CachedList {
    items: Arc<Vec<RawJson>>,
    /// Whether the list is current, as far as the gateway knows.
    is_fresh: bool,
    /// The list as presented to the last client that requested it.
    presented: Option<PresentedList>,
}

struct PresentedList {
    presentation: ToolPresentation,
    items: Arc<Vec<RawJson>>,
}

/// How tools are presented.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToolPresentation {
    pub(crate) format: Option<ResultFormat>,
    pub(crate) placement: Placement,
}

impl ListCache {
    fn of(&self, kind: ListKind) -> Option<std::sync::MutexGuard<'_, CachedList>> {
        let [tools, prompts, resources, templates] = &self.0;
        let list = match kind {
            ListKind::Tools => tools,
            ListKind::Prompts => prompts,
            ListKind::Resources => resources,
            ListKind::Templates => templates,
        };
        list.lock().ok()
    }

    /// Marks a list as stale after a `list_changed` notification.
    pub(crate) fn mark_changed(&self, method: &str) {
        for kind in ListKind::ALL.into_iter().filter(|kind| kind.is_changed_by(method)) {
            self.mark_stale(kind);
        }
    }

    /// Marks all lists as stale.
    pub(crate) fn mark_all_stale(&self) {
        for kind in ListKind::ALL {
            self.mark_stale(kind);
        }
    }

    /// Drops the presented lists, because they would differ now.
    pub(crate) fn clear_presented(&self) {
        for mut list in ListKind::ALL.into_iter().filter_map(|kind| self.of(kind)) {
            list.presented = None;
        }
    }

    fn mark_stale(&self, kind: ListKind) {
        if let Some(mut list) = self.of(kind) {
            list.is_fresh = false;
        }
    }

    fn fresh(&self, kind: ListKind) -> Option<Arc<Vec<RawJson>>> {
        let list = self.of(kind)?;
        list.is_fresh.then(|| Arc::clone(&list.items))
    }

    /// Returns the last list, even if it is stale.
    pub(crate) fn last(&self, kind: ListKind) -> Arc<Vec<RawJson>> {
        self.of(kind).map(|list| Arc::clone(&list.items)).unwrap_or_default()
    }

    /// Stores a list.
    fn set(&self, kind: ListKind, items: Vec<RawJson>, is_fresh: bool) -> Arc<Vec<RawJson>> {
        let Some(mut list) = self.of(kind) else { return Arc::new(items) };
        if *list.items != items {
            list.items = Arc::new(items);
            list.presented = None;
        }
        list.is_fresh = is_fresh;
        Arc::clone(&list.items)
    }

    /// Returns the cached presentation of these items.
    pub(crate) fn get_presented(
        &self,
        kind: ListKind,
        presentation: &ToolPresentation,
        items: &Arc<Vec<RawJson>>,
    ) -> Option<Arc<Vec<RawJson>>> {
        let list = self.of(kind)?;
        let presented = list.presented.as_ref().filter(|it| it.presentation == *presentation)?;
        Arc::ptr_eq(&list.items, items).then(|| Arc::clone(&presented.items))
    }

    /// Stores the presentation of these items, unless the list has changed.
    fn set_presented(
        &self,
        kind: ListKind,
        presentation: &ToolPresentation,
        items: &Arc<Vec<RawJson>>,
        presented: Vec<RawJson>,
    ) {
        if let Some(mut list) = self.of(kind)
            && Arc::ptr_eq(&list.items, items)
        {
            let presentation = presentation.clone();
            list.presented = Some(PresentedList { presentation, items: Arc::new(presented) });
        }
    }
}

/// The reason why a list request failed.
pub(crate) enum ListError {
    /// The server is unavailable, or disconnected.
    Disconnected(Disconnected),
    /// The server's response is an error, or cannot be read.
    Refused,
    /// The server's response exceeds the limit of this number of bytes.
    TooLarge(usize),
    /// The server did not respond in time.
    TimedOut,
    /// The server or a proxy refused the HTTP request, or could not be reached.
    HttpFailure(HttpFailure),
}

impl ListError {
    /// Returns the reason as a message.
    pub(crate) fn reason(self) -> String {
        match self {
            ListError::Disconnected(Disconnected(unavailable)) => unavailable.reason.clone(),
            ListError::HttpFailure(failure) => failure.reason,
            ListError::Refused => "the server did not list its tools".to_owned(),
            ListError::TooLarge(bytes_max) => {
                format!("the tool list exceeds the limit of {bytes_max} bytes")
            }
            ListError::TimedOut => "the server took too long to list its tools".to_owned(),
        }
    }
}

impl Backend {
    /// Returns the server's current list, or its last one if the server is unavailable.
    pub(crate) async fn list_items(&self, kind: ListKind) -> Arc<Vec<RawJson>> {
        // A server that is still being downloaded must not delay the lists of other servers.
        const TIMEOUT: Duration = Duration::from_secs(10);
        match self.list_cache.fresh(kind) {
            Some(items) => items,
            None => match tokio::time::timeout(TIMEOUT, Box::pin(self.fetch_items(kind))).await {
                Ok(Ok(items)) => items,
                Ok(Err(_)) | Err(_) => self.list_cache.last(kind),
            },
        }
    }

    /// Passes each of these items to `take`, as clients see it. A long list is not stored in this
    /// form, because the same schema is repeated in every tool.
    pub(crate) fn each_presented(
        &self,
        kind: ListKind,
        items: &Arc<Vec<RawJson>>,
        presentation: &ToolPresentation,
        mut take: impl FnMut(&RawJson),
    ) {
        const STORED_BYTES_MAX: usize = 4 * 1024 * 1024;
        if let Some(presented) = self.list_cache.get_presented(kind, presentation, items) {
            return presented.iter().for_each(take);
        }
        let (mut n_bytes, mut stored) = (0, Vec::new());
        for item in items.iter() {
            let Some(item) = self.present_item(kind, item, presentation) else { continue };
            take(&item);
            n_bytes += item.as_bytes().len();
            if n_bytes <= STORED_BYTES_MAX {
                stored.push(item);
            } else {
                stored = Vec::new();
            }
        }
        if n_bytes <= STORED_BYTES_MAX {
            self.list_cache.set_presented(kind, presentation, items, stored);
        }
    }

    /// Requests a list from the server.
    async fn fetch_items(&self, kind: ListKind) -> Result<Arc<Vec<RawJson>>, ListError> {
        let ready = self
            .upstream
            .ready(None)
            .await
            .map_err(|unavailable| ListError::Disconnected(Disconnected(unavailable)))?;
        let capability = ready.capabilities().get(kind.capability());
        let Some(capability) = capability else {
            return Ok(self.list_cache.set(kind, Vec::new(), true));
        };
        // The list of a server that announces changes is current until it does.
        let is_fresh = capability.get("listChanged").is_some_and(|it| it.as_bytes() == b"true");
        let mut items = Vec::new();
        self.each_page(kind, None, |page| {
            items.extend(page.get(kind.member()).iter().flat_map(RawJson::items));
        })
        .await?;
        Ok(self.list_cache.set(kind, items, is_fresh))
    }

    /// Returns an item of a list as clients see it, or `None` if it is not offered.
    fn present_item(
        &self,
        kind: ListKind,
        item: &RawJson,
        presentation: &ToolPresentation,
    ) -> Option<RawJson> {
        match kind {
            ListKind::Tools => match self.tools.store(item) {
                ListedTool::Tool(name, tool) => self.present_tool(&name, &tool, presentation),
                ListedTool::Nameless | ListedTool::Excluded => None,
            },
            ListKind::Prompts => {
                let name = naming::text(item, "name")?;
                Some(naming::with_member(item, "name", &self.public_name(&name)))
            }
            ListKind::Resources => self.with_public_uri(item, "uri"),
            ListKind::Templates => self.with_public_uri(item, "uriTemplate"),
        }
    }

    /// Returns a tool as clients see it, or `None` if it is not offered.
    pub(super) fn present_tool(
        &self,
        name: &str,
        tool: &Tool,
        presentation: &ToolPresentation,
    ) -> Option<RawJson> {
        let ToolPresentation { format, placement } = *presentation;
        let settings = self.settings();
        if !settings.tool_filter.has(name) {
            return None;
        }
        let public = self.public_name(name);
        let is_plain = settings.text_mode_for(&public, format).is_text();
        let format = settings.format_for(&public, format);
        // A result may be plain text, so no `outputSchema` is advertised (M11).
        let placement =
            if is_plain { Placement::Text } else { settings.placement_for(&public, placement) };
        let check = settings.output_check_for(&public);
        let mut presented = tools::present(tool, format, placement, check);
        // The arguments of a tool that is not kept all belong to the tool.
        if is_plain && tool.is_kept {
            let unsafe_output = settings.redaction.unsafe_output;
            presented = gateway_arguments::advertise(tool, &presented, unsafe_output);
        }
        if public != name {
            presented = naming::with_member(&presented, "name", &public);
        }
        Some(presented)
    }

    fn with_public_uri(&self, item: &RawJson, member: &str) -> Option<RawJson> {
        let uri = naming::text(item, member)?;
        Some(naming::with_member(item, member, &self.claim_uri(&uri)))
    }

    /// Requests the pages of a list, one after another.
    pub(super) async fn each_page(
        &self,
        kind: ListKind,
        era: Option<Era>,
        take: impl FnMut(&RawJson),
    ) -> Result<(), ListError> {
        self.each_page_of(kind.method(), era, take).await
    }

    /// Requests the pages of the list that this method returns, one after another.
    pub(super) async fn each_page_of(
        &self,
        method: &str,
        era: Option<Era>,
        mut take: impl FnMut(&RawJson),
    ) -> Result<(), ListError> {
        const PAGES_MAX: usize = 1_000;
        let mut cursor: Option<RawJson> = None;
        let mut seen = HashSet::new();
        for _ in 0..PAGES_MAX {
            let params = JsonObject::build(|object| object.member("cursor", &cursor));
            let page = self.page(method, era, &params).await?;
            // Presenting a list may compile schemas.
            self.leave_reactor_with_response(tools::work_of_compiling(&page)).await;
            take(&page);
            cursor = page.get("nextCursor").filter(|next| next.as_text().is_some());
            let Some(next) = &cursor else { return Ok(()) };
            // A cursor that repeats ends the list.
            if !seen.insert(next.compact()) {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn page(
        &self,
        method: &str,
        era: Option<Era>,
        params: &JsonObject,
    ) -> Result<RawJson, ListError> {
        let timeout = self.settings().timeout;
        let reply = tokio::time::timeout(timeout, async {
            let ready = self.upstream.ready(era).await.map_err(Disconnected)?;
            let mut waiting = ready.connection.send_request(method, params).await?;
            return_to_reactor().await;
            waiting.wait().await
        });
        match reply.instrument(self.span(method)).await {
            Ok(Err(disconnected)) => Err(ListError::Disconnected(disconnected)),
            Ok(Ok(UpstreamReply::Response(response))) => match response.answer {
                Ok(page) => Ok(page),
                // A server that does not know the method has an empty list.
                Err(error) if error_number(&error) == Some(-32601) => {
                    Ok(JsonObject::default().into())
                }
                Err(_) => Err(ListError::Refused),
            },
            Ok(Ok(UpstreamReply::TooLarge)) => {
                Err(ListError::TooLarge(self.settings().message_bytes_max))
            }
            Ok(Ok(UpstreamReply::Unusable(_) | UpstreamReply::UnsupportedRequest(_))) => {
                Err(ListError::Refused)
            }
            Ok(Ok(UpstreamReply::HttpFailure(failure))) => Err(ListError::HttpFailure(failure)),
            Err(_) => Err(ListError::TimedOut),
        }
    }
}
