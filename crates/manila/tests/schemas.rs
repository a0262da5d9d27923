//! Advertised schemas: every envelope conforms to the schema that was advertised for it.
#![cfg(feature = "validate")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test must fail on an unexpected value"
)]

use manila::pipeline::{OutputCheck, Settings, seal};
use manila::request_envelope::Message;
use manila::stage::classify::Media;
use manila::{Context, Contract, McpResult, Observation, Observed, RawJson, Schema, output_schema};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Schemas that tools have, including some that they should not have.
fn schemas() -> Vec<Value> {
    vec![
        json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}),
        json!({"type": "object", "additionalProperties": false, "properties": {"a": {}}}),
        json!({"type": "object", "$defs": {"x": {"type": "string"}},
            "properties": {"a": {"$ref": "#/$defs/x"}, "b": {"$ref": "#"}}}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
            "definitions": {"x": {"minimum": 3}},
            "properties": {"n": {"$ref": "#/definitions/x"}}}),
        json!({"type": "array", "items": {"type": "integer"}}),
        json!({"type": "string"}),
        json!({"anyOf": [{"type": "object"}, {"type": "null"}]}),
        json!({"type": "object", "x-fastmcp-wrap-result": true,
            "properties": {"result": {"type": "integer"}}, "required": ["result"]}),
        json!({"$id": "https://example.com/own", "type": "object",
            "properties": {"a": {"$ref": "#/properties/n"}, "n": {"type": "integer"}}}),
        json!({"$ref": "#/$defs/x", "$defs": {"x": {"type": "object", "required": ["n"]}}}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
            "$ref": "#/definitions/x", "definitions": {"x": {"type": ["string", "integer"]}}}),
        json!({"type": ["array", "string"], "maxLength": 1, "minItems": 1}),
        json!({"type": ["object", "null"], "minProperties": 1}),
        json!({"type": "object", "properties": {"a": {"$ref": "#/x/a"}}, "x": {"a": {"not": {}}}}),
        json!({"$schema": "http://json-schema.org/draft-04/schema#", "type": "object",
            "properties": {"n": {"minimum": 0, "exclusiveMinimum": true}}}),
        json!({}),
    ]
}

fn payload() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        (-9i64..9).prop_map(Value::from),
        "[a-c]{0,3}".prop_map(Value::from),
        Just(json!(false)),
    ];
    let key = prop_oneof!["[abn]", Just("result".to_owned()), Just("success".to_owned())];
    leaf.prop_recursive(3, 12, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn result() -> impl Strategy<Value = Value> {
    let block = prop_oneof![
        payload().prop_map(|payload| json!({"type": "text", "text": payload.to_string()})),
        Just(json!({"type": "image", "data": "AAAA", "mimeType": "image/png"})),
        Just(json!({"type": 7})),
    ];
    let content = prop::collection::vec(block, 0..3);
    (content, prop::option::of(payload()), any::<bool>()).prop_map(
        |(content, structured, is_error)| {
            let mut result = json!({"content": content, "isError": is_error});
            if let Some(structured) = structured {
                result["structuredContent"] = structured;
            }
            result
        },
    )
}

/// The output check to apply.
#[derive(Debug, Clone, Copy)]
enum Mode {
    Strict,
    Warn,
    Off,
}

proptest! {
    #[test]
    fn every_envelope_conforms_to_the_advertised_schema(
        schema in prop::sample::select(schemas()),
        result in result(),
        mode in prop::sample::select(vec![Mode::Strict, Mode::Warn, Mode::Off]),
    ) {
        let schema = RawJson::parse(schema.to_string()).unwrap();
        let compiled = Schema::compile(&schema).ok();
        let check = compiled.as_ref().map(|schema| |payload: &RawJson| schema.check(payload));
        let mut settings = Settings::default();
        settings.media = Media::Beside;
        settings.output_check = check.as_ref().and_then(|check| match mode {
            Mode::Strict => Some(OutputCheck::strict(check)),
            Mode::Warn => Some(OutputCheck::new(check)),
            Mode::Off => None,
        });
        for contract in Contract::ALL {
            // A schema that is not checked is not advertised.
            let checked = settings.output_check.map(|_| &schema);
            let advertised = output_schema(contract, checked).to_string();
            let advertised: Value = serde_json::from_str(&advertised).unwrap();
            let validator = jsonschema::validator_for(&advertised).unwrap();
            let observed = Observed::Mcp(McpResult::from_json(result.to_string()).unwrap());
            let context = Context::new([7; 16]);
            let reply = seal(Observation::new(observed), contract, &settings, &context);
            let envelope: Value = serde_json::from_str(reply.envelope.as_str()).unwrap();
            let errors: Vec<String> =
                validator.iter_errors(&envelope).map(|it| it.to_string()).collect();
            prop_assert!(errors.is_empty(), "{contract} {schema}: {errors:?} in {envelope}");
        }
    }

    #[test]
    fn odd_schemas_and_messages_never_panic(value in payload(), keyword in 0..8usize) {
        let keywords =
            ["$ref", "$defs", "properties", "allOf", "items", "if", "$id", "dependentSchemas"];
        let keyword = keywords.get(keyword).copied().unwrap_or_default();
        let odd = RawJson::parse(json!({keyword: value, "type": "object"}).to_string()).unwrap();
        let _ = Schema::compile(&odd).map(|schema| schema.check(&odd));
        for contract in Contract::ALL {
            let advertised = output_schema(contract, Some(&odd)).to_string();
            prop_assert!(RawJson::parse(advertised).is_ok());
        }
        let _ = Message::from_json(odd.to_string());
    }
}
