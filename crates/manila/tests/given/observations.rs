//! Random observations and random JSON, for property tests.
#![allow(
    clippy::unwrap_used,
    dead_code,
    reason = "a test must fail on an unexpected value; no test uses every function"
)]

use manila::{Code, RawJson};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Text that breaks careless code: empty, with quotes, control characters, markers or diagnostics.
pub(crate) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just(" \n\t".to_owned()),
        Just("Program.cs(5,9): error CS0103: The name 'x'\nerror NU1101: gone".to_owned()),
        Just("```\ncode\n```".to_owned()),
        Just("x".repeat(3000)),
        "[A-Z]{1,6}(_[A-Z0-9]{1,6}){0,2}",
        any::<String>(),
        "\\PC{0,20}",
    ]
}

pub(crate) fn payload() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>()
            .prop_filter("JSON has no such number", |n| n.is_finite())
            .prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    let key = prop_oneof![
        Just("success".to_owned()),
        Just("error".to_owned()),
        Just("error_code".to_owned()),
        Just("code".to_owned()),
        Just("details".to_owned()),
        Just("remediation".to_owned()),
        Just("error_type".to_owned()),
        Just("retry_after_seconds".to_owned()),
        any::<String>(),
    ];
    leaf.prop_recursive(4, 32, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(key.clone(), inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

pub(crate) fn object() -> impl Strategy<Value = Value> {
    prop::collection::btree_map(text(), payload(), 0..4)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
}

fn code() -> impl Strategy<Value = &'static str> {
    prop::sample::select(Code::ALL.iter().map(|code| code.name()).collect::<Vec<_>>())
}

fn block() -> impl Strategy<Value = Value> {
    prop_oneof![
        text().prop_map(|text| json!({"type": "text", "text": text})),
        payload().prop_map(|value| json!({"type": "text", "text": value.to_string()})),
        text().prop_map(|data| json!({"type": "image", "mimeType": "image/png", "data": data})),
        text().prop_map(|uri| json!({"type": "resource_link", "uri": uri, "name": "n"})),
        payload(),
    ]
}

pub(crate) fn observed_kind() -> impl Strategy<Value = Value> {
    prop_oneof![
        payload().prop_map(|value| json!({"answered": value})),
        text().prop_map(|text| json!({"said": text})),
        payload().prop_map(|value| {
            json!({"answered": {"schema_version": "mcp.envelope.v0.1", "result": value}})
        }),
        (object(), any::<bool>(), any::<bool>()).prop_map(|(data, success, is_error)| {
            let error = if success { Value::Null } else { json!("no") };
            let envelope = json!({"success": success, "data": data, "error": error,
                "meta": {"version": "response-v2"}});
            json!({"mcp": {"content": [], "isError": is_error, "structuredContent": envelope}})
        }),
        (prop::collection::vec(block(), 0..4), any::<bool>(), prop::option::of(payload()))
            .prop_map(|(content, is_error, structured)| {
                json!({"mcp": {"content": content, "isError": is_error,
                    "structuredContent": structured}})
            }),
        (text(), -2i64..300, text(), text()).prop_map(|(command, code, stdout, stderr)| {
            json!({"exited":
                {"command": command, "code": code, "stdout": stdout, "stderr": stderr}})
        }),
        (code(), text(), text(), text(), object(), object(), payload()).prop_map(
            |(code, origin, message, remediation, details, data, partial)| {
                json!({"failed": {"code": code, "origin_code": origin, "message": message,
                    "remediation": remediation, "details": details, "data": data,
                    "retry_after_seconds": 1.5, "partial": partial}})
            }
        ),
        (code(), text())
            .prop_map(|(code, message)| { json!({"failed": {"code": code, "message": message}}) }),
        (text(), text(), text(), prop::collection::vec(text(), 0..3)).prop_map(
            |(parameter, reason, provided, allowed)| {
                json!({"invalid": {"parameter": parameter, "reason": reason,
                    "provided": provided, "allowed": allowed}})
            }
        ),
        (text(), prop::option::of(text()), prop::collection::vec(text(), 0..3)).prop_map(
            |(feature, details, alternatives)| match details {
                Some(details) => json!({"unavailable": {"feature": feature, "details": details}}),
                None => json!({"unavailable": {"feature": feature, "alternatives": alternatives}}),
            }
        ),
        (text(), text()).prop_map(|(operation, target)| {
            json!({"conflict": {"operation": operation, "target": target, "conflicting": ""}})
        }),
        (text(), any::<bool>()).prop_map(|(stdout, cut)| {
            json!({"cancelled": {"command": "c", "stdout": stdout, "truncated": cut}})
        }),
        text().prop_map(|stdout| json!({"timed_out": {"after_ms": 10.5, "stdout": stdout}})),
        text().prop_map(|period| json!({"rate_limited": {"limit": 3, "period": period}})),
        text().prop_map(|tier| {
            json!({"tier_required": {"feature": "f", "tier": tier, "reason": ""}})
        }),
        text().prop_map(|feature| json!({"feature_disabled": {"feature": feature}})),
    ]
}

pub(crate) fn observation() -> impl Strategy<Value = Value> {
    let notes = (
        prop::collection::vec((prop::option::of(text()), text(), object()), 0..3),
        prop::option::of(object()),
        prop::collection::btree_map(text(), text(), 0..3),
    );
    (observed_kind(), text(), text(), 0.0f64..1e9, notes).prop_map(
        |(observed, id, tier, duration_ms, (warnings, meta, metadata))| {
            let warnings: Vec<Value> = warnings
                .into_iter()
                .map(|(code, message, context)| match code {
                    Some(code) => json!({"code": code, "message": message, "context": context}),
                    None => json!({"message": message}),
                })
                .collect();
            json!({"observed": observed, "request_id": id, "tier": tier,
                "duration_ms": duration_ms, "tool": {"id": id, "version": tier},
                "warnings": warnings, "metadata": metadata, "deterministic": id.len() % 2 == 0,
                "pagination": {"cursor": id, "has_more": true}, "rate_limit": {"retry_after": 7},
                "telemetry": {"x": metadata}, "fidelity": {"level": "summary", "dropped": [id]},
                "upgrade_hints": [{"feature": id, "tier": tier, "reason": ""}],
                "meta": meta.unwrap_or_else(|| json!({"pagination": 5, "version": 1}))})
        },
    )
}

/// An observation with only a few of its facts, so that a contract may lose none.
pub(crate) fn sparse_observation() -> impl Strategy<Value = Value> {
    let is_kept = prop::collection::vec(prop::bool::weighted(0.15), 16);
    let id = prop_oneof![Just(Value::Null), "[a-z]{1,9}".prop_map(Value::from)];
    (observation(), is_kept, id).prop_map(|(observation, is_kept, id)| {
        let Value::Object(members) = observation else { return observation };
        let mut is_kept = is_kept.into_iter();
        let mut kept: serde_json::Map<String, Value> = members
            .into_iter()
            .filter(|(name, _)| name == "observed" || is_kept.next() == Some(true))
            .collect();
        if !id.is_null() {
            kept.insert("request_id".to_owned(), id);
        }
        Value::Object(kept)
    })
}

/// An object as text, with keys that have several spellings and may be repeated.
pub(crate) fn odd_object() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec![
        r"a/b",
        r"a\/b",
        r"a\u002fb",
        r#"q\"q"#,
        "k1",
        "k2",
        r"\u006b1",
        "error",
        "partial",
        "é",
        "origin_code",
        "retry_after_seconds",
        "remediation",
        "x y",
    ]);
    let value = prop::sample::select(vec![
        "1.0",
        "1e3",
        "-0",
        "null",
        r#""t""#,
        r#""\ud800""#,
        "[1,{}]",
        r#"{"z":1,"z":2}"#,
    ]);
    let padding =
        prop_oneof![Just(String::new()), Just(format!(r#","pad":"{}""#, "x".repeat(600)))];
    (prop::collection::vec((key, value), 1..6), padding).prop_map(|(members, padding)| {
        let mut seen = std::collections::BTreeSet::new();
        // A name occurs once in each object, but may occur in several objects.
        let members: Vec<String> = members
            .into_iter()
            .filter(|(key, _)| {
                let token = RawJson::parse(format!("\"{key}\"")).unwrap();
                seen.insert(token.as_text().unwrap().into_owned())
            })
            .map(|(key, value)| format!("\"{key}\":{value}"))
            .collect();
        format!("{{{}{padding}}}", members.join(","))
    })
}

/// Text that is JSON or similar to it.
pub(crate) fn json_like() -> impl Strategy<Value = String> {
    let token = prop::sample::select(vec![
        "{", "}", "[", "]", ",", ":", " ", "\n", "\"a\"", "\"", "\\", "\\u00e9", "\\ud800", "1",
        "-", "0", "1.5", "e", "E+3", ".", "true", "null", "fals", "é", "\u{1}", "\"\\n\"",
    ]);
    prop_oneof![
        prop::collection::vec(token, 0..12).prop_map(|tokens| tokens.concat()),
        payload().prop_map(|value| value.to_string()),
    ]
}
