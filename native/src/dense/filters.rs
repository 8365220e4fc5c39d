//! Filters of an index.

use std::sync::Arc;

use dense::RowSet;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use super::any_index::AnyIndex;
use super::batch::VectorBatch;
use super::filter::{FilterRows, NativeFilter, rows_of};
use super::ids::NativeIds;
use super::index::NativeVectorIndex;
use super::opened::Opened;
use crate::task::{Outcome, spawn};

fn filter(
    index: &Arc<Opened>,
    unknown: u32,
    rows: impl FnOnce(&AnyIndex) -> Outcome<RowSet>,
) -> Outcome<NativeFilter> {
    Ok(NativeFilter { index: Arc::downgrade(index), rows: index.filter(rows)?, unknown })
}

#[napi]
impl NativeVectorIndex {
    /// Allows the ids of a batch, which is emptied.
    #[napi(ts_return_type = "Promise<NativeFilter>", catch_unwind)]
    pub fn filter_of_ids<'env>(&self, env: &'env Env, batch: &mut VectorBatch) -> napi::Result<Object<'env>> {
        let (index, (ids, _)) = (self.opened(), batch.take());
        spawn(env, move || {
            let ids = ids.apart();
            let opened = index?;
            let mut unknown = 0;
            let rows = opened.filter(|index| {
                let known = ids.iter().flat_map(|id| {
                    let rows = opened.rows_of(index, id);
                    unknown += u32::from(rows.is_empty());
                    rows
                });
                Ok(known.collect())
            })?;
            Ok(NativeFilter { index: Arc::downgrade(&opened), rows, unknown })
        })
    }

    /// Allows the ids that were marked.
    #[napi(ts_return_type = "Promise<NativeFilter>", catch_unwind)]
    pub fn filter_of_marked<'env>(&self, env: &'env Env, ids: &mut NativeIds) -> napi::Result<Object<'env>> {
        let (index, names, marked) = (self.opened(), ids.names.clone(), std::mem::take(&mut ids.marked));
        spawn(env, move || {
            // Their rows may have changed since.
            filter(&index?, 0, |index| Ok(marked.iter().filter_map(|ord| index.ord(names.id(ord))).collect()))
        })
    }

    /// Allows what all parts allow, or with `either` what one of them does.
    #[napi(ts_return_type = "Promise<NativeFilter>", catch_unwind)]
    pub fn filter_of_two<'env>(
        &self,
        env: &'env Env,
        a: &NativeFilter,
        b: &NativeFilter,
        either: bool,
    ) -> napi::Result<Object<'env>> {
        let parts =
            self.opened().and_then(|index| Ok((rows_of(&index, Some(a))?, rows_of(&index, Some(b))?, index)));
        let unknown = a.unknown + b.unknown;
        spawn(env, move || {
            let (a, b, index) = parts?;
            let [a, b]: [Arc<FilterRows>; 2] = [a, b].map(|rows| rows.expect("it was given"));
            filter(&index, unknown, |_| {
                let (a, b) = (a.rows(), b.rows());
                Ok(if either { a.union(&b) } else { a.intersection(&b) })
            })
        })
    }

    /// Allows what a filter does not, or all without one.
    #[napi(ts_return_type = "Promise<NativeFilter>", catch_unwind)]
    pub fn filter_of_rest<'env>(
        &self,
        env: &'env Env,
        excluded: Option<&NativeFilter>,
    ) -> napi::Result<Object<'env>> {
        let parts = self.opened().and_then(|index| Ok((rows_of(&index, excluded)?, index)));
        let unknown = excluded.map_or(0, |excluded| excluded.unknown);
        spawn(env, move || {
            let (excluded, index) = parts?;
            filter(&index, unknown, |index| {
                let live = index.live();
                Ok(excluded.map_or_else(|| live.clone(), |excluded| live.difference(&excluded.rows())))
            })
        })
    }
}
