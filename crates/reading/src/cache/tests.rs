//! Tests of caches that are truncated, damaged or locked, and of files that are not caches.

use std::path::Path;

use proptest::prelude::*;

use super::header;
use super::record::{self, HEADER_BYTES};
use super::{ReadingCache, ReadingKey, files_sha256};
use crate::testing::stored;
use crate::{Error, StoredReading};

/// The key of reading `number`.
fn key(number: usize) -> ReadingKey {
    ReadingKey::of("who?", Some("title"), &number.to_string())
}

/// Reading `number`, which has `number` spans.
fn reading(number: usize) -> StoredReading {
    let spans: Vec<_> = (0..number as u32).map(|span| (span..span + 2, span as f32 - 0.5)).collect();
    stored(number as f32 / 3.0, &spans)
}

/// Number of bytes of the record of reading `number`.
fn record_bytes(number: usize) -> usize {
    record::write(key(number), &reading(number), &mut Vec::new()) as usize + HEADER_BYTES
}

/// Creates a cache with `count` readings, in two appends.
fn create(path: &Path, count: usize) {
    let mut cache = ReadingCache::open(path, "a reader").expect("opens");
    let readings: Vec<_> = (0..count).map(|number| (key(number), reading(number))).collect();
    cache.append(&readings[..count / 2]).expect("appends");
    cache.append(&readings[count / 2..]).expect("appends");
}

/// Returns the numbers below `count` of the readings that the cache has, and checks that these readings are unchanged.
fn found(path: &Path, count: usize) -> Vec<usize> {
    let mut cache = ReadingCache::open(path, "a reader").expect("opens");
    (0..count)
        .filter(|&number| {
            let found = cache.get(key(number)).expect("readable");
            found.is_some_and(|found| {
                assert_eq!(found, reading(number));
                true
            })
        })
        .collect()
}

#[test]
fn readings_are_read_back_unchanged() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("cache");
    create(&path, 5);
    assert_eq!(found(&path, 7), [0, 1, 2, 3, 4]);
}

#[test]
fn keys_differ_if_the_same_characters_are_split_differently() {
    let keys = [("ab", None, "c"), ("a", None, "bc"), ("a", Some("b"), "c"), ("", Some("ab"), "c")];
    let mut keys = keys.map(|(question, title, text)| ReadingKey::of(question, title, text));
    keys.sort();
    assert!(keys.windows(2).all(|pair| pair[0] != pair[1]));
    assert_eq!(ReadingKey::of("a", Some(""), "b"), ReadingKey::of("a", None, "b"));
}

#[test]
fn the_digest_of_files_is_that_of_their_concatenation() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, two) = (folder.path().join("1"), folder.path().join("2"));
    std::fs::write(&one, "ab").expect("writable");
    std::fs::write(&two, "c").expect("writable");
    // FIPS 180-2, appendix B.1: "abc".
    let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(files_sha256(&[&one, &two]).expect("readable"), expected);
    assert!(matches!(files_sha256(&[folder.path()]), Err(Error::Storage(_))));
}

#[test]
fn a_file_of_another_reader_is_refused_and_left_unchanged() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("cache");
    create(&path, 3);
    let error = ReadingCache::open(&path, "another reader").expect_err("refused");
    assert!(matches!(error, Error::OtherReader { .. }));
    assert!(
        error.to_string().ends_with("expected readings of another reader, got those of a reader"),
        "{error}"
    );
    assert_eq!(found(&path, 3).len(), 3);
}

#[test]
fn a_file_that_is_not_a_cache_is_refused_and_left_unchanged() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("notes.txt");
    std::fs::write(&path, "Dear diary, today I read").expect("writable");
    let error = ReadingCache::open(&path, "a reader").expect_err("refused").to_string();
    assert!(error.contains("got a file that begins with \"Dear dia\""), "{error}");
    assert_eq!(std::fs::read_to_string(&path).expect("readable"), "Dear diary, today I read");
    let error = ReadingCache::open(folder.path(), "a reader").expect_err("refused");
    assert!(matches!(error, Error::Storage(storage::Error::Io { .. })), "{error}");
}

#[test]
fn a_cache_cannot_be_opened_twice_at_the_same_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("cache");
    let cache = ReadingCache::open(&path, "a reader").expect("opens");
    let error = ReadingCache::open(&path, "a reader").expect_err("refused");
    assert!(matches!(error, Error::Locked { .. }), "{error}");
    drop(cache);
    ReadingCache::open(&path, "a reader").expect("opens again");
}

proptest! {
    #[test]
    fn a_truncated_file_keeps_its_complete_records_and_can_be_extended(cut in 0usize..1200) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("cache");
        create(&path, 6);
        let bytes = std::fs::read(&path).expect("readable");
        // The file is shorter than 1,200 bytes.
        let cut = cut % bytes.len();
        std::fs::write(&path, &bytes[..cut]).expect("writable");
        let mut ends = vec![header::encode("a reader").len()];
        for number in 0..6 {
            ends.push(ends[number] + record_bytes(number));
        }
        let complete = ends[1..].iter().filter(|&&end| end <= cut).count();
        prop_assert_eq!(found(&path, 6), (0..complete).collect::<Vec<_>>());
        prop_assert_eq!(std::fs::metadata(&path).expect("a file").len() as usize, ends[complete]);
        let mut cache = ReadingCache::open(&path, "a reader").expect("opens");
        let others: Vec<_> = (complete..6).map(|number| (key(number), reading(number))).collect();
        cache.append(&others).expect("appends");
        drop(cache);
        prop_assert_eq!(std::fs::read(&path).expect("readable"), bytes);
    }

    #[test]
    fn only_records_with_changed_bytes_are_lost(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 1u8..), 1..4),
    ) {
        const COUNT: usize = 12;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("cache");
        create(&path, COUNT);
        let mut bytes = std::fs::read(&path).expect("readable");
        let header_end = header::encode("a reader").len();
        let mut ends = vec![header_end];
        for number in 0..COUNT {
            ends.push(ends[number] + record_bytes(number));
        }
        let mut changed = std::collections::BTreeSet::new();
        let original = bytes.clone();
        for (offset, change) in changes {
            let offset = offset.index(bytes.len() - header_end) + header_end;
            bytes[offset] ^= change;
        }
        for (offset, (new, old)) in bytes.iter().zip(&original).enumerate() {
            if new != old {
                changed.insert(ends.iter().rposition(|&end| end <= offset).expect("after the header"));
            }
        }
        std::fs::write(&path, &bytes).expect("writable");
        let expected: Vec<_> = (0..COUNT).filter(|number| !changed.contains(number)).collect();
        let lost: u64 = changed.iter().map(|&number| (ends[number + 1] - ends[number]) as u64).sum();
        let cache = ReadingCache::open(&path, "a reader").expect("opens");
        prop_assert_eq!(cache.damaged_bytes(), lost);
        drop(cache);
        prop_assert_eq!(found(&path, COUNT), expected);
        // The lost readings can be appended again.
        let mut cache = ReadingCache::open(&path, "a reader").expect("opens");
        let lost: Vec<_> = changed.iter().map(|&number| (key(number), reading(number))).collect();
        cache.append(&lost).expect("appends");
        drop(cache);
        prop_assert_eq!(found(&path, COUNT), (0..COUNT).collect::<Vec<_>>());
    }

    #[test]
    fn a_changed_header_is_refused(offset in any::<prop::sample::Index>(), change in 1u8..) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("cache");
        create(&path, 2);
        let mut bytes = std::fs::read(&path).expect("readable");
        bytes[offset.index(header::encode("a reader").len())] ^= change;
        std::fs::write(&path, &bytes).expect("writable");
        prop_assert!(ReadingCache::open(&path, "a reader").is_err());
    }
}

#[test]
fn bytes_inserted_between_records_are_skipped_in_linear_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("cache");
    create(&path, 6);
    let bytes = std::fs::read(&path).expect("readable");
    // Every fourth byte starts a possible length, that of a reading with 2¹⁶ spans: 28 + 2¹⁶ · 16 bytes. Hashing each
    // of these 2²² candidates separately would mean hashing 4 · 10¹² bytes.
    let inserted = [0x1c, 0x00, 0x10, 0x00].repeat(4 << 20);
    let first_end = header::encode("a reader").len() + record_bytes(0);
    std::fs::write(&path, [&bytes[..first_end], &inserted, &bytes[first_end..]].concat()).expect("writable");
    let started = std::time::Instant::now();
    let cache = ReadingCache::open(&path, "a reader").expect("opens");
    assert_eq!((cache.len(), cache.damaged_bytes()), (6, inserted.len() as u64));
    assert!(started.elapsed() < std::time::Duration::from_secs(60), "{:?}", started.elapsed());
    drop(cache);
    assert_eq!(found(&path, 6), [0, 1, 2, 3, 4, 5]);
}

#[cfg(unix)]
#[test]
fn a_fifo_is_refused_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo is there").success());
    let error = ReadingCache::open(&path, "a reader").expect_err("refused").to_string();
    assert!(error.contains("expected a regular file, got a FIFO"), "{error}");
    let error = files_sha256(&[&path]).expect_err("refused").to_string();
    assert!(error.contains("expected a regular file, got a FIFO"), "{error}");
}
