//! Creates filters: sets of rows to search among.

use std::sync::Arc;

use dense::RowSet;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use serving::{RowFilter, SharedIndex, VectorIndex};

use super::filter::NativeFilter;
use super::ids::NativeIds;
use super::index::NativeVectorIndex;
use super::vector_batch::VectorBatch;
use crate::call::{CallResult, spawn};

fn new_filter(
    index: &Arc<SharedIndex>,
    unknown: u32,
    rows: impl FnOnce(&VectorIndex) -> RowSet,
) -> CallResult<NativeFilter> {
    Ok(NativeFilter::new(index, index.filter(rows)?, unknown))
}

#[napi]
impl NativeVectorIndex {
    /// A filter that allows the ids of a batch, which is emptied.
    #[napi(ts_return_type = "Promise<NativeFilter>", catch_unwind)]
    pub fn filter_of_ids<'env>(&self, env: &'env Env, batch: &mut VectorBatch) -> napi::Result<Object<'env>> {
        let (index, (ids, _)) = (self.shared(), batch.take());
        spawn(env, move || {
            let ids = ids.into_vec();
            let shared = index?;
            let mut unknown = 0;
            let rows = shared.filter(|index| {
                let known = ids.iter().flat_map(|id| {
                    let rows = shared.rows_of_id(index, id);
                    unknown += u32::from(rows.is_empty());
                    rows
                });
                known.collect()
            })?;
            Ok(NativeFilter::new(&shared, rows, unknown))
        })
    }

    /// A filter that allows the ids that were marked in a snapshot.
    #[napi(ts_return_type = "Promise<NativeFilter>", catch_unwind)]
    pub fn filter_of_marked<'env>(
        &self,
        env: &'env Env,
        snapshot: &mut NativeIds,
    ) -> napi::Result<Object<'env>> {
        let (index, ids, marked) =
            (self.shared(), snapshot.ids.clone(), std::mem::take(&mut snapshot.marked));
        spawn(env, move || {
            // The rows of these ids may have changed since the snapshot.
            new_filter(&index?, 0, |index| marked.iter().filter_map(|ord| index.ord(ids.id(ord))).collect())
        })
    }

    /// A filter that allows what both filters allow or, with `either`, what one of them does.
    #[napi(ts_return_type = "Promise<NativeFilter>", catch_unwind)]
    pub fn filter_of_two<'env>(
        &self,
        env: &'env Env,
        a: &NativeFilter,
        b: &NativeFilter,
        either: bool,
    ) -> napi::Result<Object<'env>> {
        let parts = self.shared().and_then(|index| Ok((a.rows_for(&index)?, b.rows_for(&index)?, index)));
        let unknown = a.unknown() + b.unknown();
        spawn(env, move || {
            let (a, b, index): (Arc<RowFilter>, Arc<RowFilter>, _) = parts?;
            new_filter(&index, unknown, |_| {
                let (a, b) = (a.rows(), b.rows());
                if either { a.union(&b) } else { a.intersection(&b) }
            })
        })
    }

    /// A filter that allows all rows, except those that `excluded` allows.
    #[napi(ts_return_type = "Promise<NativeFilter>", catch_unwind)]
    pub fn filter_of_rest<'env>(
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
            new_filter(&index, unknown, |index| {
                let live = index.live();
                excluded.map_or_else(|| live.clone(), |excluded| live.difference(&excluded.rows()))
            })
        })
    }
}
