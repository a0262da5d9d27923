//! Streams without a reader: what is kept of them is limited for all sessions together.

use serde_json::json;

use crate::http_client::{Event, HttpProgram, LegacyClient};
use crate::mcp::memory_kib;
use crate::program::Scratch;
use crate::serve::{sample, serve, wait_until};

/// Starts a gateway for a sample server that keeps at most this much of streams.
fn serve_with_limit(scratch: &Scratch, stream_bytes_max: &str) -> HttpProgram {
    let limits = format!("[limits]\nstream_bytes_max = {stream_bytes_max:?}\n");
    serve(&scratch.file("manila.toml", limits + &sample("s", &[], "")))
}

/// Starts a call that is answered with a stream, reads its first event, and leaves. Returns the id
/// of the event.
fn call_and_leave(
    served: &HttpProgram,
    client: &LegacyClient<'_>,
    n_bytes: usize,
) -> Option<String> {
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "huge", "arguments": {"bytes": n_bytes}}});
    let head = [
        "Content-Type: application/json",
        "Accept: text/event-stream, application/json",
        "Manila-Contract: none",
        &client.head(),
    ];
    let mut stream = served.send("POST", "/mcp", &head, &call.to_string());
    stream.head();
    stream.event().unwrap().id
}

/// Resumes a stream. Returns its next event that has data, or `None` if Manila refuses to resume.
fn resume(client: &LegacyClient<'_>, last_id: &str) -> Option<Event> {
    let mut resumed = client.listen(Some(last_id));
    let head = resumed.head();
    if head.contains(" 400 ") {
        let reply = resumed.read_reply();
        assert!(reply.body.contains("must belong to a stream that can be resumed"), "{reply:?}");
        return None;
    }
    assert!(head.contains(" 200 "), "{head}");
    Some(resumed.wait(|data| !data.is_null()))
}

/// Returns whether this is the whole answer to `call_and_leave`.
fn is_whole(event: &Event, n_bytes: usize) -> bool {
    let text = event.data["result"]["content"][0]["text"].as_str();
    event.data["id"] == 1 && text.is_some_and(|text| text.len() == n_bytes)
}

#[test]
fn the_oldest_stream_is_dropped_first() {
    const N_BYTES: usize = 400_000;
    let scratch = Scratch::new("resumption-oldest");
    let served = serve_with_limit(&scratch, "1MiB");
    let clients: Vec<_> = (0..4).map(|_| served.connect("2025-11-25")).collect();
    let ids: Vec<String> = clients
        .iter()
        .map(|client| {
            let id = call_and_leave(&served, client, N_BYTES).unwrap();
            // The answer has arrived before the next call starts.
            assert!(is_whole(&resume(client, &id).unwrap(), N_BYTES));
            id
        })
        .collect();
    let resumed: Vec<Option<Event>> =
        clients.iter().zip(&ids).map(|(client, id)| resume(client, id)).collect();
    let is_resumed: Vec<bool> = resumed.iter().map(Option::is_some).collect();
    assert_eq!(is_resumed, [false, false, true, true]);
    assert!(resumed.iter().flatten().all(|event| is_whole(event, N_BYTES)));
}

#[test]
fn many_clients_that_leave_large_answers_fill_no_memory() {
    const N_BYTES: usize = 2_500_000;
    const N_SESSIONS: usize = 80;
    let scratch = Scratch::new("resumption-memory");
    let served = serve_with_limit(&scratch, "10MiB");
    let n_called = || {
        let metrics = served.request("GET", "/metrics", &[], "").body;
        let calls = metrics.lines().filter(|line| line.starts_with("manila_calls_total{"));
        calls.filter_map(|line| line.rsplit(' ').next()?.parse::<usize>().ok()).sum::<usize>()
    };
    let left: Vec<_> = (0..N_SESSIONS)
        .map(|n| {
            let client = served.connect("2025-11-25");
            let id = call_and_leave(&served, &client, N_BYTES).unwrap();
            wait_until("the call has an answer", || n_called() > n);
            (client, id)
        })
        .collect();
    // 200 MB of answers have arrived. The allocator may return what is free at any later time.
    let used_kib = memory_kib("VmRSS", served.pid());
    assert!(used_kib < 130_000, "{used_kib} KiB");
    let resumed = left.iter().filter_map(|(client, id)| resume(client, id));
    let n_resumed = resumed.inspect(|event| assert!(is_whole(event, N_BYTES))).count();
    // The last answer may arrive after its stream was resumed.
    assert!((1..=5).contains(&n_resumed), "{n_resumed}");
}
