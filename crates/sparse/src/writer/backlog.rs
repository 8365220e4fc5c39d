//! Bounds the text that waits to be analysed.

use std::ops::DerefMut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use tantivy::Index;
use tantivy::tokenizer::{BoxTokenStream, TextAnalyzer, Token, TokenStream, Tokenizer};

use crate::analysis::tantivy_tokenizer;

/// Bytes that a passage counts beside its text. So many that the engine's own queue of 10,000 passages is never full:
/// it wakes who waits for every single one.
const OVERHEAD: usize = 1_000;

/// Whoever waits longer goes on all the same: a large segment is being written, or the engine has died and will say
/// so.
const PATIENCE: Duration = Duration::from_secs(1);

/// The texts handed to the engine by one thread and not yet analysed. Its own queue counts passages, which may be of
/// any length.
#[derive(Debug)]
pub(crate) struct Backlog {
    limit: usize,
    bytes: AtomicUsize,
    /// Held by who is about to wait, and by who is about to wake it.
    gate: Mutex<()>,
    room: Condvar,
}

impl Backlog {
    /// At most `limit` bytes, or half of them and one text.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, bytes: AtomicUsize::new(0), gate: Mutex::default(), room: Condvar::new() })
    }

    /// Has the engine say of this index when it begins to analyse a text.
    pub fn watch(self: &Arc<Self>, index: &Index) {
        if let Some(analyzer) = index.tokenizers().get(tantivy_tokenizer::NAME) {
            let watched = Watched { analyzer, backlog: Arc::clone(self) };
            index.tokenizers().register(tantivy_tokenizer::NAME, watched);
        }
    }

    /// Takes room for a text of this length. Where there is none, waits until half of all is free: waking for every
    /// text costs more than analysing it.
    pub fn enter(&self, length: usize) {
        let bytes = length + OVERHEAD;
        if self.bytes.load(Ordering::Relaxed) + bytes > self.limit {
            let gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
            let full = |(): &mut ()| self.bytes.load(Ordering::Relaxed) > self.limit / 2;
            drop(self.room.wait_timeout_while(gate, PATIENCE, full));
        }
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    fn leave(&self, length: usize) {
        let less = |bytes: usize| Some(bytes.saturating_sub(length + OVERHEAD));
        let before = self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).unwrap_or_default();
        let half = self.limit / 2;
        if before > half && before.saturating_sub(length + OVERHEAD) <= half {
            let _gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
            self.room.notify_one();
        }
    }

    /// To be called when the engine has dropped what it had not analysed.
    pub fn clear(&self) {
        self.bytes.store(0, Ordering::Relaxed);
    }
}

/// The index's analyzer, and who is to know that it was called.
#[derive(Clone)]
struct Watched {
    analyzer: TextAnalyzer,
    backlog: Arc<Backlog>,
}

impl Tokenizer for Watched {
    type TokenStream<'a> = Forwarding<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Forwarding<'a> {
        self.backlog.leave(text.len());
        Forwarding(self.analyzer.token_stream(text))
    }
}

/// A boxed stream whose own `process` is called, which the box does not do.
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
    fn who_adds_waits_for_who_analyses() {
        let backlog = Backlog::new(4_000);
        let lengths = [700, 700, 9_000, 100];
        let most = std::thread::scope(|scope| {
            let waiting = || backlog.bytes.load(Ordering::Relaxed);
            scope.spawn(|| lengths.into_iter().for_each(|length| backlog.enter(length)));
            let analyse = |length| {
                while waiting() < length {
                    std::thread::yield_now();
                }
                let waiting = waiting();
                backlog.leave(length);
                waiting
            };
            lengths.map(analyse).into_iter().max()
        });
        // The first two of 1,700 bytes fit; the one of 10,000 is let in when one of them has gone.
        assert!(most.is_some_and(|most| (10_000..=11_700).contains(&most)), "{most:?}");
        assert_eq!(backlog.bytes.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn who_waits_for_an_engine_that_died_goes_on_after_a_while() {
        let backlog = Backlog::new(4_000);
        [1_500; 2].into_iter().for_each(|length| backlog.enter(length));
        assert_eq!(backlog.bytes.load(Ordering::Relaxed), 2 * 2_500);
        backlog.clear();
        backlog.leave(1_500);
        assert_eq!(backlog.bytes.load(Ordering::Relaxed), 0);
    }
}
