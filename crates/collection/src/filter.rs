//! Filters of a collection: those of the BM25 index, and `{"documents": [...]}`, which selects documents by their ids.

use serde::Deserialize;
use serde_json::{Value, json};
use sparse::{Filter, Searcher};

use crate::Error;
use crate::document::passage_id;

/// Parses a filter. The ids of documents are replaced by those of their passages.
pub(crate) fn parse(text: &str, searcher: &Searcher) -> Result<Filter, Error> {
    let invalid =
        |error: serde_json::Error| Error::argument(format!("filter: expected a filter, got {error}"));
    let mut filter: Value = serde_json::from_str(text).map_err(invalid)?;
    expand(&mut filter, searcher)?;
    serde_json::from_value(filter).map_err(invalid)
}

fn expand(filter: &mut Value, searcher: &Searcher) -> Result<(), Error> {
    let Some(parts) = filter.as_object_mut() else { return Ok(()) };
    if let Some(documents) = parts.get("documents") {
        let documents: Vec<String> = match Vec::deserialize(documents) {
            Ok(documents) if parts.len() == 1 => documents,
            _ => {
                let got = Value::Object(parts.clone());
                return Err(Error::argument(format!("filter: expected {{\"documents\": [ids]}}, got {got}")));
            }
        };
        let mut ids = Vec::new();
        for document in &documents {
            let before = ids.len();
            loop {
                let id = passage_id(document, ids.len() - before);
                if searcher.ord(&id)?.is_none() {
                    break;
                }
                ids.push(id);
            }
        }
        *filter = json!({"ids": ids});
        return Ok(());
    }
    for name in ["and", "or"] {
        let nested = parts.get_mut(name).and_then(Value::as_array_mut);
        nested.into_iter().flatten().try_for_each(|part| expand(part, searcher))?;
    }
    parts.get_mut("not").map_or(Ok(()), |part| expand(part, searcher))
}
