//! A schema as a graph: its subschemas, and the steps that lead from one to another.
//!
//! A property may be called `$ref`, and a `const` may hold anything. So a schema is walked by
//! position, and definitions are entered only where something refers to them.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::schema::cost::reference::{
    References, Target, has_own_id, is_specification, references_of,
};
use crate::schema::cost::{BREADTH_MAX, Steps};

/// A schema and everything that it leads to.
pub(super) struct Graph<'a> {
    pub(super) nodes: Vec<Node<'a>>,
    pub(super) has_alternatives: bool,
}

/// One schema.
pub(super) struct Node<'a> {
    pub(super) edges: Vec<Edge<'a>>,
    /// The work of its own keywords on a value.
    pub(super) cost: u64,
    /// Whether checks of a location in the value start with it.
    is_head: bool,
}

/// A step from one schema to another.
pub(super) struct Edge<'a> {
    pub(super) step: Step<'a>,
    pub(super) target: usize,
}

/// The part of a value to which a subschema applies.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step<'a> {
    /// The value itself.
    Here,
    Member(ChildSelector<&'a str>),
    Item(ChildSelector<usize>),
    /// The names of members.
    Name,
}

/// The children of a value to which a step applies.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ChildSelector<K> {
    One(K),
    Any,
    /// Those that match a pattern, whether or not they are also selected by name.
    Matching,
    /// Those that the same schema selects neither by name nor by a match.
    Rest,
}

impl<'a> Graph<'a> {
    pub(super) const ROOT: usize = 0;

    /// Builds the graph of all schemas that a check may visit. `own_work` returns the work of a
    /// schema's own keywords on a value.
    pub(super) fn of(
        root: &'a Value,
        own_work: impl FnMut(&Value) -> u64,
        steps: &mut Steps,
    ) -> Result<Graph<'a>, String> {
        let references = References::of(root);
        let graph = Graph { nodes: Vec::new(), has_alternatives: false };
        let mut builder = Builder { graph, own_work, known: HashMap::new(), open: Vec::new() };
        let root = Target { schema: root, is_below_id: false };
        let _ = builder.node(root);
        while let Some((node, target)) = builder.open.pop() {
            let Some(schema) = target.schema.as_object() else { continue };
            let mut children = subschemas(schema);
            let references = references.of_schema(target.schema, target.is_below_id)?;
            steps.take(1 + children.len() + references.len())?;
            let is_checked_twice = schema.contains_key("unevaluatedProperties")
                || schema.contains_key("unevaluatedItems");
            let below = |schema: &'a Value| {
                let is_below_id = target.is_below_id || has_own_id(schema);
                Target { schema, is_below_id }
            };
            let children = children.drain(..).map(|(step, schema)| (step, below(schema)));
            let references = references.into_iter().map(|target| (Step::Here, target));
            for (step, target) in children.chain(references) {
                builder.add_edge(node, step, target);
                // Unevaluated members are found by checking the others a second time.
                if is_checked_twice && step == Step::Here {
                    builder.add_edge(node, step, target);
                }
            }
            builder.graph.has_alternatives |=
                schema.contains_key("anyOf") || schema.contains_key("oneOf");
        }
        if let Some(root) = builder.graph.nodes.get_mut(Graph::ROOT) {
            root.is_head = true;
        }
        Ok(builder.graph)
    }

    pub(super) fn edges(&self, node: usize) -> &[Edge<'a>] {
        self.nodes.get(node).map_or(&[], |node| &node.edges)
    }

    pub(super) fn is_head(&self, node: usize) -> bool {
        self.nodes.get(node).is_some_and(|node| node.is_head)
    }
}

struct Builder<'a, W> {
    graph: Graph<'a>,
    own_work: W,
    /// The nodes by the address of their schemas.
    known: HashMap<*const Value, usize>,
    /// The nodes whose edges are not known yet.
    open: Vec<(usize, Target<'a>)>,
}

impl<'a, W: FnMut(&Value) -> u64> Builder<'a, W> {
    fn node(&mut self, target: Target<'a>) -> usize {
        let next = self.graph.nodes.len();
        let node = *self.known.entry(std::ptr::from_ref(target.schema)).or_insert(next);
        if node == next {
            let cost = (self.own_work)(target.schema).min(BREADTH_MAX);
            self.graph.nodes.push(Node { edges: Vec::new(), cost, is_head: false });
            self.open.push((node, target));
        }
        node
    }

    fn add_edge(&mut self, node: usize, step: Step<'a>, target: Target<'a>) {
        let target = self.node(target);
        if let Some(target) = self.graph.nodes.get_mut(target) {
            target.is_head |= matches!(step, Step::Member(_) | Step::Item(_));
        }
        if let Some(node) = self.graph.nodes.get_mut(node) {
            node.edges.push(Edge { step, target });
        }
    }
}

/// Returns the subschemas that apply to a value. `true` and `false` cost nothing.
fn subschemas(schema: &Map<String, Value>) -> Vec<(Step<'_>, &Value)> {
    let mut found = Vec::new();
    for (keyword, value) in schema {
        match keyword.as_str() {
            "allOf" | "anyOf" | "oneOf" => {
                found.extend(indexed_schemas(value).map(|(_, schema)| (Step::Here, schema)));
            }
            "not" | "if" | "then" | "else" => found.push((Step::Here, value)),
            "dependentSchemas" | "dependencies" => {
                found.extend(named_schemas(value).map(|(_, schema)| (Step::Here, schema)));
            }
            "properties" => {
                let one = |(name, schema)| (Step::Member(ChildSelector::One(name)), schema);
                found.extend(named_schemas(value).map(one));
            }
            "patternProperties" => {
                let matching = |(_, schema)| (Step::Member(ChildSelector::Matching), schema);
                found.extend(named_schemas(value).map(matching));
            }
            "additionalProperties" => found.push((Step::Member(ChildSelector::Rest), value)),
            "propertyNames" => found.push((Step::Name, value)),
            "prefixItems" | "items" if value.is_array() => {
                let one = |(at, schema)| (Step::Item(ChildSelector::One(at)), schema);
                found.extend(indexed_schemas(value).map(one));
            }
            "items" | "additionalItems" => found.push((Step::Item(ChildSelector::Rest), value)),
            "contains" => found.push((Step::Item(ChildSelector::Any), value)),
            // Members that do not match are checked a second time.
            "unevaluatedProperties" => {
                found.extend([(Step::Member(ChildSelector::Rest), value); 2]);
            }
            "unevaluatedItems" => found.extend([(Step::Item(ChildSelector::Rest), value); 2]),
            _ => {}
        }
    }
    found.retain(|(_, schema)| schema.is_object());
    found
}

fn named_schemas(schemas: &Value) -> impl Iterator<Item = (&str, &Value)> {
    schemas.as_object().into_iter().flatten().map(|(name, schema)| (name.as_str(), schema))
}

fn indexed_schemas(schemas: &Value) -> impl Iterator<Item = (usize, &Value)> {
    schemas.as_array().into_iter().flatten().enumerate()
}

/// The approximate work of the JSON Schema meta-schema at one location of a value.
const SPECIFICATION: u64 = 50;

/// Returns the work of a schema's own keywords; a violation holds a copy of most of them.
pub(super) fn keyword_cost(schema: &Value) -> u64 {
    let data = ["required", "dependentRequired", "dependencies", "enum", "const", "pattern"];
    let data = data.iter().filter_map(|keyword| schema.get(keyword));
    let specification = references_of(schema).filter(|it| is_specification(it)).count() as u64;
    data.fold(1 + specification * SPECIFICATION, |sum, value| sum + size(value))
}

/// Returns the number of values, with a long text counted as several. Recursion is bounded as in
/// parsing.
fn size(value: &Value) -> u64 {
    const TEXT_BYTES: usize = 64;
    match value {
        Value::Object(members) => members.values().fold(1, |sum, value| sum + size(value)),
        Value::Array(items) => items.iter().fold(1, |sum, item| sum + size(item)),
        Value::String(text) => 1 + (text.len() / TEXT_BYTES) as u64,
        Value::Null | Value::Bool(_) | Value::Number(_) => 1,
    }
}
