//! How much work a schema may ask for: references can multiply it beyond all bounds.
//!
//! A schema is taken as a graph: its schemas, and the steps by which one leads to another.
//! Without cycles the work is the number of ways through the graph. In a cycle it depends on
//! the value, and stays in proportion to it as long as no part of the value is visited twice.

use serde_json::Value;

use crate::raw_json::DEPTH_MAX;
use crate::schema::cost::components::Components;
use crate::schema::cost::graph::{Graph, Step};
use crate::schema::cost::location::Location;

mod components;
mod graph;
mod location;
mod reference;

/// How many schemas a check may visit if every reference is followed once.
const WEIGHT_MAX: u64 = 100_000;

/// How many schemas may be entered inside each other while the deepest value is checked, that is
/// ten for each of its levels. Each takes its part of the stack, and a thread has 2 MiB of it.
const NESTING_MAX: u64 = 1_300;

/// How many steps finding all this out may take.
const STEPS_MAX: u64 = 1_000_000;

/// Greater breadths are not told apart, so that their sums are numbers still.
const BREADTH_MAX: u64 = 1_000_000;

/// What checks against a schema may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cost {
    /// How much is compared with one place of a value at most: schemas, names and options.
    pub(super) breadth: u64,
    /// Whether there are alternatives: when none fits, all that is wrong with each is told.
    pub(super) has_alternatives: bool,
}

/// What checks against `schema` may cost, or why that could be too much.
pub(super) fn check(schema: &Value) -> Result<Cost, String> {
    let mut steps = Steps(STEPS_MAX);
    let graph = Graph::of(schema, &mut steps)?;
    let components = Components::of(&graph)?;
    let known = vec![Known::default(); graph.nodes.len()];
    let breadth = Weigher { graph: &graph, components: &components, known }.weigh(&mut steps)?;
    Ok(Cost { breadth, has_alternatives: graph.has_alternatives })
}

/// The steps that are left.
struct Steps(u64);

impl Steps {
    fn take(&mut self, n_steps: usize) -> Result<(), String> {
        let left = self.0.checked_sub(n_steps as u64);
        self.0 = left.ok_or("its references are too entangled to tell what a check would cost")?;
        Ok(())
    }
}

/// What is known of a schema, all that it leads to included.
#[derive(Clone, Copy, Default)]
struct Known {
    /// How many schemas are visited when every reference is followed once.
    weight: u64,
    /// How many schemas are entered inside each other.
    nesting: u64,
    /// How many schemas of its own component are entered inside each other for one value.
    chain: u64,
    /// How much is compared with the value itself.
    here: u64,
    /// How much is compared with one place of the value, itself or below.
    breadth: u64,
}

struct Weigher<'a> {
    graph: &'a Graph<'a>,
    components: &'a Components,
    /// For each node.
    known: Vec<Known>,
}

impl Weigher<'_> {
    /// The breadth of the whole. What a component leads to is weighed before it.
    fn weigh(mut self, steps: &mut Steps) -> Result<u64, String> {
        for component in self.components.in_order() {
            let (weight, nesting) = self.visit_all(component);
            if weight > WEIGHT_MAX {
                let why = "its references multiply it to more than";
                return Err(format!("{why} {WEIGHT_MAX} schemas"));
            }
            if nesting > NESTING_MAX {
                let why = "a check of a deep value may have to enter more than";
                return Err(format!("{why} {NESTING_MAX} schemas inside each other"));
            }
            let breadth = self.breadth(component, steps)?;
            for &node in component {
                if let Some(known) = self.known.get_mut(node) {
                    *known = Known { weight, nesting, breadth: breadth.max(known.here), ..*known };
                }
            }
        }
        Ok(self.known(Graph::ROOT).breadth)
    }

    /// Weight and nesting of a component: a cycle is followed once, but entered as often as a
    /// value is deep. Notes what is compared with a value itself.
    fn visit_all(&mut self, component: &[usize]) -> (u64, u64) {
        let (mut weight, mut deepest, mut longest) = (0_u64, 0, 0);
        let mut is_cycle = false;
        for &node in component {
            let Some(schema) = self.graph.nodes.get(node) else { continue };
            let (mut chain, mut here) = (1, schema.own);
            weight = weight.saturating_add(1);
            for edge in &schema.edges {
                let target = self.known(edge.target);
                let is_inside = self.components.are_one(node, edge.target);
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
            if let Some(known) = self.known.get_mut(node) {
                *known = Known { chain, here, ..*known };
            }
        }
        let n_rounds = if is_cycle { DEPTH_MAX as u64 } else { 1 };
        (weight, longest.saturating_mul(n_rounds).saturating_add(deepest))
    }

    /// The breadth of a component.
    ///
    /// In a cycle, what is visited beside it at a place goes on below that place, so this can
    /// add up once for each level of the value.
    fn breadth(&self, component: &[usize], steps: &mut Steps) -> Result<u64, String> {
        let (mut beside, mut widest) = (0, 0);
        for &head in component.iter().filter(|&&node| self.graph.is_head(node)) {
            widest = self.known(head).here.max(widest);
            if self.graph.edges(head).is_empty() {
                continue;
            }
            let location = Location::below(head, self.graph, self.components, steps, |node| {
                let known = self.known(node);
                (known.here, known.breadth)
            })?;
            let most = location.most();
            if most.n_again > 1 {
                return Err("its recursion visits the same value several times".to_owned());
            }
            beside = beside.max(most.beside);
            widest = widest.max(most.apart);
        }
        Ok(BREADTH_MAX.min(widest + beside.saturating_mul(DEPTH_MAX as u64)))
    }

    fn known(&self, node: usize) -> Known {
        self.known.get(node).copied().unwrap_or_default()
    }
}
