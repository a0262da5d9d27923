//! Whatever a client sends, a connection ends, and only requests for a local host are served.
#![no_main]

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use manila_gateway::fuzz::serve_connection;
use tokio::runtime;

/// The names of a local host in the header `Host` or in the target of a request.
const LOCAL: [&str; 3] = ["localhost", "127.", "[::1]"];

fuzz_target!(|sent: &[u8]| {
    let runtime = runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    let serving = async {
        // The clock is paused: timeouts pass at once, so that only a connection that is stuck
        // reaches this one.
        tokio::time::timeout(Duration::from_secs(3_600), serve_connection(sent)).await
    };
    let received = runtime.expect("it needs no resources").block_on(serving);
    let received = received.expect("a connection ends");
    let received = String::from_utf8_lossy(&received);
    if !received.is_empty() {
        assert!(received.starts_with("HTTP/1."), "{received}");
    }
    let sent = String::from_utf8_lossy(sent).to_ascii_lowercase();
    if !LOCAL.iter().any(|it| sent.contains(it)) {
        assert!(!received.contains("HTTP/1.1 200"), "{received}");
    }
});
