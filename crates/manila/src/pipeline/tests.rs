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

/// Compares the calls of the hook during `work` with `expected`; `!` is a call of the output check.
#[track_caller]
fn check(work: impl FnOnce(&Settings<'_>), expected: &str) {
    let log = Log::default();
    let enter = |stage: Stage| -> Box<dyn Any> {
        log.borrow_mut().push(stage.name().to_owned());
        Box::new(Guard(stage, Rc::clone(&log)))
    };
    let check_payload = |_: &RawJson| {
        log.borrow_mut().push("!".to_owned());
        Ok(Vec::new())
    };
    let settings = Settings {
        stage_hook: Some(StageHook::new(&enter)),
        output_check: Some(OutputCheck::new(&check_payload)),
        ..Settings::default()
    };
    work(&settings);
    assert_eq!(log.borrow().join(" "), expected);
}

#[test]
fn the_hook_is_called_for_each_stage_in_order() {
    let context = Context::new([0; 16]);
    let json = r#"{"observed": {"answered": {"n": 1}}}"#;
    check(
        |settings| {
            let observation = Observation::from_json(json).unwrap();
            drop(seal(observation, Contract::ResponseV2, settings, &context));
        },
        "classify /classify unwrap_nested /unwrap_nested check_output ! /check_output \
         redact /redact check_output /check_output fit /fit attest /attest",
    );
    let observation = Observation::from_json(json).unwrap();
    let reply = seal(observation, Contract::ResponseV2, &Settings::default(), &context);
    let bytes = reply.envelope.to_bytes();
    check(
        |settings| drop(convert(&bytes, None, Contract::EnvelopeV1, settings, &context).unwrap()),
        "unwrap_nested /unwrap_nested redact /redact check_output /check_output fit /fit \
         attest /attest",
    );
}
