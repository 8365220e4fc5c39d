//! One commit, open for reading: its segments, its analyzer, and the BM25 statistics over all segments.
//!
//! A snapshot never changes. To see a later commit, open another snapshot.

use std::borrow::Cow;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ranking::BitSet;
use tantivy::{DocId, Index, IndexMeta, SegmentMeta, Term};

use crate::index::checksums::{MAX_BYTES_VERIFIED_ON_OPEN, find_mismatch, is_searched, mismatch, verify};
use crate::index::commit_payload::CommitPayload;
use crate::index::open::lock_files;
use crate::index::schema::{Fields, fields_of};
use crate::index::segment::Segment;
use crate::index::tantivy_error::tantivy_error;
use crate::index::term_cache::TermCache;
use crate::passages::ord_set::OrdSet;
use crate::scoring::bm25::Bm25;
use crate::scoring::contribution_table::ContributionTable;
use crate::scoring::statistics::Statistics;
use crate::{Analyzer, Error};

/// An open commit.
pub(crate) struct Snapshot {
    /// The folder of the index.
    pub path: PathBuf,
    pub payload: CommitPayload,
    pub analyzer: Analyzer,
    pub fields: Fields,
    pub segments: Vec<Arc<Segment>>,
    pub statistics: Statistics,
    /// Which files are expected to be in the page cache, so that reading them does not wait for a disk.
    pub residency: Residency,
    pub term_cache: TermCache,
    /// The contribution table of each segment for the default parameters, which nearly all searches use.
    default_contributions: Vec<ContributionTable>,
    index: Index,
    /// While this value exists, a writer in this process that shares `index` does not remove the files of this commit. A
    /// writer that is rolled back opens another `Index`.
    meta: IndexMeta,
    /// Set after a panic: the first file that does not match its checksum, or `None` if all files match.
    corrupt_file: OnceLock<Option<PathBuf>>,
}

/// Which groups of files are expected to be in the page cache. A group is expected there if all of its files were
/// compared with their checksums, which reads them, when this commit or an earlier one was opened. A group of at most
/// 64 MiB is also expected there if each file was expected there at the previous commit, was compared with its
/// checksum, or has been written by this process since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Residency {
    /// The files that [searches read](is_searched).
    pub searched: bool,
    /// All files.
    pub all: bool,
}

/// A passage, given by its segment and its place in the segment.
pub(crate) struct Location<'a> {
    pub segment: &'a Segment,
    pub doc: DocId,
}

impl Snapshot {
    /// Opens the last commit. Files in `verified` are not compared with their checksums again. The others are, as far
    /// as `max_verified_bytes` allows (see [`verify`]), and are then added to `verified`.
    pub fn open(
        index: &Index,
        path: &Path,
        verified: &mut HashSet<PathBuf>,
        max_verified_bytes: u64,
    ) -> Result<Self, Error> {
        Self::open_after(None, index, path, verified, max_verified_bytes)
    }

    /// Does the same as [`open`](Self::open), but takes what has not changed since an earlier commit, such as open
    /// segments, from `previous`. The time therefore does not grow with the size of the index. All files that
    /// `previous` does not have must have been written by this process.
    pub fn open_after(
        previous: Option<&Self>,
        index: &Index,
        path: &Path,
        verified: &mut HashSet<PathBuf>,
        max_verified_bytes: u64,
    ) -> Result<Self, Error> {
        let _lock = lock_files(index, path)?;
        let meta = index.load_metas().map_err(|error| tantivy_error("open", path, error))?;
        let payload = CommitPayload::parse(meta.payload.as_deref(), path)?;
        let analyzer = match previous.filter(|previous| previous.payload.analyzer == payload.analyzer) {
            Some(previous) => previous.analyzer.clone(),
            None => payload.analyzer.load(path)?,
        };
        verify(index, &meta, path, verified, max_verified_bytes)?;
        let Some(fields) = fields_of(&index.schema()) else {
            return Err(Error::corrupt(path, "the fields of a BM25 index", "other fields"));
        };
        let open = |meta: &SegmentMeta| match previous.and_then(|previous| previous.segment_of(meta)) {
            Some(segment) => Ok(Arc::clone(segment)),
            None => Segment::open(index, meta, fields, path).map(Arc::new),
        };
        let segments: Vec<Arc<Segment>> = meta.segments.iter().map(open).collect::<Result<_, _>>()?;
        check_counts(&segments, &payload, path)?;
        let statistics = segments.iter().fold(Statistics::default(), |sum, segment| Statistics {
            passages: sum.passages + segment.impacts.with_tokens,
            tokens: sum.tokens + segment.impacts.tokens,
        });
        let average_length = statistics.average_length();
        let contributions = |segment: &Arc<Segment>| {
            ContributionTable::new(&segment.impacts.dictionary, Bm25::default(), average_length)
        };
        let residency = residency(previous, &meta, path, verified);
        Ok(Self {
            path: path.to_path_buf(),
            payload,
            analyzer,
            fields,
            default_contributions: segments.iter().map(contributions).collect(),
            segments,
            statistics,
            residency,
            term_cache: TermCache::new(),
            index: index.clone(),
            meta,
            corrupt_file: OnceLock::new(),
        })
    }

    /// Fails if `expected` differs from the analyzer of the index. `None` accepts every analyzer.
    pub fn check_analyzer(&self, expected: Option<&Analyzer>) -> Result<(), Error> {
        match expected {
            Some(expected) if *expected != self.analyzer => {
                let (expected, got) = (expected.to_string(), self.analyzer.to_string());
                Err(Error::AnalyzerMismatch { path: self.path.clone(), expected, got })
            }
            _ => Ok(()),
        }
    }

    /// Runs a function that reads this commit. If the function panics and a file of the commit does not match its
    /// checksum, the panic becomes [`Error::Corrupt`]. If all files match, the panic is a bug and continues.
    pub fn read<T>(&self, read: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|panic| {
            match self.corrupt_file.get_or_init(|| find_mismatch(&self.index, &self.meta)) {
                Some(file) => {
                    let text = panics::description(&*panic);
                    Err(mismatch(
                        &self.path.join(file),
                        &format!("a different checksum, after a panic: {text}"),
                    ))
                }
                None => resume_unwind(panic),
            }
        })
    }

    /// Returns the contribution table of the segment with this index in `segments`.
    pub fn contributions(&self, segment: usize, parameters: Bm25) -> Cow<'_, ContributionTable> {
        if parameters == Bm25::default() {
            return Cow::Borrowed(&self.default_contributions[segment]);
        }
        let dictionary = &self.segments[segment].impacts.dictionary;
        Cow::Owned(ContributionTable::new(dictionary, parameters, self.statistics.average_length()))
    }

    /// Returns where the passage with this id is; `None` if there is none, or if it is deleted.
    pub fn find_id(&self, id: &str) -> Result<Option<Location<'_>>, Error> {
        let term = Term::from_field_text(self.fields.id, id);
        for segment in &self.segments {
            let found =
                segment.find(&term).map_err(|error| tantivy_error("read", &self.path, error.into()))?;
            if let Some(doc) = found {
                return Ok(Some(Location { segment, doc }));
            }
        }
        Ok(None)
    }

    /// Returns where the passage with this ord is; `None` if there is none, or if it is deleted.
    pub fn find_ord(&self, ord: u32) -> Option<Location<'_>> {
        self.segments.iter().find_map(|segment| {
            let doc = segment.passages.ord_range()?.contains(&ord).then(|| segment.passages.find(ord))??;
            (!segment.reader.is_deleted(doc)).then_some(Location { segment, doc })
        })
    }

    /// Returns the ord of the next passage that will be added; all ords are below it.
    pub fn next_ord(&self) -> u32 {
        // The writer rejects passages before this number overflows.
        u32::try_from(self.payload.next_ord).unwrap_or(u32::MAX)
    }

    /// Returns the ords of the passages that are not deleted and, if there is a filter, are in its sets. `filter` has
    /// one set per segment.
    pub fn ords(&self, filter: Option<&[BitSet]>) -> BitSet {
        let mut ords = OrdSet::new(self.next_ord());
        for (segment_index, segment) in self.segments.iter().enumerate() {
            let allowed = segment.allowed(filter.map(|sets| sets[segment_index].words()));
            ords.insert_passages(&segment.passages, allowed.as_deref());
        }
        ords.finish()
    }

    /// Returns the open segment with this metadata: the same passages and the same deletions.
    fn segment_of(&self, meta: &SegmentMeta) -> Option<&Arc<Segment>> {
        let is_same = |other: &SegmentMeta| {
            other.id() == meta.id()
                && other.delete_opstamp() == meta.delete_opstamp()
                && other.num_docs() == meta.num_docs()
        };
        let segment_index = self.meta.segments.iter().position(is_same)?;
        self.segments.get(segment_index)
    }

    /// Returns the id of the passage with this ord. Fails if there is none, or if it is deleted.
    pub fn id_of(&self, ord: u32) -> Result<&str, Error> {
        let Some(Location { segment, doc }) = self.find_ord(ord) else {
            return Err(Error::UnknownPassage { operation: "ids", got: format!("ord {ord}") });
        };
        segment
            .passages
            .id(doc)
            .ok_or_else(|| Error::corrupt(&self.path, "an id that is text", "other bytes"))
    }
}

/// Returns the value of [`Snapshot::residency`]. `verified` has the files that were compared with their checksums.
fn residency(
    previous: Option<&Snapshot>,
    meta: &IndexMeta,
    path: &Path,
    verified: &HashSet<PathBuf>,
) -> Residency {
    let known = previous.map(|previous| previous.meta.list_segment_files());
    // tantivy also lists optional files that do not exist.
    let sizes = |file: PathBuf| path.join(&file).metadata().ok().map(|metadata| (file, metadata.len()));
    let all: Vec<(PathBuf, u64)> = meta.list_segment_files().into_iter().filter_map(sizes).collect();
    let are_resident = |files: &[&(PathBuf, u64)], were_resident: bool| {
        if files.iter().all(|(file, _)| verified.contains(file)) {
            return true;
        }
        let Some(known) = &known else { return false };
        let is_known_or_written =
            |file: &PathBuf| were_resident || verified.contains(file) || !known.contains(file);
        files.iter().all(|(file, _)| is_known_or_written(file))
            && files.iter().map(|(_, bytes)| bytes).sum::<u64>() <= MAX_BYTES_VERIFIED_ON_OPEN
    };
    let searched: Vec<_> = all.iter().filter(|(file, _)| is_searched(file)).collect();
    let before = previous.map_or(Residency { searched: false, all: false }, |previous| previous.residency);
    Residency {
        searched: are_resident(&searched, before.searched),
        all: are_resident(&all.iter().collect::<Vec<_>>(), before.all),
    }
}

/// Fails if the number of passages is not the recorded one, or if an ord is not below the recorded next ord.
fn check_counts(segments: &[Arc<Segment>], payload: &CommitPayload, path: &Path) -> Result<(), Error> {
    let found: u64 = segments.iter().map(|segment| u64::from(segment.reader.num_docs())).sum();
    let expected = payload.passages;
    if found != expected {
        let expected = format!("{expected} passages, as the last commit recorded");
        return Err(Error::corrupt(path, expected, format!("{found}")));
    }
    let max_ord = segments.iter().filter_map(|segment| Some(*segment.passages.ord_range()?.end())).max();
    if let Some(max_ord) = max_ord.filter(|&max_ord| u64::from(max_ord) >= payload.next_ord) {
        let expected = format!("ords below {}, as the last commit recorded", payload.next_ord);
        return Err(Error::corrupt(path, expected, max_ord.to_string()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::open::open_index;
    use crate::{IndexWriter, WriterOptions};

    /// Creates an index with one passage.
    fn write_one_passage(path: &Path) {
        let mut writer =
            IndexWriter::create(path, Analyzer::SIMPLE, WriterOptions::default()).expect("an empty folder");
        writer.add("a", None, "stone bridge").expect("a new id");
        writer.commit().expect("a commit");
        writer.close().expect("no merges");
    }

    #[test]
    fn if_the_files_are_too_large_in_total_only_those_that_searches_read_are_verified() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path();
        write_one_passage(path);
        let index = open_index(path).expect("an intact index");
        let files = index.load_metas().expect("a commit").list_segment_files();
        let bytes_of = |file: &PathBuf| path.join(file).metadata().map_or(0, |metadata| metadata.len());
        let all: u64 = files.iter().map(bytes_of).sum();
        let searched: u64 = files.iter().filter(|file| is_searched(file)).map(bytes_of).sum();
        assert!(0 < searched && searched < all);
        for (max_bytes, expected) in [
            (all, Residency { searched: true, all: true }),
            (all - 1, Residency { searched: true, all: false }),
            (searched, Residency { searched: true, all: false }),
            (searched - 1, Residency { searched: false, all: false }),
        ] {
            let snapshot =
                Snapshot::open(&index, path, &mut HashSet::new(), max_bytes).expect("an intact index");
            assert_eq!(snapshot.residency, expected, "{max_bytes} of {all} bytes");
        }
    }

    #[test]
    fn a_panic_is_reported_as_corruption_only_if_a_file_does_not_match_its_checksum() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path();
        write_one_passage(path);
        let open = || {
            let index = open_index(path).expect("an intact index");
            Snapshot::open(&index, path, &mut HashSet::new(), 0).expect("an intact index")
        };
        let read = |snapshot: &Snapshot| {
            catch_unwind(AssertUnwindSafe(|| snapshot.read(|| -> Result<(), Error> { panic!("a bug") })))
        };
        assert!(read(&open()).is_err(), "the panic continues");
        let files = std::fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path());
        let store =
            files.into_iter().find(|file| file.extension().is_some_and(|extension| extension == "store"));
        let store = store.expect("stored fields");
        let snapshot = open();
        let mut content = std::fs::read(&store).expect("a file");
        content[0] ^= 1;
        std::fs::write(&store, content).expect("a file to corrupt");
        match read(&snapshot).expect("no panic") {
            Err(Error::Corrupt { path, got, .. }) => {
                assert_eq!(path, store);
                assert!(got.contains("a bug"), "{got}");
            }
            other => panic!("{other:?}"),
        }
    }
}
