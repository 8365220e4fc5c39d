use std::path::Path;
use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{Float32Array, Object, Uint32Array};
use napi_derive::napi;
use ranking::{Run, ScoredId};

use crate::error::Failure;
use crate::task::{Outcome, call, spawn};

/// Hits of one query.
#[napi(object)]
pub struct Hits {
    pub ids: Vec<String>,
    pub scores: Float32Array,
}

impl Hits {
    pub fn new(ids: Vec<String>, hits: &[ranking::Hit]) -> Self {
        Self { ids, scores: hits.iter().map(|hit| hit.score).collect::<Vec<_>>().into() }
    }
}

/// Hits of many queries. They stay here until they are looked at.
#[napi]
pub struct NativeRun {
    pub(crate) inner: Arc<Run>,
}

impl From<Run> for NativeRun {
    fn from(run: Run) -> Self {
        Self { inner: Arc::new(run) }
    }
}

#[napi]
impl NativeRun {
    #[napi(catch_unwind)]
    pub fn size(&self) -> u32 {
        self.inner.len() as u32
    }

    /// Query ids, in order.
    #[napi(catch_unwind)]
    pub fn queries(&self) -> Vec<String> {
        self.inner.iter().map(|(query, _)| query.to_owned()).collect()
    }

    #[napi(catch_unwind)]
    pub fn has(&self, query: String) -> bool {
        self.inner.get(&query).is_some()
    }

    /// The hits of one query, best first.
    #[napi(catch_unwind)]
    pub fn get(&self, query: String) -> Option<Hits> {
        self.inner.get(&query).map(|hits| Hits {
            ids: hits.iter().map(|hit| hit.id.clone()).collect(),
            scores: hits.iter().map(|hit| hit.score).collect::<Vec<_>>().into(),
        })
    }

    /// Writes a TREC run.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn write<'env>(&self, env: &'env Env, path: String, tag: String) -> napi::Result<Object<'env>> {
        let run = Arc::clone(&self.inner);
        spawn(env, move || Ok(corpus::write_run(Path::new(&path), &run, &tag)?))
    }
}

/// Reads a TREC run.
#[napi(ts_return_type = "Promise<NativeRun>", catch_unwind)]
pub fn read_run(env: &Env, path: String) -> napi::Result<Object<'_>> {
    spawn(env, move || Ok(NativeRun::from(corpus::read_run(Path::new(&path))?)))
}

/// Takes a run from JavaScript, some queries at a time.
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

    /// `counts[i]` hits of `queries[i]`, one query after the other.
    #[napi(catch_unwind)]
    pub fn add(
        &mut self,
        queries: Vec<String>,
        counts: Uint32Array,
        ids: Vec<String>,
        scores: Float32Array,
    ) -> napi::Result<()> {
        let run = &mut self.run;
        call(move || {
            let wanted: usize = counts.iter().map(|&count| count as usize).sum();
            if queries.len() != counts.len() || wanted != ids.len() || wanted != scores.len() {
                return Err(Failure::argument(
                    "a run: expected as many ids and scores as the counts add up to",
                ));
            }
            let mut hits = ids.into_iter().zip(scores.iter()).map(|(id, &score)| ScoredId { id, score });
            for (query, &count) in queries.into_iter().zip(counts.iter()) {
                run.insert(query, hits.by_ref().take(count as usize).collect());
            }
            Ok(())
        })
    }

    /// The run so far; the builder is empty afterwards.
    #[napi(catch_unwind)]
    pub fn finish(&mut self) -> NativeRun {
        std::mem::take(&mut self.run).into()
    }
}

/// Names the queries of lists of hits.
pub fn named(queries: Vec<String>, lists: impl IntoIterator<Item = Vec<ScoredId>>) -> Outcome<Run> {
    let mut run = Run::new();
    for (query, hits) in queries.into_iter().zip(lists) {
        if run.get(&query).is_some() {
            return Err(Failure::argument(format!("queries: expected distinct ids, got \"{query}\" twice")));
        }
        run.insert(query, hits);
    }
    Ok(run)
}
