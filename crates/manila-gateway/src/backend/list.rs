//! `tools/list`: the server's tools, with the schemas of the results that clients get.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use manila::json::Emit;
use manila::request_envelope::{Request, Response};
use manila::{JsonObject, RawJson};

use super::list_cache::{ListError, ToolPresentation};
use super::send_request::ServerResponse;
use super::tools::{has_text, work_of_compiling};
use crate::backend::Backend;
use crate::backend::forward::{Forwarded, forward};
use crate::backend::tools::{ListedTool, Tool};
use crate::protocol::caller::Caller;
use crate::protocol::era::Era;
use crate::protocol::list_kind::ListKind;
use crate::protocol::presentation::Placement;
use crate::rt::offload::Work;
use crate::upstream::{Disconnected, HttpFailure};

/// A list whose items are created one by one while it is written. The function passes each item to
/// its argument.
pub(crate) struct ItemsOnDemand<F>(pub(crate) F);

impl<F: Fn(&mut dyn FnMut(&RawJson))> Emit for ItemsOnDemand<F> {
    fn emit(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        let mut is_first = true;
        (self.0)(&mut |item| {
            if !std::mem::take(&mut is_first) {
                out.push(b',');
            }
            item.emit(out);
        });
        out.push(b']');
    }
}

/// The result of looking up a tool by name.
pub(super) enum ToolLookup {
    Tool(Arc<Tool>),
    Unknown,
    /// The server does not list its tools, or lists too many to keep, so the tool may exist.
    Unlisted,
    /// The server does not list its tools, so the tool may be one that is not offered.
    Withheld,
    Disconnected(Disconnected),
    HttpFailure(HttpFailure),
    TimedOut,
}

impl Backend {
    /// Looks up a tool. Lists the tools if the name is unknown.
    pub(super) async fn find(&self, name: &str, era: Option<Era>) -> ToolLookup {
        if !self.settings().tool_filter.has(name) {
            return ToolLookup::Unknown;
        }
        if let Some(tool) = self.tools.get(name) {
            return ToolLookup::Tool(tool);
        }
        // One list request serves all calls that wait for it.
        let _listing = self.tools.listing.lock().await;
        if let Some(tool) = self.tools.get(name) {
            return ToolLookup::Tool(tool);
        }
        // Boxed, because nearly every call finds its tool and does not need this future.
        match Box::pin(self.list_all_tools(era)).await {
            Err(ListError::Disconnected(reason)) => ToolLookup::Disconnected(reason),
            Err(ListError::HttpFailure(failure)) => ToolLookup::HttpFailure(failure),
            Err(ListError::Refused | ListError::TooLarge(_)) => {
                if self.settings().tool_filter.has_unlisted(name) {
                    ToolLookup::Unlisted
                } else {
                    ToolLookup::Withheld
                }
            }
            Err(ListError::TimedOut) => ToolLookup::TimedOut,
            Ok(names) => match self.tools.get(name) {
                Some(tool) => ToolLookup::Tool(tool),
                None if names.contains(name) => ToolLookup::Unlisted,
                None => ToolLookup::Unknown,
            },
        }
    }

    /// Returns whether a tool with this name is known and offered.
    pub(crate) fn lists_tool(&self, name: &str) -> bool {
        self.settings().tool_filter.has(name) && self.tools.get(name).is_some()
    }

    /// Returns the tool with this name, or `None` if it does not exist or is not found within the
    /// timeout of a call.
    pub(crate) async fn find_tool_before_timeout(
        &self,
        name: &str,
        caller: &Caller,
    ) -> Option<Arc<Tool>> {
        if let Some(tool) = self.tools.get(name) {
            return Some(tool);
        }
        let found = self.find(name, caller.preferred_era());
        match tokio::time::timeout(self.settings().timeout, found).await.ok()? {
            ToolLookup::Tool(tool) => Some(tool),
            ToolLookup::Unknown
            | ToolLookup::Unlisted
            | ToolLookup::Withheld
            | ToolLookup::Disconnected(_)
            | ToolLookup::HttpFailure(_)
            | ToolLookup::TimedOut => None,
        }
    }

    /// Returns whether the gateway uses the modern era with the server for this caller.
    pub(crate) async fn uses_modern_era(&self, caller: &Caller) -> bool {
        let ready = self.upstream.ready(caller.preferred_era()).await;
        ready.is_ok_and(|ready| ready.era == Era::Modern)
    }

    /// Lists one page of tools, as the client sees them.
    pub(crate) async fn list_tools(
        &self,
        request: &Request,
        caller: &Arc<Caller>,
        placement: Placement,
    ) -> Forwarded {
        let presentation = ToolPresentation { format: caller.preferences.format, placement };
        match forward(self, request, caller).await {
            Forwarded::Passthrough(ServerResponse {
                response: Response { answer: Ok(result), .. },
                era,
            }) => {
                self.leave_reactor_with_response(work_of_page(&result)).await;
                Forwarded::Rewritten(self.present_page(&result, &presentation), era)
            }
            other
            @ (Forwarded::Passthrough(_) | Forwarded::Rewritten(..) | Forwarded::Fault(_)) => other,
        }
    }

    /// Presents every tool of a page; the other members are unchanged.
    fn present_page(&self, result: &RawJson, presentation: &ToolPresentation) -> RawJson {
        // A long page grows less than twofold, so its buffer is not reallocated.
        let page = JsonObject::build_in(result.as_bytes().len() * 2, |object| {
            for member in result.members() {
                if !member.is("tools") {
                    object.token_member(member.key_token(), &member.value());
                    continue;
                }
                let list = member.value();
                let presented = ItemsOnDemand(|take: &mut dyn FnMut(&RawJson)| {
                    let present = |tool| match self.tools.store(&tool) {
                        ListedTool::Tool(name, known) => {
                            self.present_tool(&name, &known, presentation)
                        }
                        ListedTool::Nameless => Some(tool),
                        ListedTool::Excluded => None,
                    };
                    list.items().filter_map(present).for_each(|tool| take(&tool));
                });
                object.token_member(member.key_token(), &presented);
            }
        });
        page.into()
    }

    /// Requests all tools from the server, and returns them in this presentation.
    pub(crate) async fn tools_in_format(
        &self,
        presentation: &ToolPresentation,
    ) -> Result<Vec<RawJson>, String> {
        let mut all = Vec::new();
        let listed = self.each_page(ListKind::Tools, None, |page| {
            let presented = self.present_page(page, presentation);
            all.extend(presented.get("tools").iter().flat_map(RawJson::items));
        });
        listed.await.map_err(ListError::reason)?;
        Ok(all)
    }

    /// Requests all tools from the server, removes those that no longer exist, and returns their
    /// names. Fails if the server has no list of tools.
    pub(super) async fn list_all_tools(
        &self,
        era: Option<Era>,
    ) -> Result<HashSet<String>, ListError> {
        let mut names = HashSet::new();
        let mut has_list = false;
        self.each_page(ListKind::Tools, era, |page| {
            let tools = page.get("tools");
            has_list |= tools.is_some();
            let tools = tools.iter().flat_map(RawJson::items);
            names.extend(tools.filter_map(|tool| match self.tools.store(&tool) {
                ListedTool::Tool(name, _) => Some(name),
                ListedTool::Nameless | ListedTool::Excluded => None,
            }));
        })
        .await?;
        if !has_list {
            return Err(ListError::Refused);
        }
        self.tools.keep_only(&names);
        Ok(names)
    }

    /// Returns whether the server's tools have changed; `false` if that is unknown.
    pub(crate) async fn have_tools_changed(&self, before: &HashMap<String, RawJson>) -> bool {
        if before.is_empty() {
            return false;
        }
        let _listing = self.tools.listing.lock().await;
        self.list_all_tools(None).await.is_ok() && *before != self.tools.snapshot()
    }
}

/// Returns the work of presenting a page of tools, whose output schemas are compiled.
fn work_of_page(page: &RawJson) -> Work {
    // The name of a member may be escaped.
    if has_text(page, "outputSchema") || has_text(page, r"\u") {
        work_of_compiling(page)
    } else {
        Work::Process(page.as_bytes().len())
    }
}
