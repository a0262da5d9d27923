//! `manila wrap` between a client and a server of the official Rust SDK.

mod client;

use ::rmcp::model::{ErrorCode, ProtocolVersion, Tool};
use ::rmcp::{ClientLifecycleMode, ServiceError};
use serde_json::{Value, json};

use client::{Client, ServerEvent, envelope, rmcp_server, with_timeout};

#[tokio::test]
async fn a_client_connects_and_gets_the_servers_info() {
    for (client, name) in
        [(Client::of_sample().await, "manila-sample"), (Client::of_rmcp().await, "rmcp-sample")]
    {
        let info = client.info();
        assert_eq!(info.server_info.unwrap().name, name);
        assert_eq!(info.protocol_version, ProtocolVersion::V_2025_11_25);
        // The gateway sends this notification after a restart, even if the server never does.
        assert_eq!(info.capabilities.tools.unwrap().list_changed, Some(true));
        assert!(!info.instructions.unwrap().is_empty());
        client.end().await;
    }
}

#[tokio::test]
async fn a_client_that_probes_for_the_modern_era_connects_too() {
    let probe = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: Some(ProtocolVersion::V_2025_11_25),
    };
    let client = Client::connect(&[&rmcp_server()], probe).await;
    let envelope = client.call("greet", &json!({"name": "Ada"})).await;
    assert_eq!(envelope["success"], true, "{envelope}");
    client.end().await;
}

#[tokio::test]
async fn every_tool_has_an_object_as_its_output_schema() {
    for client in [Client::of_sample().await, Client::of_rmcp().await] {
        let tools = client.tools().await;
        assert!(tools.len() >= 4);
        for tool in tools {
            let is_app = tool.meta.is_some_and(|meta| meta.contains_key("ui"));
            match tool.output_schema {
                Some(schema) => assert_eq!(schema["type"], "object", "{}", tool.name),
                None => assert!(is_app, "{} has no schema", tool.name),
            }
        }
        client.end().await;
    }
}

/// Checks a call's data, or the code of its failure, and that the envelope matches the schema.
async fn check(client: &Client, tool: &'static str, arguments: Value, expected: Value) {
    let envelope = client.call(tool, &arguments).await;
    let data = &envelope["data"];
    let found = if envelope["success"] == true { data } else { &data["error_code"] };
    assert_eq!(*found, expected, "{tool} {arguments}: {envelope}");
    let tools = client.tools().await;
    let listed = tools.into_iter().find(|it| it.name == tool).unwrap();
    let schema = Value::Object(listed.output_schema.unwrap().as_ref().clone());
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&envelope).map(|it| it.to_string()).collect();
    assert!(errors.is_empty(), "{tool}: {errors:?}");
}

#[tokio::test]
async fn calls_tools_of_the_sample_server() {
    let client = Client::of_sample().await;
    check(&client, "echo", json!({"message": "hi"}), json!({"result": "hi"})).await;
    check(&client, "add", json!({"a": 1, "b": 2}), json!({"sum": 3})).await;
    check(&client, "add", json!({"a": 1, "b": "2"}), json!("INVALID_FORMAT")).await;
    check(&client, "add", json!({"a": 1}), json!("MISSING_REQUIRED")).await;
    check(&client, "fail", json!({"how": "not_found"}), json!("NOT_FOUND")).await;
    client.end().await;
}

#[tokio::test]
async fn calls_tools_of_an_sdk_server() {
    let client = Client::of_rmcp().await;
    check(&client, "greet", json!({"name": "Ada"}), json!({"result": "Hello, Ada!"})).await;
    let sum = json!({"sum": 3, "terms": {"a": 1, "b": 2}});
    check(&client, "sum", json!({"a": 1, "b": 2}), sum).await;
    check(&client, "sum", json!({"a": 1, "b": "2"}), json!("INVALID_FORMAT")).await;
    check(&client, "greet", json!({}), json!("MISSING_REQUIRED")).await;
    // The tool's own errors: a result with text, and an error of its function.
    check(&client, "broken", json!({}), json!("INTERNAL_ERROR")).await;
    check(&client, "sum", json!({"a": i64::MAX, "b": 1}), json!("INTERNAL_ERROR")).await;
    client.end().await;
}

#[tokio::test]
async fn an_unknown_tool_is_a_protocol_error() {
    for client in [Client::of_sample().await, Client::of_rmcp().await] {
        let refused = client.try_call("no_such_tool", &json!({})).await;
        let Err(ServiceError::McpError(error)) = refused else { panic!("{refused:?}") };
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
        assert_eq!(error.data.unwrap()["canonicalCode"], "TOOL_NOT_FOUND");
        client.end().await;
    }
}

#[tokio::test]
async fn an_image_is_beside_the_envelope() {
    let client = Client::of_sample().await;
    let result = client.try_call("image", &json!({})).await.unwrap();
    assert_eq!(envelope(&result)["success"], true);
    assert_eq!(result.content.len(), 2);
    assert_eq!(result.content[1].as_image().unwrap().mime_type, "image/png");
    client.end().await;
}

#[tokio::test]
async fn progress_reaches_the_handler() {
    for (mut client, tool, arguments, n_steps) in [
        (Client::of_sample().await, "progress", json!({"steps": 3, "delay_ms": 1}), 3),
        (Client::of_rmcp().await, "slow", json!({"ms": 20}), 10),
    ] {
        let envelope = client.call(tool, &arguments).await;
        assert_eq!(envelope["success"], true, "{envelope}");
        let mut steps = Vec::new();
        for _ in 0..n_steps {
            let ServerEvent::Progress(progress) = client.next_event().await else {
                panic!("no progress")
            };
            assert_eq!(progress.total, Some(f64::from(n_steps)));
            steps.push(progress.progress);
        }
        // The SDK handles each notification in a separate task.
        steps.sort_by(f64::total_cmp);
        let expected: Vec<f64> = (1..=n_steps).map(f64::from).collect();
        assert_eq!(steps, expected);
        client.end().await;
    }
}

#[tokio::test]
async fn a_cancelled_call_leaves_the_connection_usable() {
    let mut client = Client::of_sample().await;
    client.call_and_cancel("progress", &json!({"steps": 1000, "delay_ms": 50})).await;
    check(&client, "echo", json!({"message": "hi"}), json!({"result": "hi"})).await;
    client.end().await;
}

/// Polls the SDK server until it has counted a cancelled call, which happens asynchronously.
async fn wait_for_cancellation(client: &Client) {
    with_timeout(async {
        let arguments = json!({"ms": 0});
        while client.call("slow", &arguments).await["data"]["n_cancelled"] != 1 {}
    })
    .await;
}

#[tokio::test]
async fn a_cancellation_reaches_an_sdk_server() {
    let mut client = Client::of_rmcp().await;
    client.call_and_cancel("slow", &json!({"ms": 60_000})).await;
    check(&client, "greet", json!({"name": "Ada"}), json!({"result": "Hello, Ada!"})).await;
    wait_for_cancellation(&client).await;
    client.end().await;
}

#[tokio::test]
async fn a_dropped_call_is_cancelled() {
    let mut client = Client::of_rmcp().await;
    client.call_and_drop("slow", &json!({"ms": 60_000})).await;
    wait_for_cancellation(&client).await;
    client.end().await;
}

#[tokio::test]
async fn the_handler_responds_to_server_requests() {
    let mut client = Client::of_sample().await;
    let user = client.call("ask_user", &json!({"question": "What is it?"})).await;
    let answer = json!({"action": "accept", "content": {"answer": "forty-two"}});
    assert_eq!(user["data"], answer, "{user}");
    assert_eq!(client.next_event().await, ServerEvent::Question("What is it?".to_owned()));
    let model = client.call("ask_model", &json!({"prompt": "Write."})).await;
    assert_eq!(model["data"]["model"], "test-model", "{model}");
    assert_eq!(model["data"]["content"]["text"], "a poem", "{model}");
    assert_eq!(client.next_event().await, ServerEvent::Prompt("Write.".to_owned()));
    client.end().await;
}

#[tokio::test]
async fn notifies_of_a_changed_list_and_returns_it() {
    let mut client = Client::of_sample().await;
    let has_extra = |tools: Vec<Tool>| tools.iter().any(|tool| tool.name == "extra");
    assert!(!has_extra(client.tools().await));
    assert!(client.try_call("extra", &json!({})).await.is_err());
    client.call("change_tools", &json!({})).await;
    assert_eq!(client.next_event().await, ServerEvent::ToolsChanged);
    assert!(has_extra(client.tools().await));
    assert_eq!(client.call("extra", &json!({})).await["success"], true);
    client.end().await;
}
