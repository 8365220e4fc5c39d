//! Collects the documents that JavaScript passes to a collection.

use collection::{NewDocument, NewPassage, NewVector};
use napi_derive::napi;
use sparse::PassageFields;

use crate::call::{CallResult, Failure};

/// Documents as one list per property. JavaScript passes them in several calls, so that no call takes long.
#[napi]
#[derive(Default)]
pub struct DocumentBatch {
    ids: Vec<String>,
    /// JSON for each document, or an empty string for no fields.
    fields: Vec<String>,
    passage_counts: Vec<u32>,
    /// The titles of all passages, document by document. An empty title means no title.
    titles: Vec<String>,
    texts: Vec<String>,
    /// For each passage, the ord of a committed passage whose vector it gets, or −1 if it gets the next one of
    /// `vectors`.
    same_as: Vec<f64>,
    /// The vectors of the passages with −1 in `same_as`, one after another.
    vectors: Vec<f32>,
}

#[napi]
impl DocumentBatch {
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends documents: their ids, fields (JSON, or an empty string) and numbers of passages.
    #[napi(catch_unwind)]
    pub fn push_documents(&mut self, ids: Vec<String>, fields: Vec<String>, passage_counts: Vec<u32>) {
        self.ids.extend(ids);
        self.fields.extend(fields);
        self.passage_counts.extend(passage_counts);
    }

    /// Appends passages of the documents: their titles (empty for none) and texts. For each passage, `sameAs` has the
    /// ord of a committed passage whose vector it gets, or −1 if it gets the next one of the pushed vectors.
    #[napi(catch_unwind)]
    pub fn push_passages(&mut self, titles: Vec<String>, texts: Vec<String>, same_as: Vec<f64>) {
        self.titles.extend(titles);
        self.texts.extend(texts);
        self.same_as.extend(same_as);
    }

    /// Appends vectors, one after another.
    #[napi(catch_unwind)]
    pub fn push_vectors(&mut self, data: &[f32]) {
        self.vectors.extend_from_slice(data);
    }
}

impl DocumentBatch {
    /// Calls `work` with the documents. `dim` is the dimension of the collection's vectors; `None` if the collection
    /// has no vectors.
    pub fn with_documents<T>(
        &self,
        dim: Option<usize>,
        work: impl FnOnce(&[NewDocument]) -> CallResult<T>,
    ) -> CallResult<T> {
        let mut vectors = self.vectors.chunks_exact(dim.unwrap_or(1));
        let mut vector_of = |same_as: f64| match dim {
            None => Ok(NewVector::None),
            Some(_) if same_as >= 0.0 => Ok(NewVector::SameAs(same_as as u32)),
            Some(_) => vectors
                .next()
                .map(NewVector::Given)
                .ok_or_else(|| Failure::internal("a batch with too few vectors for its passages")),
        };
        let rows = self.titles.iter().zip(&self.texts).zip(&self.same_as);
        let passages = rows.map(|((title, text), &same_as)| {
            let title = Some(title.as_str()).filter(|title| !title.is_empty());
            Ok(NewPassage { title, text, vector: vector_of(same_as)? })
        });
        let passages = passages.collect::<CallResult<Vec<_>>>()?;
        let fields = self.fields.iter().zip(&self.ids).map(|(json, id)| parse_fields(json, id));
        let fields = fields.collect::<CallResult<Vec<_>>>()?;
        let mut rest = passages.as_slice();
        let mut documents = Vec::with_capacity(self.ids.len());
        for ((id, fields), &count) in self.ids.iter().zip(&fields).zip(&self.passage_counts) {
            let (passages, others) = rest
                .split_at_checked(count as usize)
                .ok_or_else(|| Failure::internal("a batch with fewer passages than `passage_counts` say"))?;
            rest = others;
            documents.push(NewDocument { id, passages, fields });
        }
        work(&documents)
    }
}

/// Parses the fields of a document, which JavaScript passes as JSON.
pub fn parse_fields(json: &str, id: &str) -> CallResult<PassageFields> {
    if json.is_empty() {
        return Ok(PassageFields::new());
    }
    serde_json::from_str(json)
        .map_err(|error| Failure::argument(format!("cannot parse the fields of \"{id}\": {error}")))
}
