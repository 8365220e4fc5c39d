//! Finds an open collection by its token, so that several threads of a process can share one copy in memory.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Weak};

use parking_lot::Mutex;

use crate::{Collection, Error};

/// The open collections whose [token](Collection::token) was requested, by token.
static COLLECTIONS: LazyLock<Mutex<HashMap<String, Weak<Collection>>>> = LazyLock::new(Mutex::default);

impl Collection {
    /// Returns the token with which [`attach`](Self::attach) finds this collection as long as one of its handles is
    /// open. The token is a random UUID, which cannot be guessed.
    pub fn token(self: &Arc<Self>) -> String {
        let token = self.handles.token_or_new();
        COLLECTIONS.lock().insert(token.clone(), Arc::downgrade(self));
        token
    }

    /// Opens one more handle of the collection with this token. Returns `None` if the collection has no open handle.
    #[must_use]
    pub fn attach(token: &str) -> Option<Arc<Self>> {
        let collection = COLLECTIONS.lock().get(token).and_then(Weak::upgrade)?;
        collection.handles.open().then_some(collection)
    }

    /// Closes one handle. When the last handle is closed, this [closes](Self::close) the collection; with `commit`, it
    /// first commits the changes.
    ///
    /// # Errors
    ///
    /// The errors of [`commit`](Self::commit) and [`close`](Self::close). The collection is closed even if one of them
    /// fails.
    pub fn detach(&self, commit: bool) -> Result<(), Error> {
        if !self.handles.close() {
            return Ok(());
        }
        if let Some(token) = self.handles.token() {
            COLLECTIONS.lock().remove(token);
        }
        let committed = if commit { self.commit().map(drop) } else { Ok(()) };
        let closed = self.close();
        committed?;
        closed
    }
}
