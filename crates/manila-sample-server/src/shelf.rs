//! The shelf: a resource that the tool `touch` changes, and its places, which are resources, too.

use std::sync::atomic::{AtomicU64, Ordering};

/// The URI of the whole shelf; that of a place has its name after another `/`.
pub(super) const SHELF: &str = "sample://shelf";

/// The places as a URI template.
pub(super) const TEMPLATE: &str = "sample://shelf/{place}";

/// The names of the places.
pub(super) const PLACES: &[&str] = &["top", "middle", "bottom"];

/// How often each place was touched.
#[derive(Default)]
pub(super) struct Shelf([AtomicU64; PLACES.len()]);

impl Shelf {
    /// Changes a place, and gives its URI; `None` if there is no such place.
    pub(super) fn touch(&self, place: &str) -> Option<String> {
        self.place(place)?.fetch_add(1, Ordering::Relaxed);
        Some(format!("{SHELF}/{place}"))
    }

    /// What stands there now: of a place, or of all of them.
    pub(super) fn read(&self, uri: &str) -> Option<String> {
        if uri == SHELF {
            let lines = PLACES.iter().filter_map(|place| {
                let touched = self.place(place)?.load(Ordering::Relaxed);
                Some(format!("{place}: touched {touched} times\n"))
            });
            return Some(lines.collect());
        }
        let place = uri.strip_prefix(SHELF)?.strip_prefix('/')?;
        Some(format!("touched {} times\n", self.place(place)?.load(Ordering::Relaxed)))
    }

    fn place(&self, name: &str) -> Option<&AtomicU64> {
        let at = PLACES.iter().position(|place| *place == name)?;
        self.0.get(at)
    }
}
