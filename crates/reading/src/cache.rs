//! Readings in a file, so that no passage is read twice for the same question.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::record::{self, HEAD, Head};
use crate::resync::next_record;
use crate::{Error, KeptPassage};

/// What was read: a question and a passage, by 128 bits of SHA-256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReadingKey(pub(crate) u128);

impl ReadingKey {
    /// Of the texts that the reader is given. No title is as good as an empty one.
    #[must_use]
    pub fn of(question: &str, title: Option<&str>, text: &str) -> Self {
        let mut hash = Sha256::new();
        for part in [question, title.unwrap_or_default(), text] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let digest = hash.finalize();
        Self(u128::from_le_bytes(digest[..16].try_into().expect("sixteen bytes")))
    }
}

/// A file of readings of one reader with one setting, to which new ones are appended. It belongs to whoever has it open.
///
/// Bytes: `PKREAD` and two zeros, version u32, length of the reader's identity u32, the identity, CRC-32 of all these u32;
/// then records: length of the reading u32, CRC-32 of the rest and the length u32, key 16, the reading. Damage loses
/// only the records it touches: the next valid one is found by its checksum ([`damaged_bytes`](Self::damaged_bytes)).
/// Bytes after the last valid record are truncated when the file is opened.
#[derive(Debug)]
pub struct ReadingCache {
    path: PathBuf,
    file: File,
    /// Where the reading of each key begins, and its length.
    places: HashMap<ReadingKey, (u64, u32)>,
    /// Where the next record goes.
    end: u64,
    damaged: u64,
}

const MAGIC: [u8; 8] = *b"PKREAD\0\0";
/// Raised when records change, or what is kept of what a reader says.
const VERSION: u32 = 1;
const NAME: &str = "cache of readings";

impl ReadingCache {
    /// Opens the file, or creates it. `identity` says in words whose readings they are: the model and everything else on
    /// which they depend.
    ///
    /// # Errors
    ///
    /// [`Error::OtherReader`] for a file of another identity; [`Error::Locked`] while it is open elsewhere, in this
    /// process or another; [`Error::Storage`].
    pub fn open(path: &Path, identity: &str) -> Result<Self, Error> {
        let io = |operation| storage::Error::io(operation, path);
        match storage::check_regular(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(io("open")(error).into());
            }
            _ => {}
        }
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(path);
        let file = file.map_err(io("open"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::Locked { path: path.to_path_buf() }),
            Err(TryLockError::Error(error)) => return Err(io("lock")(error).into()),
        }
        let mut cache = Self { path: path.to_path_buf(), file, places: HashMap::new(), end: 0, damaged: 0 };
        cache.begin(identity)?;
        cache.scan()?;
        Ok(cache)
    }

    /// Readings in the file.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Bytes that were skipped when the file was opened, because they belong to no valid record: damaged bytes, and
    /// those of a record that a crash truncated.
    #[must_use]
    pub fn damaged_bytes(&self) -> u64 {
        self.damaged
    }

    /// A reading, if there is one of this key.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] if it cannot be read, or is not what it was when the file was opened.
    pub fn get(&mut self, key: ReadingKey) -> Result<Option<KeptPassage>, Error> {
        let Some(&(place, length)) = self.places.get(&key) else { return Ok(None) };
        let mut bytes = vec![0; HEAD + length as usize];
        self.file.seek(SeekFrom::Start(place)).map_err(storage::Error::io("read", &self.path))?;
        self.file.read_exact(&mut bytes).map_err(storage::Error::io("read", &self.path))?;
        let (head, reading) = bytes.split_at(HEAD);
        let found = Head::of(head).filter(|head| head.key == key && head.agrees_with(reading));
        let kept = found.and_then(|_| record::read(reading)).ok_or_else(|| {
            let got = format!("another at byte {place}");
            storage::Error::corrupt(&self.path, "the reading that was there before", got)
        })?;
        Ok(Some(kept))
    }

    /// Appends readings, all of them or none.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] if they cannot be written.
    pub fn append(&mut self, readings: &[(ReadingKey, KeptPassage)]) -> Result<(), Error> {
        let mut bytes = Vec::with_capacity(256 * readings.len());
        let mut places = Vec::with_capacity(readings.len());
        for (key, kept) in readings {
            let place = self.end + bytes.len() as u64;
            places.push((*key, (place, record::write(*key, kept, &mut bytes))));
        }
        let written = self.file.seek(SeekFrom::Start(self.end)).and_then(|_| self.file.write_all(&bytes));
        if let Err(error) = written {
            // A part of a record would be cut off when the file is opened, too; this may fail, on a full disk or none.
            let _ = self.file.set_len(self.end);
            return Err(storage::Error::io("write", &self.path)(error).into());
        }
        self.end += bytes.len() as u64;
        self.places.extend(places);
        Ok(())
    }

    /// Checks the header, or writes it where the file is new or was not finished when it was created.
    fn begin(&mut self, identity: &str) -> Result<(), Error> {
        let path = &self.path;
        let header = header(identity);
        let mut found = Vec::with_capacity(header.len());
        // Identities are some hundred bytes long.
        let limit = header.len().max(1 << 16) as u64;
        (&self.file).take(limit).read_to_end(&mut found).map_err(storage::Error::io("read", path))?;
        self.end = header.len() as u64;
        if found.starts_with(&header) {
            return Ok(());
        }
        if header.starts_with(&found) {
            let written = self.file.set_len(0).and_then(|()| self.file.rewind());
            return written
                .and_then(|()| self.file.write_all(&header))
                .map_err(|error| storage::Error::io("write", path)(error).into());
        }
        if found.len() < 16 || found[..8] != MAGIC {
            let got = found[..found.len().min(8)].escape_ascii().to_string();
            let got = format!("a file that begins with \"{got}\"");
            return Err(storage::Error::corrupt(path, format!("a {NAME}"), got).into());
        }
        let u32_at = |at: usize| found.get(at..at + 4).map(|bytes| u32::from_le_bytes(array(bytes)));
        let length = u32_at(12).unwrap_or_default() as usize;
        let sound = u32_at(16 + length).filter(|&crc| crc == crc32fast::hash(&found[..16 + length]));
        if sound.is_none() {
            let expected = "a header that agrees with its checksum";
            return Err(storage::Error::corrupt(path, expected, "another checksum").into());
        }
        let version = u32_at(8).unwrap_or_default();
        if version != VERSION {
            let (expected, got) = (VERSION, version);
            return Err(storage::Error::Version { path: path.clone(), name: NAME, expected, got }.into());
        }
        let got = String::from_utf8_lossy(&found[16..16 + length]).into_owned();
        Err(Error::OtherReader { path: path.clone(), expected: identity.to_owned(), got })
    }

    /// Finds the valid records, skips damaged bytes between them, and truncates the file after the last one.
    fn scan(&mut self) -> Result<(), Error> {
        let io = |operation| storage::Error::io(operation, &self.path);
        let length = self.file.metadata().map_err(io("read"))?.len();
        let mut file = BufReader::with_capacity(1 << 16, &self.file);
        file.seek(SeekFrom::Start(self.end)).map_err(io("read"))?;
        let (mut place, mut reading) = (self.end, Vec::new());
        while place < length {
            if let Some(found) = sound_record(&mut file, length - place, &mut reading).map_err(io("read"))? {
                self.places.insert(found.key, (place, found.length));
                place += HEAD as u64 + u64::from(found.length);
                self.end = place;
                continue;
            }
            let from = place + 1;
            file.seek(SeekFrom::Start(from)).map_err(io("read"))?;
            let next = next_record(&mut file, from, length).map_err(io("read"))?;
            self.damaged += next.unwrap_or(length) - place;
            let Some(next) = next else { break };
            place = next;
            file.seek(SeekFrom::Start(place)).map_err(io("read"))?;
        }
        if self.end < length {
            self.file.set_len(self.end).map_err(io("write"))?;
        }
        Ok(())
    }
}

/// The header of the record at the current position of `file`, which has `left` more bytes; `None` if it is invalid.
fn sound_record(file: &mut impl Read, left: u64, reading: &mut Vec<u8>) -> std::io::Result<Option<Head>> {
    let mut head = [0; HEAD];
    if left < HEAD as u64 {
        return Ok(None);
    }
    file.read_exact(&mut head)?;
    let Some(found) = Head::of(&head).filter(|found| HEAD as u64 + u64::from(found.length) <= left) else {
        return Ok(None);
    };
    reading.resize(found.length as usize, 0);
    file.read_exact(reading)?;
    Ok((found.agrees_with(reading) && record::read(reading).is_some()).then_some(found))
}

/// The SHA-256 of files, one after the other, in hexadecimal digits: what tells models apart.
///
/// # Errors
///
/// [`Error::Storage`] for one that cannot be read.
pub fn files_sha256(paths: &[&Path]) -> Result<String, Error> {
    let mut hash = Sha256::new();
    let mut chunk = vec![0; 1 << 18];
    for path in paths {
        let opened = storage::check_regular(path).and_then(|()| File::open(path));
        let mut file = opened.map_err(storage::Error::io("open", path))?;
        loop {
            let read = file.read(&mut chunk).map_err(storage::Error::io("read", path))?;
            if read == 0 {
                break;
            }
            hash.update(&chunk[..read]);
        }
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn header(identity: &str) -> Vec<u8> {
    let mut header = MAGIC.to_vec();
    header.extend(VERSION.to_le_bytes());
    header.extend((identity.len() as u32).to_le_bytes());
    header.extend(identity.as_bytes());
    header.extend(crc32fast::hash(&header).to_le_bytes());
    header
}

fn array(bytes: &[u8]) -> [u8; 4] {
    bytes.try_into().expect("four bytes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::kept;
    use proptest::prelude::*;

    fn key(number: usize) -> ReadingKey {
        ReadingKey::of("who?", Some("title"), &number.to_string())
    }

    fn reading(number: usize) -> KeptPassage {
        let spans: Vec<_> = (0..number as u32).map(|at| (at..at + 2, at as f32 - 0.5)).collect();
        kept(number as f32 / 3.0, &spans)
    }

    fn written(path: &Path, count: usize) {
        let mut cache = ReadingCache::open(path, "a reader").expect("opens");
        let readings: Vec<_> = (0..count).map(|number| (key(number), reading(number))).collect();
        cache.append(&readings[..count / 2]).expect("appends");
        cache.append(&readings[count / 2..]).expect("appends");
    }

    fn found(path: &Path, count: usize) -> Vec<usize> {
        let mut cache = ReadingCache::open(path, "a reader").expect("opens");
        (0..count)
            .filter(|&number| {
                let found = cache.get(key(number)).expect("sound");
                found.is_some_and(|found| {
                    assert_eq!(found, reading(number));
                    true
                })
            })
            .collect()
    }

    #[test]
    fn readings_come_back_as_they_were() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("cache");
        written(&path, 5);
        assert_eq!(found(&path, 7), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn keys_tell_texts_apart_wherever_their_borders_are() {
        let keys = [("ab", None, "c"), ("a", None, "bc"), ("a", Some("b"), "c"), ("", Some("ab"), "c")];
        let mut keys = keys.map(|(question, title, text)| ReadingKey::of(question, title, text));
        keys.sort();
        assert!(keys.windows(2).all(|pair| pair[0] != pair[1]));
        assert_eq!(ReadingKey::of("a", Some(""), "b"), ReadingKey::of("a", None, "b"));
    }

    #[test]
    fn files_are_told_apart_by_their_bytes() {
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
    fn a_file_of_another_reader_is_refused_and_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("cache");
        written(&path, 3);
        let error = ReadingCache::open(&path, "another reader").expect_err("refused");
        assert!(matches!(error, Error::OtherReader { .. }));
        assert!(
            error.to_string().ends_with("expected readings of another reader, got those of a reader"),
            "{error}"
        );
        assert_eq!(found(&path, 3).len(), 3);
    }

    #[test]
    fn what_is_no_cache_is_refused_and_stays() {
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
    fn a_cache_has_one_owner_at_a_time() {
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
        fn a_file_cut_off_anywhere_keeps_its_whole_records_and_goes_on(cut in 0usize..1200) {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("cache");
            written(&path, 6);
            let bytes = std::fs::read(&path).expect("readable");
            let cut = cut % bytes.len();
            std::fs::write(&path, &bytes[..cut]).expect("writable");
            let mut ends = vec![header("a reader").len()];
            for number in 0..6 {
                ends.push(ends[number] + record::write(key(number), &reading(number), &mut Vec::new()) as usize + HEAD);
            }
            let whole = ends[1..].iter().filter(|&&end| end <= cut).count();
            prop_assert_eq!(found(&path, 6), (0..whole).collect::<Vec<_>>());
            prop_assert_eq!(std::fs::metadata(&path).expect("there").len() as usize, ends[whole]);
            let mut cache = ReadingCache::open(&path, "a reader").expect("opens");
            cache.append(&(whole..6).map(|number| (key(number), reading(number))).collect::<Vec<_>>()).expect("appends");
            drop(cache);
            prop_assert_eq!(std::fs::read(&path).expect("readable"), bytes);
        }

        #[test]
        fn changed_bytes_cost_the_records_they_touch_and_no_other(
            changes in prop::collection::vec((any::<prop::sample::Index>(), 1u8..), 1..4),
        ) {
            const COUNT: usize = 12;
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("cache");
            written(&path, COUNT);
            let mut bytes = std::fs::read(&path).expect("readable");
            let begin = header("a reader").len();
            let mut ends = vec![begin];
            for number in 0..COUNT {
                ends.push(ends[number] + record::write(key(number), &reading(number), &mut Vec::new()) as usize + HEAD);
            }
            let mut touched = std::collections::BTreeSet::new();
            let whole = bytes.clone();
            for (at, change) in changes {
                let at = at.index(bytes.len() - begin) + begin;
                bytes[at] ^= change;
            }
            for (at, (new, old)) in bytes.iter().zip(&whole).enumerate() {
                if new != old {
                    touched.insert(ends.iter().rposition(|&end| end <= at).expect("behind the header"));
                }
            }
            std::fs::write(&path, &bytes).expect("writable");
            let expected: Vec<_> = (0..COUNT).filter(|number| !touched.contains(number)).collect();
            let lost: u64 = touched.iter().map(|&number| (ends[number + 1] - ends[number]) as u64).sum();
            let cache = ReadingCache::open(&path, "a reader").expect("opens");
            prop_assert_eq!(cache.damaged_bytes(), lost);
            drop(cache);
            prop_assert_eq!(found(&path, COUNT), expected);
            // Readings that are computed again are appended after the others, and stay there.
            let mut cache = ReadingCache::open(&path, "a reader").expect("opens");
            cache.append(&touched.iter().map(|&number| (key(number), reading(number))).collect::<Vec<_>>()).expect("appends");
            drop(cache);
            prop_assert_eq!(found(&path, COUNT), (0..COUNT).collect::<Vec<_>>());
        }

        #[test]
        fn a_changed_header_is_refused(at in any::<prop::sample::Index>(), change in 1u8..) {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("cache");
            written(&path, 2);
            let mut bytes = std::fs::read(&path).expect("readable");
            bytes[at.index(header("a reader").len())] ^= change;
            std::fs::write(&path, &bytes).expect("writable");
            prop_assert!(ReadingCache::open(&path, "a reader").is_err());
        }
    }

    #[test]
    fn bytes_put_between_records_are_passed_over_in_linear_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("cache");
        written(&path, 6);
        let bytes = std::fs::read(&path).expect("readable");
        // Every fourth byte starts a length field that claims a reading of one megabyte.
        let hostile = [0x1c, 0x00, 0x10, 0x00].repeat(4 << 20);
        let middle =
            header("a reader").len() + record::write(key(0), &reading(0), &mut Vec::new()) as usize + HEAD;
        std::fs::write(&path, [&bytes[..middle], &hostile, &bytes[middle..]].concat()).expect("writable");
        let started = std::time::Instant::now();
        let cache = ReadingCache::open(&path, "a reader").expect("opens");
        assert_eq!((cache.len(), cache.damaged_bytes()), (6, hostile.len() as u64));
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
}
