//! [`Model`], a simple reference for a collection: a list of documents that is searched exhaustively. [`check`]
//! compares a collection with it.

use collection::{Collection, Error, Request, Retriever, document_of};
use numerics::SplitMix64;
use ranking::Hit;

use super::{Document, cheaper_than, hybrid, ids, request, search, vector};

/// The documents that a collection should contain, in the order in which they were last put. Passages with equal scores
/// are ranked in the same order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Model {
    pub documents: Vec<Document>,
}

impl Model {
    /// Adds a document, or replaces the one with the same id.
    pub fn put(&mut self, document: Document) {
        self.delete(&document.id);
        self.documents.push(document);
    }

    /// Deletes the document with this id. Returns true if there was one.
    pub fn delete(&mut self, id: &str) -> bool {
        let before = self.documents.len();
        self.documents.retain(|document| document.id != id);
        self.documents.len() < before
    }

    /// Returns the ids and scores of all passages of documents with a price below `price_below`, best first. Passages
    /// for which `score` returns `None` are left out.
    fn ranked(&self, price_below: f64, score: impl Fn(&str, &[f32]) -> Option<f32>) -> Vec<(String, f32)> {
        let mut ranked = Vec::new();
        for document in self.documents.iter().filter(|document| document.price < price_below) {
            for (number, (text, vector)) in document.passages.iter().enumerate() {
                if let Some(score) = score(text, vector) {
                    ranked.push((format!("{}#{number}", document.id), score));
                }
            }
        }
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        ranked
    }

    /// Ranks the passages with a price below `price_below` by their inner product with a query.
    fn by_vector(&self, query: &[f32], price_below: f64) -> Vec<(String, f32)> {
        let score = |_: &str, vector: &[f32]| Some(dot(query, vector));
        self.ranked(price_below, score)
    }

    /// Returns the ids of the passages whose text has a word and whose price is below `price_below`, sorted.
    fn with_word(&self, word: &str, price_below: f64) -> Vec<String> {
        let contains = |text: &str, _: &[f32]| text.split(' ').any(|other| other == word).then_some(0.0);
        let mut ids: Vec<_> = self.ranked(price_below, contains).into_iter().map(|(id, _)| id).collect();
        ids.sort_unstable();
        ids
    }
}

/// Returns the inner product, computed in double precision. Scores of the index may differ from it by rounding.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>() as f32
}

/// Compares everything that searches can see in a collection with the model.
pub fn check(collection: &Collection, model: &Model, random: &mut SplitMix64) -> Result<(), Error> {
    let query = vector(random);
    let total: usize = model.documents.iter().map(|document| document.passages.len()).sum();
    let stats = collection.stats()?;
    assert_eq!((stats.documents, stats.passages), (model.documents.len() as u64, total as u64));
    for price in [f64::INFINITY, 30.0] {
        let filter = cheaper_than(price);
        let filter = (price.is_finite() && total > 0).then_some(&filter);
        // Exact search by vectors.
        let expected = model.by_vector(&query, price);
        let dense = Request { k: total + 1, filter, ..request("", &query, Retriever::Dense) };
        let found = search(collection, &dense)?;
        assert_eq!(found.len(), expected.len());
        for (hit, (id, score)) in found.iter().zip(&expected) {
            assert!((hit.score - score).abs() < 1e-5, "{} {score}", hit.score);
            // Passages may be in another order if their scores differ by no more than rounding errors.
            let is_near = |(other, near): &(String, f32)| *other == hit.id && (near - score).abs() < 1e-5;
            assert!(hit.id == *id || expected.iter().any(is_near), "{} instead of {id}", hit.id);
        }
        // Approximate search, which also scans rows that are not in the graph yet. In a collection this small, it finds
        // all passages.
        let approximate = Request { exact: false, ..dense.clone() };
        assert_eq!(ids(&search(collection, &approximate)?), ids(&found));
        // A search for one word finds exactly the passages that contain the word.
        let words = Request { retriever: Retriever::Bm25, text: "bridge", ..dense.clone() };
        let sparse = search(collection, &words)?;
        let mut matched: Vec<_> = sparse.iter().map(|hit| hit.id.clone()).collect();
        matched.sort_unstable();
        assert_eq!(matched, model.with_word("bridge", price));
        // The hits of a hybrid search are the fusion of both lists.
        let both = Request { k: 7, ..request("bridge", &query, hybrid()) };
        let both = Request { filter, ..both };
        let [dense, sparse] = [&found, &sparse].map(|list| {
            list.iter().take(100).map(|hit| Hit { ord: hit.ord, score: hit.score }).collect::<Vec<_>>()
        });
        let fused = fusion::fuse(&[&dense, &sparse], &fusion::Method::reciprocal_rank(60.0), 7)?;
        let fused: Vec<_> = fused.iter().map(|hit| (hit.ord, hit.score)).collect();
        let hits = search(collection, &both)?;
        assert_eq!(hits.iter().map(|hit| (hit.ord, hit.score)).collect::<Vec<_>>(), fused);
    }
    // Hits grouped by document: all pages together return each document once.
    let grouped = Request { group_by_document: true, k: 3, ..request("", &query, Retriever::Dense) };
    let mut pages = Vec::new();
    for offset in (0..).step_by(3) {
        let page = search(collection, &Request { offset, ..grouped.clone() })?;
        pages.extend(page.iter().map(|hit| (hit.document.clone(), hit.score)));
        if page.len() < 3 {
            break;
        }
    }
    let mut best_of_documents: Vec<(String, f32)> = Vec::new();
    for (id, score) in model.by_vector(&query, f64::INFINITY) {
        let document = document_of(&id).expect("the id of a passage").0.to_owned();
        if best_of_documents.iter().all(|(other, _)| *other != document) {
            best_of_documents.push((document, score));
        }
    }
    assert_eq!(pages.len(), best_of_documents.len());
    for ((document, score), (expected, near)) in pages.iter().zip(&best_of_documents) {
        // Documents may be in another order if their scores differ by no more than rounding errors.
        let is_near = |(other, near): &(String, f32)| other == document && (near - score).abs() < 1e-5;
        assert!(
            (score - near).abs() < 1e-5 && best_of_documents.iter().any(is_near),
            "{document}, {expected}"
        );
    }
    // The contents of every document.
    for document in &model.documents {
        let ords = collection::passages_of(&document.id, &*collection.searcher()?)?;
        assert_eq!(ords.len(), document.passages.len());
        let searcher = collection.searcher()?;
        for (&ord, (text, vector)) in ords.iter().zip(&document.passages) {
            let stored = searcher.passage(ord)?;
            assert_eq!((&stored.text, stored.fields["price"].clone()), (text, document.price.into()));
            assert_eq!(collection.vector(ord)?.as_ref(), Some(vector));
        }
    }
    Ok(())
}
