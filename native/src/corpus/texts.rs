//! Looks up the texts of passages by id, for matching answers.

use std::sync::Arc;

use corpus::{Passage, PassageStore, PassageTexts};
use napi_derive::napi;

use crate::call::{CallResult, Failure};

/// Returns the text of a passage of a run. Fails if there is no passage with this id.
pub fn text_of<'a>(passages: &'a PassageTexts, id: &str) -> CallResult<&'a str> {
    let found = passages.get(id)?.ok_or_else(|| {
        Failure::argument(format!(
            "passages: expected the text of every passage of the run, got none for \"{id}\""
        ))
    })?;
    Ok(found.text)
}

/// The texts of passages, in a store or copied from JavaScript.
#[napi]
pub struct NativeTexts {
    inner: PassageTexts,
}

impl NativeTexts {
    /// Returns the texts. Cloning them is cheap.
    pub fn texts(&self) -> PassageTexts {
        self.inner.clone()
    }

    pub fn of_store(store: Arc<PassageStore>) -> Self {
        Self { inner: store.into() }
    }

    /// The store, unless the texts were copied from JavaScript.
    pub fn store(&self) -> Option<Arc<PassageStore>> {
        self.inner.store().cloned()
    }
}

#[napi]
impl NativeTexts {
    #[napi(constructor, catch_unwind)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self { inner: PassageTexts::default() }
    }

    #[napi(catch_unwind)]
    pub fn add(&mut self, ids: Vec<String>, texts: Vec<String>) {
        let passages = ids.into_iter().zip(texts);
        self.inner.extend(passages.map(|(id, text)| Passage { id, title: None, text }));
    }
}
