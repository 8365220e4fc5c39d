//! Reads passages through a cache: from the file where it has a reading, otherwise from the reader.

use std::sync::{Mutex, MutexGuard, PoisonError};

use control::{Cancelled, Control};

use super::key::ReadingKey;
use super::reading_cache::ReadingCache;
use crate::{Error, StoredReading};

/// A cache with the keys of the passages to read, in their order.
#[derive(Debug)]
pub struct CacheLookup<'a> {
    /// The file, which other calls may use too.
    pub cache: &'a Mutex<ReadingCache>,
    /// `[passages]`
    pub keys: Vec<ReadingKey>,
}

impl CacheLookup<'_> {
    fn lock(&self) -> MutexGuard<'_, ReadingCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the readings of `passage_count` passages, in their order. Calls `read` with the positions of those that the cache
/// lacks, at most `group_len` at a time, and appends what it returns to the cache at once: if the work is cancelled, it loses
/// one group. Advances the progress by the readings that come from the cache.
///
/// # Errors
///
/// Those of `read` and of the cache; [`Cancelled`].
///
/// # Panics
///
/// If there is not one key for each passage, or `read` does not return one reading for each position.
pub fn read_through<E: From<Error> + From<Cancelled>>(
    lookup: Option<&CacheLookup<'_>>,
    passage_count: usize,
    group_len: usize,
    control: &Control,
    mut read: impl FnMut(&[usize]) -> Result<Vec<StoredReading>, E>,
) -> Result<Vec<StoredReading>, E> {
    let mut readings: Vec<Option<StoredReading>> = vec![None; passage_count];
    if let Some(lookup) = lookup {
        assert_eq!(lookup.keys.len(), passage_count, "keys of the passages");
        for (reading, &key) in readings.iter_mut().zip(&lookup.keys) {
            control.check()?;
            *reading = lookup.lock().get(key)?;
        }
    }
    let missing: Vec<usize> = (0..passage_count).filter(|&at| readings[at].is_none()).collect();
    control.advance((passage_count - missing.len()) as u64);
    for group in missing.chunks(group_len) {
        let read = read(group)?;
        assert_eq!(read.len(), group.len(), "readings of the group");
        if let Some(lookup) = lookup {
            let records: Vec<_> = group.iter().map(|&at| lookup.keys[at]).zip(read.iter().cloned()).collect();
            lookup.lock().append(&records)?;
        }
        group.iter().zip(read).for_each(|(&at, reading)| readings[at] = Some(reading));
    }
    Ok(readings.into_iter().map(|reading| reading.expect("it was read")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::stored;

    /// The reading of the passage at a position.
    fn reading(at: usize) -> StoredReading {
        stored(at as f32, &[(0..1, 0.5)])
    }

    fn keys(count: usize) -> Vec<ReadingKey> {
        (0..count).map(|at| ReadingKey::of("who?", None, &at.to_string())).collect()
    }

    fn new_cache() -> (tempfile::TempDir, Mutex<ReadingCache>) {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = ReadingCache::open(&folder.path().join("cache"), "a reader").expect("a new file");
        (folder, Mutex::new(cache))
    }

    /// Reads `count` passages in groups of two, and returns the groups that were read.
    fn read(cache: Option<&Mutex<ReadingCache>>, count: usize, control: &Control) -> Vec<Vec<usize>> {
        let mut groups = Vec::new();
        let lookup = cache.map(|cache| CacheLookup { cache, keys: keys(count) });
        let readings = read_through::<Error>(lookup.as_ref(), count, 2, control, |group| {
            groups.push(group.to_vec());
            Ok(group.iter().map(|&at| reading(at)).collect())
        });
        assert_eq!(readings.expect("readable"), (0..count).map(reading).collect::<Vec<_>>());
        groups
    }

    #[test]
    fn only_passages_that_the_cache_lacks_are_read() {
        let (_folder, cache) = new_cache();
        let control = Control::new();
        assert_eq!(read(Some(&cache), 3, &control), [vec![0, 1], vec![2]]);
        assert_eq!(control.done(), 0);
        assert_eq!(read(Some(&cache), 5, &control), [vec![3, 4]]);
        assert_eq!(control.done(), 3);
    }

    #[test]
    fn without_a_cache_all_passages_are_read() {
        assert_eq!(read(None, 3, &Control::new()), [vec![0, 1], vec![2]]);
    }

    #[test]
    fn a_failure_loses_one_group() {
        let (_folder, cache) = new_cache();
        let control = Control::new();
        let lookup = CacheLookup { cache: &cache, keys: keys(5) };
        let failed = read_through::<Error>(Some(&lookup), 5, 2, &control, |group| {
            if group[0] == 2 {
                return Err(Cancelled.into());
            }
            Ok(group.iter().map(|&at| reading(at)).collect())
        });
        assert!(matches!(failed, Err(Error::Cancelled(_))));
        assert_eq!(read(Some(&cache), 5, &Control::new()), [vec![2, 3], vec![4]]);
    }

    #[test]
    fn cancelled_work_reads_nothing() {
        let (_folder, cache) = new_cache();
        let control = Control::new();
        control.cancel();
        let lookup = CacheLookup { cache: &cache, keys: keys(1) };
        let cancelled =
            read_through::<Error>(Some(&lookup), 1, 2, &control, |_| unreachable!("cancelled before"));
        assert!(matches!(cancelled, Err(Error::Cancelled(_))));
    }
}
