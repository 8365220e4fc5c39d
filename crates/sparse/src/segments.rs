//! The segments of one commit, open for reading.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::directory::error::LockError;
use tantivy::directory::{Directory, DirectoryLock, META_LOCK, MmapDirectory, OwnedBytes, RamDirectory};
use tantivy::plugin::SegmentPlugin;
use tantivy::postings::TermInfo;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, Index, IndexMeta, InvertedIndexReader, SegmentReader, TERMINATED, TantivyError, Term};

use crate::folder::is_ours;
use crate::impacts::{Impacts, ImpactsPlugin, open_impacts, read_length_codes};
use crate::integrity::{engine_error, verify};
use crate::passage_set::PassageSet;
use crate::passages::Passages;
use crate::passages_plugin::{PassagesPlugin, read_passages};
use crate::schema::{Fields, Settings, schema};
use crate::statistics::Statistics;
use crate::term_cache::TermCache;
use crate::terms::Ratios;
use crate::tokenizer::{self, AnalyzerTokenizer};
use crate::{Analyzer, Bm25, Error};

/// One segment.
pub(crate) struct Segment {
    pub reader: SegmentReader,
    pub terms: Arc<InvertedIndexReader>,
    ids: Arc<InvertedIndexReader>,
    length_codes: OwnedBytes,
    pub passages: Passages,
    pub impacts: Impacts,
    /// A bit for each passage that is not deleted; none if none is.
    alive: Option<Vec<u64>>,
}

/// All segments of a commit. As long as it lives, a writer in this process that shares the engine's handle leaves
/// their files alone.
pub(crate) struct Segments {
    pub path: PathBuf,
    pub settings: Settings,
    pub analyzer: Analyzer,
    pub fields: Fields,
    pub segments: Vec<Segment>,
    pub statistics: Statistics,
    /// Whether all files were read, to be checked, when this or an earlier commit with them was opened.
    pub was_read: bool,
    pub term_cache: TermCache,
    /// For each segment those of the parameters that nearly all searches use.
    default_ratios: Vec<Ratios>,
    _pinned: IndexMeta,
}

/// The engine's handle of the index in a folder.
pub(crate) fn open_index(path: &Path) -> Result<Index, Error> {
    if path.is_file() {
        return Err(Error::NotAFolder { path: path.to_path_buf() });
    }
    if !path.exists() {
        return Err(Error::NotFound { path: path.to_path_buf() });
    }
    let error = |error| engine_error("open", path, error);
    let directory = MmapDirectory::open(path).map_err(|failed| error(failed.into()))?;
    open_directory(path, directory)
}

/// Like [`open_index`], but reads the files of the last commit into memory.
pub(crate) fn read_index(path: &Path) -> Result<Index, Error> {
    let index = open_index(path)?;
    let _lock = lock_files(&index, path)?;
    let meta = index.load_metas().map_err(|error| engine_error("open", path, error))?;
    let memory = RamDirectory::create();
    let segments = meta.list_segment_files().into_iter().filter(|file| path.join(file).exists());
    for file in segments.chain([PathBuf::from("meta.json")]) {
        let from = path.join(&file);
        let content = fs::read(&from).map_err(Error::io("open", &from))?;
        memory.atomic_write(&file, &content).map_err(Error::io("open", &from))?;
    }
    open_directory(path, memory)
}

fn open_directory(path: &Path, directory: impl Directory + Clone) -> Result<Index, Error> {
    let error = |error| engine_error("open", path, error);
    if !Index::exists(&directory).map_err(|failed| error(failed.into()))? {
        let got = "a folder without one".to_owned();
        return Err(Error::NotAnIndex { path: path.to_path_buf(), got });
    }
    let mut index = Index::open(directory).map_err(|failed| match error(failed) {
        Error::Corrupt { got, .. } if !is_ours(path) => Error::NotAnIndex { path: path.to_path_buf(), got },
        error => error,
    })?;
    let meta = index.load_metas().map_err(error)?;
    Settings::from_payload(meta.payload.as_deref(), path)?;
    let (schema, fields) = schema();
    if index.schema() != schema {
        return Err(Error::corrupt(path, "the fields of a BM25 index", "other fields"));
    }
    prepare(&mut index, fields);
    let extensions = index.custom_plugins().iter().flat_map(|plugin| plugin.extensions().to_vec());
    if !extensions.eq(meta.persisted_custom_extensions.iter().map(String::as_str)) {
        let got = format!("{:?}", meta.persisted_custom_extensions);
        return Err(Error::corrupt(path, "a passage file and an impact file in each segment", got));
    }
    Ok(index)
}

/// Registers what the engine needs to write segments, but for the analyzer.
pub(crate) fn prepare(index: &mut Index, fields: Fields) {
    if index.custom_plugins().is_empty() {
        plugins(fields).into_iter().for_each(|plugin| index.register_plugin(plugin));
    }
}

/// Has the engine analyse what is added from here on.
pub(crate) fn analyze_with(index: &Index, analyzer: Analyzer) {
    index.tokenizers().register(tokenizer::NAME, AnalyzerTokenizer { analyzer });
}

/// What writes our files of a segment.
pub(crate) fn plugins(fields: Fields) -> [Arc<dyn SegmentPlugin>; 2] {
    [Arc::new(PassagesPlugin { fields }), Arc::new(ImpactsPlugin { contents: fields.contents })]
}

/// Keeps writers from deleting files until all are open. Without write permission, no lock is taken.
fn lock_files(index: &Index, path: &Path) -> Result<Option<DirectoryLock>, Error> {
    match index.directory().acquire_lock(&META_LOCK) {
        Err(LockError::IoError(refused))
            if matches!(refused.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) =>
        {
            Ok(None)
        }
        Ok(lock) => Ok(Some(lock)),
        Err(failed) => Err(engine_error("open", path, TantivyError::LockFailure(failed, None))),
    }
}

impl Segments {
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
        let settings = Settings::from_payload(meta.payload.as_deref(), path)?;
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
        let ratios = |segment| Ratios::new(segment, Bm25::default(), average_length);
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
    pub fn ratios(&self, at: usize, parameters: Bm25) -> Cow<'_, Ratios> {
        if parameters == Bm25::default() {
            return Cow::Borrowed(&self.default_ratios[at]);
        }
        Cow::Owned(Ratios::new(&self.segments[at], parameters, self.statistics.average_length()))
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

impl Segment {
    fn open(reader: SegmentReader, fields: Fields) -> tantivy::Result<Self> {
        let length_codes = read_length_codes(&reader, fields.contents)?;
        let passages = read_passages(&reader)?;
        if length_codes.len() != passages.len() {
            let got = format!("{} lengths for {} passages", length_codes.len(), passages.len());
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, got).into());
        }
        let terms = reader.inverted_index(fields.contents)?;
        let impacts = open_impacts(&reader, &terms, &length_codes)?;
        let ids = reader.inverted_index(fields.id)?;
        let alive = reader.has_deletes().then(|| alive_words(&reader));
        Ok(Self { reader, terms, ids, length_codes, passages, impacts, alive })
    }

    /// For each passage the code of its length: Lucene's `SmallFloat.intToByte4`.
    pub fn length_codes(&self) -> &[u8] {
        &self.length_codes
    }

    /// A bit for each passage that may be a hit, being in the filter and not deleted; none if all may.
    pub fn allowed<'a>(&'a self, filter: Option<&'a PassageSet>) -> Option<Cow<'a, [u64]>> {
        match (self.alive.as_deref(), filter.map(PassageSet::words)) {
            (Some(alive), Some(filter)) => Some(alive.iter().zip(filter).map(|(a, b)| a & b).collect()),
            (alive, filter) => alive.or(filter).map(Cow::Borrowed),
        }
    }

    /// The number of a term in the dictionary.
    pub fn term_number(&self, term: &Term) -> std::io::Result<Option<u32>> {
        let number = self.terms.terms().term_ord(term.serialized_value_bytes())?;
        Ok(number.map(|number| u32::try_from(number).expect("fewer terms than the engine counts in u32")))
    }

    /// Where a term's postings are.
    pub fn term_info(&self, term: &Term) -> std::io::Result<Option<TermInfo>> {
        self.terms.get_term_info(term)
    }

    /// The passage that has this term as its id and is not deleted.
    fn find(&self, id: &Term) -> std::io::Result<Option<DocId>> {
        let Some(info) = self.ids.get_term_info(id)? else { return Ok(None) };
        let mut postings = self.ids.read_block_postings_from_terminfo(&info, IndexRecordOption::Basic)?;
        while !postings.docs().is_empty() {
            let alive = |&&doc: &&DocId| doc != TERMINATED && !self.reader.is_deleted(doc);
            if let Some(&doc) = postings.docs().iter().find(alive) {
                return Ok(Some(doc));
            }
            postings.advance();
        }
        Ok(None)
    }
}

fn alive_words(reader: &SegmentReader) -> Vec<u64> {
    let mut words = vec![0u64; (reader.max_doc() as usize).div_ceil(64)];
    for doc in reader.doc_ids_alive() {
        words[doc as usize / 64] |= 1 << (doc % 64);
    }
    words
}
