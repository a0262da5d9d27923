//! Properties for any input: no panic, a valid envelope, and an unchanged payload.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test must fail on an unexpected value"
)]

use std::sync::LazyLock;

use manila::{Context, Contract, DEPTH_MAX, McpResult, Observation, RawJson};
use proptest::prelude::*;
use serde_json::Value;

#[path = "given/observations.rs"]
mod given;

use given::{json_like, observation, odd_object, payload};

const CONTEXT: [u8; 16] = [0xAB; 16];

fn seal(observation: &Observation, contract: Contract) -> manila::Reply {
    observation.clone().seal(contract, &Context::new(CONTEXT))
}

static VALIDATORS: LazyLock<Vec<(Contract, jsonschema::Validator)>> = LazyLock::new(|| {
    let compile = |contract: Contract| {
        let schema: Value = serde_json::from_str(contract.info().schema).unwrap();
        (contract, jsonschema::validator_for(&schema).unwrap())
    };
    Contract::ALL.into_iter().map(compile).collect()
});

/// Checks that every envelope of `observation` conforms to its contract's schema.
fn check_valid(observation: &Observation) -> Result<(), TestCaseError> {
    for (contract, validator) in VALIDATORS.iter() {
        let envelope = seal(observation, *contract).envelope;
        let instance: Value = serde_json::from_str(envelope.as_str()).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&instance)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        prop_assert!(errors.is_empty(), "{contract}: {errors:?} in {envelope}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_observation_gives_a_valid_envelope_in_every_contract(given in observation()) {
        let observation = Observation::from_json(given.to_string()).unwrap();
        check_valid(&observation)?;
    }

    #[test]
    fn an_observation_survives_writing_and_parsing(given in observation()) {
        let observation = Observation::from_json(given.to_string()).unwrap();
        let written = observation.to_json().to_string();
        let again = Observation::from_json(written.clone()).unwrap();
        prop_assert_eq!(again.to_json().to_string(), written);
        for contract in Contract::ALL {
            let (first, second) = (seal(&observation, contract), seal(&again, contract));
            prop_assert_eq!(first.envelope.to_string(), second.envelope.to_string());
        }
    }

    #[test]
    fn a_payload_keeps_its_bytes(given in payload()) {
        let text = given.to_string();
        prop_assume!(given.get("success") != Some(&Value::Bool(false)));
        let json = format!(r#"{{"observed": {{"answered": {text}}}}}"#);
        let observation = Observation::from_json(json).unwrap();
        let member = |contract, path: &[&str]| {
            let envelope = seal(&observation, contract).envelope;
            let found = path.iter().fold(envelope, |value, name| value.get(name).unwrap());
            found.as_str().to_owned()
        };
        prop_assert_eq!(member(Contract::EnvelopeV1, &["data"]), text.as_str());
        prop_assert_eq!(member(Contract::McpEnvelopeV01, &["result"]), text.as_str());
        let path: &[&str] = if given.is_object() { &["data"] } else { &["data", "result"] };
        if !given.is_null() {
            prop_assert_eq!(member(Contract::ResponseV2, path), text.as_str());
        }
        let output = RawJson::parse(member(Contract::MachineReadableV1, &["output"])).unwrap();
        let expected = given.as_str().unwrap_or(if given.is_null() { "" } else { &text });
        prop_assert_eq!(output.as_text().unwrap(), expected);
    }

    #[test]
    fn an_error_of_response_v2_has_no_duplicate_names(
        data in odd_object(), partial in odd_object(), details in odd_object(),
    ) {
        let json = format!(
            r#"{{"observed":{{"failed":{{"code":"CONFLICT","message":"m","data":{data},
                "details":{details},"partial":{{"success":false,{}}}}}}}"#,
            partial.replacen('{', "", 1),
        );
        let observation = Observation::from_json(json).unwrap();
        let envelope = seal(&observation, Contract::ResponseV2).envelope;
        let data = envelope.get("data").unwrap();
        prop_assert_eq!(names(&data).len(), count(&data), "{}", envelope);
        if let Some(details) = data.get("details") {
            prop_assert_eq!(names(&details).len(), count(&details), "{}", envelope);
        }
    }

    #[test]
    fn odd_spellings_survive(given in odd_object()) {
        let json = format!(r#"{{"observed":{{"answered":{given}}}}}"#);
        let observation = Observation::from_json(json).unwrap();
        let envelope = seal(&observation, Contract::EnvelopeV1).envelope;
        let data = envelope.get("data").unwrap();
        prop_assert_eq!(data.as_str(), given.as_str());
    }

    #[test]
    fn the_scanner_agrees_with_a_second_implementation(given in json_like()) {
        let ours = RawJson::parse(given.clone().into_bytes());
        let theirs = serde_json::from_str::<&serde_json::value::RawValue>(&given);
        prop_assert_eq!(ours.is_ok(), theirs.is_ok(), "{:?}: {:?} {:?}", given, ours, theirs);
    }

    #[test]
    fn compact_and_pretty_are_equivalent(given in payload()) {
        let pretty = serde_json::to_string_pretty(&given).unwrap();
        let value = RawJson::parse(pretty.clone()).unwrap();
        prop_assert_eq!(value.to_string(), given.to_string());
        let shown = manila::pretty(&RawJson::parse(given.to_string()).unwrap());
        prop_assert_eq!(String::from_utf8(shown).unwrap(), pretty);
    }

    #[test]
    fn random_bytes_never_panic(given in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = RawJson::parse(given.clone());
        let _ = Observation::from_json(given.clone());
        let _ = McpResult::from_json(given);
    }

    #[test]
    fn a_mutated_observation_never_panics(
        given in observation(),
        place in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut bytes = given.to_string().into_bytes();
        let place = place.index(bytes.len());
        bytes[place] = byte;
        if let Ok(observation) = Observation::from_json(bytes) {
            for contract in Contract::ALL {
                let _ = seal(&observation, contract);
            }
        }
    }
}

/// Returns the distinct names in an object.
fn names(object: &RawJson) -> std::collections::BTreeSet<String> {
    let tree: Value = serde_json::from_str(&object.to_string().replace("\\ud800", "")).unwrap();
    tree.as_object().unwrap().keys().cloned().collect()
}

/// Returns the number of members of an object, including duplicates.
fn count(object: &RawJson) -> usize {
    let pretty = String::from_utf8(manila::pretty(object)).unwrap();
    pretty.lines().filter(|line| line.starts_with("  \"")).count()
}

#[test]
fn an_envelope_of_the_deepest_values_can_be_parsed() {
    for (start, end) in [
        (r#"{"observed":{"answered":"#, "}}"),
        (r#"{"observed":{"failed":{"code":"TIMEOUT","message":"","partial":"#, "}}}"),
        (r#"{"observed":{"mcp":{"content":5,"structuredContent":"#, "}}}"),
        (r#"{"observed":{"said":""},"telemetry":{"x":"#, "}}"),
        (r#"{"observed":{"said":""},"warnings":[{"message":"m","context":{"x":"#, "}}]}"),
        (r#"{"observed":{"said":""},"meta":{"x":"#, "}}"),
    ] {
        let nested = |depth| format!("{start}{}{}{end}", "[".repeat(depth), "]".repeat(depth));
        let deepest =
            (1..=DEPTH_MAX).rev().find_map(|depth| Observation::from_json(nested(depth)).ok());
        for contract in Contract::ALL {
            let envelope = seal(deepest.as_ref().unwrap(), contract).envelope;
            assert!(RawJson::parse(envelope.as_str().to_owned()).is_ok(), "{contract} {start}");
        }
    }
}

/// Each of these took seconds or minutes with a quadratic algorithm.
#[test]
fn many_members_take_linear_time() {
    const MANY: usize = 50_000;
    let members = |prefix: &str| {
        (0..MANY).map(|n| format!("\"{prefix}{n}\":{n}")).collect::<Vec<_>>().join(",")
    };
    let (one, two) = (members("a"), members("b"));
    let words = (0..MANY).map(|n| format!("\"w{n}\"")).collect::<Vec<_>>().join(",");
    let failed = |rest: &str| format!(r#"{{"failed":{{"code":"CONFLICT","message":"m",{rest}}}}}"#);
    for observed in [
        failed(&format!(r#""details":{{{one}}},"data":{{{two}}}"#)),
        failed(&format!(r#""data":{{{one}}},"partial":{{"success":false,{one},{two}}}"#)),
        format!(r#"{{"answered":{{"success":false,{one},"details":{{{two}}}}}}}"#),
        format!(r#"{{"unavailable":{{"feature":"f","alternatives":[{words}]}}}}"#),
    ] {
        let rest = format!(r#""metadata":{{"x":"y"}},"meta":{{{one}}}"#);
        let json = format!(r#"{{"observed":{observed},{rest}}}"#);
        let observation = Observation::from_json(json).unwrap();
        for contract in Contract::ALL {
            let reply = seal(&observation, contract);
            assert!(reply.is_error && reply.losses.len() < 20, "{contract}");
        }
    }
}

#[test]
fn equal_input_gives_equal_bytes() {
    let json = r#"{"observed":{"exited":{"code":2,"stderr":"boom"}}}"#;
    let observation = Observation::from_json(json).unwrap();
    for contract in Contract::ALL {
        assert_eq!(seal(&observation, contract), seal(&observation, contract));
    }
}
