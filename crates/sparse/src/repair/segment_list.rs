//! Reads and rewrites tantivy's list of segments, `meta.json`, for a repair.
//!
//! [`SegmentList::restore_merged_segments`] replaces a merged segment in the list with its source segments. The source
//! segments are those that are in the folder but not in the list, and share passages with the merged segment. Together
//! they must have all passages of the merged segment.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tantivy::directory::Directory;
use tantivy::fastfield::AliveBitSet;
use tantivy::{Index, TantivyError};

use crate::Error;
use crate::index::commit_payload::CommitPayload;
use crate::index::corruption::catch_read_panic;
use crate::index::schema::schema;
use crate::index::snapshot::Snapshot;
use crate::index::tantivy_error::tantivy_error;
use crate::passages::file::PassageFile;
use crate::postings::rebuild_damaged;

/// Rebuilds those impact files of the last commit that are missing or corrupt, if their passages are stored, and returns
/// their number.
pub(super) fn rebuild_impacts(index: &Index, path: &Path) -> Result<u64, Error> {
    let (_, fields) = schema();
    let error = |error| tantivy_error("repair", path, error);
    let payload = index.load_metas().map_err(error)?.payload;
    let analyzer = CommitPayload::parse(payload.as_deref(), path)?.analyzer.load(path)?;
    rebuild_damaged(index, path, &analyzer, fields.stored).map_err(error)
}

/// Returns true if an error is about the content of files. Any other error, such as a full disk or too many open files,
/// says nothing about the content, so no passage may be counted as lost because of such an error.
fn is_corruption(error: &Error) -> bool {
    matches!(error, Error::Corrupt { .. } | Error::MissingPassages { .. } | Error::Version { .. })
}

/// Opens the last commit and compares all of its files with their checksums.
pub(super) fn check(index: &Index, path: &Path) -> Result<(), Error> {
    Snapshot::open(index, path, &mut HashSet::new(), u64::MAX).map(drop)
}

/// The list of the segments of the last commit.
pub(super) struct SegmentList<'a> {
    index: &'a Index,
    path: &'a Path,
    file: PathBuf,
    /// The original content of the file.
    content: Vec<u8>,
    /// The same content, parsed.
    list: Value,
}

/// An entry of the list, or an entry that could be added to the list, and the passages of its segment that are not
/// deleted.
struct ListedSegment {
    entry: Value,
    passages: Vec<Passage>,
}

/// A passage that is not deleted.
#[derive(PartialEq, Eq, Hash)]
struct Passage {
    ord: u32,
    id: String,
}

/// The passages of a segment that are not deleted, as [`SegmentList::read_alive`] reads them.
struct AlivePassages {
    passages: Vec<Passage>,
    /// Number of passages, including deleted ones.
    max_doc: usize,
}

impl<'a> SegmentList<'a> {
    pub fn read(index: &'a Index, path: &'a Path) -> Result<Self, Error> {
        let file = path.join("meta.json");
        let content = fs::read(&file).map_err(Error::io("open", &file))?;
        let list = serde_json::from_slice(&content)
            .map_err(|error| Error::corrupt(&file, "a list of segments", error.to_string()))?;
        Ok(Self { index, path, content, list, file })
    }

    /// Replaces merged segments in the list with their source segments if the commit then has `expected` passages.
    /// Returns how many impact files of the source segments it rebuilt, or `None` if the list was not changed.
    pub fn restore_merged_segments(&self, expected: u64) -> Result<Option<u64>, Error> {
        let listed = self.listed()?;
        let mut unlisted = self.unlisted(&listed)?;
        let (mut restored, mut sources) = (Vec::new(), Vec::new());
        for segment in listed {
            let merged: HashSet<&Passage> = segment.passages.iter().collect();
            let (segment_sources, others): (Vec<ListedSegment>, Vec<ListedSegment>) = unlisted
                .into_iter()
                .partition(|other| other.passages.iter().any(|passage| merged.contains(passage)));
            unlisted = others;
            let in_sources: HashSet<_> = segment_sources.iter().flat_map(|source| &source.passages).collect();
            if !segment_sources.is_empty() && merged.is_subset(&in_sources) {
                sources.extend(segment_sources);
            } else {
                restored.push(segment);
            }
        }
        restored.extend(sources);
        if is_commit_of(&restored, expected)
            && let Some(rebuilt) = self.replace_segments(&restored)?
        {
            return Ok(Some(rebuilt));
        }
        // If the merge deleted all passages of a source segment, that segment shares none with the merged segment.
        restored.extend(unlisted);
        if is_commit_of(&restored, expected) { self.replace_segments(&restored) } else { Ok(None) }
    }

    /// Writes a list of these segments and checks the index. Returns how many impact files it rebuilt, or `None` if a
    /// segment is damaged. If the check fails for any reason, the original list is restored.
    fn replace_segments(&self, segments: &[ListedSegment]) -> Result<Option<u64>, Error> {
        let mut list = self.list.clone();
        list["segments"] = segments.iter().map(|segment| segment.entry.clone()).collect();
        self.write(&list)?;
        let checked = rebuild_impacts(self.index, self.path)
            .and_then(|rebuilt| check(self.index, self.path).map(|()| rebuilt));
        match checked {
            Ok(rebuilt) => Ok(Some(rebuilt)),
            Err(error) => {
                storage::replace(&self.file, &self.content).map_err(storage_error)?;
                if is_corruption(&error) { Ok(None) } else { Err(error) }
            }
        }
    }

    /// Records this number of passages in the commit, so that the index can be opened without the lost passages.
    pub fn record_passage_count(&self, passages: u64) -> Result<(), Error> {
        let payload = self.list["payload"].as_str();
        let mut commit = CommitPayload::parse(payload, self.path)?;
        commit.passages = passages;
        let mut list = self.list.clone();
        list["payload"] = commit.to_json().into();
        self.write(&list)
    }

    fn write(&self, list: &Value) -> Result<(), Error> {
        storage::replace(&self.file, list.to_string().as_bytes()).map_err(storage_error)
    }

    /// Returns the segments that are in the list.
    fn listed(&self) -> Result<Vec<ListedSegment>, Error> {
        let entries = self.list["segments"].as_array().cloned().unwrap_or_default();
        let read = |entry: Value| {
            let id = entry["segment_id"].as_str().unwrap_or_default().replace('-', "");
            let deletions = entry["deletes"]["opstamp"].as_u64();
            let AlivePassages { passages, .. } = self.read_alive(&id, deletions)?;
            Ok(ListedSegment { entry, passages })
        };
        entries.into_iter().map(read).collect()
    }

    /// Returns the segments that have files but are not in the list, with their latest deletions. Leaves out segments
    /// that are damaged, that have no passages left, or that have passages added after the last commit.
    fn unlisted(&self, listed: &[ListedSegment]) -> Result<Vec<ListedSegment>, Error> {
        let next_ord = CommitPayload::parse(self.list["payload"].as_str(), self.path)?.next_ord;
        // The opstamp (tantivy's operation number) of each segment's latest deletions; 0 if the segment has none.
        let mut found: BTreeMap<String, u64> = BTreeMap::new();
        let entries = fs::read_dir(self.path).map_err(Error::io("open", self.path))?;
        for entry in entries {
            let name = entry.map_err(Error::io("open", self.path))?.file_name();
            let Some((id, rest)) = name.to_str().and_then(|name| name.split_once('.')) else { continue };
            let stamp = rest.strip_suffix(".del").and_then(|stamp| stamp.parse().ok());
            let Some(stamp) = stamp.or((rest == "passages").then_some(0)) else { continue };
            let latest = found.entry(id.to_owned()).or_default();
            *latest = stamp.max(*latest);
        }
        for segment in listed {
            found.remove(&segment.entry["segment_id"].as_str().unwrap_or_default().replace('-', ""));
        }
        let is_committed = |segment: &ListedSegment| {
            !segment.passages.is_empty()
                && segment.passages.iter().all(|passage| u64::from(passage.ord) < next_ord)
        };
        let mut segments = Vec::new();
        for (id, stamp) in found {
            match self.segment(&id, Some(stamp).filter(|&stamp| stamp > 0)) {
                Ok(segment) if is_committed(&segment) => segments.push(segment),
                Err(error) if !is_corruption(&error) => return Err(error),
                // A damaged segment cannot be restored.
                _ => {}
            }
        }
        Ok(segments)
    }

    /// Reads a segment and makes an entry for it. `deletions` is the opstamp of the file with its deletions, if it has
    /// one.
    fn segment(&self, id: &str, deletions: Option<u64>) -> Result<ListedSegment, Error> {
        let AlivePassages { passages, max_doc } = self.read_alive(id, deletions)?;
        let deleted = max_doc - passages.len();
        let deletes = deletions.map(|opstamp| json!({"num_deleted_docs": deleted, "opstamp": opstamp}));
        let entry = json!({"segment_id": id, "max_doc": max_doc, "deletes": deletes});
        Ok(ListedSegment { entry, passages })
    }

    /// Reads the passages of a segment that are not deleted. `deletions` is the opstamp of the file with its deletions,
    /// if it has one.
    fn read_alive(&self, id: &str, deletions: Option<u64>) -> Result<AlivePassages, Error> {
        let error = |error| tantivy_error("repair", self.path, error);
        let read = |name: String| {
            let file = self.index.directory().open_read(Path::new(&name));
            let bytes = file.map_err(TantivyError::from).and_then(|file| Ok(file.read_bytes()?));
            bytes.map_err(error)
        };
        let file = PassageFile::open_any(read(format!("{id}.passages"))?)
            .map_err(|got| Error::corrupt(self.path, "a passage file", got))?;
        let docs = 0..file.len() as u32;
        let alive: Vec<u32> = match deletions {
            None => docs.collect(),
            Some(stamp) => {
                let bytes = read(format!("{id}.{stamp}.del"))?;
                let alive = catch_read_panic(|| {
                    let alive = AliveBitSet::open(bytes);
                    Ok(docs.filter(|&doc| alive.is_alive(doc)).collect())
                });
                alive.map_err(error)?
            }
        };
        let passage = |doc: u32| {
            let id = file.id(doc);
            let id = id.ok_or_else(|| Error::corrupt(self.path, "ids in UTF-8", "other bytes"))?;
            Ok(Passage { ord: file.ord(doc), id: id.to_owned() })
        };
        let passages = alive.into_iter().map(passage).collect::<Result<_, Error>>()?;
        Ok(AlivePassages { passages, max_doc: file.len() })
    }
}

/// Returns true if the segments have `expected` passages in total, all with unique ids and ords.
fn is_commit_of(segments: &[ListedSegment], expected: u64) -> bool {
    let passages = || segments.iter().flat_map(|segment| &segment.passages);
    let ids: HashSet<&str> = passages().map(|passage| passage.id.as_str()).collect();
    let ords: HashSet<u32> = passages().map(|passage| passage.ord).collect();
    [passages().count(), ids.len(), ords.len()].iter().all(|&count| count as u64 == expected)
}

fn storage_error(error: storage::Error) -> Error {
    match error {
        storage::Error::Io { operation, path, source } => Error::Io { operation, path, source },
        error => Error::corrupt(Path::new("meta.json"), "a list of segments", error.to_string()),
    }
}
