use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::mem;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use control::Control;
use dense::{Longest, PHRASES, Put, RowSet, has_phrases};

use super::any_index::AnyIndex;
use super::filter::FilterRows;
use super::gate::Gate;
use super::pace::Pace;
use super::phrases::Spread;
use super::slices::Slices;
use super::strand::Strand;
use crate::task::Outcome;

/// An index that searches share and a writer takes for itself, a few milliseconds at a time. What JavaScript asks
/// synchronously stands beside the lock: the event loop never waits for a writer.
pub struct Opened {
    index: Gate<AnyIndex>,
    /// Changes, and what must not see half of one.
    pub changes: Arc<Strand>,
    pub pace: Pace,
    pub kind: &'static str,
    pub dim: u32,
    pub similarity: &'static str,
    pub storage: Option<&'static str>,
    pub metadata: String,
    /// Whether a passage has several rows, of which searches find the best.
    pub phrases: bool,
    /// Whether their vectors are scaled to length 1.
    pub unit_length: bool,
    pub spread: Spread,
    /// Threads that linking a graph takes; 0 is one for each core.
    threads: usize,
    size: AtomicU32,
    bytes: AtomicU64,
    resident: AtomicBool,
    filters: Mutex<Vec<Weak<FilterRows>>>,
    token: OnceLock<String>,
    /// Objects of JavaScript that have not been closed.
    objects: AtomicU32,
}

/// Vectors of a mapped index up to so many bytes count as being in memory: they were read when it was opened.
const SMALL: usize = 64 << 20;

impl Opened {
    pub fn new(index: AnyIndex, threads: usize) -> Arc<Self> {
        Arc::new(Self {
            changes: Arc::default(),
            pace: Pace::default(),
            kind: index.kind(),
            dim: index.dim() as u32,
            similarity: index.similarity(),
            storage: index.storage(),
            metadata: index.metadata().to_string(),
            phrases: has_phrases(index.metadata()),
            unit_length: index.metadata()[PHRASES]["unitLength"] == true,
            spread: Spread::default(),
            threads,
            size: AtomicU32::new(index.live_len() as u32),
            bytes: AtomicU64::new(index.memory_bytes() as u64),
            resident: AtomicBool::new(is_resident(&index)),
            filters: Mutex::default(),
            token: OnceLock::new(),
            objects: AtomicU32::new(1),
            index: Gate::new(index),
        })
    }

    pub fn size(&self) -> u32 {
        self.size.load(Ordering::Relaxed)
    }

    pub fn bytes(&self) -> f64 {
        self.bytes.load(Ordering::Relaxed) as f64
    }

    /// Whether no search has to wait for a disk.
    pub fn is_resident(&self) -> bool {
        self.resident.load(Ordering::Relaxed)
    }

    pub fn read<R>(&self, work: impl FnOnce(&AnyIndex) -> Outcome<R>) -> Outcome<R> {
        work(&*self.index.read()?)
    }

    /// None if that meant waiting.
    pub fn read_now<R>(&self, work: impl FnOnce(&AnyIndex) -> Outcome<R>) -> Outcome<Option<R>> {
        self.index.read_now()?.map(|index| work(&index)).transpose()
    }

    fn write<R>(&self, work: impl FnOnce(&mut AnyIndex) -> Outcome<R>) -> Outcome<R> {
        let mut index = self.index.write()?;
        let result = work(&mut index);
        self.size.store(index.live_len() as u32, Ordering::Relaxed);
        self.bytes.store(index.memory_bytes() as u64, Ordering::Relaxed);
        self.resident.store(is_resident(&index), Ordering::Relaxed);
        result
    }

    /// Puts vectors in: all in one moment or, on an error or when cancelled, none. Searches go on meanwhile. To be
    /// called from the strand of changes alone, as all that changes the index.
    pub fn put(&self, put: Put, ids: Vec<String>, mut data: Vec<f32>, control: &Control) -> Outcome<()> {
        if self.phrases {
            return self.put_phrases(put, ids, &mut data, control);
        }
        let data = &data;
        control.set_total(ids.len() as u64);
        self.read(|index| Ok(index.check_rows(put, &ids, data)?))?;
        self.in_one_moment(&[Longest::of(self.dim as usize, data)], || self.stage(put, ids, data, control))
    }

    /// Shows what `stage` has [staged](Self::stage) once it is done, or takes it back. `longest` are those of all the
    /// vectors to come.
    pub fn in_one_moment(&self, longest: &[Longest], stage: impl FnOnce() -> Outcome<()>) -> Outcome<()> {
        self.in_one_moment_then(longest, stage, |_, _| Ok(()))
    }

    /// [`in_one_moment`](Self::in_one_moment), in which `then` is done too. It may add to the rows that were replaced.
    pub fn in_one_moment_then(
        &self,
        longest: &[Longest],
        stage: impl FnOnce() -> Outcome<()>,
        then: impl FnOnce(&mut AnyIndex, &mut Vec<(u32, u32)>) -> Outcome<()>,
    ) -> Outcome<()> {
        self.write(|index| {
            longest.iter().for_each(|&longest| index.expect(longest));
            Ok(())
        })?;
        let staged = stage();
        self.write(|index| match staged {
            Ok(()) => {
                let mut replaced = index.publish();
                let done = then(index, &mut replaced);
                self.for_each_filter(|filter| filter.follow(&replaced));
                done
            }
            Err(error) => {
                index.take_back();
                Err(error)
            }
        })
    }

    /// Puts vectors in that no search finds yet, a slice at a time.
    pub fn stage(&self, put: Put, ids: Vec<String>, data: &[f32], control: &Control) -> Outcome<()> {
        let dim = self.dim as usize;
        let mut slices = Slices::new(self.read(|index| Ok(index.first_slice()))?);
        let (mut ids, mut data) = (ids.into_iter(), data);
        while ids.len() > 0 {
            let seen = self.index.arrived();
            let slice: Vec<String> = ids.by_ref().take(slices.rows()).collect();
            let (vectors, rest) = data.split_at(slice.len() * dim);
            data = rest;
            self.write(|index| {
                // Waiting for the lock is not the slice's time.
                slices.start();
                control.check()?;
                Ok(index.stage(put, slice, vectors, self.threads, control)?)
            })?;
            self.index.let_in();
            slices.end(self.index.arrived() > seen);
        }
        Ok(())
    }

    /// Deletes ids, or all phrases of passages, passing over those that are not there; how many were.
    pub fn delete(&self, ids: &[String]) -> Outcome<u32> {
        if self.phrases {
            return self.delete_passages(ids);
        }
        let mut known: Vec<&str> = ids.iter().map(String::as_str).collect();
        known.sort_unstable();
        known.dedup();
        self.read(|index| {
            known.retain(|id| index.ord(id).is_some());
            Ok(())
        })?;
        self.delete_rows(&known)?;
        Ok(known.len() as u32)
    }

    /// Deletes these ids, all of which are there.
    pub(super) fn delete_rows(&self, ids: &[&str]) -> Outcome<()> {
        self.write(|index| Ok(index.delete(ids)?))
    }

    /// Whether this is the id of a row or, of an index of phrases, of a passage.
    pub fn has(&self, index: &AnyIndex, id: &str) -> bool {
        if self.phrases { !index.rows_of_passage(id).is_empty() } else { index.ord(id).is_some() }
    }

    /// The rows of an id, or of a passage.
    pub fn rows_of(&self, index: &AnyIndex, id: &str) -> Vec<u32> {
        if self.phrases { index.rows_of_passage(id) } else { index.ord(id).into_iter().collect() }
    }

    /// Gives back the space of deleted rows. Searches go on, in what is there until the new one is ready.
    pub fn compact(&self, control: &Control) -> Outcome<()> {
        let (compacted, live) = self.read(|index| {
            control.set_total(index.live_len() as u64);
            Ok((index.compacted(self.threads, control)?, index.live()))
        })?;
        let old = self.write(|index| {
            self.for_each_filter(|filter| filter.compact(&live));
            Ok(mem::replace(index, compacted))
        })?;
        // Not under the lock: gigabytes take a while.
        drop(old);
        Ok(())
    }

    /// A filter of these rows, which follows the changes of the index from now on.
    pub fn filter(&self, rows: impl FnOnce(&AnyIndex) -> Outcome<RowSet>) -> Outcome<Arc<FilterRows>> {
        self.read(|index| {
            let filter = Arc::new(FilterRows::new(rows(index)?));
            let mut filters = self.filters();
            filters.retain(|filter| filter.strong_count() > 0);
            filters.push(Arc::downgrade(&filter));
            Ok(filter)
        })
    }

    fn for_each_filter(&self, work: impl Fn(&FilterRows)) {
        self.filters().iter().filter_map(Weak::upgrade).for_each(|filter| work(&filter));
    }

    fn filters(&self) -> MutexGuard<'_, Vec<Weak<FilterRows>>> {
        self.filters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What [`attached`](Self::attached) finds the index by, as long as an object of it is open.
    pub fn token(self: &Arc<Self>) -> String {
        let token = self.token.get_or_init(|| {
            static MADE: AtomicU64 = AtomicU64::new(0);
            let made = MADE.fetch_add(1, Ordering::Relaxed);
            format!("{:016x}-{made}", SHARED.0.hash_one("index"))
        });
        shared().insert(token.clone(), Arc::downgrade(self));
        token.clone()
    }

    /// One object more of the index with this token.
    pub fn attached(token: &str) -> Option<Arc<Self>> {
        let shared = shared();
        let opened = shared.get(token).and_then(Weak::upgrade)?;
        opened.objects.fetch_add(1, Ordering::Relaxed);
        Some(opened)
    }

    /// One object less. Without any, no token finds the index.
    pub fn detach(&self) {
        let mut shared = shared();
        if self.objects.fetch_sub(1, Ordering::Relaxed) == 1
            && let Some(token) = self.token.get()
        {
            shared.remove(token);
        }
    }
}

/// Indexes by token, which nobody guesses who was not given it: it has a number drawn anew by each process.
type Shared = (RandomState, Mutex<HashMap<String, Weak<Opened>>>);

static SHARED: LazyLock<Shared> = LazyLock::new(Shared::default);

fn shared() -> MutexGuard<'static, HashMap<String, Weak<Opened>>> {
    SHARED.1.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_resident(index: &AnyIndex) -> bool {
    let vectors = index.len() * index.dim() * size_of::<f32>();
    vectors <= SMALL || index.memory_bytes() >= vectors
}
