//! Receives a run from JavaScript.

use napi::bindgen_prelude::{Float32Array, Uint32Array};
use napi_derive::napi;
use ranking::{Run, ScoredId};

use super::run::NativeRun;
use crate::call::{Failure, call_sync};

/// A run that JavaScript passes in several calls, so that no call takes long.
#[napi]
#[derive(Default)]
pub struct RunBuilder {
    run: Run,
}

#[napi]
impl RunBuilder {
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds queries with their hits. `ids` and `scores` have the hits of all queries, one query after another;
    /// `counts[i]` of them belong to `queries[i]`.
    #[napi(catch_unwind)]
    pub fn add(
        &mut self,
        queries: Vec<String>,
        counts: Uint32Array,
        ids: Vec<String>,
        scores: Float32Array,
    ) -> napi::Result<()> {
        let run = &mut self.run;
        call_sync(move || {
            let hit_count: usize = counts.iter().map(|&count| count as usize).sum();
            if queries.len() != counts.len() || hit_count != ids.len() || hit_count != scores.len() {
                return Err(Failure::argument(
                    "a run: expected one count per query, and as many ids and scores as the counts add up to",
                ));
            }
            let mut hits = ids.into_iter().zip(scores.iter()).map(|(id, &score)| ScoredId { id, score });
            for (query, &count) in queries.into_iter().zip(counts.iter()) {
                run.insert(query, hits.by_ref().take(count as usize).collect());
            }
            Ok(())
        })
    }

    /// Returns the run, and leaves the builder empty.
    #[napi(catch_unwind)]
    pub fn finish(&mut self) -> NativeRun {
        std::mem::take(&mut self.run).into()
    }
}
