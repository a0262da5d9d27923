//! The path of a value: a chain of steps that costs nothing until its pointer is needed.

use crate::pointer::child_pointer;

/// The path from the document to a value.
#[derive(Clone, Copy)]
pub(crate) struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    Name(&'a str),
    Index(usize),
}

impl<'a> Path<'a> {
    /// The document itself.
    pub(crate) const ROOT: Path<'static> = Path { parent: None, step: Step::Root };

    /// Returns the path of a member.
    pub(crate) fn name(&'a self, name: &'a str) -> Path<'a> {
        Path { parent: Some(self), step: Step::Name(name) }
    }

    /// Returns the path of an item.
    pub(crate) fn index(&'a self, index: usize) -> Path<'a> {
        Path { parent: Some(self), step: Step::Index(index) }
    }

    /// Returns the RFC 6901 pointer. Recursion is bounded: a path is as long as a value is deep.
    pub(crate) fn pointer(&self) -> String {
        let parent = self.parent.map(Path::pointer).unwrap_or_default();
        match self.step {
            Step::Root => parent,
            Step::Name(name) => child_pointer(&parent, name),
            Step::Index(index) => format!("{parent}/{index}"),
        }
    }
}
