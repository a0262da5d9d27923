//! `tools/list`: the server's tools with the truth about their results.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use manila::request_envelope::{Request, Response};
use manila::{JsonObject, RawJson};

use super::ask::Answered;
use super::offers::{Listed, NotListed, Way};
use crate::backend::Backend;
use crate::backend::forward::{Forwarded, forward};
use crate::backend::tools::{Noted, Tool};
use crate::protocol::caller::Caller;
use crate::protocol::era::Era;
use crate::protocol::presentation::Placement;
use crate::upstream::{Declined, Gone};

/// What is known about a tool's name.
pub(super) enum Found {
    Tool(Arc<Tool>),
    Unknown,
    Unlisted,
    Gone(Gone),
    Declined(Declined),
    TooLate,
}

impl Backend {
    /// What is known about the tool of this name; if nothing is, the tools are listed.
    pub(super) async fn find(&self, name: &str, wanted: Option<Era>) -> Found {
        if !self.settings().offered.has(name) {
            return Found::Unknown;
        }
        if let Some(tool) = self.tools.get(name) {
            return Found::Tool(tool);
        }
        // One list serves all who wait for it.
        let _listing = self.tools.listing.lock().await;
        if let Some(tool) = self.tools.get(name) {
            return Found::Tool(tool);
        }
        // Nearly every call finds its tool, and need not carry the room for this.
        match Box::pin(self.list_all_tools(wanted)).await {
            Err(NotListed::Gone(gone)) => Found::Gone(gone),
            Err(NotListed::Declined(declined)) => Found::Declined(declined),
            Err(NotListed::Refused) => Found::Unlisted,
            Err(NotListed::TimedOut) => Found::TooLate,
            Ok(names) => match self.tools.get(name) {
                Some(tool) => Found::Tool(tool),
                None if names.contains(name) => Found::Unlisted,
                None => Found::Unknown,
            },
        }
    }

    /// The tool of this name; `None` if there is none, or nothing is known about it within the time
    /// that a call may take.
    pub(crate) async fn known_tool_in_time(
        &self,
        name: &str,
        caller: &Caller,
    ) -> Option<Arc<Tool>> {
        if let Some(tool) = self.tools.get(name) {
            return Some(tool);
        }
        let found = self.find(name, caller.wanted());
        match tokio::time::timeout(self.settings().timeout, found).await.ok()? {
            Found::Tool(tool) => Some(tool),
            Found::Unknown
            | Found::Unlisted
            | Found::Gone(_)
            | Found::Declined(_)
            | Found::TooLate => None,
        }
    }

    /// Whether the server is asked in the modern era for this caller.
    pub(crate) async fn speaks_modern(&self, caller: &Caller) -> bool {
        let ready = self.upstream.ready(caller.wanted()).await;
        ready.is_ok_and(|ready| ready.era == Era::Modern)
    }

    /// Lists the tools of one page, as the client sees them.
    pub(crate) async fn list_tools(
        &self,
        request: &Request,
        caller: &Arc<Caller>,
        placement: Placement,
    ) -> Forwarded {
        let way = Way { shape: caller.preferences.shape, placement };
        match forward(self, request, caller).await {
            Forwarded::AsItCame(Answered {
                response: Response { answer: Ok(result), .. },
                era,
            }) => Forwarded::Changed(self.shown(&result, &way), era),
            other @ (Forwarded::AsItCame(_) | Forwarded::Changed(..) | Forwarded::Fault(_)) => {
                other
            }
        }
    }

    /// A page of the list with every tool as the client sees it; all else as it came.
    fn shown(&self, result: &RawJson, way: &Way) -> RawJson {
        let page = JsonObject::build(|object| {
            for member in result.members() {
                if !member.is("tools") {
                    object.token_member(member.key_token(), &member.value());
                    continue;
                }
                let shown: Vec<RawJson> = member
                    .value()
                    .items()
                    .filter_map(|tool| match self.tools.note(&tool) {
                        Noted::Tool(name, known) => self.tool_shown(&name, &known, way),
                        Noted::Nameless => Some(tool),
                        Noted::LeftOut => None,
                    })
                    .collect();
                object.token_member(member.key_token(), &shown);
            }
        });
        page.into()
    }

    /// Asks the server for all its tools. Gives them as they are listed to clients who want results
    /// of this shape.
    pub(crate) async fn tools_shaped(&self, way: &Way) -> Result<Vec<RawJson>, String> {
        let mut all = Vec::new();
        let listed = self.each_page(Listed::Tools, None, |page| {
            let shown = self.shown(page, way);
            all.extend(shown.get("tools").iter().flat_map(RawJson::items));
        });
        listed.await.map_err(NotListed::reason)?;
        Ok(all)
    }

    /// Asks the server for all its tools, and forgets those that are gone. Gives their names.
    pub(super) async fn list_all_tools(
        &self,
        wanted: Option<Era>,
    ) -> Result<HashSet<String>, NotListed> {
        let mut names = HashSet::new();
        self.each_page(Listed::Tools, wanted, |page| {
            let tools = page.get("tools");
            let noted = tools.iter().flat_map(RawJson::items);
            names.extend(noted.filter_map(|tool| match self.tools.note(&tool) {
                Noted::Tool(name, _) => Some(name),
                Noted::Nameless | Noted::LeftOut => None,
            }));
        })
        .await?;
        self.tools.keep_only(&names);
        Ok(names)
    }

    /// Whether the server has other tools than before. Unknown is no.
    pub(crate) async fn have_tools_changed(&self, before: &HashMap<String, RawJson>) -> bool {
        if before.is_empty() {
            return false;
        }
        let _listing = self.tools.listing.lock().await;
        self.list_all_tools(None).await.is_ok() && *before != self.tools.snapshot()
    }
}
