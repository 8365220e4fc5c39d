//! Limits the text that waits to be analyzed.
//!
//! tantivy's own queue is limited to a number of passages, which may be of any length. This limits their bytes.

use std::ops::DerefMut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use tantivy::Index;
use tantivy::tokenizer::{BoxTokenStream, TextAnalyzer, Token, TokenStream, Tokenizer};

use crate::analysis::tantivy_tokenizer;

/// Bytes that a passage counts in addition to its text. They keep tantivy's own queue, of 10,000 passages, from filling
/// up: when it is full, it wakes the waiting thread for every single passage, which is slow.
const BYTES_PER_PASSAGE: usize = 1_000;

/// A thread that has waited this long continues. Either a large segment is being written, or tantivy's writer has failed
/// and the next call to it reports the error.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// The texts that one thread has given to tantivy and that are not analyzed yet.
#[derive(Debug)]
pub(crate) struct Backlog {
    limit: usize,
    bytes: AtomicUsize,
    /// Locked by a thread that is about to wait, and by one that is about to wake it.
    mutex: Mutex<()>,
    has_room: Condvar,
}

impl Backlog {
    /// A backlog of at most `limit` bytes, or of half as many and one longer text.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            bytes: AtomicUsize::new(0),
            mutex: Mutex::default(),
            has_room: Condvar::new(),
        })
    }

    /// Notices when tantivy starts to analyze a text of this index.
    pub fn watch(self: &Arc<Self>, index: &Index) {
        if let Some(analyzer) = index.tokenizers().get(tantivy_tokenizer::NAME) {
            let watched = WatchedAnalyzer { analyzer, backlog: Arc::clone(self) };
            index.tokenizers().register(tantivy_tokenizer::NAME, watched);
        }
    }

    /// Adds a text of this length. If there is no room, it first waits until half of the backlog is free, because waking
    /// up for every text costs more than analyzing it.
    pub fn enter(&self, length: usize) {
        let bytes = length + BYTES_PER_PASSAGE;
        if self.bytes.load(Ordering::Relaxed) + bytes > self.limit {
            let guard = self.mutex.lock().unwrap_or_else(PoisonError::into_inner);
            let full = |(): &mut ()| self.bytes.load(Ordering::Relaxed) > self.limit / 2;
            drop(self.has_room.wait_timeout_while(guard, MAX_WAIT, full));
        }
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    fn leave(&self, length: usize) {
        let less = |bytes: usize| Some(bytes.saturating_sub(length + BYTES_PER_PASSAGE));
        let before = self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).unwrap_or_default();
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

/// The analyzer of the index, which tells the backlog when it is called.
#[derive(Clone)]
struct WatchedAnalyzer {
    analyzer: TextAnalyzer,
    backlog: Arc<Backlog>,
}

impl Tokenizer for WatchedAnalyzer {
    type TokenStream<'a> = Forwarding<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Forwarding<'a> {
        self.backlog.leave(text.len());
        Forwarding(self.analyzer.token_stream(text))
    }
}

/// Calls the boxed stream's own `process`, which `BoxTokenStream` does not do.
struct Forwarding<'a>(BoxTokenStream<'a>);

impl TokenStream for Forwarding<'_> {
    fn advance(&mut self) -> bool {
        self.0.advance()
    }

    fn token(&self) -> &Token {
        self.0.token()
    }

    fn token_mut(&mut self) -> &mut Token {
        self.0.token_mut()
    }

    fn process(&mut self, sink: &mut dyn FnMut(&Token)) {
        self.0.deref_mut().process(sink);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adding_waits_for_the_analysis() {
        let backlog = Backlog::new(4_000);
        let lengths = [700, 700, 9_000, 100];
        let max = std::thread::scope(|scope| {
            let waiting = || backlog.bytes.load(Ordering::Relaxed);
            scope.spawn(|| lengths.into_iter().for_each(|length| backlog.enter(length)));
            let analyze = |length| {
                while waiting() < length {
                    std::thread::yield_now();
                }
                let waiting = waiting();
                backlog.leave(length);
                waiting
            };
            lengths.map(analyze).into_iter().max()
        });
        // The first two, of 1,700 bytes each, fit. The one of 10,000 is added when one of them was analyzed.
        assert!(max.is_some_and(|max| (10_000..=11_700).contains(&max)), "{max:?}");
        assert_eq!(backlog.bytes.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn waiting_for_a_writer_that_failed_ends_after_a_while() {
        let backlog = Backlog::new(4_000);
        [1_500; 2].into_iter().for_each(|length| backlog.enter(length));
        assert_eq!(backlog.bytes.load(Ordering::Relaxed), 2 * 2_500);
        backlog.clear();
        backlog.leave(1_500);
        assert_eq!(backlog.bytes.load(Ordering::Relaxed), 0);
    }
}
