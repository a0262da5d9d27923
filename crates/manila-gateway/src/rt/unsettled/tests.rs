use std::pin::pin;
use std::task::{Context, Waker};

use super::*;

#[test]
fn only_responses_before_the_wait_delay_it() {
    let unsettled = Unsettled::default();
    let mut cx = Context::from_waker(Waker::noop());
    assert!(pin!(unsettled.wait_settled()).poll(&mut cx).is_ready());
    let first = unsettled.begin();
    let second = unsettled.begin();
    let mut waiting = pin!(unsettled.wait_settled());
    assert!(waiting.as_mut().poll(&mut cx).is_pending());
    let _later = unsettled.begin();
    drop(second);
    assert!(waiting.as_mut().poll(&mut cx).is_pending());
    drop(first);
    assert!(waiting.poll(&mut cx).is_ready());
}
