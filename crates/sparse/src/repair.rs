//! Repairs an index whose last commit cannot be opened although its data still exist.
//!
//! Two faults can be repaired. First, a missing impact file is rebuilt from the postings. Second, a merge by an earlier
//! version of this crate could apply a deletion that was never committed: the merged segment then has fewer passages
//! than the commit recorded. That writer kept the files of the source segments. As long as no other writer has removed
//! them, the list of segments can name the source segments again, without that deletion. If they are gone, the
//! recorded passage count is reduced to the number of remaining passages.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tantivy::directory::{Directory, INDEX_WRITER_LOCK};
use tantivy::fastfield::AliveBitSet;
use tantivy::{Index, TantivyError};

use crate::Error;
use crate::impacts::rebuild_damaged;
use crate::integrity::{engine_error, guarded};
use crate::passages::Passages;
use crate::schema::{Settings, schema};
use crate::segments::{Segments, open_index};

/// What a repair did. All zero if the index was intact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Repair {
    /// Missing impact files that were rebuilt.
    pub rebuilt_files: u64,
    /// Passages that were restored.
    pub restored: u64,
    /// Passages of the last commit that are no longer in any file.
    pub lost: u64,
}

/// Repairs the index in a folder and checks all of its files.
///
/// # Errors
///
/// [`Error::Locked`] while a writer has it open; those of [`Bm25Index::open`](crate::Bm25Index::open) for other damage,
/// which leaves the index as it was; [`Error::Io`].
pub(crate) fn repair(path: &Path) -> Result<Repair, Error> {
    guarded(path, || {
        let index = open_index(path)?;
        let locked = index.directory().acquire_lock(&INDEX_WRITER_LOCK);
        let _lock =
            locked.map_err(|error| engine_error("repair", path, TantivyError::LockFailure(error, None)))?;
        let rebuilt_files = rebuild_impacts(&index, path)?;
        match check(&index, path) {
            Ok(()) => Ok(Repair { rebuilt_files, ..Repair::default() }),
            Err(Error::MissingPassages { expected, found, .. }) => {
                let list = SegmentList::read(&index, path)?;
                let restored = expected - found;
                if let Some(rebuilt) = list.restore_merged_segments(expected)? {
                    return Ok(Repair { rebuilt_files: rebuilt_files + rebuilt, restored, lost: 0 });
                }
                // Nothing that can be read holds them.
                list.accept(found)?;
                check(&index, path)?;
                Ok(Repair { rebuilt_files, restored: 0, lost: restored })
            }
            Err(error) => Err(error),
        }
    })
}

/// Makes the impact files anew that the last commit lacks, and returns how many they were.
fn rebuild_impacts(index: &Index, path: &Path) -> Result<u64, Error> {
    let (_, fields) = schema();
    rebuild_damaged(index, path, fields.contents).map_err(|error| engine_error("repair", path, error))
}

/// Whether an error is about what files hold. Another one, such as of a full disk or too many open files, says nothing of
/// what is there, and must not be taken for a loss.
fn is_damage(error: &Error) -> bool {
    matches!(error, Error::Corrupt { .. } | Error::MissingPassages { .. } | Error::Version { .. })
}

/// Opens the last commit and reads every file of it.
fn check(index: &Index, path: &Path) -> Result<(), Error> {
    Segments::open(index, path, &mut HashSet::new(), u64::MAX).map(drop)
}

/// tantivy's list of the segments of the last commit: `meta.json`.
struct SegmentList<'a> {
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
    fn read(index: &'a Index, path: &'a Path) -> Result<Self, Error> {
        let file = path.join("meta.json");
        let content = fs::read(&file).map_err(Error::io("open", &file))?;
        let list = serde_json::from_slice(&content)
            .map_err(|error| Error::corrupt(&file, "a list of segments", error.to_string()))?;
        Ok(Self { index, path, content, list, file })
    }

    /// Replaces merged segments in the list by their source segments, if that gives `expected` passages. Returns how many
    /// of their impact files it rebuilt, or `None` if it does not give them.
    fn restore_merged_segments(&self, expected: u64) -> Result<Option<u64>, Error> {
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
    fn accept(&self, passages: u64) -> Result<(), Error> {
        let payload = self.list["payload"].as_str();
        let mut settings = Settings::from_payload(payload, self.path)?;
        settings.passages = passages;
        let mut list = self.list.clone();
        list["payload"] = settings.to_payload().into();
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
        let next_ord = Settings::from_payload(self.list["payload"].as_str(), self.path)?.next_ord;
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

#[cfg(test)]
mod tests {
    use control::Control;
    use tantivy::Term;
    use tantivy::indexer::NoMergePolicy;

    use super::*;
    use crate::{Analyzer, Bm25, Bm25Index, IndexWriter, WriterOptions};

    const OPTIONS: WriterOptions = WriterOptions { overwrite: false, threads: 1, memory: 15_000_000 };

    /// An index with four segments: `a0` and `a1`; `b0` and `b1`; `c0`; `d0` and `d1`. The deletion of `b1` is part of
    /// the last commit.
    fn index(path: &Path) -> Vec<String> {
        let mut writer = IndexWriter::create(path, Analyzer::SIMPLE, OPTIONS).expect("an empty folder");
        writer.merge_in_background(false);
        for (letter, passages) in [('a', 2), ('b', 2), ('c', 1), ('d', 2)] {
            for number in 0..passages {
                writer.add(&format!("{letter}{number}"), None, "stone bridge").expect("a new id");
            }
            if letter == 'd' {
                writer.delete(&["b1"]).expect("a deletion");
            }
            writer.commit().expect("a commit");
        }
        writer.close().expect("no merges");
        found(path)
    }

    fn found(path: &Path) -> Vec<String> {
        let index = Bm25Index::open(path).expect("a sound index");
        index.verify().expect("sound files");
        let searcher = index.searcher();
        let hits = searcher.search("bridge", 100, Bm25::default(), &Control::new()).expect("hits");
        searcher.ids(&hits).expect("ids")
    }

    /// Reproduces the bug of writers that did not skip the commit's stamp: a tantivy writer deletes first, then merges.
    /// With `keep` the files of the source segments stay, as they do while one of our writers has them open.
    fn merge_uncommitted_deletion(path: &Path, id: &str, keep: bool) {
        let index = open_index(path).expect("a sound index");
        let pinned = keep.then(|| index.load_metas().expect("a list of segments"));
        let mut engine: tantivy::IndexWriter =
            index.writer_with_num_threads(1, 15_000_000).expect("no other writer");
        engine.set_merge_policy(Box::new(NoMergePolicy));
        let (_, fields) = schema();
        engine.delete_term(Term::from_field_text(fields.id, id));
        let segments = index.searchable_segment_ids().expect("a list of segments");
        engine.merge(&segments).wait().expect("a merge");
        engine.wait_merging_threads().expect("no merges");
        drop(pinned);
    }

    #[test]
    fn a_deletion_that_was_merged_but_never_committed_is_undone() {
        for deleted in ["a0", "a1", "c0", "d1"] {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let before = index(folder.path());
            merge_uncommitted_deletion(folder.path(), deleted, true);
            match Bm25Index::open(folder.path()) {
                Err(error @ Error::MissingPassages { expected: 6, found: 5, .. }) => {
                    assert!(error.to_string().contains("repair"), "{error}");
                }
                other => panic!("{other:?}"),
            }
            let repaired = repair(folder.path()).expect("a repair");
            assert_eq!(repaired, Repair { restored: 1, ..Repair::default() });
            assert_eq!(found(folder.path()), before);
            assert_eq!(repair(folder.path()).expect("nothing to repair"), Repair::default());
            let mut writer = IndexWriter::open(folder.path(), OPTIONS).expect("a sound index");
            assert_eq!(writer.delete(&[deleted]).expect("a deletion"), 1);
            writer.commit().expect("a commit");
            writer.merge().expect("a merge");
            assert_eq!(found(folder.path()).len(), before.len() - 1);
        }
    }

    #[test]
    fn an_index_whose_merged_segments_are_gone_keeps_what_is_left() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut before = index(folder.path());
        merge_uncommitted_deletion(folder.path(), "a0", false);
        let repaired = repair(folder.path()).expect("a repair");
        assert_eq!(repaired, Repair { lost: 1, ..Repair::default() });
        before.retain(|id| id != "a0");
        assert_eq!(found(folder.path()), before);
        let mut writer = IndexWriter::open(folder.path(), OPTIONS).expect("a sound index");
        writer.add("a0", None, "stone bridge").expect("an id that is free again");
        writer.commit().expect("a commit");
        assert_eq!(found(folder.path()).len(), 6);
    }

    #[test]
    fn a_lost_impact_file_is_noticed_and_made_anew() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let before = index(folder.path());
        let entries = fs::read_dir(folder.path()).expect("a folder");
        let mut files = entries.map(|entry| entry.expect("an entry").path());
        let lost = files.find(|file| file.extension().is_some_and(|end| end == "impacts"));
        let lost = lost.expect("an impact file");
        let content = fs::read(&lost).expect("an impact file");
        fs::remove_file(&lost).expect("a file to remove");
        let error = Bm25Index::open(folder.path()).expect_err("a lost file").to_string();
        assert!(error.contains(".impacts") && error.contains("repair"), "{error}");
        let repaired = repair(folder.path()).expect("a repair");
        assert_eq!(repaired, Repair { rebuilt_files: 1, ..Repair::default() });
        assert_eq!(fs::read(&lost).expect("an impact file"), content);
        assert_eq!(found(folder.path()), before);
    }

    #[test]
    fn half_an_impact_file_as_an_interrupted_repair_leaves_is_made_anew() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let before = index(folder.path());
        let entries = fs::read_dir(folder.path()).expect("a folder");
        let files = entries.map(|entry| entry.expect("an entry").path());
        let impacts: Vec<PathBuf> =
            files.filter(|file| file.extension().is_some_and(|end| end == "impacts")).collect();
        for (file, part) in impacts.iter().zip([0, 7, 100]) {
            let content = fs::read(file).expect("an impact file");
            fs::write(file, &content[..part]).expect("a file to damage");
        }
        let mut flipped = fs::read(&impacts[3]).expect("an impact file");
        flipped[40] ^= 1;
        fs::write(&impacts[3], flipped).expect("a file to damage");
        let repaired = repair(folder.path()).expect("a repair");
        assert_eq!(repaired, Repair { rebuilt_files: 4, ..Repair::default() });
        assert_eq!(found(folder.path()), before);
    }

    #[test]
    fn no_impact_file_is_built_from_damaged_postings() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let before = index(folder.path());
        let entries = fs::read_dir(folder.path()).expect("a folder");
        let files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
        let impacts = files.iter().find(|file| file.extension().is_some_and(|end| end == "impacts"));
        let impacts = impacts.expect("an impact file");
        fs::remove_file(impacts).expect("a file to remove");
        let postings = impacts.with_extension("idx");
        let content = fs::read(&postings).expect("postings");
        let mut damaged = content.clone();
        damaged[0] ^= 1;
        fs::write(&postings, damaged).expect("a file to damage");
        assert!(matches!(repair(folder.path()), Err(Error::Corrupt { .. })));
        assert!(!impacts.exists());
        fs::write(&postings, content).expect("a file to restore");
        assert_eq!(
            repair(folder.path()).expect("a repair"),
            Repair { rebuilt_files: 1, ..Repair::default() }
        );
        assert_eq!(found(folder.path()), before);
    }

    #[test]
    fn a_restored_segment_whose_impact_file_is_lost_gets_a_new_one() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let before = index(folder.path());
        merge_uncommitted_deletion(folder.path(), "a0", true);
        for entry in fs::read_dir(folder.path()).expect("a folder") {
            let file = entry.expect("an entry").path();
            if file.extension().is_some_and(|end| end == "impacts") {
                fs::remove_file(file).expect("a file to remove");
            }
        }
        let repaired = repair(folder.path()).expect("a repair");
        assert_eq!(repaired, Repair { rebuilt_files: 5, restored: 1, lost: 0 });
        assert_eq!(found(folder.path()), before);
    }

    #[test]
    fn damage_of_another_kind_and_an_open_writer_are_left_alone() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        index(folder.path());
        let writer = IndexWriter::open(folder.path(), OPTIONS).expect("a sound index");
        assert!(matches!(repair(folder.path()), Err(Error::Locked { .. })));
        drop(writer);
        let entries = fs::read_dir(folder.path()).expect("a folder");
        let mut files = entries.map(|entry| entry.expect("an entry").path());
        let terms = files.find(|file| file.extension().is_some_and(|end| end == "term")).expect("terms");
        let content = fs::read(&terms).expect("terms");
        fs::write(&terms, &content[1..]).expect("a file to damage");
        let list = fs::read(folder.path().join("meta.json")).expect("a list of segments");
        assert!(matches!(repair(folder.path()), Err(Error::Corrupt { .. })));
        assert_eq!(fs::read(folder.path().join("meta.json")).expect("a list of segments"), list);
    }
}
