use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, RwLock};

use super::any_index::AnyIndex;
use crate::error::Failure;
use crate::task::Outcome;

/// An index that searches share and a writer takes for itself. What JavaScript asks synchronously stands beside the
/// lock: the event loop never waits for a writer.
pub struct Opened {
    index: RwLock<AnyIndex>,
    pub dim: u32,
    pub similarity: &'static str,
    pub metadata: String,
    size: AtomicU32,
    bytes: AtomicU64,
}

impl Opened {
    pub fn new(index: AnyIndex) -> Arc<Self> {
        Arc::new(Self {
            dim: index.dim() as u32,
            similarity: index.similarity(),
            metadata: index.metadata().to_string(),
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

    pub fn read<R>(&self, work: impl FnOnce(&AnyIndex) -> Outcome<R>) -> Outcome<R> {
        work(&*self.index.read().map_err(|_| in_doubt())?)
    }

    pub fn write<R>(&self, work: impl FnOnce(&mut AnyIndex) -> Outcome<R>) -> Outcome<R> {
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
