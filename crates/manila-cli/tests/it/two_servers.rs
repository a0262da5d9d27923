//! Two servers that have the same of everything, and `manila serve` in front of them.

use std::cell::RefCell;

use crate::http_client::Served;
use crate::mcp::Client;
use crate::program::Scratch;
use crate::serve::sample;

/// Two sample servers of one kind, whose resources have the same URIs.
pub(crate) struct Servers {
    pub(crate) config: String,
    /// Those that are reached over HTTP.
    pub(crate) at: Vec<Served>,
    pub(crate) era: &'static str,
}

impl Servers {
    pub(crate) fn on_pipes(era: &'static str) -> Servers {
        let options = ["--era", era];
        let config = sample("one", &options, "") + &sample("two", &options, "");
        Servers { config, at: Vec::new(), era }
    }

    pub(crate) fn over_http(era: &'static str) -> Servers {
        let at = [0, 1].map(|_| Served::sample_server(&["--era", era]));
        let tables = ["one", "two"].iter().zip(&at);
        let tables = tables.map(|(name, at)| format!("[upstream.{name}]\nurl = {:?}\n", at.url()));
        Servers { config: tables.collect(), at: at.into(), era }
    }

    /// Both kinds in both eras.
    pub(crate) fn all() -> Vec<(String, Servers)> {
        let eras = ["legacy", "modern"].into_iter();
        let all = eras.flat_map(|era| {
            [
                (format!("{era} servers on pipes"), Servers::on_pipes(era)),
                (format!("{era} servers over HTTP"), Servers::over_http(era)),
            ]
        });
        all.collect()
    }
}

/// `manila serve` in front of servers, with a client on a pipe and an HTTP side.
pub(crate) fn front(scratch: &Scratch, servers: &Servers) -> (RefCell<Client>, Served) {
    let config = scratch.file("manila.toml", &servers.config);
    let args = ["serve", "--config", &config, "--stdio", "--http", "127.0.0.1:0", "-v"];
    let pipe = Client::started(&args);
    let served = Served::beside(&pipe);
    (RefCell::new(pipe), served)
}
