//! A list that cannot be empty.

/// A list of one or more items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NonEmpty<T>(Vec<T>);

impl<T> NonEmpty<T> {
    /// Creates a list of one item.
    pub fn one(item: T) -> NonEmpty<T> {
        NonEmpty(vec![item])
    }

    /// Creates a list of one or more items.
    pub fn new(first: T, mut rest: Vec<T>) -> NonEmpty<T> {
        rest.insert(0, first);
        NonEmpty(rest)
    }

    /// Creates a list of all `items`, or returns `None` if there are none.
    #[must_use]
    pub fn from_vec(items: Vec<T>) -> Option<NonEmpty<T>> {
        (!items.is_empty()).then_some(NonEmpty(items))
    }

    /// Returns the first item.
    ///
    /// # Panics
    ///
    /// Never: an empty list cannot be constructed.
    #[must_use]
    pub fn first(&self) -> &T {
        self.0.first().expect("every constructor adds at least one item")
    }

    /// Returns the first item for modification.
    ///
    /// # Panics
    ///
    /// Never: an empty list cannot be constructed.
    pub fn first_mut(&mut self) -> &mut T {
        self.0.first_mut().expect("every constructor adds at least one item")
    }

    /// Returns the other items, in order.
    #[must_use]
    pub fn rest(&self) -> &[T] {
        self.0.get(1..).unwrap_or_default()
    }

    /// Returns all items for modification.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut()
    }

    /// Returns all items in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }
}
