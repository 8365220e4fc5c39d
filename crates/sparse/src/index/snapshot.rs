//! One commit, open for reading.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use tantivy::{DocId, Index, IndexMeta, SegmentReader, Term};

use crate::index::commit_payload::CommitPayload;
use crate::index::integrity::{engine_error, verify};
use crate::index::open::lock_files;
use crate::index::schema::{Fields, schema};
use crate::index::segment::Segment;
use crate::index::term_cache::TermCache;
use crate::scoring::bm25::Bm25;
use crate::scoring::contribution_table::ContributionTable;
use crate::scoring::statistics::Statistics;
use crate::{Analyzer, Error};

/// All segments of a commit. As long as it lives, a writer in this process that shares the engine's handle leaves
/// their files alone.
pub(crate) struct Snapshot {
    pub path: PathBuf,
    pub settings: CommitPayload,
    pub analyzer: Analyzer,
    pub fields: Fields,
    pub segments: Vec<Segment>,
    pub statistics: Statistics,
    /// Whether all files were read, to be checked, when this or an earlier commit with them was opened.
    pub was_read: bool,
    pub term_cache: TermCache,
    /// For each segment those of the parameters that nearly all searches use.
    default_ratios: Vec<ContributionTable>,
    _pinned: IndexMeta,
}

impl Snapshot {
    /// Opens the last commit. `checked` holds the files whose checksums were compared before.
    pub fn open(
        index: &Index,
        path: &Path,
        checked: &mut HashSet<PathBuf>,
        limit: u64,
    ) -> Result<Self, Error> {
        let error = |error| engine_error("open", path, error);
        let _lock = lock_files(index, path)?;
        let meta = index.load_metas().map_err(error)?;
        let settings = CommitPayload::parse(meta.payload.as_deref(), path)?;
        let analyzer = settings.analyzer.load(path)?;
        verify(index, &meta, path, checked, limit)?;
        let (_, fields) = schema();
        let open = |meta: &tantivy::SegmentMeta| {
            Segment::open(SegmentReader::open(&index.segment(meta.clone()))?, fields)
        };
        let segments: Vec<Segment> =
            meta.segments.iter().map(open).collect::<tantivy::Result<_>>().map_err(error)?;
        let statistics = segments.iter().fold(Statistics::default(), |sum, segment| Statistics {
            passages: sum.passages + segment.passages.with_tokens,
            tokens: sum.tokens + segment.passages.tokens,
        });
        let found: u64 = segments.iter().map(|segment| u64::from(segment.reader.num_docs())).sum();
        let expected = settings.passages;
        if found < expected {
            return Err(Error::MissingPassages { path: path.to_path_buf(), expected, found });
        }
        if found > expected {
            let expected = format!("{expected} passages, as the last commit says");
            return Err(Error::corrupt(path, expected, format!("{found}")));
        }
        let largest =
            segments.iter().filter_map(|segment| segment.passages.ord_range()).map(|(_, last)| last).max();
        if largest.is_some_and(|last| u64::from(last) >= settings.next_ord) {
            let expected = format!("ords below {}, as the last commit says", settings.next_ord);
            return Err(Error::corrupt(path, expected, format!("{largest:?}")));
        }
        let average_length = statistics.average_length();
        let ratios = |segment: &Segment| {
            ContributionTable::new(&segment.impacts.dictionary, Bm25::default(), average_length)
        };
        Ok(Self {
            path: path.to_path_buf(),
            settings,
            analyzer,
            fields,
            default_ratios: segments.iter().map(ratios).collect(),
            segments,
            statistics,
            was_read: meta
                .list_segment_files()
                .iter()
                .all(|file| checked.contains(file) || !path.join(file).exists()),
            term_cache: TermCache::new(),
            _pinned: meta,
        })
    }

    /// Refuses another analyzer than the one expected, if one is.
    pub fn check_analyzer(&self, expected: Option<&Analyzer>) -> Result<(), Error> {
        match expected {
            Some(expected) if *expected != self.analyzer => {
                let (expected, got) = (expected.to_string(), self.analyzer.to_string());
                Err(Error::AnalyzerMismatch { path: self.path.clone(), expected, got })
            }
            _ => Ok(()),
        }
    }

    /// The ratios of the segment at this place.
    pub fn ratios(&self, at: usize, parameters: Bm25) -> Cow<'_, ContributionTable> {
        if parameters == Bm25::default() {
            return Cow::Borrowed(&self.default_ratios[at]);
        }
        let dictionary = &self.segments[at].impacts.dictionary;
        Cow::Owned(ContributionTable::new(dictionary, parameters, self.statistics.average_length()))
    }

    /// The segment and position of the passage with this id.
    pub fn find_id(&self, id: &str) -> Result<Option<(&Segment, DocId)>, Error> {
        let term = Term::from_field_text(self.fields.id, id);
        for segment in &self.segments {
            let found =
                segment.find(&term).map_err(|error| engine_error("read", &self.path, error.into()))?;
            if let Some(doc) = found {
                return Ok(Some((segment, doc)));
            }
        }
        Ok(None)
    }

    /// The id of the passage with this ord.
    pub fn id_of(&self, ord: u32) -> Result<&str, Error> {
        let found = self.segments.iter().find_map(|segment| {
            let (first, last) = segment.passages.ord_range()?;
            let doc = (first..=last).contains(&ord).then(|| segment.passages.find(ord))??;
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
