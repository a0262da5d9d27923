//! What several servers offer under the same names: each thing leads to the server that has it.

use serde_json::{Value, json};

use crate::http_client::{Legacy, Served};
use crate::program::Scratch;
use crate::serve::{names, until};
use crate::two_servers::{Servers, front};

/// A client of either era over HTTP.
enum Way<'a> {
    Legacy(Legacy<'a>),
    Modern(&'a Served),
}

impl<'a> Way<'a> {
    fn both(served: &'a Served) -> [Way<'a>; 2] {
        [Way::Legacy(served.greeted("2025-11-25")), Way::Modern(served)]
    }

    /// Asks, and gives the answer.
    fn ask(&self, method: &str, params: &Value) -> Value {
        match self {
            Way::Legacy(client) => client.ask("q", method, params),
            Way::Modern(served) => served.modern(method, params).whole().answer(&json!(1)),
        }
    }

    fn list(&self, method: &str, kind: &str, member: &str) -> Vec<String> {
        names(&self.ask(method, &json!({})), kind, member)
    }
}

#[test]
fn templates_and_completions_are_of_the_server_that_they_name() {
    for (name, servers) in Servers::all() {
        let scratch = Scratch::new(&format!("several {name}"));
        let (_pipe, served) = front(&scratch, &servers);
        for way in Way::both(&served) {
            let templates =
                way.list("resources/templates/list", "resourceTemplates", "uriTemplate");
            assert_eq!(
                templates,
                ["sample://shelf/{place}", "two+sample://shelf/{place}"],
                "{name}"
            );
            let before = way.ask("resources/read", &json!({"uri": "sample://shelf/bottom"}));
            served.call("two_touch", &json!({"place": "bottom"}));
            for (uri, is_touched) in
                [("sample://shelf/bottom", false), ("two+sample://shelf/bottom", true)]
            {
                let read = way.ask("resources/read", &json!({"uri": uri}));
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
                let completed = way.ask("completion/complete", &params);
                assert_eq!(completed["result"]["completion"]["values"], values, "{name}");
            }
            let unknown = json!({"ref": {"type": "ref/resource", "uri": "x://{y}"},
                "argument": {"name": "y", "value": ""}});
            let refused = way.ask("completion/complete", &unknown);
            assert_eq!(refused["error"]["code"], -32602, "{name}: {refused}");
        }
    }
}

#[test]
fn links_lead_back_to_the_server_that_made_them() {
    for (name, servers) in Servers::all() {
        let scratch = Scratch::new(&format!("links {name}"));
        let (_pipe, served) = front(&scratch, &servers);
        for way in Way::both(&served) {
            way.list("resources/list", "resources", "uri");
            for meta in [json!({}), json!({"dev.manila/contract": "none"})] {
                for (tool, member, uri) in [
                    ("one_links", "/uri", "sample://greeting"),
                    ("two_links", "/uri", "two+sample://greeting"),
                    ("one_embedded", "/resource/uri", "sample://greeting"),
                    ("two_embedded", "/resource/uri", "two+sample://greeting"),
                ] {
                    let params = json!({"name": tool, "arguments": {}, "_meta": meta});
                    let answer = way.ask("tools/call", &params);
                    let blocks = answer["result"]["content"].as_array().unwrap();
                    let uris: Vec<&Value> =
                        blocks.iter().filter_map(|block| block.pointer(member)).collect();
                    assert_eq!(uris.first(), Some(&&json!(uri)), "{name}, {tool}: {answer}");
                    let read = way.ask("resources/read", &json!({"uri": uri}));
                    assert_eq!(read["result"]["contents"][0]["uri"], uri, "{name}: {read}");
                }
            }
        }
    }
}

#[test]
fn a_changed_list_of_one_server_is_told_to_all_clients() {
    for (name, servers) in Servers::all() {
        let scratch = Scratch::new(&format!("lists {name}"));
        let (_pipe, served) = front(&scratch, &servers);
        let client = served.greeted("2025-11-25");
        let mut legacy = client.listen(None);
        legacy.head();
        let wanted = json!({"notifications": {"toolsListChanged": true}});
        let mut modern = served.modern("subscriptions/listen", &wanted);
        modern.wait(|it| it["method"] == "notifications/subscriptions/acknowledged");
        let has_extra = |server: &str| {
            let tools = names(&client.ask(1, "tools/list", &json!({})), "tools", "name");
            tools.contains(&format!("{server}_extra"))
        };
        // What servers offer when they start is told, too; that is over once both have answered.
        assert!(!has_extra("one") && !has_extra("two"), "{name}");
        served.call("two_change_tools", &json!({}));
        let is_told = |it: &Value| it["method"] == "notifications/tools/list_changed";
        for stream in [&mut legacy, &mut modern] {
            stream.wait(is_told);
        }
        until("the tool is listed", || has_extra("two"));
        assert!(!has_extra("one"), "{name}");
        assert_eq!(served.call("two_extra", &json!({})).status, 200, "{name}");
        assert_eq!(served.call("one_extra", &json!({})).status, 404, "{name}");
    }
}
