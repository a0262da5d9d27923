//! The shelf: a resource that the tool `touch` changes. Its places are resources, too.

use std::sync::atomic::{AtomicU64, Ordering};

/// The URI of the shelf. The URI of a place appends `/` and the name of the place.
pub(super) const COLLECTION_URI: &str = "sample://shelf";

/// The URI template of the places.
pub(super) const TEMPLATE: &str = "sample://shelf/{place}";

/// The names of the places.
pub(super) const PLACES: &[&str] = &["top", "middle", "bottom"];

/// The number of times that each place was touched.
#[derive(Default)]
pub(super) struct ChangingResources([AtomicU64; PLACES.len()]);

impl ChangingResources {
    /// Changes a place and returns its URI, or `None` if there is no such place.
    pub(super) fn touch(&self, place: &str) -> Option<String> {
        self.place(place)?.fetch_add(1, Ordering::Relaxed);
        Some(format!("{COLLECTION_URI}/{place}"))
    }

    /// Returns the current content of a place or of the shelf.
    pub(super) fn read(&self, uri: &str) -> Option<String> {
        if uri == COLLECTION_URI {
            let lines = PLACES.iter().filter_map(|place| {
                let touched = self.place(place)?.load(Ordering::Relaxed);
                Some(format!("{place}: touched {touched} times\n"))
            });
            return Some(lines.collect());
        }
        let place = uri.strip_prefix(COLLECTION_URI)?.strip_prefix('/')?;
        Some(format!("touched {} times\n", self.place(place)?.load(Ordering::Relaxed)))
    }

    fn place(&self, name: &str) -> Option<&AtomicU64> {
        let index = PLACES.iter().position(|place| *place == name)?;
        self.0.get(index)
    }
}
