//! Lets concurrent calls search and change a vector index in a long-lived process, and runs these calls on threads.
//!
//! [`SharedIndex`] is a flat or an HNSW index behind a read–write lock. Searches share the lock. Changes run one after
//! another on a [`SerialQueue`], take the lock for about 4 to 20 ms at a time ([`WriteSlices`]), and become visible all
//! at once. [`FairRwLock`] lets searches that waited during a slice run before the next slice. [`LatencyEstimate`]
//! predicts whether a search is fast enough to run on the caller's own thread; [`ThreadPool`] runs all other searches.
//! [`KnownIds`] tells which ids of hits the caller already has as strings.
//! [`import_vectors`] and [`export_vectors`] move vectors between an index and files, and [`build_flat_file`] converts
//! a file of vectors to an index file.
//!
//! ```
//! use control::Control;
//! use dense::{FlatIndex, Put, Similarity};
//! use serving::{SearchParams, SharedIndex, VectorIndex};
//!
//! let control = Control::new();
//! let index = FlatIndex::new(2, Similarity::Dot, serde_json::Value::Null)?;
//! let shared = SharedIndex::new(VectorIndex::Flat(index), 0);
//! shared.put(Put::Add, vec!["east".into(), "north".into()], vec![1.0, 0.0, 0.0, 1.0], &control)?;
//!
//! let params = SearchParams { k: 1, ef: 0 };
//! let best = shared.search(&[1.0, 3.0], params, None, &control, |index, hits| index.id(hits[0].ord).to_owned())?;
//! assert_eq!(best, "north");
//! # Ok::<(), serving::Error>(())
//! ```

mod error;
mod index;
mod known_ids;
mod scheduling;
mod vector_files;

pub use error::Error;
pub use index::{
    BatchParams, IdCursor, MAX_RESIDENT_MAPPED_BYTES, QueryBatch, RowFilter, SearchParams, SharedIndex,
    VectorIndex,
};
pub use known_ids::KnownIds;
pub use scheduling::{
    FairRwLock, LatencyEstimate, MAX_QUICK_TIME, Poisoned, SerialQueue, Task, ThreadPool, ThreadPoolOptions,
    WriteSlices,
};
pub use vector_files::{FlatFileOptions, build_flat_file, export_vectors, import_vectors};
