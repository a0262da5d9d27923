//! The cost of checks against a schema, which references can multiply without limit.
//!
//! A schema is treated as a graph of subschemas and of the steps that lead from one to another.
//! Without cycles, the cost is the number of paths through the graph. In a cycle it depends on the
//! value, and stays proportional to it if no part of the value is visited twice.

use serde_json::Value;

use crate::raw_json::DEPTH_MAX;
use crate::schema::cost::components::Components;
use crate::schema::cost::graph::{Graph, Step};
use crate::schema::cost::location::Location;

mod components;
mod graph;
mod location;
mod reference;

/// The maximum number of schemas that a check may visit if every reference is followed once.
const WEIGHT_MAX: u64 = 100_000;

/// The maximum number of schemas entered within one another for the deepest value, ten per level.
/// Each takes stack space, and a thread has 2 MiB.
const NESTING_MAX: u64 = 1_300;

/// The maximum number of steps for computing the cost.
const STEPS_MAX: u64 = 1_000_000;

/// The cap on a breadth, which keeps sums from overflowing.
const BREADTH_MAX: u64 = 1_000_000;

/// The cost of checks against a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cost {
    /// The maximum work at one location of a value, counted in schemas, names and options.
    pub(super) breadth: u64,
    /// Whether there are alternatives: if none matches, the errors of all of them are collected.
    pub(super) has_alternatives: bool,
}

/// Returns the cost of checks against `schema`, or why it could be too high.
pub(super) fn check(schema: &Value) -> Result<Cost, String> {
    let mut steps = Steps(STEPS_MAX);
    let graph = Graph::of(schema, graph::keyword_cost, &mut steps)?;
    let breadth = breadth(&graph, &mut steps)?;
    Ok(Cost { breadth, has_alternatives: graph.has_alternatives })
}

/// Returns the maximum sum of `own_work` over all schemas that a check visits at one location of a
/// value. A sum that is too large to compute is `u64::MAX`.
pub(super) fn sum_at_one_location(
    schema: &Value,
    own_work: impl FnMut(&Value) -> u64,
) -> Result<u64, String> {
    let mut steps = Steps(STEPS_MAX);
    let graph = Graph::of(schema, own_work, &mut steps)?;
    let sum = breadth(&graph, &mut steps)?;
    Ok(if sum < BREADTH_MAX { sum } else { u64::MAX })
}

fn breadth(graph: &Graph<'_>, steps: &mut Steps) -> Result<u64, String> {
    let components = Components::of(graph)?;
    let known = vec![NodeCost::default(); graph.nodes.len()];
    Weigher { graph, components: &components, node_costs: known }.weigh(steps)
}

/// The number of steps left.
struct Steps(u64);

impl Steps {
    fn take(&mut self, n_steps: usize) -> Result<(), String> {
        let left = self.0.checked_sub(n_steps as u64);
        self.0 = left.ok_or("its references are too complex to compute the cost of a check")?;
        Ok(())
    }
}

/// The cost of a schema, including everything that it leads to.
#[derive(Clone, Copy, Default)]
struct NodeCost {
    /// The number of schemas visited if every reference is followed once.
    weight: u64,
    /// The number of schemas entered within one another.
    nesting: u64,
    /// The number of schemas of its own component entered within one another for one value.
    chain: u64,
    /// The work at the value itself.
    here: u64,
    /// The maximum work at one location, the value itself or below.
    breadth: u64,
}

/// Computes the costs of a graph's nodes.
struct Weigher<'a> {
    graph: &'a Graph<'a>,
    components: &'a Components,
    /// The cost of each node.
    node_costs: Vec<NodeCost>,
}

impl Weigher<'_> {
    /// Returns the breadth of the whole graph. A component is weighed after those that it leads to.
    fn weigh(mut self, steps: &mut Steps) -> Result<u64, String> {
        for component in self.components.in_order() {
            let (weight, nesting) = self.weigh_component(component);
            if weight > WEIGHT_MAX {
                let why = "its references expand it to more than";
                return Err(format!("{why} {WEIGHT_MAX} schemas"));
            }
            if nesting > NESTING_MAX {
                let why = "a check of a deep value may enter more than";
                return Err(format!("{why} {NESTING_MAX} schemas within one another"));
            }
            let breadth = self.breadth(component, steps)?;
            for &node in component {
                if let Some(known) = self.node_costs.get_mut(node) {
                    *known =
                        NodeCost { weight, nesting, breadth: breadth.max(known.here), ..*known };
                }
            }
        }
        Ok(self.node_cost(Graph::ROOT).breadth)
    }

    /// Returns the weight and the nesting of a component, and records the work at the value itself.
    /// A cycle is followed once, but entered for each level of a value.
    fn weigh_component(&mut self, component: &[usize]) -> (u64, u64) {
        let (mut weight, mut deepest, mut longest) = (0_u64, 0, 0);
        let mut is_cycle = false;
        for &node in component {
            let Some(schema) = self.graph.nodes.get(node) else { continue };
            let (mut chain, mut here) = (1, schema.cost);
            weight = weight.saturating_add(1);
            for edge in &schema.edges {
                let target = self.node_cost(edge.target);
                let is_inside = self.components.are_same_component(node, edge.target);
                is_cycle |= is_inside;
                if edge.step == Step::Here {
                    here = BREADTH_MAX.min(here + target.here);
                }
                if !is_inside {
                    weight = weight.saturating_add(target.weight);
                    deepest = deepest.max(target.nesting);
                } else if edge.step == Step::Here {
                    chain = chain.max(target.chain + 1);
                }
            }
            longest = longest.max(chain);
            if let Some(known) = self.node_costs.get_mut(node) {
                *known = NodeCost { chain, here, ..*known };
            }
        }
        let n_rounds = if is_cycle { DEPTH_MAX as u64 } else { 1 };
        (weight, longest.saturating_mul(n_rounds).saturating_add(deepest))
    }

    /// Computes the breadth of a component.
    ///
    /// In a cycle, work beside the cycle at one location continues below it, so it can add up once
    /// for each level of the value.
    fn breadth(&self, component: &[usize], steps: &mut Steps) -> Result<u64, String> {
        let (mut beside, mut widest) = (0, 0);
        for &head in component.iter().filter(|&&node| self.graph.is_head(node)) {
            widest = self.node_cost(head).here.max(widest);
            if self.graph.edges(head).is_empty() {
                continue;
            }
            let location = Location::below(head, self.graph, self.components, steps, |node| {
                let known = self.node_cost(node);
                (known.here, known.breadth)
            })?;
            let most = location.child_maximum();
            if most.n_recursions > 1 {
                return Err("its recursion visits the same value several times".to_owned());
            }
            beside = beside.max(most.beside);
            widest = widest.max(most.apart);
        }
        Ok(BREADTH_MAX.min(widest + beside.saturating_mul(DEPTH_MAX as u64)))
    }

    fn node_cost(&self, node: usize) -> NodeCost {
        self.node_costs.get(node).copied().unwrap_or_default()
    }
}
