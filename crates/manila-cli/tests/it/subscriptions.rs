//! Changes of resources of several servers: each reaches whoever watches it, and nobody else.

use serde_json::{Value, json};

use crate::http_client::Served;
use crate::mcp::{Client, signal};
use crate::program::Scratch;
use crate::serve::until;
use crate::two_servers::{Servers, front};
use crate::watcher::{Kind, Watcher};

/// Both servers have this resource. The first one's keeps its URI.
const OF_ONE: &str = "sample://shelf/top";
const OF_TWO: &str = "two+sample://shelf/top";

#[track_caller]
fn touch(served: &Served, name: &str) {
    let touched = served.call(&format!("{name}_touch"), &json!({"place": "top"}));
    assert_eq!(touched.status, 200, "{touched:?}");
}

/// A member of what a sample server tells of itself.
fn about(served: &Served, name: &str, member: &str) -> Value {
    served.call(&format!("{name}_about"), &json!({})).json()["data"][member].clone()
}

#[track_caller]
fn until_subscribed(served: &Served, name: &str, uris: &Value) {
    until(&format!("{name} has {uris}"), || about(served, name, "subscribed") == *uris);
}

/// Two clients, each with its own wish: each hears of that, and of nothing else.
fn check(name: &str, served: &Served, mut first: Watcher<'_>, second: &mut Watcher<'_>) {
    first.subscribe(OF_TWO);
    second.subscribe(OF_ONE);
    touch(served, "one");
    second.hears(OF_ONE);
    touch(served, "two");
    first.hears(OF_TWO);
    first.unsubscribe(OF_TWO);
    until_subscribed(served, "two", &json!([]));
    touch(served, "two");
    touch(served, "one");
    second.hears(OF_ONE);
    first.subscribe(OF_TWO);
    touch(served, "two");
    first.hears(OF_TWO);
    assert_eq!(first.heard, [OF_TWO; 2], "{name}");
    assert_eq!(second.heard, [OF_ONE; 2], "{name}");
    first.leave(served);
    until_subscribed(served, "two", &json!([]));
    assert_eq!(about(served, "one", "subscribed"), json!([OF_ONE]), "{name}");
}

#[test]
fn each_change_reaches_whoever_watches_it() {
    for (servers_name, servers) in Servers::all() {
        let scratch = Scratch::new(&format!("watch {servers_name}"));
        let (pipe, served) = front(&scratch, &servers);
        for (first, second) in [
            (Kind::HttpLegacy, Kind::HttpLegacy),
            (Kind::HttpModern, Kind::HttpModern),
            (Kind::HttpLegacy, Kind::HttpModern),
            (Kind::HttpLegacy, Kind::PipeModern),
            (Kind::HttpModern, Kind::PipeLegacy),
        ] {
            let name = format!("{servers_name}, {first:?} and {second:?}");
            let first = Watcher::new(first, &served, Some(&pipe));
            let mut second = Watcher::new(second, &served, Some(&pipe));
            check(&name, &served, first, &mut second);
            second.unsubscribe(OF_ONE);
            until_subscribed(&served, "one", &json!([]));
        }
    }
}

#[test]
fn what_is_watched_is_told_to_a_server_that_comes_back() {
    for (name, mut servers) in Servers::all() {
        let scratch = Scratch::new(&format!("watch again {name}"));
        let (pipe, served) = front(&scratch, &servers);
        let mut first = Watcher::new(Kind::HttpLegacy, &served, Some(&pipe));
        let mut second = Watcher::new(Kind::HttpModern, &served, Some(&pipe));
        first.subscribe(OF_TWO);
        second.subscribe(OF_ONE);
        touch(&served, "two");
        first.hears(OF_TWO);
        signal("KILL", about(&served, "two", "pid"));
        if let Some(killed) = servers.at.pop() {
            let (address, era) = (killed.address.clone(), servers.era);
            drop(killed);
            let args = ["sample-server", "--http", &address, "--era", era];
            servers.at.push(Served::start(&args));
        }
        // It may have changed while nobody could tell.
        first.hears(OF_TWO);
        touch(&served, "two");
        first.hears(OF_TWO);
        touch(&served, "one");
        second.hears(OF_ONE);
        assert_eq!(first.heard, [OF_TWO; 3], "{name}");
        assert_eq!(second.heard, [OF_ONE], "{name}");
    }
}

#[test]
fn many_watch_the_same_and_the_server_is_told_once() {
    for (name, servers) in Servers::all() {
        let scratch = Scratch::new(&format!("watch together {name}"));
        let (pipe, served) = front(&scratch, &servers);
        // All at once, and before anything was listed.
        std::thread::scope(|scope| {
            for kind in [Kind::HttpLegacy, Kind::HttpModern, Kind::HttpLegacy, Kind::HttpModern] {
                let served = &served;
                scope.spawn(move || {
                    let mut watcher = Watcher::new(kind, served, None);
                    for _ in 0..8 {
                        watcher.subscribe(OF_TWO);
                        watcher.unsubscribe(OF_TWO);
                    }
                    watcher.subscribe(OF_TWO);
                    until_subscribed(served, "two", &json!([OF_ONE]));
                    touch(served, "two");
                    watcher.hears(OF_TWO);
                });
            }
        });
        drop(pipe);
    }
}

#[test]
fn the_whole_and_its_parts_are_watched_under_the_name_that_is_known() {
    let scratch = Scratch::new("watch parts");
    let servers = Servers::on_pipes("legacy");
    let (pipe, served) = front(&scratch, &servers);
    let mut whole = Watcher::new(Kind::HttpLegacy, &served, Some(&pipe));
    let mut named = Watcher::new(Kind::HttpModern, &served, Some(&pipe));
    whole.subscribe("two+sample://shelf");
    // Also the first one's has a name of its own, whatever was listed.
    named.subscribe("one+sample://shelf/top");
    touch(&served, "one");
    named.hears("one+sample://shelf/top");
    touch(&served, "two");
    whole.hears(OF_TWO);
    assert_eq!((whole.heard.len(), named.heard.len()), (1, 1));
}

#[test]
fn what_nobody_has_is_not_watched() {
    for (name, servers) in Servers::all() {
        let scratch = Scratch::new(&format!("watch nothing {name}"));
        let (pipe, served) = front(&scratch, &servers);
        for kind in [Kind::HttpLegacy, Kind::HttpModern] {
            for uri in ["sample://nothing", "two+sample://nothing", "three+sample://shelf"] {
                let mut watcher = Watcher::new(kind, &served, Some(&pipe));
                let refused = watcher.try_subscribe(uri);
                assert!(refused.is_err(), "{name}, {kind:?}: {uri}");
            }
        }
        for server in ["one", "two"] {
            until_subscribed(&served, server, &json!([]));
        }
    }
}

#[test]
fn the_only_client_watches_too() {
    for era in ["legacy", "modern"] {
        let mut client =
            Client::start(&[], &[crate::mcp::manila_path(), "sample-server", "--era", era]);
        client.greet("2025-11-25");
        let uri = json!({"uri": OF_ONE});
        let is_told = |it: &Value| {
            it["method"] == "notifications/resources/updated" && it["params"]["uri"] == OF_ONE
        };
        assert_eq!(client.ask(1, "resources/subscribe", &uri)["result"], json!({}));
        client.call("touch", &json!({}));
        client.wait(is_told);
        let pid = client.envelope("about", &json!({}))["data"]["pid"].clone();
        signal("KILL", pid);
        client.wait(is_told);
        client.call("touch", &json!({}));
        client.wait(is_told);
        assert_eq!(client.ask(2, "resources/unsubscribe", &uri)["result"], json!({}));
        client.call("touch", &json!({}));
        let others = client.others();
        assert!(!others.iter().any(is_told), "{era}: {others:?}");
    }
}
