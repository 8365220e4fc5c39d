//! One commit, open for reading: its segments, its analyzer, and the statistics of BM25 over all segments.
//!
//! A snapshot never changes. A writer's next commit has segments of its own; whoever wants to see them opens another
//! snapshot.

use std::borrow::Cow;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tantivy::{DocId, Index, IndexMeta, Term};

use crate::index::checksums::{find_mismatch, mismatch, verify};
use crate::index::commit_payload::CommitPayload;
use crate::index::open::lock_files;
use crate::index::schema::{Fields, schema};
use crate::index::segment::Segment;
use crate::index::tantivy_error::tantivy_error;
use crate::index::term_cache::TermCache;
use crate::scoring::bm25::Bm25;
use crate::scoring::contribution_table::ContributionTable;
use crate::scoring::statistics::Statistics;
use crate::{Analyzer, Error};

pub(crate) struct Snapshot {
    pub path: PathBuf,
    pub payload: CommitPayload,
    pub analyzer: Analyzer,
    pub fields: Fields,
    pub segments: Vec<Segment>,
    pub statistics: Statistics,
    /// Whether all files were verified, and so read, when this or an earlier commit that contains them was opened.
    pub is_verified: bool,
    pub term_cache: TermCache,
    /// The tables of each segment for the default parameters, which nearly all searches use.
    default_contributions: Vec<ContributionTable>,
    index: Index,
    /// While this exists, a writer in this process that shares `index` does not remove the files.
    meta: IndexMeta,
    /// The first file that did not match its checksum, found after a panic.
    corrupt_file: OnceLock<Option<PathBuf>>,
}

/// A passage, by its segment and its position there.
pub(crate) struct Location<'a> {
    pub segment: &'a Segment,
    pub doc: DocId,
}

impl Snapshot {
    /// Opens the last commit. Files in `verified` are not verified again; the others are, unless they have more than
    /// `max_verified_bytes` in total.
    pub fn open(
        index: &Index,
        path: &Path,
        verified: &mut HashSet<PathBuf>,
        max_verified_bytes: u64,
    ) -> Result<Self, Error> {
        let _lock = lock_files(index, path)?;
        let meta = index.load_metas().map_err(|error| tantivy_error("open", path, error))?;
        let payload = CommitPayload::parse(meta.payload.as_deref(), path)?;
        let analyzer = payload.analyzer.load(path)?;
        verify(index, &meta, path, verified, max_verified_bytes)?;
        let (_, fields) = schema();
        let open = |meta| Segment::open(index, meta, fields, path);
        let segments: Vec<Segment> = meta.segments.iter().map(open).collect::<Result<_, _>>()?;
        check_counts(&segments, &payload, path)?;
        let statistics = segments.iter().fold(Statistics::default(), |sum, segment| Statistics {
            passages: sum.passages + segment.passages.with_tokens,
            tokens: sum.tokens + segment.passages.tokens,
        });
        let average_length = statistics.average_length();
        let contributions = |segment: &Segment| {
            ContributionTable::new(&segment.impacts.dictionary, Bm25::default(), average_length)
        };
        let mut files = meta.list_segment_files().into_iter();
        Ok(Self {
            path: path.to_path_buf(),
            payload,
            analyzer,
            fields,
            default_contributions: segments.iter().map(contributions).collect(),
            segments,
            statistics,
            is_verified: files.all(|file| verified.contains(&file) || !path.join(file).exists()),
            term_cache: TermCache::new(),
            index: index.clone(),
            meta,
            corrupt_file: OnceLock::new(),
        })
    }

    /// Fails if `expected` is another analyzer than that of the index.
    pub fn check_analyzer(&self, expected: Option<&Analyzer>) -> Result<(), Error> {
        match expected {
            Some(expected) if *expected != self.analyzer => {
                let (expected, got) = (expected.to_string(), self.analyzer.to_string());
                Err(Error::AnalyzerMismatch { path: self.path.clone(), expected, got })
            }
            _ => Ok(()),
        }
    }

    /// Runs a read of this commit. If it panics and a file does not match its checksum, the panic becomes
    /// [`Error::Corrupt`]. Otherwise the panic is a bug and continues.
    pub fn read<T>(&self, read: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|panic| {
            match self.corrupt_file.get_or_init(|| find_mismatch(&self.index, &self.meta)) {
                Some(file) => {
                    let text = panics::description(&*panic);
                    Err(mismatch(&self.path.join(file), format!("another one, after a panic: {text}")))
                }
                None => resume_unwind(panic),
            }
        })
    }

    /// The contribution table of the segment with this number.
    pub fn contributions(&self, segment: usize, parameters: Bm25) -> Cow<'_, ContributionTable> {
        if parameters == Bm25::default() {
            return Cow::Borrowed(&self.default_contributions[segment]);
        }
        let dictionary = &self.segments[segment].impacts.dictionary;
        Cow::Owned(ContributionTable::new(dictionary, parameters, self.statistics.average_length()))
    }

    /// Where the passage with this id is.
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

    /// The id of the passage with this ord.
    pub fn id_of(&self, ord: u32) -> Result<&str, Error> {
        let found = self.segments.iter().find_map(|segment| {
            let doc = segment.passages.ord_range()?.contains(&ord).then(|| segment.passages.find(ord))??;
            (!segment.reader.is_deleted(doc)).then_some((segment, doc))
        });
        let Some((segment, doc)) = found else {
            return Err(Error::UnknownPassage { operation: "ids", got: format!("ord {ord}") });
        };
        segment
            .passages
            .id(doc)
            .ok_or_else(|| Error::corrupt(&self.path, "an id that is text", "other bytes"))
    }
}

/// Compares the number of passages and their ords with what the commit recorded.
fn check_counts(segments: &[Segment], payload: &CommitPayload, path: &Path) -> Result<(), Error> {
    let found: u64 = segments.iter().map(|segment| u64::from(segment.reader.num_docs())).sum();
    let expected = payload.passages;
    if found < expected {
        return Err(Error::MissingPassages { path: path.to_path_buf(), expected, found });
    }
    if found > expected {
        let expected = format!("{expected} passages, as the last commit recorded");
        return Err(Error::corrupt(path, expected, format!("{found}")));
    }
    let max_ord = segments.iter().filter_map(|segment| Some(*segment.passages.ord_range()?.end())).max();
    if max_ord.is_some_and(|max_ord| u64::from(max_ord) >= payload.next_ord) {
        let expected = format!("ords below {}, as the last commit recorded", payload.next_ord);
        return Err(Error::corrupt(path, expected, format!("{max_ord:?}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::open::open_index;
    use crate::{IndexWriter, WriterOptions};

    #[test]
    fn a_panic_is_damage_if_a_file_does_not_match_its_checksum_and_a_bug_otherwise() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path();
        let mut writer =
            IndexWriter::create(path, Analyzer::SIMPLE, WriterOptions::default()).expect("an empty folder");
        writer.add("a", None, "stone bridge").expect("a new id");
        writer.commit().expect("a commit");
        writer.close().expect("no merges");
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
