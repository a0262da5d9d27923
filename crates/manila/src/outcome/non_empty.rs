//! A list that cannot be empty.

/// One item or more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NonEmpty<T> {
    /// The first item.
    pub first: T,
    /// The others, in order.
    pub rest: Vec<T>,
}

impl<T> NonEmpty<T> {
    /// A list of one.
    pub fn one(first: T) -> NonEmpty<T> {
        NonEmpty { first, rest: Vec::new() }
    }

    /// All of `items`, or `None` if there are none.
    #[must_use]
    pub fn from_vec(mut items: Vec<T>) -> Option<NonEmpty<T>> {
        if items.is_empty() {
            return None;
        }
        let rest = items.split_off(1);
        items.pop().map(|first| NonEmpty { first, rest })
    }

    /// All items, the first one first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        std::iter::once(&self.first).chain(&self.rest)
    }
}
