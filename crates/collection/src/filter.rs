//! Filters of a collection, in JSON. They are those of the BM25 index, and `{"documents": [...]}`, which selects
//! documents by their ids.

use serde::Deserialize;
use serde_json::{Value, json};
use sparse::{Filter, Searcher};

use crate::Error;
use crate::document::passage_id;

/// Parses a filter. Each `{"documents": [...]}` is replaced by a filter with the ids of the passages of these
/// documents.
pub(crate) fn parse(text: &str, searcher: &Searcher) -> Result<Filter, Error> {
    let invalid = |error: serde_json::Error| Error::argument(format!("cannot parse the filter: {error}"));
    let mut filter: Value = serde_json::from_str(text).map_err(invalid)?;
    expand(&mut filter, searcher)?;
    serde_json::from_value(filter).map_err(invalid)
}

/// Replaces each `{"documents": [...]}` in a filter by a filter with the ids of the passages of these documents.
fn expand(filter: &mut Value, searcher: &Searcher) -> Result<(), Error> {
    let Some(object) = filter.as_object_mut() else { return Ok(()) };
    if let Some(documents) = object.get("documents") {
        let documents: Vec<String> = match Vec::deserialize(documents) {
            Ok(documents) if object.len() == 1 => documents,
            _ => {
                let got = Value::Object(object.clone());
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
        let nested = object.get_mut(name).and_then(Value::as_array_mut);
        nested.into_iter().flatten().try_for_each(|part| expand(part, searcher))?;
    }
    object.get_mut("not").map_or(Ok(()), |part| expand(part, searcher))
}
