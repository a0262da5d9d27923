//! A list that cannot be empty.

/// One item or more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NonEmpty<T>(Vec<T>);

impl<T> NonEmpty<T> {
    /// A list of one.
    pub fn one(item: T) -> NonEmpty<T> {
        NonEmpty(vec![item])
    }

    /// A list of one or more.
    pub fn new(first: T, mut rest: Vec<T>) -> NonEmpty<T> {
        rest.insert(0, first);
        NonEmpty(rest)
    }

    /// All of `items`, or `None` if there are none.
    #[must_use]
    pub fn from_vec(items: Vec<T>) -> Option<NonEmpty<T>> {
        (!items.is_empty()).then_some(NonEmpty(items))
    }

    /// The first item.
    ///
    /// # Panics
    /// Never: there is no way to make an empty list.
    #[must_use]
    pub fn first(&self) -> &T {
        self.0.first().expect("both constructors see to one item")
    }

    /// The first item, to change it.
    ///
    /// # Panics
    /// Never: there is no way to make an empty list.
    pub fn first_mut(&mut self) -> &mut T {
        self.0.first_mut().expect("both constructors see to one item")
    }

    /// The others, in order.
    #[must_use]
    pub fn rest(&self) -> &[T] {
        self.0.get(1..).unwrap_or_default()
    }

    /// All items, to change them.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut()
    }

    /// All items, the first one first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }
}
