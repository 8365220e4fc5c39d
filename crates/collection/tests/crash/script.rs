//! [`Script`], the commits of a writer. A seed and the number of a commit determine the changes of the commit, so a
//! parent can compute what a collection that a child has written must contain.

use collection::{Collection, Error, OpenOptions, Put, VectorOptions};
use control::Control;
use dense::{HnswOptions, Similarity};
use numerics::SplitMix64;
use sparse::{Analyzer, WriterOptions};

use crate::common::model::Model;
use crate::common::{Document, cheaper_than, put};

/// Number of different ids of documents.
const IDS: u64 = 24;
/// Documents with a price below this are deleted now and then.
const CHEAP: f64 = 5.0;

/// In scripts with this seed or a greater one, every second commit on average is an optimization. In others, one in 14
/// is, so that segments accumulate and are merged in the background.
pub const OPTIMIZES_OFTEN: u64 = 1 << 32;

/// The options with which the tests open collections: all checksums are verified, and the writer uses little memory.
pub const OPTIONS: OpenOptions = OpenOptions {
    files: storage::OpenOptions { in_memory: false, verify: true },
    writer: WriterOptions { overwrite: false, threads: 1, memory: 15_000_000 },
};

/// What a commit does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Commits changes of documents and of the metadata.
    Changes,
    /// Optimizes the collection, without other changes.
    Optimization,
}

/// The content that a collection has after some commits, and how to make the next one.
#[derive(Debug, Clone)]
pub struct Script {
    seed: u64,
    /// The number of commits so far.
    pub generation: u64,
    /// The documents of the last commit.
    pub model: Model,
}

/// Creates the empty collection with which every script begins.
pub fn create(path: &std::path::Path) -> Result<Collection, Error> {
    let graph = HnswOptions { m: 8, ..HnswOptions::default() };
    let vectors = VectorOptions { dim: crate::common::DIM, similarity: Similarity::Dot, graph };
    let create = collection::CreateOptions {
        analyzer: Analyzer::SIMPLE,
        vectors: Some(vectors),
        metadata: metadata_of(0),
    };
    Collection::create(path, &create, OPTIONS)
}

/// Returns the metadata that the script sets in a commit: the number of the commit.
pub fn metadata_of(generation: u64) -> serde_json::Value {
    serde_json::json!({"generation": generation})
}

impl Script {
    /// Returns the script with this seed, before the first commit.
    pub fn new(seed: u64) -> Self {
        Self { seed, generation: 0, model: Model::default() }
    }

    /// Returns the script with this seed, after `generation` commits.
    pub fn after(seed: u64, generation: u64) -> Self {
        let mut script = Self::new(seed);
        script.advance_to(generation);
        script
    }

    /// Computes the content after `generation` commits, without a collection.
    pub fn advance_to(&mut self, generation: u64) {
        while self.generation < generation {
            if self.kind(self.generation + 1) == Kind::Changes {
                let computed: Result<(), Error> = self.changes(None);
                computed.expect("there is no collection that could fail");
            }
            self.generation += 1;
        }
    }

    /// Returns the metadata of the last commit. An optimization keeps the metadata of the previous commit.
    pub fn metadata(&self) -> serde_json::Value {
        let is_change = |&generation: &u64| self.kind(generation) == Kind::Changes;
        metadata_of((1..=self.generation).rev().find(is_change).unwrap_or(0))
    }

    /// Makes the next commit, or the next two, in a collection that has the content of this script. Returns the number
    /// of the last commit made.
    pub fn commit_next(&mut self, collection: &Collection) -> Result<u64, Error> {
        let next = self.generation + 1;
        let committed = match (self.kind(next), self.kind(next + 1)) {
            (Kind::Optimization, _) => collection.optimize(1, &Control::new())?,
            (Kind::Changes, following) => {
                self.changes(Some(collection))?;
                collection.set_metadata(metadata_of(next))?;
                // If there are uncommitted changes, `optimize` makes two commits.
                if following == Kind::Optimization && next.is_multiple_of(2) {
                    collection.optimize(1, &Control::new())?
                } else {
                    collection.commit()?
                }
            }
        };
        self.generation = committed;
        Ok(committed)
    }

    /// Returns what the commit with this number does.
    fn kind(&self, generation: u64) -> Kind {
        let period = if self.seed >= OPTIMIZES_OFTEN { 2 } else { 14 };
        if generation > 1 && self.random(generation).below(period) == 0 {
            Kind::Optimization
        } else {
            Kind::Changes
        }
    }

    /// Returns the random generator that determines the commit with this number.
    fn random(&self, generation: u64) -> SplitMix64 {
        SplitMix64::new(self.seed.wrapping_mul(1_000_003).wrapping_add(generation))
    }

    /// Computes the changes of the next commit, and makes them in `collection`, if there is one.
    fn changes(&mut self, collection: Option<&Collection>) -> Result<(), Error> {
        let mut random = self.random(self.generation + 1);
        // `kind` uses the first random number of the commit.
        random.next_u64();
        if random.below(4) == 0 {
            let document = Document::random("undone", &mut random);
            if let Some(collection) = collection {
                put(collection, Put::Upsert, &[document])?;
                collection.delete(&["d1", "d2", "d3"])?;
                collection.rollback()?;
            }
        }
        if random.below(8) == 0 && self.model.documents.len() > 3 {
            self.model.documents.retain(|document| document.price >= CHEAP);
            if let Some(collection) = collection {
                collection.delete_matching(&cheaper_than(CHEAP), &Control::new())?;
            }
        }
        for _ in 0..1 + random.below(3) {
            let id = format!("d{}", random.below(IDS));
            if random.below(3) == 0 {
                let existed = self.model.delete(&id);
                if let Some(collection) = collection {
                    assert_eq!(collection.delete(&[&id])?, u64::from(existed));
                }
            }
        }
        // At least one document is put, so that every commit has changes.
        for _ in 0..1 + random.below(4) {
            let document = Document::random(&format!("d{}", random.below(IDS)), &mut random);
            let is_known = self.model.documents.iter().any(|other| other.id == document.id);
            let how = if is_known { Put::Upsert } else { Put::Add };
            if let Some(collection) = collection {
                put(collection, how, std::slice::from_ref(&document))?;
            }
            self.model.put(document);
        }
        Ok(())
    }
}
