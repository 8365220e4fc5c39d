//! tantivy's list of segments, as a repair reads and rewrites it.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tantivy::directory::Directory;
use tantivy::fastfield::AliveBitSet;
use tantivy::{Index, TantivyError};

use crate::Error;
use crate::index::commit_payload::CommitPayload;
use crate::index::integrity::{engine_error, guarded};
use crate::index::schema::schema;
use crate::index::snapshot::Snapshot;
use crate::passages::file::Passages;
use crate::postings::rebuild_damaged;

/// Makes the impact files anew that the last commit lacks, and returns how many they were.
pub(super) fn rebuild_impacts(index: &Index, path: &Path) -> Result<u64, Error> {
    let (_, fields) = schema();
    rebuild_damaged(index, path, fields.contents).map_err(|error| engine_error("repair", path, error))
}

/// Whether an error is about what files hold. Another one, such as of a full disk or too many open files, says nothing of
/// what is there, and must not be taken for a loss.
fn is_damage(error: &Error) -> bool {
    matches!(error, Error::Corrupt { .. } | Error::MissingPassages { .. } | Error::Version { .. })
}

/// Opens the last commit and reads every file of it.
pub(super) fn check(index: &Index, path: &Path) -> Result<(), Error> {
    Snapshot::open(index, path, &mut HashSet::new(), u64::MAX).map(drop)
}

/// tantivy's list of the segments of the last commit: `meta.json`.
pub(super) struct SegmentList<'a> {
    index: &'a Index,
    path: &'a Path,
    file: PathBuf,
    /// The original content of the file.
    content: Vec<u8>,
    list: Value,
}

/// A segment's entry in the list, and the passages that are visible with this entry.
struct SegmentView {
    entry: Value,
    /// Insertion number and id of each passage.
    passages: Vec<(u32, String)>,
}

/// The passages of a segment that are not deleted.
struct Alive {
    /// Insertion number and id.
    passages: Vec<(u32, String)>,
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

    /// Replaces merged segments in the list by their source segments, if that gives `expected` passages. Returns how many
    /// of their impact files it rebuilt, or `None` if it does not give them.
    pub fn restore_merged_segments(&self, expected: u64) -> Result<Option<u64>, Error> {
        let listed = self.listed()?;
        let mut unlisted = self.unlisted(&listed)?;
        let (mut kept, mut sources) = (Vec::new(), Vec::new());
        for segment in listed {
            let merged: HashSet<&(u32, String)> = segment.passages.iter().collect();
            let (of_this, others): (Vec<SegmentView>, Vec<SegmentView>) = unlisted
                .into_iter()
                .partition(|other| other.passages.iter().any(|passage| merged.contains(passage)));
            unlisted = others;
            let together: HashSet<_> = of_this.iter().flat_map(|source| &source.passages).collect();
            if !of_this.is_empty() && merged.is_subset(&together) {
                sources.extend(of_this);
            } else {
                kept.push(segment);
            }
        }
        kept.extend(sources);
        if is_commit_of(&kept, expected)
            && let Some(rebuilt) = self.replace_segments(&kept)?
        {
            return Ok(Some(rebuilt));
        }
        // A source segment whose passages were all deleted shares none with the merged segment.
        kept.extend(unlisted);
        if is_commit_of(&kept, expected) { self.replace_segments(&kept) } else { Ok(None) }
    }

    /// Writes a list of these segments. Returns how many impact files it rebuilt, or `None` if a segment is damaged; the
    /// list is then unchanged.
    fn replace_segments(&self, views: &[SegmentView]) -> Result<Option<u64>, Error> {
        let mut list = self.list.clone();
        list["segments"] = views.iter().map(|view| view.entry.clone()).collect();
        self.write(&list)?;
        let checked = rebuild_impacts(self.index, self.path)
            .and_then(|rebuilt| check(self.index, self.path).map(|()| rebuilt));
        match checked {
            Ok(rebuilt) => Ok(Some(rebuilt)),
            Err(error) => {
                storage::replace(&self.file, &self.content).map_err(storage_error)?;
                if is_damage(&error) { Ok(None) } else { Err(error) }
            }
        }
    }

    /// Records this number of passages in the commit.
    pub fn accept(&self, passages: u64) -> Result<(), Error> {
        let payload = self.list["payload"].as_str();
        let mut settings = CommitPayload::parse(payload, self.path)?;
        settings.passages = passages;
        let mut list = self.list.clone();
        list["payload"] = settings.to_json().into();
        self.write(&list)
    }

    fn write(&self, list: &Value) -> Result<(), Error> {
        storage::replace(&self.file, list.to_string().as_bytes()).map_err(storage_error)
    }

    fn listed(&self) -> Result<Vec<SegmentView>, Error> {
        let entries = self.list["segments"].as_array().cloned().unwrap_or_default();
        let read = |entry: Value| {
            let id = entry["segment_id"].as_str().unwrap_or_default().replace('-', "");
            let deletions = entry["deletes"]["opstamp"].as_u64();
            let Alive { passages, .. } = self.alive(&id, deletions)?;
            Ok(SegmentView { entry, passages })
        };
        entries.into_iter().map(read).collect()
    }

    /// The segments that have files but are not in the list, with their latest deletions; without those that have
    /// passages added after the last commit.
    fn unlisted(&self, listed: &[SegmentView]) -> Result<Vec<SegmentView>, Error> {
        let next_ord = CommitPayload::parse(self.list["payload"].as_str(), self.path)?.next_ord;
        // The operation stamp of each segment's latest deletions; 0 if it has none.
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
        let committed = |view: &SegmentView| {
            !view.passages.is_empty() && view.passages.iter().all(|&(ord, _)| u64::from(ord) < next_ord)
        };
        let mut views = Vec::new();
        for (id, stamp) in found {
            match self.view(&id, Some(stamp).filter(|&at| at > 0)) {
                Ok(view) if committed(&view) => views.push(view),
                Err(error) if !is_damage(&error) => return Err(error),
                // What is damaged is no part of what can be restored.
                _ => {}
            }
        }
        Ok(views)
    }

    fn view(&self, id: &str, deletions: Option<u64>) -> Result<SegmentView, Error> {
        let Alive { passages, max_doc } = self.alive(id, deletions)?;
        let deleted = max_doc - passages.len();
        let deletes = deletions.map(|opstamp| json!({"num_deleted_docs": deleted, "opstamp": opstamp}));
        let entry = json!({"segment_id": id, "max_doc": max_doc, "deletes": deletes});
        Ok(SegmentView { entry, passages })
    }

    /// Reads the passages of a segment that are not deleted.
    fn alive(&self, id: &str, deletions: Option<u64>) -> Result<Alive, Error> {
        guarded(self.path, || {
            let read = |name: String| {
                let file = self.index.directory().open_read(Path::new(&name));
                let bytes = file.map_err(TantivyError::from).and_then(|file| Ok(file.read_bytes()?));
                bytes.map_err(|error| engine_error("repair", self.path, error))
            };
            let passages = Passages::open(read(format!("{id}.passages"))?)
                .map_err(|got| Error::corrupt(self.path, "a passage file", got))?;
            let alive = deletions.map(|stamp| read(format!("{id}.{stamp}.del"))).transpose()?;
            let alive = alive.map(AliveBitSet::open);
            let mut found = Vec::new();
            for doc in 0..passages.len() as u32 {
                if alive.as_ref().is_none_or(|alive| alive.is_alive(doc)) {
                    let id = passages.id(doc);
                    let id =
                        id.ok_or_else(|| Error::corrupt(self.path, "ids that are text", "other bytes"))?;
                    found.push((passages.ord(doc), id.to_owned()));
                }
            }
            Ok(Alive { passages: found, max_doc: passages.len() })
        })
    }
}

/// Whether the segments have `expected` passages in total, all with unique ids and insertion numbers.
fn is_commit_of(views: &[SegmentView], expected: u64) -> bool {
    let passages = || views.iter().flat_map(|view| &view.passages);
    let ids: HashSet<&str> = passages().map(|(_, id)| id.as_str()).collect();
    let ords: HashSet<u32> = passages().map(|&(ord, _)| ord).collect();
    [passages().count(), ids.len(), ords.len()].iter().all(|&count| count as u64 == expected)
}

fn storage_error(error: storage::Error) -> Error {
    match error {
        storage::Error::Io { operation, path, source } => Error::Io { operation, path, source },
        error => Error::corrupt(Path::new("meta.json"), "a list of segments", error.to_string()),
    }
}
