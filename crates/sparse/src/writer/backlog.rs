//! Limits the bytes of text that wait to be analyzed by tantivy's threads. tantivy's own queue is limited to a number
//! of passages, which may be of any length.
//!
//! The writer calls [`Backlog::enter`] with the length of each text that it adds. The call waits while there is no
//! room. The text leaves the backlog when it is analyzed ([`Backlog::leave`]).

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Number of bytes that each passage counts for, in addition to its text. Because the backlog is limited to at most 8 MB
/// ([`max_backlog_bytes`](crate::WriterOptions::max_backlog_bytes)), these bytes keep tantivy's own queue of 10,000
/// passages from filling up. When that queue is full, it wakes the waiting thread for every single passage, which is
/// slow.
const BYTES_PER_PASSAGE: usize = 1_000;

/// Maximum time to wait for room. If there is still no room after this time, either a large segment is being written, or
/// tantivy's writer has failed and the next call to it reports the error. In both cases, the waiting thread continues.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// Counts the bytes of the texts that one thread has passed to tantivy and that tantivy has not analyzed yet.
#[derive(Debug)]
pub(crate) struct Backlog {
    /// Maximum number of bytes.
    limit: usize,
    /// Number of bytes that wait now: the lengths of the texts, plus [`BYTES_PER_PASSAGE`] for each.
    bytes: AtomicUsize,
    /// Locked while a thread decides whether to wait, and while the waiting thread is woken, so that no wake-up is
    /// missed.
    mutex: Mutex<()>,
    /// Notified when half of the backlog has become free.
    has_room: Condvar,
}

impl Backlog {
    /// Creates a backlog of at most `limit` bytes. Two kinds of texts can exceed the limit: a text that is longer than
    /// half of the limit, because it is added as soon as at most half is in use, and a text that has waited for
    /// [`MAX_WAIT`].
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            bytes: AtomicUsize::new(0),
            mutex: Mutex::default(),
            has_room: Condvar::new(),
        })
    }

    /// Adds a text of this length in bytes. If there is no room, it first waits until half of the backlog is free,
    /// because waking up for every text costs more than analyzing it.
    pub fn enter(&self, length: usize) {
        let bytes = length + BYTES_PER_PASSAGE;
        if self.bytes.load(Ordering::Relaxed) + bytes > self.limit {
            let guard = self.mutex.lock().unwrap_or_else(PoisonError::into_inner);
            let full = |(): &mut ()| self.bytes.load(Ordering::Relaxed) > self.limit / 2;
            drop(self.has_room.wait_timeout_while(guard, MAX_WAIT, full));
        }
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Removes a text of this length, and wakes the waiting thread if half of the backlog has just become free.
    pub fn leave(&self, length: usize) {
        let removed = |bytes: usize| Some(bytes.saturating_sub(length + BYTES_PER_PASSAGE));
        let before =
            self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, removed).unwrap_or_default();
        let half = self.limit / 2;
        if before > half && before.saturating_sub(length + BYTES_PER_PASSAGE) <= half {
            let _guard = self.mutex.lock().unwrap_or_else(PoisonError::into_inner);
            self.has_room.notify_one();
        }
    }

    /// Empties the backlog after tantivy has dropped the texts that were not analyzed.
    pub fn clear(&self) {
        self.bytes.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adding_a_text_waits_until_earlier_texts_are_analyzed() {
        let backlog = Backlog::new(4_000);
        let lengths = [700, 700, 9_000, 100];
        let max = std::thread::scope(|scope| {
            let waiting_bytes = || backlog.bytes.load(Ordering::Relaxed);
            scope.spawn(|| lengths.into_iter().for_each(|length| backlog.enter(length)));
            // Acts as tantivy's thread: removes a text that was added. Returns the bytes that waited before the removal.
            let analyze = |length| {
                while waiting_bytes() < length {
                    std::thread::yield_now();
                }
                let before = waiting_bytes();
                backlog.leave(length);
                before
            };
            lengths.map(analyze).into_iter().max()
        });
        // The first two texts (1,700 bytes each) fit. The third (10,000 bytes) is added after at least one of them was
        // analyzed.
        assert!(max.is_some_and(|max| (10_000..=11_700).contains(&max)), "{max:?}");
        assert_eq!(backlog.bytes.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_text_is_added_after_the_maximum_wait_and_a_cleared_backlog_stays_empty() {
        let backlog = Backlog::new(4_000);
        // Each text counts as 2,500 bytes. There is no room for the second one, so it is added after `MAX_WAIT`.
        [1_500; 2].into_iter().for_each(|length| backlog.enter(length));
        assert_eq!(backlog.bytes.load(Ordering::Relaxed), 2 * 2_500);
        backlog.clear();
        // tantivy may still start to analyze one of the texts after the backlog was cleared.
        backlog.leave(1_500);
        assert_eq!(backlog.bytes.load(Ordering::Relaxed), 0);
    }
}
