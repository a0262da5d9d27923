//! The cycles of a graph: its strongly connected components, by Tarjan's algorithm with a
//! stack of its own, since chains of references can be long.

use std::collections::HashMap;

use crate::schema::cost::graph::{Graph, Step};

/// The components of a graph.
pub(super) struct Components {
    /// The nodes, each component after all that it leads to, and inside of one each node after
    /// all that it leads to without a step down.
    order: Vec<usize>,
    /// Where each component ends in `order`.
    ends: Vec<usize>,
    /// The place of each node in `order`.
    ranks: Vec<usize>,
    /// The component of each node.
    owners: Vec<usize>,
}

impl Components {
    /// The components, unless a schema leads to itself without a step down.
    pub(super) fn of(graph: &Graph<'_>) -> Result<Components, String> {
        let Search { found, ends, owners, .. } = Search::run(graph);
        let ranks = vec![0; found.len()];
        let mut components = Components { order: found, ends, ranks, owners };
        let mut order = Vec::with_capacity(components.order.len());
        for nodes in components.in_order() {
            components.sort(graph, nodes, &mut order)?;
        }
        for (rank, &node) in order.iter().enumerate() {
            set(&mut components.ranks, node, rank);
        }
        components.order = order;
        Ok(components)
    }

    /// Appends the nodes of a component, each after all that it leads to without a step down.
    fn sort(
        &self,
        graph: &Graph<'_>,
        nodes: &[usize],
        order: &mut Vec<usize>,
    ) -> Result<(), String> {
        let targets = |node: usize| {
            let edges = graph.edges(node).iter().filter(|edge| edge.step == Step::Here);
            edges.map(|edge| edge.target).filter(move |&target| self.are_one(node, target))
        };
        if let [node] = nodes
            && targets(*node).next().is_none()
        {
            order.push(*node);
            return Ok(());
        }
        let mut n_sources: HashMap<usize, usize> = HashMap::new();
        for target in nodes.iter().flat_map(|&node| targets(node)) {
            *n_sources.entry(target).or_default() += 1;
        }
        let start = order.len();
        let free = nodes.iter().copied().filter(|node| !n_sources.contains_key(node));
        let mut free: Vec<usize> = free.collect();
        while let Some(node) = free.pop() {
            order.push(node);
            for target in targets(node) {
                let n_left = n_sources.entry(target).or_default();
                *n_left = n_left.saturating_sub(1);
                if *n_left == 0 {
                    free.push(target);
                }
            }
        }
        if order.len() - start < nodes.len() {
            return Err("it refers to itself without end".to_owned());
        }
        order.get_mut(start..).unwrap_or_default().reverse();
        Ok(())
    }

    /// The nodes of each component.
    pub(super) fn in_order(&self) -> impl Iterator<Item = &[usize]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| self.order.get(start..*end).unwrap_or_default())
    }

    /// Whether both nodes lie in one component.
    pub(super) fn are_one(&self, node: usize, other: usize) -> bool {
        get(&self.owners, node) == get(&self.owners, other)
    }

    /// Greater than that of all nodes that `node` leads to without a step down.
    pub(super) fn rank(&self, node: usize) -> usize {
        get(&self.ranks, node)
    }

    pub(super) fn at_rank(&self, rank: usize) -> usize {
        get(&self.order, rank)
    }
}

/// A number that no node has.
const NONE: usize = usize::MAX;

/// A search in depth from the root, from which all nodes can be reached.
struct Search {
    /// When each node was met.
    met: Vec<usize>,
    /// The earliest node of an open component that each node leads to.
    low: Vec<usize>,
    owners: Vec<usize>,
    /// Nodes whose component is open.
    open: Vec<usize>,
    found: Vec<usize>,
    ends: Vec<usize>,
}

impl Search {
    fn run(graph: &Graph<'_>) -> Search {
        let none = vec![NONE; graph.nodes.len()];
        let (met, low, owners) = (none.clone(), none.clone(), none);
        let (open, found, ends) = (Vec::new(), Vec::new(), Vec::new());
        let mut search = Search { met, low, owners, open, found, ends };
        let mut n_met = 0;
        // The way from the root, and which edge of each node comes next.
        let mut way = vec![(Graph::ROOT, 0)];
        while let Some((node, next)) = way.pop() {
            if next == 0 {
                set(&mut search.met, node, n_met);
                set(&mut search.low, node, n_met);
                search.open.push(node);
                n_met += 1;
            }
            let Some(edge) = graph.edges(node).get(next) else {
                search.leave(node);
                if let Some((parent, _)) = way.last() {
                    search.lower(*parent, get(&search.low, node));
                }
                continue;
            };
            way.push((node, next + 1));
            if get(&search.met, edge.target) == NONE {
                way.push((edge.target, 0));
            } else if get(&search.owners, edge.target) == NONE {
                search.lower(node, get(&search.met, edge.target));
            }
        }
        search
    }

    /// Closes the component of which `node` was met first.
    fn leave(&mut self, node: usize) {
        if get(&self.low, node) != get(&self.met, node) {
            return;
        }
        let component = self.ends.len();
        while let Some(member) = self.open.pop() {
            set(&mut self.owners, member, component);
            self.found.push(member);
            if member == node {
                break;
            }
        }
        self.ends.push(self.found.len());
    }

    fn lower(&mut self, node: usize, low: usize) {
        let lower = get(&self.low, node).min(low);
        set(&mut self.low, node, lower);
    }
}

fn get(numbers: &[usize], node: usize) -> usize {
    numbers.get(node).copied().unwrap_or(NONE)
}

fn set(numbers: &mut [usize], node: usize, number: usize) {
    if let Some(place) = numbers.get_mut(node) {
        *place = number;
    }
}
