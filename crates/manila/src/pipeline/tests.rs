use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use super::*;
use crate::raw_json::RawJson;

type Log = Rc<RefCell<Vec<String>>>;

/// Logs the end of a stage.
struct Guard(Stage, Log);

impl Drop for Guard {
    fn drop(&mut self) {
        self.1.borrow_mut().push(format!("/{}", self.0.name()));
    }
}

/// What a hook sees of `work`, with the calls of the output check between the stages.
#[track_caller]
fn check(work: impl FnOnce(&Settings<'_>), expected: &str) {
    let log = Log::default();
    let enter = |stage: Stage| -> Box<dyn Any> {
        log.borrow_mut().push(stage.name().to_owned());
        Box::new(Guard(stage, Rc::clone(&log)))
    };
    let judge = |_: &RawJson| {
        log.borrow_mut().push("!".to_owned());
        Vec::new()
    };
    let settings = Settings {
        stage_hook: Some(StageHook::new(&enter)),
        output_check: Some(OutputCheck::new(&judge)),
        ..Settings::default()
    };
    work(&settings);
    assert_eq!(log.borrow().join(" "), expected);
}

#[test]
fn a_hook_sees_the_stages_in_their_order() {
    let context = Context::new([0; 16]);
    let seen = r#"{"observed": {"answered": {"n": 1}}}"#;
    check(
        |settings| {
            let seen = Observation::from_json(seen).unwrap();
            drop(seal(seen, Contract::ResponseV2, settings, &context));
        },
        "classify /classify unwrap_nested /unwrap_nested check_output ! /check_output \
         redact /redact check_output /check_output fit /fit attest /attest",
    );
    let seen = Observation::from_json(seen).unwrap();
    let own = seal(seen, Contract::ResponseV2, &Settings::default(), &context).envelope.to_bytes();
    check(
        |settings| drop(convert(&own, None, Contract::EnvelopeV1, settings, &context).unwrap()),
        "unwrap_nested /unwrap_nested redact /redact check_output /check_output fit /fit \
         attest /attest",
    );
}
