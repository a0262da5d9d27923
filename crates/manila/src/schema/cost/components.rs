//! The cycles of a graph: its strongly connected components, by Tarjan's algorithm with an explicit
//! stack, because chains of references can be long.

use std::collections::HashMap;

use crate::schema::cost::graph::{Graph, Step};

/// The components of a graph.
pub(super) struct Components {
    /// The nodes. Each component comes after all components that it leads to. Within a component,
    /// each node comes after all nodes that it leads to without a step down.
    order: Vec<usize>,
    /// The end of each component in `order`.
    ends: Vec<usize>,
    /// The position of each node in `order`.
    ranks: Vec<usize>,
    /// The component of each node.
    owners: Vec<usize>,
}

impl Components {
    /// Computes the components. Fails if a schema leads to itself without a step down.
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
            edges
                .map(|edge| edge.target)
                .filter(move |&target| self.are_same_component(node, target))
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
            return Err("it refers to itself endlessly".to_owned());
        }
        order.get_mut(start..).unwrap_or_default().reverse();
        Ok(())
    }

    /// Returns the nodes of each component.
    pub(super) fn in_order(&self) -> impl Iterator<Item = &[usize]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| self.order.get(start..*end).unwrap_or_default())
    }

    /// Returns whether both nodes are in one component.
    pub(super) fn are_same_component(&self, node: usize, other: usize) -> bool {
        get(&self.owners, node) == get(&self.owners, other)
    }

    /// Returns a number greater than that of all nodes that `node` leads to without a step down.
    pub(super) fn rank(&self, node: usize) -> usize {
        get(&self.ranks, node)
    }

    pub(super) fn at_rank(&self, rank: usize) -> usize {
        get(&self.order, rank)
    }
}

/// Marks a node that has no number.
const NONE: usize = usize::MAX;

/// A depth-first search from the root, from which all nodes can be reached.
struct Search {
    /// The order in which the nodes were discovered.
    discovery: Vec<usize>,
    /// The earliest node of an open component that each node leads to.
    low: Vec<usize>,
    owners: Vec<usize>,
    /// The nodes whose component is open.
    open: Vec<usize>,
    found: Vec<usize>,
    ends: Vec<usize>,
}

impl Search {
    fn run(graph: &Graph<'_>) -> Search {
        let none = vec![NONE; graph.nodes.len()];
        let (discovery, low, owners) = (none.clone(), none.clone(), none);
        let (open, found, ends) = (Vec::new(), Vec::new(), Vec::new());
        let mut search = Search { discovery, low, owners, open, found, ends };
        let mut n_discovered = 0;
        // The path from the root, with the next edge of each node.
        let mut path = vec![(Graph::ROOT, 0)];
        while let Some((node, next)) = path.pop() {
            if next == 0 {
                set(&mut search.discovery, node, n_discovered);
                set(&mut search.low, node, n_discovered);
                search.open.push(node);
                n_discovered += 1;
            }
            let Some(edge) = graph.edges(node).get(next) else {
                search.leave(node);
                if let Some((parent, _)) = path.last() {
                    search.lower(*parent, get(&search.low, node));
                }
                continue;
            };
            path.push((node, next + 1));
            if get(&search.discovery, edge.target) == NONE {
                path.push((edge.target, 0));
            } else if get(&search.owners, edge.target) == NONE {
                search.lower(node, get(&search.discovery, edge.target));
            }
        }
        search
    }

    /// Closes the component whose first discovered node is `node`.
    fn leave(&mut self, node: usize) {
        if get(&self.low, node) != get(&self.discovery, node) {
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
