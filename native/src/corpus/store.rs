//! Reads passages from a passage store: one file with all passages of a corpus, which finds them by id or position.

use std::path::Path;
use std::sync::Arc;

use corpus::PassageStore;
use napi::Env;
use napi::bindgen_prelude::{Object, Uint8Array};
use napi_derive::napi;

use super::passage::NativePassage;
use super::texts::NativeTexts;
use crate::call::{CallResult, Failure, spawn};
use crate::files::NativeOpenOptions;

/// An open passage store.
#[napi]
pub struct NativePassageStore {
    /// `None` once the store is closed.
    inner: Option<Arc<PassageStore>>,
    size: u32,
    bytes: f64,
}

#[napi(ts_return_type = "Promise<NativePassageStore>", catch_unwind)]
pub fn open_passage_store(env: &Env, path: String, options: NativeOpenOptions) -> napi::Result<Object<'_>> {
    spawn(env, move || {
        let store = PassageStore::open_with(Path::new(&path), options.parse())?;
        let (size, bytes) = (store.len(), store.bytes() as f64);
        Ok(NativePassageStore { inner: Some(Arc::new(store)), size, bytes })
    })
}

#[napi]
impl NativePassageStore {
    /// Number of passages.
    #[napi(getter, catch_unwind)]
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Length of the file in bytes.
    #[napi(getter, catch_unwind)]
    pub fn bytes(&self) -> f64 {
        self.bytes
    }

    /// Returns the passages with these ids, in the order of the ids. Fails for an unknown id.
    #[napi(ts_return_type = "Promise<Array<NativePassage>>", catch_unwind)]
    pub fn get<'env>(&self, env: &'env Env, ids: Vec<String>) -> napi::Result<Object<'env>> {
        let store = self.inner.clone();
        spawn(env, move || {
            let store = store.ok_or_else(|| Failure::closed("passage store"))?;
            let passage = |id: &String| {
                let ord = store.find(id)?.ok_or_else(|| {
                    Failure::argument(format!("get: expected ids of passages in the store, got \"{id}\""))
                })?;
                passage_at(&store, ord)
            };
            ids.iter().map(passage).collect::<CallResult<Vec<_>>>()
        })
    }

    /// Returns for each id 1 if the store has a passage with this id, or else 0.
    #[napi(ts_return_type = "Promise<Uint8Array>", catch_unwind)]
    pub fn has<'env>(&self, env: &'env Env, ids: Vec<String>) -> napi::Result<Object<'env>> {
        let store = self.inner.clone();
        spawn(env, move || {
            let store = store.ok_or_else(|| Failure::closed("passage store"))?;
            let found = ids.iter().map(|id| Ok(u8::from(store.find(id)?.is_some())));
            Ok(Uint8Array::from(found.collect::<CallResult<Vec<u8>>>()?))
        })
    }

    /// Returns up to `count` passages, beginning with the one at position `start`.
    #[napi(ts_return_type = "Promise<Array<NativePassage>>", catch_unwind)]
    pub fn slice<'env>(&self, env: &'env Env, start: u32, count: u32) -> napi::Result<Object<'env>> {
        let (store, size) = (self.inner.clone(), self.size);
        spawn(env, move || {
            let store = store.ok_or_else(|| Failure::closed("passage store"))?;
            (start..start.saturating_add(count).min(size))
                .map(|ord| passage_at(&store, ord))
                .collect::<CallResult<Vec<_>>>()
        })
    }

    /// Returns the texts of the passages, for answer matching.
    #[napi(catch_unwind)]
    pub fn texts(&self) -> napi::Result<NativeTexts> {
        let store = self.inner.clone().ok_or_else(|| Failure::closed("passage store"))?;
        Ok(NativeTexts::of_store(store))
    }

    #[napi(catch_unwind)]
    pub fn close(&mut self) {
        self.inner = None;
    }
}

fn passage_at(store: &PassageStore, ord: u32) -> CallResult<NativePassage> {
    let passage = store.get(ord)?;
    Ok(NativePassage {
        id: passage.id.to_owned(),
        text: passage.text.to_owned(),
        title: passage.title.map(str::to_owned),
    })
}
