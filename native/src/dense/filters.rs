//! Creates filters of a vector index, which limit searches to some of its rows.

use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use super::filter::NativeFilter;
use super::ids::NativeIds;
use super::index::NativeVectorIndex;
use super::vector_batch::VectorBatch;
use crate::call::spawn;

#[napi]
impl NativeVectorIndex {
    /// Makes a filter that allows the rows with the ids of a batch. Empties the batch.
    #[napi(ts_return_type = "Promise<NativeFilter>", catch_unwind)]
    pub fn filter_of_ids<'env>(&self, env: &'env Env, batch: &mut VectorBatch) -> napi::Result<Object<'env>> {
        let (index, (ids, _)) = (self.shared(), batch.take());
        spawn(env, move || {
            let ids = ids.into_vec();
            let index = index?;
            let (rows, unknown) = index.filter_of_ids(&ids)?;
            Ok(NativeFilter::new(&index, rows, unknown))
        })
    }

    /// Makes a filter that allows the rows whose ids were marked in a snapshot.
    #[napi(ts_return_type = "Promise<NativeFilter>", catch_unwind)]
    pub fn filter_from_marked_ids<'env>(
        &self,
        env: &'env Env,
        snapshot: &mut NativeIds,
    ) -> napi::Result<Object<'env>> {
        let (index, (ids, marked)) = (self.shared(), snapshot.cursor.take_marked());
        spawn(env, move || {
            let index = index?;
            Ok(NativeFilter::new(&index, index.filter_from_marked_ids(&ids, &marked)?, 0))
        })
    }

    /// Makes a filter that allows the rows that both filters allow or, with `either`, the rows that at least one of
    /// them allows.
    #[napi(ts_return_type = "Promise<NativeFilter>", catch_unwind)]
    pub fn combine_filters<'env>(
        &self,
        env: &'env Env,
        a: &NativeFilter,
        b: &NativeFilter,
        either: bool,
    ) -> napi::Result<Object<'env>> {
        let parts = self.shared().and_then(|index| Ok((a.rows_for(&index)?, b.rows_for(&index)?, index)));
        let unknown = a.unknown() + b.unknown();
        spawn(env, move || {
            let (a, b, index) = parts?;
            Ok(NativeFilter::new(&index, index.combine_filters(&a, &b, either)?, unknown))
        })
    }

    /// Makes a filter that allows all rows except those that `excluded` allows; without `excluded`, all rows.
    #[napi(ts_return_type = "Promise<NativeFilter>", catch_unwind)]
    pub fn filter_excluding<'env>(
        &self,
        env: &'env Env,
        excluded: Option<&NativeFilter>,
    ) -> napi::Result<Object<'env>> {
        let parts = self
            .shared()
            .and_then(|index| Ok((excluded.map(|excluded| excluded.rows_for(&index)).transpose()?, index)));
        let unknown = excluded.map_or(0, |excluded| excluded.unknown());
        spawn(env, move || {
            let (excluded, index) = parts?;
            Ok(NativeFilter::new(&index, index.filter_excluding(excluded.as_deref())?, unknown))
        })
    }
}
