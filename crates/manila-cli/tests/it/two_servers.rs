//! `manila serve` with two identical servers.

use std::cell::RefCell;

use crate::http_client::HttpProgram;
use crate::mcp::Client;
use crate::program::Scratch;
use crate::serve::sample;

/// Two sample servers of one kind, whose resources have the same URIs.
pub(crate) struct Servers {
    pub(crate) config: String,
    /// The running servers, if the gateway connects to them over HTTP.
    pub(crate) running: Vec<HttpProgram>,
    pub(crate) era: &'static str,
}

impl Servers {
    pub(crate) fn on_pipes(era: &'static str) -> Servers {
        let options = ["--era", era];
        let config = sample("one", &options, "") + &sample("two", &options, "");
        Servers { config, running: Vec::new(), era }
    }

    pub(crate) fn over_http(era: &'static str) -> Servers {
        let running = [0, 1].map(|_| HttpProgram::sample_server(&["--era", era]));
        let tables = ["one", "two"].iter().zip(&running);
        let tables = tables.map(|(name, it)| format!("[upstream.{name}]\nurl = {:?}\n", it.url()));
        Servers { config: tables.collect(), running: running.into(), era }
    }

    /// Returns both kinds of servers in both eras, with a description.
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

/// Starts `manila serve` for these servers, with a client over stdio and an HTTP listener.
pub(crate) fn start_gateway(
    scratch: &Scratch,
    servers: &Servers,
) -> (RefCell<Client>, HttpProgram) {
    let config = scratch.file("manila.toml", &servers.config);
    let args = ["serve", "--config", &config, "--stdio", "--http", "127.0.0.1:0", "-v"];
    let pipe = Client::start_manila(&args);
    let served = HttpProgram::of_client(&pipe);
    (RefCell::new(pipe), served)
}
