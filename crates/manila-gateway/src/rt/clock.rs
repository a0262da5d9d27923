//! The clock and random ids: the only source of time and randomness.

pub(crate) use manila_process::clock::{now, timestamp};

/// Returns the bytes of a new random id.
pub(crate) fn random_id() -> [u8; 16] {
    uuid::Uuid::new_v4().into_bytes()
}

/// Returns the bytes of a new id that sorts after all earlier ones of this process.
pub(crate) fn ordered_id() -> [u8; 16] {
    uuid::Uuid::now_v7().into_bytes()
}
