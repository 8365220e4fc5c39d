use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use std::time::Duration;

use crate::error::Failure;
use crate::task::Outcome;

/// What many read and one writer changes, now and again and for a short while. A writer that comes back at once would
/// win the lock every time: it is to [let in](Self::let_in) who has waited.
pub struct Gate<T> {
    lock: RwLock<T>,
    arrived: AtomicU64,
    entered: AtomicU64,
}

/// How often a writer looks whether all are in.
const LOOK: Duration = Duration::from_micros(50);

impl<T> Gate<T> {
    pub fn new(value: T) -> Self {
        Self { lock: RwLock::new(value), arrived: AtomicU64::new(0), entered: AtomicU64::new(0) }
    }

    pub fn read(&self) -> Outcome<RwLockReadGuard<'_, T>> {
        self.arrived.fetch_add(1, Ordering::SeqCst);
        let entered = self.lock.read();
        self.entered.fetch_add(1, Ordering::SeqCst);
        entered.map_err(|_| in_doubt())
    }

    /// None if that meant waiting.
    pub fn read_now(&self) -> Outcome<Option<RwLockReadGuard<'_, T>>> {
        match self.lock.try_read() {
            Ok(guard) => Ok(Some(guard)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Poisoned(_)) => Err(in_doubt()),
        }
    }

    pub fn write(&self) -> Outcome<RwLockWriteGuard<'_, T>> {
        self.lock.write().map_err(|_| in_doubt())
    }

    /// How many have come to read so far.
    pub fn arrived(&self) -> u64 {
        self.arrived.load(Ordering::SeqCst)
    }

    /// Waits until all who came before this are in; the writer must not be.
    pub fn let_in(&self) {
        let arrived = self.arrived();
        while self.entered.load(Ordering::SeqCst) < arrived {
            std::thread::sleep(LOOK);
        }
    }
}

fn in_doubt() -> Failure {
    Failure::new("ERR_INTERNAL", "an earlier bug left this index in doubt; open or build it again")
}
