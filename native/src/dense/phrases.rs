//! The passages of an index that has a row for each phrase.

use std::collections::HashSet;

use dense::passage_of;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use serving::VectorIndex;

use super::index::NativeVectorIndex;
use crate::call::spawn;

#[napi]
impl NativeVectorIndex {
    /// The ids of the phrases of a passage.
    #[napi(ts_return_type = "Promise<Array<string>>", catch_unwind)]
    pub fn phrases<'env>(&self, env: &'env Env, passage: String) -> napi::Result<Object<'env>> {
        let index = self.shared();
        spawn(env, move || {
            let phrases = |index: &VectorIndex| -> Vec<String> {
                index.rows_of_passage(&passage).into_iter().map(|ord| index.id(ord).to_owned()).collect()
            };
            Ok(index?.read(phrases)?)
        })
    }

    /// The number of passages that have phrases.
    #[napi(ts_return_type = "Promise<number>", catch_unwind)]
    pub fn passage_count<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let index = self.shared();
        spawn(env, move || {
            let count = |index: &VectorIndex| {
                let live = index.live();
                let passages: HashSet<&str> = live.iter().map(|ord| passage_of(index.id(ord))).collect();
                passages.len() as u32
            };
            Ok(index?.read(count)?)
        })
    }
}
