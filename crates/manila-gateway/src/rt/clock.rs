//! The clock and the lot: the one place where time and chance come in.

pub(crate) use manila_process::clock::{moment, now};

/// The bytes of a fresh random id.
pub(crate) fn fresh() -> [u8; 16] {
    uuid::Uuid::new_v4().into_bytes()
}

/// The bytes of a fresh id that comes after all that this process drew before.
pub(crate) fn fresh_in_order() -> [u8; 16] {
    uuid::Uuid::now_v7().into_bytes()
}
