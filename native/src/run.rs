use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use napi::Env;
use napi::bindgen_prelude::{Float32Array, Object, Uint32Array};
use napi_derive::napi;
use ranking::{Hit, Run, ScoredId};

use crate::control::{Control, or_new};
use crate::error::Failure;
use crate::hits::{Hits, Ids, Joined, Room, fits};
use crate::numbering::Numbering;
use crate::pool;
use crate::task::{Outcome, call, spawn};

/// No number.
const NONE: u32 = u32::MAX;

/// Scores of many lists.
#[napi(object)]
pub struct ScoreColumn {
    pub scores: Float32Array,
    pub offsets: Uint32Array,
}

/// Hits of many queries. They stay here until they are looked at.
#[napi]
#[derive(Clone)]
pub struct NativeRun {
    inner: Inner,
}

#[derive(Clone)]
enum Inner {
    Named(Arc<Run>),
    Ranked(Arc<Ranked>),
}

/// Hits whose passages have their numbers only, until somebody wants the ids.
struct Ranked {
    queries: Vec<String>,
    positions: HashMap<String, usize>,
    lists: Vec<Vec<Hit>>,
    names: Arc<dyn Names>,
    named: OnceLock<Arc<Run>>,
}

impl Ranked {
    /// Puts some of the lists `into` memory.
    fn take(&self, lists: Range<usize>, into: &mut [u32]) -> Outcome<Joined> {
        let scores = self.lists[lists.clone()].iter().flatten().map(|hit| hit.score);
        let hits = scores.clone().count();
        if !fits(hits, into) {
            return Ok(Ids::default().put(scores, into));
        }
        let mut ids = Ids::of(hits);
        for list in lists {
            self.names.for_each_id(list, &self.lists[list], &mut |id| ids.push(id))?;
        }
        Ok(ids.put(scores, into))
    }
}

/// Knows the ids of what was found.
pub trait Names: Send + Sync {
    /// Lists of which one ord is one passage have the same number.
    fn naming(&self, _list: usize) -> usize {
        0
    }

    /// Calls `with` for each hit of a list, in order.
    fn for_each_id(&self, list: usize, hits: &[Hit], with: &mut dyn FnMut(&str)) -> Outcome<()>;
}

/// Names a hit by its place in its list.
struct Places(Arc<Run>);

impl Names for Places {
    fn naming(&self, list: usize) -> usize {
        list
    }

    fn for_each_id(&self, list: usize, hits: &[Hit], with: &mut dyn FnMut(&str)) -> Outcome<()> {
        let (_, named) = self.0.at(list).expect("a list of this run");
        hits.iter().for_each(|hit| with(&named[hit.ord as usize].id));
        Ok(())
    }
}

/// Lists of so many hits take a while to free: not on the JavaScript thread. Without another, on this one.
const MANY_HITS: usize = 1 << 14;

impl Drop for NativeRun {
    fn drop(&mut self) {
        let hits = match &self.inner {
            Inner::Named(run) if Arc::strong_count(run) == 1 => run.iter().map(|(_, hits)| hits.len()).sum(),
            Inner::Ranked(ranked) if Arc::strong_count(ranked) == 1 => {
                ranked.lists.iter().map(Vec::len).sum()
            }
            // Another frees them.
            _ => 0usize,
        };
        if hits >= MANY_HITS {
            let run = std::mem::replace(&mut self.inner, Inner::Named(Arc::default()));
            let _ = pool::run(Box::new(move || drop(run)));
        }
    }
}

impl From<Run> for NativeRun {
    fn from(run: Run) -> Self {
        Self { inner: Inner::Named(Arc::new(run)) }
    }
}

impl NativeRun {
    /// A list of hits for each query; queries have distinct ids.
    pub fn ranked(queries: Vec<String>, lists: Vec<Vec<Hit>>, names: Box<dyn Names>) -> Outcome<Self> {
        let mut positions = HashMap::with_capacity(queries.len());
        for (at, query) in queries.iter().enumerate() {
            if positions.insert(query.clone(), at).is_some() {
                return Err(twice(query));
            }
        }
        let (names, named) = (Arc::from(names), OnceLock::new());
        Ok(Self { inner: Inner::Ranked(Arc::new(Ranked { queries, positions, lists, names, named })) })
    }

    /// Calls `with` for each query and the first `depth` of its hits, whose ords are then numbers of `numbering`. What is
    /// found often is named once.
    pub fn for_each_list(
        &self,
        depth: usize,
        numbering: &mut Numbering,
        mut with: impl FnMut(&str, Vec<Hit>),
    ) -> Outcome<()> {
        let ranked = match &self.inner {
            Inner::Named(run) => {
                for (query, hits) in run.iter() {
                    let numbered = hits.iter().take(depth);
                    let numbered =
                        numbered.map(|hit| Hit { ord: numbering.number(&hit.id), score: hit.score });
                    with(query, numbered.collect());
                }
                return Ok(());
            }
            Inner::Ranked(ranked) => ranked,
        };
        let (mut naming, mut numbers) = (usize::MAX, Vec::new());
        for (list, (query, hits)) in ranked.queries.iter().zip(&ranked.lists).enumerate() {
            if ranked.names.naming(list) != naming {
                naming = ranked.names.naming(list);
                numbers.clear();
            }
            let hits = &hits[..hits.len().min(depth)];
            let most = hits.iter().map(|hit| hit.ord as usize + 1).max().unwrap_or(0);
            numbers.resize(most.max(numbers.len()), NONE);
            let new: Vec<Hit> =
                hits.iter().filter(|hit| numbers[hit.ord as usize] == NONE).copied().collect();
            let mut of_new = new.iter();
            ranked.names.for_each_id(list, &new, &mut |id| {
                let hit = of_new.next().expect("an id for each hit");
                numbers[hit.ord as usize] = numbering.number(id);
            })?;
            let numbered = hits.iter().map(|hit| Hit { ord: numbers[hit.ord as usize], score: hit.score });
            with(query, numbered.collect());
        }
        Ok(())
    }

    /// Query ids, in order.
    pub fn query_ids(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        match &self.inner {
            Inner::Named(run) => Box::new(run.iter().map(|(query, _)| query)),
            Inner::Ranked(ranked) => Box::new(ranked.queries.iter().map(String::as_str)),
        }
    }

    /// The first `depth` hits of the list at a place, whose passages the run's [`names`](Self::names) name.
    pub fn list(&self, place: usize, depth: usize) -> Vec<Hit> {
        match &self.inner {
            Inner::Named(run) => {
                let (_, hits) = run.at(place).unwrap_or_default();
                let hits = hits.iter().take(depth).enumerate();
                hits.map(|(at, hit)| Hit { ord: at as u32, score: hit.score }).collect()
            }
            Inner::Ranked(ranked) => ranked.lists[place].iter().take(depth).copied().collect(),
        }
    }

    /// Who names the hits of its lists. What holds it does not hold the hits, unless they have their ids by them.
    pub fn names(&self) -> Arc<dyn Names> {
        match &self.inner {
            Inner::Named(run) => Arc::new(Places(Arc::clone(run))),
            Inner::Ranked(ranked) => Arc::clone(&ranked.names),
        }
    }

    /// The run with passage ids; made once, which takes time.
    pub fn named(&self) -> Outcome<Arc<Run>> {
        let ranked = match &self.inner {
            Inner::Named(run) => return Ok(Arc::clone(run)),
            Inner::Ranked(ranked) => ranked,
        };
        if let Some(run) = ranked.named.get() {
            return Ok(Arc::clone(run));
        }
        let mut run = Run::new();
        for (list, (query, hits)) in ranked.queries.iter().zip(&ranked.lists).enumerate() {
            let mut scores = hits.iter().map(|hit| hit.score);
            let mut scored = Vec::with_capacity(hits.len());
            ranked.names.for_each_id(list, hits, &mut |id| {
                let score = scores.next().expect("an id for each hit");
                scored.push(ScoredId { id: id.to_owned(), score });
            })?;
            run.insert(query.as_str(), scored);
        }
        Ok(Arc::clone(ranked.named.get_or_init(|| Arc::new(run))))
    }
}

#[napi]
impl NativeRun {
    #[napi(catch_unwind)]
    pub fn size(&self) -> u32 {
        match &self.inner {
            Inner::Named(run) => run.len() as u32,
            Inner::Ranked(ranked) => ranked.queries.len() as u32,
        }
    }

    /// Query ids, in order.
    #[napi(catch_unwind)]
    pub fn queries(&self) -> Vec<String> {
        match &self.inner {
            Inner::Named(run) => run.iter().map(|(query, _)| query.to_owned()).collect(),
            Inner::Ranked(ranked) => ranked.queries.clone(),
        }
    }

    /// The ids of so many queries from the one at `first` on.
    #[napi(catch_unwind)]
    pub fn queries_from(&self, first: u32, count: u32) -> Vec<String> {
        self.query_ids().skip(first as usize).take(count as usize).map(str::to_owned).collect()
    }

    #[napi(catch_unwind)]
    pub fn has(&self, query: String) -> bool {
        match &self.inner {
            Inner::Named(run) => run.get(&query).is_some(),
            Inner::Ranked(ranked) => ranked.positions.contains_key(&query),
        }
    }

    /// The hits of one query, best first.
    #[napi(catch_unwind)]
    pub fn get(&self, query: String) -> napi::Result<Option<Hits>> {
        call(|| match &self.inner {
            Inner::Named(run) => Ok(run.get(&query).map(|hits| {
                let ids: Ids = hits.iter().map(|hit| &hit.id).collect();
                ids.with_scores(hits.iter().map(|hit| hit.score).collect())
            })),
            Inner::Ranked(ranked) => match ranked.positions.get(&query) {
                Some(&at) => {
                    let hits = &ranked.lists[at];
                    let mut ids = Ids::of(hits.len());
                    ranked.names.for_each_id(at, hits, &mut |id| ids.push(id))?;
                    Ok(Some(ids.with_scores(hits.iter().map(|hit| hit.score).collect())))
                }
                None => Ok(None),
            },
        })
    }

    /// The hits of one query, put `into` memory: see [`Ids::put`]. None where there is no such query, and their number alone
    /// where there is no room for them.
    #[napi(ts_return_type = "string | Array<string> | null", catch_unwind)]
    pub fn take(
        &self,
        query: String,
        #[napi(ts_arg_type = "Uint32Array")] into: Room<'_>,
    ) -> napi::Result<Option<Joined>> {
        call(|| match &self.inner {
            Inner::Named(run) => Ok(run.get(&query).map(|hits| {
                let named = hits.iter().filter(|_| fits(hits.len(), into)).map(|hit| &hit.id);
                named.collect::<Ids>().put(hits.iter().map(|hit| hit.score), into)
            })),
            Inner::Ranked(ranked) => {
                let Some(&at) = ranked.positions.get(&query) else { return Ok(None) };
                ranked.take(at..at + 1, into).map(Some)
            }
        })
    }

    /// The hits of queries from one on, as many as there is room for, one list after another: see [`Ids::put`]. `counts`
    /// begins with the number of lists, then has that of the hits of each. None fit of a run that was read from a file.
    #[napi(ts_return_type = "string | Array<string>", catch_unwind)]
    pub fn take_from(
        &self,
        first: u32,
        #[napi(ts_arg_type = "Uint32Array")] counts: Room<'_>,
        #[napi(ts_arg_type = "Uint32Array")] into: Room<'_>,
    ) -> napi::Result<Joined> {
        call(|| {
            let Inner::Ranked(ranked) = &self.inner else {
                counts[0] = 0;
                return Ok(Joined::A(String::new()));
            };
            let (first, mut hits, mut lists) = (first as usize, 0, 0);
            for list in ranked.lists.iter().skip(first).take(counts.len() - 1) {
                hits += list.len();
                if !fits(hits, into) {
                    break;
                }
                lists += 1;
                counts[lists] = list.len() as u32;
            }
            counts[0] = lists as u32;
            ranked.take(first..first + lists, into)
        })
    }

    /// The scores of all lists, one after another, and where each list starts, then where the last ends.
    #[napi(ts_return_type = "Promise<ScoreColumn>", catch_unwind)]
    pub fn scores<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let run = self.inner.clone();
        spawn(env, move || {
            let (mut scores, mut offsets): (Vec<f32>, Vec<u32>) = (Vec::new(), vec![0]);
            let mut list = |hits: &mut dyn Iterator<Item = f32>| {
                scores.extend(hits);
                offsets.push(scores.len() as u32);
            };
            match &run {
                Inner::Named(run) => {
                    run.iter().for_each(|(_, hits)| list(&mut hits.iter().map(|hit| hit.score)));
                }
                Inner::Ranked(ranked) => {
                    ranked.lists.iter().for_each(|hits| list(&mut hits.iter().map(|hit| hit.score)));
                }
            }
            Ok(ScoreColumn { scores: scores.into(), offsets: offsets.into() })
        })
    }

    /// Writes a TREC run.
    #[napi(ts_return_type = "Promise<void>", catch_unwind)]
    pub fn write<'env>(
        &self,
        env: &'env Env,
        path: String,
        tag: String,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (run, control) = (self.clone(), or_new(control));
        spawn(env, move || Ok(corpus::write_run(Path::new(&path), &*run.named()?, &tag, &control)?))
    }
}

/// Reads a TREC run.
#[napi(ts_return_type = "Promise<NativeRun>", catch_unwind)]
pub fn read_run<'env>(env: &'env Env, path: String, control: Option<&Control>) -> napi::Result<Object<'env>> {
    let control = or_new(control);
    spawn(env, move || Ok(NativeRun::from(corpus::read_run_cancellable(Path::new(&path), control)?)))
}

fn twice(query: &str) -> Failure {
    Failure::argument(format!("queries: expected distinct ids, got \"{query}\" twice"))
}
