//! Several servers that offer the same names: each request reaches the server that it names.

use serde_json::{Value, json};

use crate::http_client::{HttpProgram, LegacyClient};
use crate::program::Scratch;
use crate::serve::{names, wait_until};
use crate::two_servers::{Servers, start_gateway};

/// A client of either era over HTTP.
enum HttpClient<'a> {
    Legacy(LegacyClient<'a>),
    Modern(&'a HttpProgram),
}

impl<'a> HttpClient<'a> {
    fn both(served: &'a HttpProgram) -> [HttpClient<'a>; 2] {
        [HttpClient::Legacy(served.connect("2025-11-25")), HttpClient::Modern(served)]
    }

    /// Sends a request and returns the response.
    fn request(&self, method: &str, params: &Value) -> Value {
        match self {
            HttpClient::Legacy(client) => client.request("q", method, params),
            HttpClient::Modern(served) => {
                served.send_modern(method, params).read_reply().answer(&json!(1))
            }
        }
    }

    fn list(&self, method: &str, kind: &str, member: &str) -> Vec<String> {
        names(&self.request(method, &json!({})), kind, member)
    }
}

#[test]
fn templates_and_completions_belong_to_the_server_that_they_name() {
    for (name, servers) in Servers::all() {
        let scratch = Scratch::new(&format!("several {name}"));
        let (_pipe, served) = start_gateway(&scratch, &servers);
        for client in HttpClient::both(&served) {
            let templates =
                client.list("resources/templates/list", "resourceTemplates", "uriTemplate");
            assert_eq!(
                templates,
                ["sample://shelf/{place}", "two+sample://shelf/{place}"],
                "{name}"
            );
            let before = client.request("resources/read", &json!({"uri": "sample://shelf/bottom"}));
            served.call("two_touch", &json!({"place": "bottom"}));
            for (uri, is_touched) in
                [("sample://shelf/bottom", false), ("two+sample://shelf/bottom", true)]
            {
                let read = client.request("resources/read", &json!({"uri": uri}));
                let content = &read["result"]["contents"][0];
                assert_eq!(content["uri"], uri, "{name}: {read}");
                let is_as_before = content["text"] == before["result"]["contents"][0]["text"];
                assert_eq!(is_as_before, !is_touched, "{name}: {read}");
            }
            for (about, argument, value, values) in [
                (json!({"type": "ref/prompt", "name": "two_greet"}), "name", "t", json!(["Tony"])),
                (
                    json!({"type": "ref/resource", "uri": "two+sample://shelf/{place}"}),
                    "place",
                    "b",
                    json!(["bottom"]),
                ),
                (
                    json!({"type": "ref/resource", "uri": "sample://shelf/{place}"}),
                    "place",
                    "m",
                    json!(["middle"]),
                ),
            ] {
                let argument = json!({"name": argument, "value": value});
                let params = json!({"ref": about, "argument": argument});
                let completed = client.request("completion/complete", &params);
                assert_eq!(completed["result"]["completion"]["values"], values, "{name}");
            }
            let unknown = json!({"ref": {"type": "ref/resource", "uri": "x://{y}"},
                "argument": {"name": "y", "value": ""}});
            let refused = client.request("completion/complete", &unknown);
            assert_eq!(refused["error"]["code"], -32602, "{name}: {refused}");
        }
    }
}

#[test]
fn links_lead_to_the_server_that_created_them() {
    for (name, servers) in Servers::all() {
        let scratch = Scratch::new(&format!("links {name}"));
        let (_pipe, served) = start_gateway(&scratch, &servers);
        for client in HttpClient::both(&served) {
            client.list("resources/list", "resources", "uri");
            for meta in [json!({}), json!({"dev.manila/contract": "none"})] {
                for (tool, member, uri) in [
                    ("one_links", "/uri", "sample://greeting"),
                    ("two_links", "/uri", "two+sample://greeting"),
                    ("one_embedded", "/resource/uri", "sample://greeting"),
                    ("two_embedded", "/resource/uri", "two+sample://greeting"),
                ] {
                    let params = json!({"name": tool, "arguments": {}, "_meta": meta});
                    let answer = client.request("tools/call", &params);
                    let blocks = answer["result"]["content"].as_array().unwrap();
                    let uris: Vec<&Value> =
                        blocks.iter().filter_map(|block| block.pointer(member)).collect();
                    assert_eq!(uris.first(), Some(&&json!(uri)), "{name}, {tool}: {answer}");
                    let read = client.request("resources/read", &json!({"uri": uri}));
                    assert_eq!(read["result"]["contents"][0]["uri"], uri, "{name}: {read}");
                }
            }
        }
    }
}

#[test]
fn notifies_all_clients_of_a_list_that_one_server_changed() {
    for (name, servers) in Servers::all() {
        let scratch = Scratch::new(&format!("lists {name}"));
        let (_pipe, served) = start_gateway(&scratch, &servers);
        let client = served.connect("2025-11-25");
        let mut legacy = client.listen(None);
        legacy.head();
        let params = json!({"notifications": {"toolsListChanged": true}});
        let mut modern = served.send_modern("subscriptions/listen", &params);
        modern.wait(|it| it["method"] == "notifications/subscriptions/acknowledged");
        let has_extra = |server: &str| {
            let tools = names(&client.request(1, "tools/list", &json!({})), "tools", "name");
            tools.contains(&format!("{server}_extra"))
        };
        // Servers that start also cause this notification, but not after both have responded.
        assert!(!has_extra("one") && !has_extra("two"), "{name}");
        served.call("two_change_tools", &json!({}));
        let is_list_changed = |it: &Value| it["method"] == "notifications/tools/list_changed";
        for stream in [&mut legacy, &mut modern] {
            stream.wait(is_list_changed);
        }
        wait_until("the tool is listed", || has_extra("two"));
        assert!(!has_extra("one"), "{name}");
        assert_eq!(served.call("two_extra", &json!({})).status, 200, "{name}");
        assert_eq!(served.call("one_extra", &json!({})).status, 404, "{name}");
    }
}
