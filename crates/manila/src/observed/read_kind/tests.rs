use super::KINDS;
use crate::observed::Observation;

#[test]
fn every_listed_kind_can_be_parsed() {
    for kind in KINDS {
        let json = format!(r#"{{"observed": {{"{kind}": null}}}}"#);
        if let Err(error) = Observation::from_json(json) {
            assert!(!error.to_string().contains("unknown member"), "{kind}: {error}");
        }
    }
    let error = Observation::from_json(r#"{"observed": {"seen": null}}"#).unwrap_err();
    assert!(error.to_string().contains("unknown member"), "{error}");
}
