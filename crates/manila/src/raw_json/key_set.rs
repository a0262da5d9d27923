//! The set of names of an object that is being read.

use std::borrow::Cow;
use std::collections::BTreeSet;

/// The keys read so far. Most objects have few.
#[derive(Default)]
pub(crate) struct KeySet<'a> {
    few: Vec<Cow<'a, str>>,
    many: BTreeSet<Cow<'a, str>>,
}

impl<'a> KeySet<'a> {
    const FEW: usize = 16;

    pub(crate) fn has(&self, key: &str) -> bool {
        self.few.iter().any(|seen| seen == key) || self.many.contains(key)
    }

    pub(crate) fn add(&mut self, key: Cow<'a, str>) {
        if self.few.len() < KeySet::FEW {
            // Reserves once, because growing step by step may take the allocator's lock each time.
            if self.few.capacity() == 0 {
                self.few.reserve_exact(KeySet::FEW);
            }
            self.few.push(key);
        } else {
            self.many.insert(key);
        }
    }
}
