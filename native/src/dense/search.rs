//! Searches of an opened index.

use std::time::{Duration, Instant};

use control::Control;
use dense::{Filter, RowIds, passage_of};
use ranking::Hit;

use super::any_index::{AnyIndex, Wanted};
use super::filter::FilterRows;
use super::opened::Opened;
use super::phrases;
use crate::hits::{Hits, Ids, Joined, fits};
use crate::run::{Names, NativeRun};
use crate::task::Outcome;

/// How long many queries keep a writer waiting, and so those who come after it.
const SLICE: Duration = Duration::from_millis(50);
/// Queries of the first slice, and what slices are multiples of: what the flat index scores together, on two threads.
const GROUP: usize = 96;

pub fn search(
    opened: &Opened,
    query: &[f32],
    wanted: Wanted,
    filter: Option<&FilterRows>,
    control: &Control,
) -> Outcome<Hits> {
    opened.read(|index| {
        let (hits, ids) = found(opened, index, query, wanted, filter, control)?;
        Ok(ids.with_scores(hits.iter().map(|hit| hit.score).collect()))
    })
}

/// Puts the hits `into` memory of JavaScript. None if that takes longer than a quarter of a millisecond or so, by what
/// searches before took, or if there is no room.
pub fn search_if_quick(
    opened: &Opened,
    query: &[f32],
    wanted: Wanted,
    filter: Option<&FilterRows>,
    into: &mut [u32],
) -> Outcome<Option<Joined>> {
    if !opened.is_resident() {
        return Ok(None);
    }
    let quick = |index: &AnyIndex| {
        let allowed = filter.map(|filter| filter.rows().len());
        let quick = opened.pace.is_quick(index.rows_scored(wanted, allowed));
        if !quick || !fits(wanted.k.min(index.live_len()), into) {
            return Ok(None);
        }
        let (hits, ids) = found(opened, index, query, wanted, filter, &Control::new())?;
        Ok(Some(ids.put(hits.iter().map(|hit| hit.score), into)))
    };
    Ok(opened.read_now(quick)?.flatten())
}

fn found(
    opened: &Opened,
    index: &AnyIndex,
    query: &[f32],
    wanted: Wanted,
    filter: Option<&FilterRows>,
    control: &Control,
) -> Outcome<(Vec<Hit>, Ids)> {
    let began = Instant::now();
    let rows = index.rows_scored(wanted, filter.map(|filter| filter.rows().len()));
    let hits = with_filter(filter, |filter| {
        if opened.phrases {
            phrases::search(opened, index, query, wanted, filter, control)
        } else {
            index.search(query, wanted, filter, control)
        }
    })?;
    let mut ids = Ids::of(hits.len());
    index.for_each_id(&hits, |id| ids.push(id));
    opened.pace.note(rows, began.elapsed());
    Ok((hits, ids))
}

/// Many queries.
pub struct Queries<'a> {
    /// None: they are called by their positions.
    pub names: Vec<String>,
    /// `[q * dim]`
    pub data: &'a [f32],
    /// Whether hits have the ids of their passages, if rows are phrases.
    pub passages: bool,
    /// Whether every row is a hit of its own, if rows are phrases.
    pub each_phrase: bool,
}

/// Searches for each of the queries. A change may come between two of them.
pub fn search_many(
    opened: &Opened,
    Queries { names: mut queries, data, passages, each_phrase }: Queries<'_>,
    (wanted, threads): (Wanted, usize),
    filter: Option<&FilterRows>,
    control: &Control,
) -> Outcome<NativeRun> {
    let dim = opened.dim as usize;
    if queries.is_empty() {
        queries = (0..data.len() / dim).map(|at| at.to_string()).collect();
    }
    control.set_total(queries.len() as u64);
    let (mut lists, mut names) = (Vec::with_capacity(queries.len()), Found { passages, ..Found::default() });
    let mut slice = GROUP;
    while lists.len() < queries.len() {
        let first = lists.len();
        let vectors = &data[first * dim..];
        let vectors = &vectors[..vectors.len().min(slice * dim)];
        let began = Instant::now();
        let found = opened.read(|index| {
            let found = with_filter(filter, |filter| {
                if opened.phrases && !each_phrase {
                    phrases::search_many(opened, index, vectors, (wanted, threads), filter, control)
                } else {
                    index.search_many(vectors, wanted, threads, filter, control)
                }
            });
            names.know(first, index);
            Ok(found.map_err(|error| error.moved_by(first))?)
        })?;
        let took = began.elapsed().max(Duration::from_micros(1));
        let more = slice as f64 * SLICE.as_secs_f64() / took.as_secs_f64();
        slice = ((more as usize).min(slice * 4) / GROUP).max(1) * GROUP;
        lists.extend(found);
    }
    NativeRun::ranked(queries, lists, Box::new(names))
}

fn with_filter<R>(filter: Option<&FilterRows>, work: impl FnOnce(Option<Filter>) -> R) -> R {
    match filter.map(FilterRows::rows) {
        Some(rows) => work(Some(&*rows)),
        None => work(None),
    }
}

/// The ids of an index as they were when lists were found: from which list on, and what they were.
#[derive(Default)]
struct Found {
    ids: Vec<(usize, RowIds)>,
    /// Whether only the part of an id counts that is the passage's.
    passages: bool,
}

impl Found {
    /// The lists from `first` on have the ids that `index` has now.
    fn know(&mut self, first: usize, index: &AnyIndex) {
        let ids = index.row_ids();
        if self.ids.last().is_none_or(|(_, known)| !known.same(&ids)) {
            self.ids.push((first, ids));
        }
    }
}

impl Names for Found {
    fn naming(&self, list: usize) -> usize {
        let known = self.ids.partition_point(|&(first, _)| first <= list);
        known.checked_sub(1).expect("the first list has its ids")
    }

    fn for_each_id(&self, list: usize, hits: &[Hit], with: &mut dyn FnMut(&str)) -> Outcome<()> {
        let (_, ids) = &self.ids[self.naming(list)];
        if self.passages {
            ids.for_each_id(hits, |id| with(passage_of(id)));
        } else {
            ids.for_each_id(hits, with);
        }
        Ok(())
    }
}
