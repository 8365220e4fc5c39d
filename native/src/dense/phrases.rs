//! Passages and their phrases in an index that has a row for each phrase.

use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use serving::VectorIndex;

use super::index::NativeVectorIndex;
use crate::call::spawn;

#[napi]
impl NativeVectorIndex {
    /// Returns the ids of the phrases of a passage.
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

    /// Returns the number of passages that have phrases.
    #[napi(ts_return_type = "Promise<number>", catch_unwind)]
    pub fn passage_count<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let index = self.shared();
        spawn(env, move || Ok(index?.read(VectorIndex::passage_count)? as u32))
    }
}
