use std::collections::BTreeSet;

use serde_json::Value;

use super::*;

fn schema(kind: DocumentKind) -> Value {
    serde_json::from_str(kind.schema()).unwrap()
}

#[test]
fn a_document_kind_has_one_name_everywhere() {
    let ids: BTreeSet<&str> = DocumentKind::ALL.into_iter().map(DocumentKind::id).collect();
    assert_eq!(ids.len(), DocumentKind::ALL.len());
    let contracts: Vec<Contract> =
        DocumentKind::ALL.into_iter().filter_map(DocumentKind::contract).collect();
    assert_eq!(contracts, Contract::ALL);
    for kind in DocumentKind::ALL {
        let (id, schema) = (kind.id(), schema(kind));
        assert_eq!(id.parse(), Ok(kind));
        assert_eq!(kind.to_string(), id);
        assert_eq!(schema["title"], id);
        assert_eq!(schema["$id"], format!("urn:manila:schema:{id}"));
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    }
    let unknown = "prov.record.v1".parse::<DocumentKind>().unwrap_err();
    assert_eq!(unknown.to_string(), "no contract or document kind is named `prov.record.v1`");
}

/// Collects every `description`. Properties may have that name too.
fn descriptions(schema: &Value, found: &mut Vec<String>) {
    match schema {
        Value::Object(members) => {
            for (name, value) in members {
                let text = value.as_str().filter(|_| name == "description");
                found.extend(text.map(str::to_owned));
                descriptions(value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| descriptions(item, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn every_description_names_its_clause() {
    for kind in DocumentKind::ALL {
        let mut schema = schema(kind);
        schema.as_object_mut().unwrap().remove("description").unwrap();
        let mut found = Vec::new();
        descriptions(&schema, &mut found);
        assert!(found.len() >= 4, "{kind}");
        for text in found {
            let clause = text.rsplit_once(". (").and_then(|(_, rest)| rest.strip_suffix(')'));
            let digits = clause.and_then(|clause| clause.strip_prefix(['E', 'R', 'M', 'P', 'Q']));
            assert!(digits.is_some_and(|it| it.parse::<u8>().is_ok()), "{kind}: {text}");
        }
    }
}

#[test]
fn a_record_has_the_same_schema_alone_and_in_an_envelope() {
    let envelope = schema(Contract::McpEnvelopeV01.into());
    let mut record = schema(DocumentKind::ProvRecord);
    for (name, definition) in record["$defs"].as_object().unwrap() {
        assert_eq!(*definition, envelope["$defs"][name], "{name}");
    }
    for name in ["digest", "short_strings"] {
        assert_eq!(
            schema(DocumentKind::McpRequest)["$defs"][name],
            envelope["$defs"][name],
            "{name}"
        );
    }
    let mut inner = envelope["$defs"]["prov_record"].clone();
    for head in ["$schema", "$id", "title", "description", "$defs"] {
        record.as_object_mut().unwrap().remove(head).unwrap();
        inner.as_object_mut().unwrap().remove(head);
    }
    assert_eq!(record, inner);
}
