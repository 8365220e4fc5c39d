//! Finds titles and texts of passages by id, in a store or in memory.

use std::collections::HashMap;
use std::sync::Arc;

use crate::types::Passage;
use crate::{Error, PassageRef, PassageStore};

/// Passages that are found by id. A clone shares their memory, but does not see passages that are added to the original
/// later.
#[derive(Debug, Clone)]
pub struct PassageTexts {
    source: Source,
}

#[derive(Debug, Clone)]
enum Source {
    Store(Arc<PassageStore>),
    /// Title and text of each passage, by id.
    Memory(Arc<HashMap<String, (Option<String>, String)>>),
}

/// Creates an empty set of passages in memory.
impl Default for PassageTexts {
    fn default() -> Self {
        Self { source: Source::Memory(Arc::default()) }
    }
}

/// Finds the passages of a store.
impl From<Arc<PassageStore>> for PassageTexts {
    fn from(store: Arc<PassageStore>) -> Self {
        Self { source: Source::Store(store) }
    }
}

impl PassageTexts {
    /// Returns the passage with this id, or `None` if there is none.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] if the part of the store that this call reads is corrupt.
    #[inline]
    pub fn get(&self, id: &str) -> Result<Option<PassageRef<'_>>, Error> {
        match &self.source {
            Source::Store(store) => store.find(id)?.map(|ord| store.get(ord)).transpose(),
            Source::Memory(passages) => Ok(passages
                .get_key_value(id)
                .map(|(id, (title, text))| PassageRef { id, title: title.as_deref(), text })),
        }
    }

    /// Adds passages to those in memory; a passage replaces an earlier one with the same id. Does nothing if the
    /// passages are in a store, which cannot be extended.
    pub fn extend(&mut self, added: impl IntoIterator<Item = Passage>) {
        if let Source::Memory(passages) = &mut self.source {
            let added = added.into_iter().map(|Passage { id, title, text }| (id, (title, text)));
            Arc::make_mut(passages).extend(added);
        }
    }

    /// Returns the store, or `None` if the passages are in memory.
    #[must_use]
    pub fn store(&self) -> Option<&Arc<PassageStore>> {
        match &self.source {
            Source::Store(store) => Some(store),
            Source::Memory(_) => None,
        }
    }
}
