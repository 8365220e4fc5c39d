//! Finds an open index by its token, a string that one thread can send to another, so that threads of the process can
//! share the index.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Weak};

use parking_lot::Mutex;

use super::shared::SharedIndex;

static INDEXES: LazyLock<Mutex<HashMap<String, Weak<SharedIndex>>>> = LazyLock::new(Mutex::default);

impl SharedIndex {
    /// Returns the token by which [`attach`](Self::attach) finds this index as long as at least one handle of the index
    /// is open.
    pub fn token(self: &Arc<Self>) -> String {
        let token = self.token.get_or_init(new_token);
        INDEXES.lock().insert(token.clone(), Arc::downgrade(self));
        token.clone()
    }

    /// Opens one more handle of the index with this token. Returns `None` if no open index has the token.
    #[must_use]
    pub fn attach(token: &str) -> Option<Arc<Self>> {
        let indexes = INDEXES.lock();
        let index = indexes.get(token).and_then(Weak::upgrade)?;
        index.handle_count.fetch_add(1, Ordering::Relaxed);
        Some(index)
    }

    /// Closes one handle. After the last handle is closed, `attach` no longer finds the index.
    pub fn detach(&self) {
        let mut indexes = INDEXES.lock();
        if self.handle_count.fetch_sub(1, Ordering::Relaxed) == 1
            && let Some(token) = self.token.get()
        {
            indexes.remove(token);
        }
    }
}

/// Returns a unique token: a hash with a key that is random in each process, followed by a counter. It
/// can be guessed only from another token of this process.
fn new_token() -> String {
    static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    static TOKEN_COUNT: AtomicU64 = AtomicU64::new(0);
    let number = TOKEN_COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{:016x}-{number}", KEY.hash_one("index"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VectorIndex;
    use dense::{FlatIndex, Similarity};

    #[test]
    fn a_token_finds_its_index_until_the_last_handle_is_closed() {
        let flat = FlatIndex::new(1, Similarity::Dot, serde_json::Value::Null).expect("a dimension of 1");
        let index = SharedIndex::new(VectorIndex::Flat(flat), 0);
        let token = index.token();
        assert_eq!(index.token(), token);
        let other = SharedIndex::attach(&token).expect("the index is open");
        assert!(Arc::ptr_eq(&index, &other));
        index.detach();
        assert!(SharedIndex::attach(&token).is_some_and(|found| Arc::ptr_eq(&found, &other)));
        // Two handles are open: `other`, and the one that was just attached.
        other.detach();
        other.detach();
        assert!(SharedIndex::attach(&token).is_none());
        assert!(SharedIndex::attach("index").is_none());
    }
}
