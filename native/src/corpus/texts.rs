//! The texts of passages by their ids, for matching answers.

use std::collections::HashMap;
use std::sync::Arc;

use corpus::PassageStore;
use napi_derive::napi;

use crate::call::{CallResult, Failure};

/// The texts of passages.
#[derive(Clone)]
pub enum PassageTexts {
    Store(Arc<PassageStore>),
    Memory(Arc<HashMap<String, String>>),
}

impl PassageTexts {
    pub fn get(&self, id: &str) -> CallResult<&str> {
        let found = match self {
            Self::Store(store) => match store.find(id)? {
                Some(ord) => Some(store.get(ord)?.text),
                None => None,
            },
            Self::Memory(texts) => texts.get(id).map(String::as_str),
        };
        found.ok_or_else(|| {
            Failure::argument(format!(
                "passages: expected the text of every passage of the run, got none of \"{id}\""
            ))
        })
    }
}

/// The texts of passages, in a store or copied from JavaScript.
#[napi]
pub struct NativeTexts {
    inner: PassageTexts,
}

impl NativeTexts {
    pub fn texts(&self) -> PassageTexts {
        self.inner.clone()
    }

    pub fn of_store(store: Arc<PassageStore>) -> Self {
        Self { inner: PassageTexts::Store(store) }
    }

    /// The store, unless the texts were copied from JavaScript.
    pub fn store(&self) -> Option<Arc<PassageStore>> {
        match &self.inner {
            PassageTexts::Store(store) => Some(Arc::clone(store)),
            PassageTexts::Memory(_) => None,
        }
    }
}

#[napi]
impl NativeTexts {
    #[napi(constructor, catch_unwind)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self { inner: PassageTexts::Memory(Arc::default()) }
    }

    #[napi(catch_unwind)]
    pub fn add(&mut self, ids: Vec<String>, texts: Vec<String>) {
        if let PassageTexts::Memory(memory) = &mut self.inner {
            Arc::make_mut(memory).extend(ids.into_iter().zip(texts));
        }
    }
}
