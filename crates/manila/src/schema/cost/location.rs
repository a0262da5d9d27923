//! The work below one location of a value, for each of its children.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use crate::schema::cost::components::Components;
use crate::schema::cost::graph::{ChildSelector, Graph, Step};
use crate::schema::cost::{BREADTH_MAX, Steps};

/// All steps down from the schemas that apply to one location of a value.
#[derive(Default)]
pub(super) struct Location<'a> {
    members: Children<&'a str>,
    items: Children<usize>,
    names: u64,
}

/// The maximum work at any child.
#[derive(Default)]
pub(super) struct ChildMaximum {
    /// The number of times the recursion continues at one child.
    pub(super) n_recursions: u64,
    /// The work beside the recursion at a child.
    pub(super) beside: u64,
    /// The work at a child without recursion.
    pub(super) apart: u64,
}

impl<'a> Location<'a> {
    /// Computes the work below a location that is checked against `head`, and so against all
    /// schemas that it leads to without a step down. `loads` returns a schema's work at the value
    /// itself, and the maximum at one location of it.
    pub(super) fn below(
        head: usize,
        graph: &Graph<'a>,
        components: &Components,
        steps: &mut Steps,
        loads: impl Fn(usize) -> (u64, u64),
    ) -> Result<Location<'a>, String> {
        let mut location = Location::default();
        let mut open = BTreeMap::from([(components.rank(head), 1_u64)]);
        // By descending rank: the next node has been reached on all paths to it.
        while let Some((rank, n_paths)) = open.pop_last() {
            let node = components.at_rank(rank);
            let edges = graph.edges(node);
            steps.take(edges.len() + 1)?;
            let (mut members, mut items) = (Vec::new(), Vec::new());
            for edge in edges {
                let (here, breadth) = loads(edge.target);
                let is_recursive = components.are_same_component(head, edge.target);
                let load = if is_recursive {
                    Load { n_recursions: n_paths, beside: 0 }
                } else {
                    Load { n_recursions: 0, beside: n_paths * breadth }
                };
                match edge.step {
                    Step::Here => {
                        let known = open.entry(components.rank(edge.target)).or_insert(0);
                        *known = BREADTH_MAX.min(*known + n_paths);
                    }
                    Step::Member(which) => members.push((which, load)),
                    Step::Item(which) => items.push((which, load)),
                    // A name has no children, so there is no recursion.
                    Step::Name => location.names += n_paths * here,
                }
            }
            location.members.add(&members);
            location.items.add(&items);
        }
        Ok(location)
    }

    pub(super) fn child_maximum(self) -> ChildMaximum {
        let mut most = ChildMaximum { apart: self.names, ..ChildMaximum::default() };
        for load in self.members.loads().chain(self.items.loads()) {
            most.n_recursions = most.n_recursions.max(load.n_recursions);
            let place = if load.n_recursions > 0 { &mut most.beside } else { &mut most.apart };
            *place = BREADTH_MAX.min(load.beside.max(*place));
        }
        most
    }
}

/// The work at a child.
#[derive(Clone, Copy, Default)]
struct Load {
    n_recursions: u64,
    beside: u64,
}

impl Load {
    fn plus(self, other: Load) -> Load {
        let n_recursions = self.n_recursions + other.n_recursions;
        Load { n_recursions, beside: self.beside + other.beside }
    }

    fn minus(self, other: Load) -> Load {
        let n_recursions = self.n_recursions.saturating_sub(other.n_recursions);
        Load { n_recursions, beside: self.beside.saturating_sub(other.beside) }
    }

    fn or(self, other: Load) -> Load {
        let n_recursions = self.n_recursions.max(other.n_recursions);
        Load { n_recursions, beside: self.beside.max(other.beside) }
    }
}

/// The children of an object or array: those selected by name, and all others.
struct Children<K> {
    others: Load,
    /// The work that a named child adds to and removes from that of the others.
    named: HashMap<K, (Load, Load)>,
}

impl<K> Default for Children<K> {
    fn default() -> Children<K> {
        Children { others: Load::default(), named: HashMap::new() }
    }
}

impl<K: Copy + Eq + Hash> Children<K> {
    /// Adds the steps down of one schema.
    fn add(&mut self, steps: &[(ChildSelector<K>, Load)]) {
        let (mut any, mut matching, mut rest) = Default::default();
        for (which, load) in steps {
            match which {
                ChildSelector::One(_) => {}
                ChildSelector::Any => any = load.plus(any),
                ChildSelector::Matching => matching = load.plus(matching),
                ChildSelector::Rest => rest = load.plus(rest),
            }
        }
        // Children that match are not part of the rest.
        let other = any.plus(matching.or(rest));
        self.others = self.others.plus(other);
        for (which, load) in steps {
            if let ChildSelector::One(key) = which {
                let (more, less) = self.named.entry(*key).or_default();
                *more = more.plus(*load).plus(any).plus(matching);
                *less = less.plus(other);
            }
        }
    }

    fn loads(&self) -> impl Iterator<Item = Load> {
        let named = self.named.values().map(|(more, less)| self.others.plus(*more).minus(*less));
        named.chain([self.others])
    }
}
