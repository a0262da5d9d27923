use super::{Arc, Fingerprint, RawJson, Registry, SCHEMAS_MAX, Schema};

fn raw(text: &str) -> RawJson {
    RawJson::parse(text.to_owned()).unwrap()
}

#[test]
fn order_and_white_space_do_not_matter() {
    let registry = Registry::default();
    let get = |text: &str| registry.schema(&raw(text)).unwrap();
    let first = get(r#"{"type": "object", "properties": {"a": {"type": "null"}, "b": {}}}"#);
    let again = get(r#"{"properties":{"b":{},"a":{"type":"null"}},"type":"object"}"#);
    assert!(Arc::ptr_eq(&first, &again));
    // Any other difference makes another schema.
    for changed in [
        r#"{"type": "object", "properties": {"a": {"type": "null"}, "c": {}}}"#,
        r#"{"type": "object", "properties": {"a": {"type": "null"}, "b": {}}, "title": ""}"#,
    ] {
        assert!(!Arc::ptr_eq(&first, &get(changed)), "{changed}");
    }
    assert_eq!(Fingerprint::of(&raw("{ }")), Fingerprint::of(&raw("{}")));
}

#[test]
fn an_unusable_schema_is_cached() {
    let registry = Registry::default();
    let unusable = raw(r#"{"type": "strange"}"#);
    let first = registry.schema(&unusable).unwrap_err();
    assert_eq!(registry.schema(&unusable).unwrap_err(), first);
    assert_eq!(registry.lock_known().len(), 1);
}

#[test]
fn the_memory_of_all_patterns_is_limited() {
    let registry = Registry::default();
    let schema = |n: usize| {
        // About 50 KB for each pattern, and 1.5 MB for each schema.
        let patterns = (0..30).map(|k| format!(r#"{{"pattern":"^[a-f]{{800}}{n}x{k}$"}}"#));
        let patterns = patterns.collect::<Vec<_>>().join(",");
        registry.schema(&raw(&format!(r#"{{"anyOf":[{patterns}]}}"#)))
    };
    let compiled: Vec<_> = (0..100).map_while(|n| schema(n).ok()).collect();
    assert!((20..100).contains(&compiled.len()), "{}", compiled.len());
    let refused = schema(100).unwrap_err().to_string();
    assert!(refused.contains("the patterns of all schemas together"), "{refused}");
    drop(compiled);
    registry.lock_known().clear();
    schema(100).unwrap();
}

#[test]
fn the_number_of_schemas_is_limited() {
    let compiled = Arc::new(Schema::compile(&raw("{}")).unwrap());
    let registry = Registry::default();
    for n in 0..SCHEMAS_MAX {
        let fingerprint = Fingerprint::of(&raw(&n.to_string()));
        registry.lock_known().insert(fingerprint, Ok(Arc::clone(&compiled)));
    }
    // A known schema stays cached; a new one clears the cache.
    assert!(Arc::ptr_eq(&registry.schema(&raw("7")).unwrap(), &compiled));
    assert_eq!(registry.lock_known().len(), SCHEMAS_MAX);
    registry.schema(&raw("true")).unwrap();
    assert_eq!(registry.lock_known().len(), 1);
    assert!(compiled.check(&raw("1")).unwrap().is_empty());
}
