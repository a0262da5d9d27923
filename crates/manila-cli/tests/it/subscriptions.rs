//! Resource updates of several servers: each one reaches exactly the clients that subscribed.

use serde_json::{Value, json};

use crate::http_client::HttpProgram;
use crate::mcp::{Client, signal};
use crate::program::Scratch;
use crate::serve::wait_until;
use crate::two_servers::{Servers, start_gateway};
use crate::watcher::{Kind, Watcher};

/// Both servers have this resource. The first one's keeps its URI.
const OF_ONE: &str = "sample://shelf/top";
const OF_TWO: &str = "two+sample://shelf/top";

#[track_caller]
fn touch(served: &HttpProgram, name: &str) {
    let touched = served.call(&format!("{name}_touch"), &json!({"place": "top"}));
    assert_eq!(touched.status, 200, "{touched:?}");
}

/// Returns a member of the result of a sample server's tool `about`.
fn about(served: &HttpProgram, name: &str, member: &str) -> Value {
    served.call(&format!("{name}_about"), &json!({})).json()["data"][member].clone()
}

#[track_caller]
fn wait_until_subscribed(served: &HttpProgram, name: &str, uris: &Value) {
    let what = format!("{name} is subscribed to {uris}");
    wait_until(&what, || about(served, name, "subscribed") == *uris);
}

/// Checks that each of two clients gets updates of its own resource, and of no other.
fn check(name: &str, served: &HttpProgram, mut first: Watcher<'_>, second: &mut Watcher<'_>) {
    first.subscribe(OF_TWO);
    second.subscribe(OF_ONE);
    touch(served, "one");
    second.wait_for_update(OF_ONE);
    touch(served, "two");
    first.wait_for_update(OF_TWO);
    first.unsubscribe(OF_TWO);
    wait_until_subscribed(served, "two", &json!([]));
    touch(served, "two");
    touch(served, "one");
    second.wait_for_update(OF_ONE);
    first.subscribe(OF_TWO);
    touch(served, "two");
    first.wait_for_update(OF_TWO);
    assert_eq!(first.updates, [OF_TWO; 2], "{name}");
    assert_eq!(second.updates, [OF_ONE; 2], "{name}");
    first.leave(served);
    wait_until_subscribed(served, "two", &json!([]));
    assert_eq!(about(served, "one", "subscribed"), json!([OF_ONE]), "{name}");
}

#[test]
fn updates_reach_only_the_subscribers() {
    for (servers_name, servers) in Servers::all() {
        let scratch = Scratch::new(&format!("watch {servers_name}"));
        let (pipe, served) = start_gateway(&scratch, &servers);
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
            wait_until_subscribed(&served, "one", &json!([]));
        }
    }
}

#[test]
fn restores_subscriptions_after_a_restart() {
    for (name, mut servers) in Servers::all() {
        let scratch = Scratch::new(&format!("watch again {name}"));
        let (pipe, served) = start_gateway(&scratch, &servers);
        let mut first = Watcher::new(Kind::HttpLegacy, &served, Some(&pipe));
        let mut second = Watcher::new(Kind::HttpModern, &served, Some(&pipe));
        first.subscribe(OF_TWO);
        second.subscribe(OF_ONE);
        touch(&served, "two");
        first.wait_for_update(OF_TWO);
        signal("KILL", about(&served, "two", "pid"));
        if let Some(killed) = servers.running.pop() {
            let (address, era) = (killed.address.clone(), servers.era);
            drop(killed);
            let args = ["sample-server", "--http", &address, "--era", era];
            servers.running.push(HttpProgram::start(&args));
        }
        // The resource may have changed while the server was down.
        first.wait_for_update(OF_TWO);
        touch(&served, "two");
        first.wait_for_update(OF_TWO);
        touch(&served, "one");
        second.wait_for_update(OF_ONE);
        assert_eq!(first.updates, [OF_TWO; 3], "{name}");
        assert_eq!(second.updates, [OF_ONE], "{name}");
    }
}

#[test]
fn many_clients_share_one_subscription_of_the_server() {
    for (name, servers) in Servers::all() {
        let scratch = Scratch::new(&format!("watch together {name}"));
        let (pipe, served) = start_gateway(&scratch, &servers);
        // All subscribe at once, before any list was requested.
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
                    wait_until_subscribed(served, "two", &json!([OF_ONE]));
                    touch(served, "two");
                    watcher.wait_for_update(OF_TWO);
                });
            }
        });
        drop(pipe);
    }
}

#[test]
fn updates_have_the_uri_that_the_client_knows() {
    let scratch = Scratch::new("watch parts");
    let servers = Servers::on_pipes("legacy");
    let (pipe, served) = start_gateway(&scratch, &servers);
    let mut folder_watcher = Watcher::new(Kind::HttpLegacy, &served, Some(&pipe));
    let mut file_watcher = Watcher::new(Kind::HttpModern, &served, Some(&pipe));
    folder_watcher.subscribe("two+sample://shelf");
    // The first server's resources also have prefixed URIs, even if they were not listed.
    file_watcher.subscribe("one+sample://shelf/top");
    touch(&served, "one");
    file_watcher.wait_for_update("one+sample://shelf/top");
    touch(&served, "two");
    folder_watcher.wait_for_update(OF_TWO);
    assert_eq!((folder_watcher.updates.len(), file_watcher.updates.len()), (1, 1));
}

#[test]
fn refuses_subscriptions_to_unknown_resources() {
    for (name, servers) in Servers::all() {
        let scratch = Scratch::new(&format!("watch nothing {name}"));
        let (pipe, served) = start_gateway(&scratch, &servers);
        for kind in [Kind::HttpLegacy, Kind::HttpModern] {
            for uri in ["sample://nothing", "two+sample://nothing", "three+sample://shelf"] {
                let mut watcher = Watcher::new(kind, &served, Some(&pipe));
                let refused = watcher.try_subscribe(uri);
                assert!(refused.is_err(), "{name}, {kind:?}: {uri}");
            }
        }
        for server in ["one", "two"] {
            wait_until_subscribed(&served, server, &json!([]));
        }
    }
}

#[test]
fn a_single_client_subscribes_through_wrap() {
    for era in ["legacy", "modern"] {
        let mut client =
            Client::start(&[], &[crate::mcp::manila_path(), "sample-server", "--era", era]);
        client.handshake("2025-11-25");
        let uri = json!({"uri": OF_ONE});
        let is_update = |it: &Value| {
            it["method"] == "notifications/resources/updated" && it["params"]["uri"] == OF_ONE
        };
        assert_eq!(client.request(1, "resources/subscribe", &uri)["result"], json!({}));
        client.call("touch", &json!({}));
        client.wait(is_update);
        let pid = client.envelope("about", &json!({}))["data"]["pid"].clone();
        signal("KILL", pid);
        client.wait(is_update);
        client.call("touch", &json!({}));
        client.wait(is_update);
        assert_eq!(client.request(2, "resources/unsubscribe", &uri)["result"], json!({}));
        client.call("touch", &json!({}));
        let others = client.others();
        assert!(!others.iter().any(is_update), "{era}: {others:?}");
    }
}
