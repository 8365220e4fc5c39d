//! Passages of a collection, as JavaScript receives them.

use napi_derive::napi;
use sparse::{PassageFields, Searcher, StoredPassage};

use crate::call::{CallResult, Failure};

/// Passages as one list per property. An empty title means no title; fields are JSON.
#[napi(object)]
#[derive(Default)]
pub struct NativeStoredPassages {
    pub ids: Vec<String>,
    pub titles: Vec<String>,
    pub texts: Vec<String>,
    pub fields: Vec<String>,
}

impl NativeStoredPassages {
    /// Reads passages by their ords.
    pub fn read(searcher: &Searcher, ords: &[u32]) -> CallResult<Self> {
        let mut passages = Self::default();
        for StoredPassage { id, title, text, fields } in searcher.passages(ords)? {
            passages.ids.push(id);
            passages.titles.push(title.unwrap_or_default());
            passages.texts.push(text);
            passages.fields.push(fields_json(&fields)?);
        }
        Ok(passages)
    }
}

/// Returns fields as JSON.
pub fn fields_json(fields: &PassageFields) -> CallResult<String> {
    serde_json::to_string(fields).map_err(|error| Failure::internal(error.to_string()))
}
