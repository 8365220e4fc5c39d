//! Helpers for the tests: random documents, and shorthand functions for common calls.
#![allow(dead_code, reason = "each test program uses only some of these helpers")]

pub mod model;

use std::path::Path;

use collection::{
    Collection, CreateOptions, Error, Found, Include, NewDocument, NewPassage, NewVector, OpenOptions, Put,
    Request, Retriever, VectorOptions,
};
use control::Control;
use dense::{HnswOptions, Similarity};
use fusion::Method;
use numerics::SplitMix64;
use sparse::{Analyzer, Bm25, Filter, PassageFields};

/// The number of dimensions of all vectors.
pub const DIM: usize = 8;

/// The words that the texts of random documents consist of.
const WORDS: [&str; 12] =
    ["stone", "bridge", "river", "lamp", "desk", "cable", "light", "wood", "steel", "glass", "road", "roof"];

/// A document that owns its texts and vectors, unlike [`NewDocument`].
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    pub id: String,
    /// The text and the vector of each passage.
    pub passages: Vec<(String, Vec<f32>)>,
    /// The value of the only field, `price`.
    pub price: f64,
}

impl Document {
    /// Returns a random document with 1 to 4 passages.
    pub fn random(id: &str, random: &mut SplitMix64) -> Self {
        let count = 1 + random.next_u64() % 4;
        let passage = |random: &mut SplitMix64| {
            let length = 2 + random.next_u64() % 8;
            let words: Vec<_> =
                (0..length).map(|_| WORDS[(random.next_u64() % WORDS.len() as u64) as usize]).collect();
            (words.join(" "), vector(random))
        };
        let passages = (0..count).map(|_| passage(random)).collect();
        Self { id: id.to_owned(), passages, price: (random.next_u64() % 100) as f64 }
    }
}

/// Returns a random vector.
pub fn vector(random: &mut SplitMix64) -> Vec<f32> {
    (0..DIM).map(|_| random.uniform()).collect()
}

/// Creates a collection with vectors of [`DIM`] dimensions.
pub fn create(path: &Path) -> Result<Collection, Error> {
    let vectors = VectorOptions {
        dim: DIM,
        similarity: Similarity::Dot,
        graph: HnswOptions { m: 8, ..HnswOptions::default() },
    };
    let create = CreateOptions {
        analyzer: Analyzer::SIMPLE,
        vectors: Some(vectors),
        metadata: serde_json::json!({"encoder": "test"}),
    };
    Collection::create(path, &create, OpenOptions::default())
}

/// Adds documents. Existing documents with the same ids are replaced with [`Put::Upsert`], and are an error with
/// [`Put::Add`].
pub fn put(collection: &Collection, put: Put, documents: &[Document]) -> Result<(), Error> {
    let passages: Vec<Vec<NewPassage>> = documents
        .iter()
        .map(|document| {
            let passages = document.passages.iter();
            passages
                .map(|(text, vector)| NewPassage { title: None, text, vector: NewVector::Given(vector) })
                .collect()
        })
        .collect();
    let fields: Vec<PassageFields> = documents
        .iter()
        .map(|document| PassageFields::from([("price".to_owned(), document.price.into())]))
        .collect();
    let documents: Vec<NewDocument> = documents
        .iter()
        .zip(&passages)
        .zip(&fields)
        .map(|((document, passages), fields)| NewDocument { id: &document.id, passages, fields })
        .collect();
    collection.put(put, &documents)
}

/// Returns a request for the 10 best passages, by exact search.
pub fn request<'a>(text: &'a str, vector: &'a [f32], retriever: Retriever) -> Request<'a> {
    Request {
        text,
        vector: Some(vector),
        retriever,
        k: 10,
        offset: 0,
        filter: None,
        group_by_document: false,
        bm25: Bm25::default(),
        ef: 100,
        exact: true,
        include: Include::default(),
    }
}

/// Returns a retriever that fuses the hits of both searches, by words and by vectors, by reciprocal rank.
pub fn hybrid() -> Retriever {
    Retriever::Hybrid { method: Method::reciprocal_rank(60.0), depth: 100 }
}

/// Returns a filter for the documents whose price is below `price`.
pub fn cheaper_than(price: f64) -> Filter {
    let json = serde_json::json!({"range": {"field": "price", "lt": price}});
    serde_json::from_value(json).expect("a filter")
}

/// Searches without a way to cancel.
pub fn search(collection: &Collection, request: &Request) -> Result<Vec<Found>, Error> {
    collection.search(request, &Control::new())
}

/// Returns the ids and scores of hits.
pub fn ids(hits: &[Found]) -> Vec<(&str, f32)> {
    hits.iter().map(|hit| (hit.id.as_str(), hit.score)).collect()
}
