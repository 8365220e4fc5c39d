//! Bounds the text that waits to be analysed.

use std::ops::DerefMut;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tantivy::Index;
use tantivy::tokenizer::{BoxTokenStream, TextAnalyzer, Token, TokenStream, Tokenizer};

use crate::tokenizer;

/// Bytes that a passage takes beside its text.
const OVERHEAD: usize = 256;

/// Whoever waits longer goes on all the same: a large segment is being written, or the engine has died and will say
/// so.
const PATIENCE: Duration = Duration::from_secs(1);

/// The texts handed to the engine and not yet analysed. Its own queue counts passages, which may be of any length.
#[derive(Debug)]
pub(crate) struct Backlog {
    limit: usize,
    bytes: Mutex<usize>,
    room: Condvar,
}

impl Backlog {
    /// At most `limit` bytes, or one text.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, bytes: Mutex::default(), room: Condvar::new() })
    }

    /// Has the engine say of this index when it begins to analyse a text.
    pub fn watch(self: &Arc<Self>, index: &Index) {
        if let Some(analyzer) = index.tokenizers().get(tokenizer::NAME) {
            index.tokenizers().register(tokenizer::NAME, Watched { analyzer, backlog: Arc::clone(self) });
        }
    }

    /// Waits until there is room for a text of this length, and takes it.
    pub fn enter(&self, length: usize) {
        let full = |bytes: &mut usize| *bytes > 0 && *bytes + length > self.limit;
        let waited = self.room.wait_timeout_while(self.lock(), PATIENCE, full);
        let (mut bytes, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *bytes += length + OVERHEAD;
    }

    fn leave(&self, length: usize) {
        let mut bytes = self.lock();
        *bytes = bytes.saturating_sub(length + OVERHEAD);
        self.room.notify_one();
    }

    /// To be called when the engine has dropped what it had not analysed.
    pub fn clear(&self) {
        *self.lock() = 0;
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
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
    fn who_adds_waits_for_who_analyses_and_a_text_beyond_the_limit_goes_alone() {
        let backlog = Backlog::new(2_000);
        let lengths = [700, 700, 9_000, 100];
        let most = std::thread::scope(|scope| {
            scope.spawn(|| lengths.into_iter().for_each(|length| backlog.enter(length)));
            let analyse = |length| {
                let mut waiting = *backlog.lock();
                while waiting < length {
                    std::thread::yield_now();
                    waiting = *backlog.lock();
                }
                backlog.leave(length);
                waiting
            };
            lengths.map(analyse).into_iter().max()
        });
        // Of texts of 956, 956, 9,256 and 356 bytes the first two may wait together; the third waits for both.
        assert_eq!((most, *backlog.lock()), (Some(9_256), 0));
    }
}
