//! Gets readings from a cache, runs the reader for those that the cache lacks, and adds them to the cache.

use std::sync::{Mutex, MutexGuard, PoisonError};

use control::{Canceled, Control};

use super::key::ReadingKey;
use super::reading_cache::ReadingCache;
use crate::{Error, StoredReading};

/// A cache, with the keys under which it stores the readings of the passages to read.
#[derive(Debug)]
pub struct CacheLookup<'a> {
    /// The cache. Other calls may use it at the same time.
    pub cache: &'a Mutex<ReadingCache>,
    /// The key of each passage.
    pub keys: Vec<ReadingKey>,
}

impl CacheLookup<'_> {
    fn lock(&self) -> MutexGuard<'_, ReadingCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the readings of `passage_count` passages, in the order of the passages.
///
/// Calls `read` with the indexes of the passages that the cache lacks, at most `group_len` at a time; without a
/// `lookup`, these are all passages. The readings that `read` returns are appended to the cache before the next call,
/// so canceling the work loses at most one group. Advances the progress by the number of readings that come from the
/// cache; `read` must advance it by the number of readings that it returns.
///
/// # Errors
///
/// The errors of `read` and of the cache; [`Canceled`].
///
/// # Panics
///
/// If `lookup` does not have one key per passage, if `group_len` is 0, or if `read` does not return one reading per
/// index.
pub fn read_through<E: From<Error> + From<Canceled>>(
    lookup: Option<&CacheLookup<'_>>,
    passage_count: usize,
    group_len: usize,
    control: &Control,
    mut read: impl FnMut(&[usize]) -> Result<Vec<StoredReading>, E>,
) -> Result<Vec<StoredReading>, E> {
    let mut readings: Vec<Option<StoredReading>> = vec![None; passage_count];
    if let Some(lookup) = lookup {
        assert_eq!(lookup.keys.len(), passage_count, "one key for each passage");
        for (reading, &key) in readings.iter_mut().zip(&lookup.keys) {
            control.check()?;
            *reading = lookup.lock().get(key)?;
        }
    }
    let missing: Vec<usize> = (0..passage_count).filter(|&passage| readings[passage].is_none()).collect();
    control.advance((passage_count - missing.len()) as u64);
    for group in missing.chunks(group_len) {
        let new_readings = read(group)?;
        assert_eq!(new_readings.len(), group.len(), "one reading for each passage of the group");
        if let Some(lookup) = lookup {
            let records: Vec<_> =
                group.iter().map(|&passage| lookup.keys[passage]).zip(new_readings.iter().cloned()).collect();
            lookup.lock().append(&records)?;
        }
        group.iter().zip(new_readings).for_each(|(&passage, reading)| readings[passage] = Some(reading));
    }
    Ok(readings.into_iter().map(|reading| reading.expect("the cache had it, or it was read")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::stored;

    /// A stored reading for the passage with this index. It differs from those of all other passages.
    fn reading(passage: usize) -> StoredReading {
        stored(passage as f32, &[(0..1, 0.5)])
    }

    /// The keys of `count` passages, all for the same question.
    fn keys(count: usize) -> Vec<ReadingKey> {
        (0..count).map(|passage| ReadingKey::of("who?", None, &passage.to_string())).collect()
    }

    /// An empty cache, and the folder that it is in.
    fn new_cache() -> (tempfile::TempDir, Mutex<ReadingCache>) {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = ReadingCache::open(&folder.path().join("cache"), "a reader").expect("a new file");
        (folder, Mutex::new(cache))
    }

    /// Reads `count` passages through a cache, in groups of two, and returns the groups that the reader was given.
    fn groups_read(cache: Option<&Mutex<ReadingCache>>, count: usize, control: &Control) -> Vec<Vec<usize>> {
        let mut groups = Vec::new();
        let lookup = cache.map(|cache| CacheLookup { cache, keys: keys(count) });
        let readings = read_through::<Error>(lookup.as_ref(), count, 2, control, |group| {
            groups.push(group.to_vec());
            Ok(group.iter().map(|&passage| reading(passage)).collect())
        });
        assert_eq!(readings.expect("readable"), (0..count).map(reading).collect::<Vec<_>>());
        groups
    }

    #[test]
    fn only_passages_that_the_cache_lacks_are_read() {
        let (_folder, cache) = new_cache();
        let control = Control::new();
        assert_eq!(groups_read(Some(&cache), 3, &control), [vec![0, 1], vec![2]]);
        assert_eq!(control.done(), 0);
        assert_eq!(groups_read(Some(&cache), 5, &control), [vec![3, 4]]);
        assert_eq!(control.done(), 3);
    }

    #[test]
    fn without_a_cache_all_passages_are_read() {
        assert_eq!(groups_read(None, 3, &Control::new()), [vec![0, 1], vec![2]]);
    }

    #[test]
    fn a_failure_loses_only_the_group_that_failed() {
        let (_folder, cache) = new_cache();
        let control = Control::new();
        let lookup = CacheLookup { cache: &cache, keys: keys(5) };
        let failed = read_through::<Error>(Some(&lookup), 5, 2, &control, |group| {
            if group[0] == 2 {
                return Err(Canceled.into());
            }
            Ok(group.iter().map(|&passage| reading(passage)).collect())
        });
        assert!(matches!(failed, Err(Error::Canceled(_))));
        assert_eq!(groups_read(Some(&cache), 5, &Control::new()), [vec![2, 3], vec![4]]);
    }

    #[test]
    fn canceled_work_reads_nothing() {
        let (_folder, cache) = new_cache();
        let control = Control::new();
        control.cancel();
        let lookup = CacheLookup { cache: &cache, keys: keys(1) };
        let canceled =
            read_through::<Error>(Some(&lookup), 1, 2, &control, |_| unreachable!("the work was canceled"));
        assert!(matches!(canceled, Err(Error::Canceled(_))));
    }
}
