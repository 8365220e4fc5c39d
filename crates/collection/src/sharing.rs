//! Finds an open collection by a token, so that the threads of a process can share it without another copy in memory.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Weak};

use parking_lot::Mutex;

use crate::{Collection, Error};

static COLLECTIONS: LazyLock<Mutex<HashMap<String, Weak<Collection>>>> = LazyLock::new(Mutex::default);

impl Collection {
    /// Returns the token with which [`attach`](Self::attach) finds this collection as long as a handle is open. It is a
    /// random UUID, which cannot be guessed.
    pub fn token(self: &Arc<Self>) -> String {
        let token = self.handles.token_or_new();
        COLLECTIONS.lock().insert(token.clone(), Arc::downgrade(self));
        token
    }

    /// Opens one more handle of the collection with this token; `None` if no handle is open.
    #[must_use]
    pub fn attach(token: &str) -> Option<Arc<Self>> {
        let collection = COLLECTIONS.lock().get(token).and_then(Weak::upgrade)?;
        collection.handles.open().then_some(collection)
    }

    /// Closes one handle. The last one [closes](Self::close) the collection; with `commit`, changes are committed
    /// first.
    ///
    /// # Errors
    ///
    /// As [`commit`](Self::commit) and [`close`](Self::close); the collection is closed nevertheless.
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
