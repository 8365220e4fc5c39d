//! Changes of an index that has several rows a passage: what is put in, deleted and allowed is passages.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use control::Control;
use dense::{Error, Longest, Put, passage_of, search_passages};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use ranking::Hit;

use super::any_index::{AnyIndex, Wanted};
use super::index::NativeVectorIndex;
use super::opened::Opened;
use crate::error::Failure;
use crate::task::{Outcome, spawn};

/// Of passages being put in: the rows that one has, and which of those given are its new ones.
struct Passage {
    old: Vec<u32>,
    new: Range<usize>,
}

impl Opened {
    /// [`put`](Self::put) of phrases, in the place of all that their passages had. The phrases of a passage come one after
    /// another.
    pub fn put_phrases(
        &self,
        put: Put,
        ids: Vec<String>,
        data: &mut [f32],
        control: &Control,
    ) -> Outcome<()> {
        control.set_total(ids.len() as u64);
        // Those that differ in nothing from the new ones are replaced by their ids.
        let by_id = if put == Put::Add { Put::Add } else { Put::Upsert };
        let (first, passages) = self.read(|index| {
            let passages = passages(index, put, &ids)?;
            index.check_rows(by_id, &ids, data)?;
            Ok((index.len() as u32, passages))
        })?;
        if self.unit_length {
            to_unit_length(put, self.dim as usize, data)?;
        }
        let longest = [Longest::of(self.dim as usize, data)];
        let stage = || self.stage(by_id, ids, data, control);
        self.in_one_moment_then(&longest, stage, |index, replaced| {
            let mut gone = Vec::new();
            for Passage { old, new } in &passages {
                // What was allowed of a passage is allowed of what stands for it now.
                let Some(&head) = old.first() else { continue };
                replaced.extend(new.clone().map(|row| (head, first + row as u32)));
                gone.extend(old.iter().copied());
            }
            let left = |&ord: &u32| index.ord(index.id(ord)) == Some(ord);
            let left: Vec<String> =
                gone.into_iter().filter(left).map(|ord| index.id(ord).to_owned()).collect();
            let left: Vec<&str> = left.iter().map(String::as_str).collect();
            Ok(index.delete(&left)?)
        })
    }

    /// Deletes all phrases of passages, passing over those that are not there; how many passages were.
    pub fn delete_passages(&self, passages: &[String]) -> Outcome<u32> {
        let mut known: Vec<&str> = passages.iter().map(String::as_str).collect();
        known.sort_unstable();
        known.dedup();
        let (passages, ids) = self.read(|index| {
            let (mut passages, mut ids) = (0, Vec::new());
            for passage in known {
                let rows = index.rows_of_passage(passage);
                passages += u32::from(!rows.is_empty());
                ids.extend(rows.into_iter().map(|ord| index.id(ord).to_owned()));
            }
            Ok((passages, ids))
        })?;
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        self.delete_rows(&ids)?;
        Ok(passages)
    }
}

/// What is given, by passages.
fn passages(index: &AnyIndex, put: Put, ids: &[String]) -> Outcome<Vec<Passage>> {
    let operation = if put == Put::Add { "add" } else { "update" };
    let (mut passages, mut names) = (Vec::new(), HashSet::new());
    let mut row = 0;
    for ids in ids.chunk_by(|a, b| passage_of(a) == passage_of(b)) {
        let passage = passage_of(&ids[0]);
        if passage.is_empty() {
            return Err(Error::EmptyId { operation, row }.into());
        }
        if !names.insert(passage) {
            return Err(Failure::argument(format!(
                "{operation}: expected the phrases of a passage one after another, got some of \"{passage}\" again at {row}"
            )));
        }
        let mut phrases = HashSet::with_capacity(ids.len());
        if let Some(twice) = ids.iter().position(|id| !phrases.insert(id)) {
            let message = format!(
                "{operation}: expected phrases of \"{passage}\" that differ, got one twice at {}",
                row + twice
            );
            return Err(Failure::new("ERR_DUPLICATE_ID", message));
        }
        let old = index.rows_of_passage(passage);
        match put {
            Put::Add if !old.is_empty() => {
                return Err(Error::DuplicateId { operation, id: passage.to_owned(), row, first: None }.into());
            }
            Put::Update if old.is_empty() => {
                return Err(Error::UnknownId { operation, id: passage.to_owned(), row }.into());
            }
            _ => {}
        }
        passages.push(Passage { old, new: row..row + ids.len() });
        row += ids.len();
    }
    Ok(passages)
}

/// Scales the vectors `[n * dim]` to length 1.
fn to_unit_length(put: Put, dim: usize, data: &mut [f32]) -> Outcome<()> {
    let operation = if put == Put::Add { "add" } else { "update" };
    for (row, vector) in data.chunks_exact_mut(dim).enumerate() {
        let squared: f64 = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
        if squared == 0.0 {
            return Err(Error::Zero { operation, row }.into());
        }
        let scale = squared.sqrt().recip();
        vector.iter_mut().for_each(|x| *x = (f64::from(*x) * scale) as f32);
    }
    Ok(())
}

/// How many rows passages take that are among the best: for an exact index, by searches before.
pub struct Spread(AtomicU32);

/// Of a graph, which finds other rows when it is asked for more: always as many. Of sentences, nine of ten questions need
/// no more for a hundred passages.
const ROWS_A_PASSAGE: f32 = 1.5;

impl Default for Spread {
    fn default() -> Self {
        Self(AtomicU32::new(ROWS_A_PASSAGE.to_bits()))
    }
}

impl Spread {
    /// The rows to ask for first.
    fn rows(&self, index: &AnyIndex, k: usize) -> usize {
        let spread = match index {
            AnyIndex::Flat(_) => f32::from_bits(self.0.load(Ordering::Relaxed)),
            AnyIndex::Hnsw(_) => ROWS_A_PASSAGE,
        };
        (k as f32 * spread) as usize + 8
    }

    /// Learns from a search.
    fn note(&self, k: usize, needed: usize) {
        if k > 0 {
            let (old, new) = (f32::from_bits(self.0.load(Ordering::Relaxed)), needed as f32 / k as f32 * 1.1);
            let next = if new > old { new } else { old + (new - old) / 64.0 };
            self.0.store(next.clamp(1.0, 1e6).to_bits(), Ordering::Relaxed);
        }
    }
}

/// Rows lead to rows: a walk to half of those that are wanted finds nearly all of them.
fn asked(rows: usize, ef: usize) -> Wanted {
    Wanted { k: rows, ef: ef.max(rows / 2) }
}

/// No search finds more rows.
fn rows_there(index: &AnyIndex, filter: Option<dense::Filter>) -> usize {
    let allowed = filter.and_then(|filter| filter.rows()).map_or(usize::MAX, dense::RowSet::len);
    allowed.min(index.live_len())
}

/// The best row of each of the `k` best passages.
pub fn search(
    opened: &Opened,
    index: &AnyIndex,
    query: &[f32],
    Wanted { k, ef }: Wanted,
    filter: Option<dense::Filter>,
    control: &Control,
) -> Result<Vec<Hit>, Error> {
    let there = rows_there(index, filter);
    let search = |rows: usize| index.search(query, asked(rows, ef), filter, control);
    let first = opened.spread.rows(index, k);
    let (hits, needed) = search_passages(k, first, there, search, |ord| index.id(ord))?;
    if hits.len() == k {
        opened.spread.note(k, needed);
    }
    Ok(hits)
}

/// [`search`] for each of the queries `[q * dim]`. Those whose rows belong to too few passages are searched for again.
pub fn search_many(
    opened: &Opened,
    index: &AnyIndex,
    queries: &[f32],
    (Wanted { k, ef }, threads): (Wanted, usize),
    filter: Option<dense::Filter>,
    control: &Control,
) -> Result<Vec<Vec<Hit>>, Error> {
    let dim = opened.dim as usize;
    let there = rows_there(index, filter);
    let mut rows = opened.spread.rows(index, k).max(k).min(there);
    let mut lists = vec![Vec::new(); queries.len() / dim];
    let mut lacking: Vec<usize> = (0..lists.len()).collect();
    let mut vectors = queries.to_vec();
    loop {
        let found = index.search_many(&vectors, asked(rows, ef), threads, filter, control)?;
        let mut still = Vec::new();
        for (hits, &query) in found.iter().zip(&lacking) {
            let (best, needed) = dense::first_of_passages(hits, k, |ord| index.id(ord));
            if best.len() == k {
                opened.spread.note(k, needed);
            } else if rows < there {
                still.push(query);
            }
            lists[query] = best;
        }
        if still.is_empty() {
            return Ok(lists);
        }
        vectors = still.iter().flat_map(|&query| &queries[query * dim..][..dim]).copied().collect();
        // They count as more to do.
        control.set_total(control.total() + still.len() as u64);
        (lacking, rows) = (still, (2 * rows).min(there));
    }
}

#[napi]
impl NativeVectorIndex {
    /// The ids of the rows that a passage has.
    #[napi(ts_return_type = "Promise<Array<string>>", catch_unwind)]
    pub fn phrases<'env>(&self, env: &'env Env, passage: String) -> napi::Result<Object<'env>> {
        let index = self.opened();
        spawn(env, move || {
            index?.read(|index| {
                let rows = index.rows_of_passage(&passage);
                Ok(rows.into_iter().map(|ord| index.id(ord).to_owned()).collect::<Vec<String>>())
            })
        })
    }

    /// How many passages have rows.
    #[napi(ts_return_type = "Promise<number>", catch_unwind)]
    pub fn passage_count<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let index = self.opened();
        spawn(env, move || {
            index?.read(|index| {
                let live = index.live();
                let passages: HashSet<&str> = live.iter().map(|ord| passage_of(index.id(ord))).collect();
                Ok(passages.len() as u32)
            })
        })
    }
}
