//! The names in an object so far.

use std::borrow::Cow;
use std::collections::BTreeSet;

/// The keys of an object so far. Most objects have few.
#[derive(Default)]
pub(crate) struct Seen<'a> {
    few: Vec<Cow<'a, str>>,
    many: BTreeSet<Cow<'a, str>>,
}

impl<'a> Seen<'a> {
    const FEW: usize = 16;

    pub(crate) fn has(&self, key: &str) -> bool {
        self.few.iter().any(|seen| seen == key) || self.many.contains(key)
    }

    pub(crate) fn add(&mut self, key: Cow<'a, str>) {
        if self.few.len() < Seen::FEW {
            // All at once: to grow step by step costs a lock each time.
            if self.few.capacity() == 0 {
                self.few.reserve_exact(Seen::FEW);
            }
            self.few.push(key);
        } else {
            self.many.insert(key);
        }
    }
}
