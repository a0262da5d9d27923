//! What is visited below one place of a value, for each of its children.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use crate::schema::cost::components::Components;
use crate::schema::cost::graph::{Graph, Step, Which};
use crate::schema::cost::{BREADTH_MAX, Steps};

/// All steps down from the schemas that one place of a value is checked against.
#[derive(Default)]
pub(super) struct Location<'a> {
    members: Children<&'a str>,
    items: Children<usize>,
    names: u64,
}

/// The most that is visited at any child.
#[derive(Default)]
pub(super) struct Most {
    /// How often the recursion goes on at one child.
    pub(super) n_again: u64,
    /// What is visited at a child beside the recursion.
    pub(super) beside: u64,
    /// What is visited at a child where there is no recursion.
    pub(super) apart: u64,
}

impl<'a> Location<'a> {
    /// What is visited below a place that is checked against `head`, and so against all that
    /// it leads to without a step down. `loads` tells what a schema compares with the value
    /// itself, and with one place of it.
    pub(super) fn below(
        head: usize,
        graph: &Graph<'a>,
        components: &Components,
        steps: &mut Steps,
        loads: impl Fn(usize) -> (u64, u64),
    ) -> Result<Location<'a>, String> {
        let mut location = Location::default();
        let mut open = BTreeMap::from([(components.rank(head), 1_u64)]);
        // By falling rank: who comes next has been reached on all ways that lead there.
        while let Some((rank, n_ways)) = open.pop_last() {
            let node = components.at_rank(rank);
            let edges = graph.edges(node);
            steps.take(edges.len() + 1)?;
            let (mut members, mut items) = (Vec::new(), Vec::new());
            for edge in edges {
                let (here, breadth) = loads(edge.target);
                let is_again = components.are_one(head, edge.target);
                let load = if is_again {
                    Load { n_again: n_ways, beside: 0 }
                } else {
                    Load { n_again: 0, beside: n_ways * breadth }
                };
                match edge.step {
                    Step::Here => {
                        let known = open.entry(components.rank(edge.target)).or_insert(0);
                        *known = BREADTH_MAX.min(*known + n_ways);
                    }
                    Step::Member(which) => members.push((which, load)),
                    Step::Item(which) => items.push((which, load)),
                    // A name has no children, so there is no recursion.
                    Step::Name => location.names += n_ways * here,
                }
            }
            location.members.add(&members);
            location.items.add(&items);
        }
        Ok(location)
    }

    pub(super) fn most(self) -> Most {
        let mut most = Most { apart: self.names, ..Most::default() };
        for load in self.members.loads().chain(self.items.loads()) {
            most.n_again = most.n_again.max(load.n_again);
            let place = if load.n_again > 0 { &mut most.beside } else { &mut most.apart };
            *place = BREADTH_MAX.min(load.beside.max(*place));
        }
        most
    }
}

/// What is visited at a child.
#[derive(Clone, Copy, Default)]
struct Load {
    n_again: u64,
    beside: u64,
}

impl Load {
    fn plus(self, other: Load) -> Load {
        Load { n_again: self.n_again + other.n_again, beside: self.beside + other.beside }
    }

    fn minus(self, other: Load) -> Load {
        let n_again = self.n_again.saturating_sub(other.n_again);
        Load { n_again, beside: self.beside.saturating_sub(other.beside) }
    }

    fn or(self, other: Load) -> Load {
        let n_again = self.n_again.max(other.n_again);
        Load { n_again, beside: self.beside.max(other.beside) }
    }
}

/// The children of an object or of an array: those that are named, and any others.
struct Children<K> {
    others: Load,
    /// What a named child has more and less than the others.
    named: HashMap<K, (Load, Load)>,
}

impl<K> Default for Children<K> {
    fn default() -> Children<K> {
        Children { others: Load::default(), named: HashMap::new() }
    }
}

impl<K: Copy + Eq + Hash> Children<K> {
    /// Adds the steps down of one schema.
    fn add(&mut self, steps: &[(Which<K>, Load)]) {
        let (mut any, mut matching, mut rest) = Default::default();
        for (which, load) in steps {
            match which {
                Which::One(_) => {}
                Which::Any => any = load.plus(any),
                Which::Matching => matching = load.plus(matching),
                Which::Rest => rest = load.plus(rest),
            }
        }
        // What matches is no part of the rest.
        let other = any.plus(matching.or(rest));
        self.others = self.others.plus(other);
        for (which, load) in steps {
            if let Which::One(key) = which {
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
