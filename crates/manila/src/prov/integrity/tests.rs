use serde_json::{Value, json};

use crate::check::table::{Table, render_findings};
use crate::check::{Checker, Signed, Verification};
use crate::document_kind::DocumentKind;

/// The digests of [`record`], computed by another program.
const SHA256: &str = "d2c91dbb87ff85d2e9e4414817e2929dc6914247f8b7a83f07583b34c4dadf2f";
const SHA512: &str = "2735ed2237c05954670078a8caa7adefe723502e577e23fc0790e9d218019820\
                      ba2597fe9d3cfcf37b053b2f86180fb8ae0d28e0649205a21a1eb808f4a7c351";

fn record() -> Value {
    json!({
        "run_id": "run-1", "schema_version": "prov.record.v0.1", "parents": [], "evidence": [],
        "tool": {"version": "1.0.0", "name": "sc\u{e4}n \"\u{1}\u{20ac}"}, "methods": [],
        "inputs": [{"schema_version": "artifact.v0.1", "artifact_id": "\u{1f600}",
            "media_type": "text/plain", "size_bytes": 1200.0, "labels": {"\u{e000}": "a",
            "\u{1f600}": "b"}}], "outputs": [],
    })
}

/// Checks the findings in the record with this integrity.
#[track_caller]
fn check(integrity: Value, expected: &str) {
    let mut good = record();
    good["integrity"] = integrity;
    let table = Table { checker: Checker::new(DocumentKind::ProvRecord), good };
    assert_eq!(render_findings(&table.verdict(&table.good)), expected);
}

#[test]
fn verifies_the_record_digest() {
    let digest = |alg: &str, value: &str| json!({"record_digest": {"alg": alg, "value": value}});
    let at = "/integrity/record_digest/value";
    check(json!({}), "");
    check(digest("sha256", SHA256), "");
    check(digest("sha512", SHA512), "");
    check(digest("sha256", &SHA256.to_uppercase()), &format!("{at} digest-form P8 advice"));
    check(digest("blake3", SHA256), &format!("{at} not-verified P8 advice"));
    let mismatch = format!("{at} record-digest P8");
    check(digest("blake3", SHA512), &mismatch);
    check(digest("sha256", SHA512), &mismatch);
    check(digest("sha256", &"0".repeat(64)), &mismatch);
    check(digest("sha256", &SHA256[..16]), &mismatch);
    check(digest("sha256", "0"), &format!("{at} minLength P8"));
    check(digest("sha256", "x".repeat(64).as_str()), &format!("{at} pattern P8"));
    check(json!({"x": 1}), "/integrity/x additionalProperties P8");
    check(json!(7), "/integrity type P8");
}

#[test]
fn the_digest_does_not_depend_on_spelling() {
    let mut good = record();
    good["integrity"] = json!({"record_digest": {"alg": "sha256", "value": SHA256}});
    let text = serde_json::to_string_pretty(&good).unwrap();
    let text = text.replace("1200.0", "1.2e3").replace("run-1", "\\u0072un-1");
    let checker = Checker::new(DocumentKind::ProvRecord);
    assert_eq!(render_findings(&checker.check(&text.clone().into())), "");
    let changed = text.replace("1.2e3", "1.3e3");
    let expected = "/integrity/record_digest/value record-digest P8";
    assert_eq!(render_findings(&checker.check(&changed.into())), expected);
}

#[test]
fn reports_a_record_without_an_exact_canonical_form() {
    let at = "/integrity/record_digest/value";
    let mut good = record();
    good["integrity"] = json!({"record_digest": {"alg": "sha256", "value": SHA256}});
    let checker = Checker::new(DocumentKind::ProvRecord);
    let invalid = good.to_string().replace("run-1", "\\ud800");
    let found = render_findings(&checker.check(&invalid.into()));
    assert!(found.contains("/run_id surrogate -"), "{found}");
    assert!(found.contains(&format!("{at} record-digest P8")), "{found}");
    good["inputs"][0]["size_bytes"] = json!(9_007_199_254_740_993_u64);
    let found = render_findings(&checker.check(&good.to_string().into()));
    assert!(found.contains(&format!("{at} rounded P8 advice")), "{found}");
}

#[test]
fn a_signature_has_the_form_of_its_algorithm() {
    let signature = |alg: &str, key_id: &str, value: &str| {
        json!({"record_digest": {"alg": "sha256", "value": SHA256},
            "signature": {"alg": alg, "key_id": key_id, "value": value}})
    };
    let key_id = "0123456789abcdef";
    let value = "A".repeat(86) + "==";
    check(signature("ed25519", key_id, &value), "");
    let unknown = "/integrity/signature/alg not-verified P8 advice";
    check(signature("es256", "my key", "0123456789abcdef"), unknown);
    check(
        signature("es256", "", "short"),
        &format!(
            "{unknown}; /integrity/signature/key_id minLength P8; \
             /integrity/signature/value minLength P8"
        ),
    );
    check(signature("Ed25519", "my key", &value), "/integrity/signature/key_id key-id P8");
    for wrong in ["0123456789ABCDEF", "0123456789abcde", "0123456789abcdef0", "0123456789abcdeg"] {
        check(signature("ed25519", wrong, &value), "/integrity/signature/key_id key-id P8");
    }
    let not_base64 = "*".repeat(88);
    let too_short = "A".repeat(84);
    let unpadded = "A".repeat(86);
    for wrong in [not_base64.as_str(), &too_short, &unpadded, &("A".repeat(85) + "B==")] {
        check(signature("ed25519", key_id, wrong), "/integrity/signature/value signature P8");
    }
    let alone = json!({"signature": {"alg": "ed25519", "key_id": key_id, "value": value}});
    check(alone, "/integrity/record_digest recommended P8 advice");
    check(
        json!({"signature": {}}),
        concat!(
            "/integrity/record_digest recommended P8 advice; ",
            "/integrity/signature/alg required P8; ",
            "/integrity/signature/key_id required P8; /integrity/signature/value required P8"
        ),
    );
}

/// Verifies signatures of one key, which are valid if they begin like the digest.
fn verify(signed: &Signed<'_>) -> Verification {
    let Signed { algorithm, key_id, signature, digest_algorithm, digest } = *signed;
    if key_id != "0123456789abcdef" || algorithm == "none" {
        return Verification::Unknown;
    }
    assert_eq!(digest_algorithm, "sha256");
    let is_valid = signature.chars().next() == digest.chars().next();
    if is_valid { Verification::Valid } else { Verification::Invalid }
}

#[test]
fn verifies_signatures_of_known_keys() {
    #[track_caller]
    fn check(digest: Option<&str>, signature: [&str; 3], expected: &str) {
        let [alg, key_id, value] = signature;
        let mut good = record();
        good["integrity"] = json!({"signature": {"alg": alg, "key_id": key_id, "value": value}});
        if let Some(value) = digest {
            good["integrity"]["record_digest"] = json!({"alg": "sha256", "value": value});
        }
        let checker = Checker::new(DocumentKind::ProvRecord).signatures(verify);
        let table = Table { checker, good };
        assert_eq!(render_findings(&table.verdict(&table.good)), expected);
    }
    let (key_id, at) = ("0123456789abcdef", "/integrity/signature/value");
    let (good, wrong) = (format!("d{}==", "A".repeat(85)), "A".repeat(86) + "==");
    let unknown = format!("{at} not-verified P8 advice");
    check(Some(SHA256), ["ed25519", key_id, &good], "");
    check(Some(SHA256), ["es256", key_id, &good], "");
    check(Some(SHA256), ["es256", key_id, &wrong], &format!("{at} signature P8"));
    check(Some(SHA256), ["none", key_id, &good], &unknown);
    check(Some(SHA256), ["ed25519", key_id, &wrong], &format!("{at} signature P8"));
    check(Some(SHA256), ["ed25519", "fedcba9876543210", &wrong], &unknown);
    // A malformed signature is reported once, and not passed to the verifier.
    check(Some(SHA256), ["ed25519", key_id, &good[1..]], &format!("{at} signature P8"));
    check(Some(SHA256), ["ed25519", "my key", &good], "/integrity/signature/key_id key-id P8");
    let alone = format!("/integrity/record_digest recommended P8 advice; {unknown}");
    check(None, ["es256", key_id, &good], &alone);
    // A valid signature of a wrong digest.
    let other = "d".repeat(64);
    let expected = "/integrity/record_digest/value record-digest P8";
    check(Some(&other), ["es256", key_id, &good], expected);
}

#[test]
fn verifies_signatures_in_envelopes() {
    let mut signed = record();
    signed["integrity"] = json!({"record_digest": {"alg": "sha256", "value": SHA256},
        "signature": {"alg": "ed25519", "key_id": "0123456789abcdef",
            "value": "A".repeat(86) + "=="}});
    let good = json!({"schema_version": "mcp.envelope.v0.1", "result": 1, "provenance": signed});
    let found = |checker: Checker| render_findings(&checker.check(&good.to_string().into()));
    assert_eq!(found(Checker::auto()), "");
    let expected = "/provenance/integrity/signature/value signature P8";
    assert_eq!(found(Checker::auto().signatures(verify)), expected);
}
