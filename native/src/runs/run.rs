//! The JavaScript object of a run. Hits stay in native memory until JavaScript reads them.

use std::path::Path;

use napi::Env;
use napi::bindgen_prelude::{Float32Array, Object, Uint32Array};
use napi_derive::napi;
use ranking::{Hit, RetrievedRun, Run};

use super::hits::{Hits, JoinedIds, PassageIdBuilder, U32Buffer, has_room};
use super::known_ids::{IdsOfIndex, JavaScriptIds};
use crate::call::{CallResult, Control, call_sync, control_or_new, drop_elsewhere, spawn};

/// The scores of many lists of hits, one list after another.
#[napi(object)]
pub struct ScoreColumn {
    pub scores: Float32Array,
    /// The position in `scores` at which each list starts, followed by the position at which the last one ends.
    pub offsets: Uint32Array,
}

/// Hits of many queries. They stay in native memory until JavaScript reads them.
#[napi]
#[derive(Clone)]
pub struct NativeRun {
    inner: RetrievedRun,
    /// For a run of an index whose JavaScript object keeps ids.
    ids_of_index: Option<IdsOfIndex>,
}

/// A run with at least this many hits takes too long to free on the JavaScript thread.
const MIN_HITS_TO_DROP_ELSEWHERE: usize = 1 << 14;

impl Drop for NativeRun {
    fn drop(&mut self) {
        if self.inner.owned_hit_count() >= MIN_HITS_TO_DROP_ELSEWHERE {
            drop_elsewhere(std::mem::replace(&mut self.inner, Run::new().into()));
        }
    }
}

impl From<RetrievedRun> for NativeRun {
    fn from(inner: RetrievedRun) -> Self {
        Self { inner, ids_of_index: None }
    }
}

impl From<Run> for NativeRun {
    fn from(run: Run) -> Self {
        Self { inner: run.into(), ids_of_index: None }
    }
}

impl NativeRun {
    /// Makes a run that an index found.
    pub fn of_index(inner: RetrievedRun, ids: IdsOfIndex) -> Self {
        Self { inner, ids_of_index: Some(ids) }
    }

    /// Returns the run. Cloning it is cheap.
    pub fn retrieved(&self) -> RetrievedRun {
        self.inner.clone()
    }

    /// Writes the number of hits and the scores of the lists at `positions` to `buffer`, one list after another, and
    /// returns the ids. If `buffer` is too short, writes only the number, and returns no ids.
    fn write_lists(&self, positions: std::ops::Range<usize>, buffer: &mut [u32]) -> CallResult<JoinedIds> {
        let scores = self.inner.scores(positions.clone());
        let hit_count = scores.clone().count();
        if !has_room(hit_count, buffer) {
            return Ok(PassageIdBuilder::default().write(scores, buffer));
        }
        let mut ids = PassageIdBuilder::with_capacity(hit_count);
        self.inner.for_each_id(positions, |id| ids.push(id))?;
        Ok(ids.write(scores, buffer))
    }

    /// Writes the hits of consecutive lists as [`JavaScriptIds::write`] does, and returns the new ids. Starts with the
    /// list at position `first`, and stops before the first list for which `counts` or `buffer` has no room left, or
    /// whose ids are from another snapshot of the index. Writes the number of lists to `counts`, followed by the number
    /// of hits of each list. Returns `None` if not even one list fits, or if JavaScript keeps no ids for this run.
    fn write_known(
        &self,
        first: usize,
        counts: &mut [u32],
        buffer: &mut [u32],
    ) -> CallResult<Option<String>> {
        let (Some(index), Some(max_hits)) = (&self.ids_of_index, JavaScriptIds::max_hits(buffer)) else {
            return Ok(None);
        };
        let ids = self.inner.ids();
        let (mut hits, mut list_count) = (Vec::new(), 0);
        for position in (first..self.inner.len()).take(counts.len() - 1) {
            let list_len = self.inner.hit_count(position);
            // Ids of lists with different snapshots of an index cannot be looked up together.
            if hits.len() + list_len > max_hits || ids.id_space(position) != ids.id_space(first) {
                break;
            }
            hits.extend(self.inner.hits(position, list_len));
            list_count += 1;
            counts[list_count] = list_len as u32;
        }
        if list_count == 0 {
            return Ok(None);
        }
        counts[0] = list_count as u32;
        let visit_ids = |hits: &[Hit], visit: &mut dyn FnMut(&str)| Ok(ids.for_each_id(first, hits, visit)?);
        index.known.write((index.space, index.size), &hits, buffer, visit_ids).map(Some)
    }
}

#[napi]
impl NativeRun {
    /// Number of queries.
    #[napi(catch_unwind)]
    pub fn size(&self) -> u32 {
        self.inner.len() as u32
    }

    /// Returns the ids of all queries, in order.
    #[napi(catch_unwind)]
    pub fn queries(&self) -> Vec<String> {
        self.inner.query_ids().map(str::to_owned).collect()
    }

    /// Returns the ids of up to `count` queries, beginning with the one at position `first`.
    #[napi(catch_unwind)]
    pub fn queries_from(&self, first: u32, count: u32) -> Vec<String> {
        self.inner.query_ids().skip(first as usize).take(count as usize).map(str::to_owned).collect()
    }

    #[napi(catch_unwind)]
    pub fn has(&self, query: String) -> bool {
        self.inner.query_index(&query).is_some()
    }

    /// Returns the hits of one query, best first, or null if there is no such query.
    #[napi(catch_unwind)]
    pub fn get(&self, query: String) -> napi::Result<Option<Hits>> {
        call_sync(|| {
            let Some(at) = self.inner.query_index(&query) else { return Ok(None) };
            let mut ids = PassageIdBuilder::with_capacity(self.inner.hit_count(at));
            self.inner.for_each_id(at..at + 1, |id| ids.push(id))?;
            Ok(Some(ids.with_scores(self.inner.scores(at..at + 1))))
        })
    }

    /// Returns the ids of the hits of one query, and writes their number and then the bits of their scores to `buffer`.
    /// If `buffer` is too short for all scores, writes only the number, and returns no ids. Returns null if there is no
    /// such query.
    #[napi(ts_return_type = "string | Array<string> | null", catch_unwind)]
    pub fn take(
        &self,
        query: String,
        #[napi(ts_arg_type = "Uint32Array")] buffer: U32Buffer<'_>,
    ) -> napi::Result<Option<JoinedIds>> {
        call_sync(|| {
            self.inner.query_index(&query).map(|at| self.write_lists(at..at + 1, buffer)).transpose()
        })
    }

    /// Does the same as `take` for several consecutive queries, beginning with the one at position `first`. It stops
    /// before the first query for which `counts` or `buffer` has no room left. Writes the number of lists to
    /// `counts`, followed by the number of hits of each list. The number of lists is 0 if not even one list fits, and
    /// also if the run was read from a file or made by JavaScript; the caller must then use `take` instead.
    #[napi(ts_return_type = "string | Array<string>", catch_unwind)]
    pub fn take_from(
        &self,
        first: u32,
        #[napi(ts_arg_type = "Uint32Array")] counts: U32Buffer<'_>,
        #[napi(ts_arg_type = "Uint32Array")] buffer: U32Buffer<'_>,
    ) -> napi::Result<JoinedIds> {
        call_sync(|| {
            if !self.inner.is_lazy() {
                counts[0] = 0;
                return Ok(JoinedIds::A(String::new()));
            }
            let (first, mut hit_count, mut list_count) = (first as usize, 0, 0);
            for position in (first..self.inner.len()).take(counts.len() - 1) {
                let list_len = self.inner.hit_count(position);
                hit_count += list_len;
                if !has_room(hit_count, buffer) {
                    break;
                }
                list_count += 1;
                counts[list_count] = list_len as u32;
            }
            counts[0] = list_count as u32;
            self.write_lists(first..first + list_count, buffer)
        })
    }

    /// Does the same as `takeFrom`, but writes slots to `buffer` too, and returns only the ids that JavaScript does not
    /// have yet, as the quick searches of the index do. It also stops before the first list whose ids are from another
    /// snapshot of the index. Returns null if not even one list fits, or if JavaScript keeps no ids for this run; the
    /// caller must then use `takeFrom`.
    #[napi(catch_unwind)]
    pub fn take_known_from(
        &self,
        first: u32,
        #[napi(ts_arg_type = "Uint32Array")] counts: U32Buffer<'_>,
        #[napi(ts_arg_type = "Uint32Array")] buffer: U32Buffer<'_>,
    ) -> napi::Result<Option<String>> {
        call_sync(|| self.write_known(first as usize, counts, buffer))
    }

    /// Does the same as `takeKnownFrom` for one query. Returns null also if there is no such query; the caller must then
    /// use `take`.
    #[napi(catch_unwind)]
    pub fn take_known(
        &self,
        query: String,
        #[napi(ts_arg_type = "Uint32Array")] buffer: U32Buffer<'_>,
    ) -> napi::Result<Option<String>> {
        call_sync(|| {
            let Some(at) = self.inner.query_index(&query) else { return Ok(None) };
            self.write_known(at, &mut [0; 2], buffer)
        })
    }

    /// Returns the scores of all lists.
    #[napi(ts_return_type = "Promise<ScoreColumn>", catch_unwind)]
    pub fn scores<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let run = self.retrieved();
        spawn(env, move || {
            let (mut offsets, mut hit_count) = (vec![0], 0);
            for position in 0..run.len() {
                hit_count += run.hit_count(position) as u32;
                offsets.push(hit_count);
            }
            let scores: Vec<f32> = run.scores(0..run.len()).collect();
            Ok(ScoreColumn { scores: scores.into(), offsets: offsets.into() })
        })
    }

    /// Writes a TREC run file. `tag` is the name of the run.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn write<'env>(
        &self,
        env: &'env Env,
        path: String,
        tag: String,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (run, control) = (self.retrieved(), control_or_new(control));
        spawn(env, move || Ok(corpus::write_run(Path::new(&path), &*run.to_run()?, &tag, &control)?))
    }
}

/// Reads a TREC run file.
#[napi(ts_return_type = "Promise<NativeRun>", catch_unwind)]
pub fn read_run<'env>(env: &'env Env, path: String, control: Option<&Control>) -> napi::Result<Object<'env>> {
    let control = control_or_new(control);
    spawn(env, move || Ok(NativeRun::from(corpus::read_run_cancelable(Path::new(&path), control)?)))
}
