use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, RwLock};

use dense::{FlatIndex, HnswIndex};

use crate::error::Failure;
use crate::task::Outcome;

/// What both kinds of vector index can tell of themselves.
pub trait Described {
    fn dim(&self) -> usize;
    fn live_len(&self) -> usize;
    fn similarity_name(&self) -> &'static str;
    fn metadata_json(&self) -> String;
    fn memory_bytes(&self) -> usize;
}

macro_rules! described {
    ($($index:ty),+) => {$(
        impl Described for $index {
            fn dim(&self) -> usize { self.dim() }
            fn live_len(&self) -> usize { self.live_len() }
            fn similarity_name(&self) -> &'static str { self.similarity().name() }
            fn metadata_json(&self) -> String { self.metadata().to_string() }
            fn memory_bytes(&self) -> usize { self.memory_bytes() }
        }
    )+};
}
described!(FlatIndex, HnswIndex);

/// An index that searches share and a writer takes for itself. What JavaScript asks synchronously stands beside the
/// lock: the event loop never waits for a writer.
pub struct Opened<T> {
    index: RwLock<T>,
    pub dim: u32,
    pub similarity: &'static str,
    pub metadata: String,
    size: AtomicU32,
    bytes: AtomicU64,
}

impl<T: Described> Opened<T> {
    pub fn new(index: T) -> Arc<Self> {
        Arc::new(Self {
            dim: index.dim() as u32,
            similarity: index.similarity_name(),
            metadata: index.metadata_json(),
            size: AtomicU32::new(index.live_len() as u32),
            bytes: AtomicU64::new(index.memory_bytes() as u64),
            index: RwLock::new(index),
        })
    }

    pub fn size(&self) -> u32 {
        self.size.load(Ordering::Relaxed)
    }

    pub fn bytes(&self) -> f64 {
        self.bytes.load(Ordering::Relaxed) as f64
    }

    pub fn read<R>(&self, work: impl FnOnce(&T) -> Outcome<R>) -> Outcome<R> {
        work(&*self.index.read().map_err(|_| in_doubt())?)
    }

    pub fn write<R>(&self, work: impl FnOnce(&mut T) -> Outcome<R>) -> Outcome<R> {
        let mut index = self.index.write().map_err(|_| in_doubt())?;
        let result = work(&mut index);
        self.size.store(index.live_len() as u32, Ordering::Relaxed);
        self.bytes.store(index.memory_bytes() as u64, Ordering::Relaxed);
        result
    }
}

fn in_doubt() -> Failure {
    Failure::new("ERR_INTERNAL", "an earlier bug left this index in doubt; open or build it again")
}
