//! [`Bm25Index`], the public handle of an index that is open for searching. It holds a [`Searcher`] for one commit and
//! replaces this searcher when the index is reloaded. Searches that are running keep the commit that they started with.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use control::Control;
use ranking::Hit;
use storage::OpenOptions;

use crate::index::checksums::MAX_BYTES_VERIFIED_ON_OPEN;
use crate::index::open::{open_index, read_index};
use crate::index::snapshot::Snapshot;
use crate::repair::{Repair, repair};
use crate::search::explain::Explanation;
use crate::search::searcher::Searcher;
use crate::{Analyzer, Bm25, Error};

/// A BM25 index that is open for searching. Searches see the commit that was the latest when the index was opened.
/// [`reload`](Self::reload) makes later commits visible.
#[derive(Debug)]
pub struct Bm25Index {
    path: PathBuf,
    /// If set, opening and reloading fail if the index has a different analyzer.
    expected_analyzer: Option<Analyzer>,
    in_memory: bool,
    current: RwLock<Arc<Searcher>>,
    /// Files that matched their checksums. They are not compared again, because segment files never change.
    verified: Mutex<HashSet<PathBuf>>,
}

impl Bm25Index {
    /// Opens the index in a folder. The segment files are compared with their checksums if they have at most 64 MiB in
    /// total. In larger indexes, only the files that searches read are compared, and only if these have at most 64 MiB
    /// in total. [`verify`](Self::verify) compares all files.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`], [`Error::NotAFolder`], [`Error::NotAnIndex`], [`Error::Corrupt`],
    /// [`Error::Version`], [`Error::AnalyzerVersion`], [`Error::Io`].
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::open_with(path, None, OpenOptions::default())
    }

    /// Opens the index in a folder. Fails, now or at a later reload, if the index was built with an analyzer other than
    /// `analyzer`. `None` accepts every analyzer.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open), and [`Error::AnalyzerMismatch`].
    pub fn open_expecting(path: &Path, analyzer: Option<Analyzer>) -> Result<Self, Error> {
        Self::open_with(path, analyzer, OpenOptions::default())
    }

    /// Does the same as [`open_expecting`](Self::open_expecting), with options. The files are memory-mapped or, with
    /// `in_memory`, read into memory, now and at each reload. With `verify`, this call compares all files with their
    /// checksums.
    ///
    /// If another program truncates a mapped file, a search that reads the missing part ends the process (SIGBUS).
    /// Writers never truncate files: they remove them, and the content stays available as long as a process has them
    /// open.
    ///
    /// # Errors
    ///
    /// Those of [`open_expecting`](Self::open_expecting).
    pub fn open_with(path: &Path, analyzer: Option<Analyzer>, options: OpenOptions) -> Result<Self, Error> {
        let max_verified_bytes = if options.verify { u64::MAX } else { MAX_BYTES_VERIFIED_ON_OPEN };
        let mut verified = HashSet::new();
        let searcher =
            open_searcher(path, analyzer.as_ref(), options.in_memory, &mut verified, max_verified_bytes)?;
        Ok(Self {
            path: path.to_path_buf(),
            expected_analyzer: analyzer,
            in_memory: options.in_memory,
            current: RwLock::new(Arc::new(searcher)),
            verified: Mutex::new(verified),
        })
    }

    /// Repairs an index and checks every file. It can rebuild an impact file (a segment's file with the terms and their
    /// postings) if all passages of the segment were stored. An intact index is not changed.
    ///
    /// # Errors
    ///
    /// [`Error::Locked`] while a writer has the index open; the errors of [`open`](Self::open) for damage that cannot
    /// be repaired, after which only impact files may have changed; [`Error::Io`].
    pub fn repair(path: &Path) -> Result<Repair, Error> {
        repair(path)
    }

    /// Switches to the latest commit. Searchers that [`searcher`](Self::searcher) returned earlier are not affected.
    /// After an error, this index still shows the commit that it showed before.
    ///
    /// # Errors
    ///
    /// Those of [`open_expecting`](Self::open_expecting).
    pub fn reload(&self) -> Result<(), Error> {
        self.reload_and_verify(MAX_BYTES_VERIFIED_ON_OPEN)
    }

    /// Reloads, and compares every file of the latest commit with its checksum.
    ///
    /// # Errors
    ///
    /// Those of [`open_expecting`](Self::open_expecting).
    pub fn verify(&self) -> Result<(), Error> {
        self.verified.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.reload_and_verify(u64::MAX)
    }

    /// Returns a searcher for the current commit. Use the searcher if several calls must see the same commit, such as a
    /// search and the lookup of the [ids](Searcher::ids) of its hits.
    #[must_use]
    pub fn searcher(&self) -> Arc<Searcher> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the number of passages, without deleted ones.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.searcher().len()
    }

    /// Returns true if the index has no passages.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the analyzer with which the index was built.
    #[must_use]
    pub fn analyzer(&self) -> Analyzer {
        self.searcher().analyzer()
    }

    /// Calls [`Searcher::search`] for the current commit.
    ///
    /// # Errors
    ///
    /// Those of [`Searcher::search`].
    pub fn search(
        &self,
        query: &str,
        k: usize,
        parameters: Bm25,
        control: &Control,
    ) -> Result<Vec<Hit>, Error> {
        self.searcher().search(query, k, parameters, control)
    }

    /// Calls [`Searcher::search_terms`] for the current commit.
    ///
    /// # Errors
    ///
    /// Those of [`Searcher::search_terms`].
    pub fn search_terms(
        &self,
        terms: &[(String, f32)],
        k: usize,
        parameters: Bm25,
        control: &Control,
    ) -> Result<Vec<Hit>, Error> {
        self.searcher().search_terms(terms, k, parameters, control)
    }

    /// Calls [`Searcher::search_many`] for the current commit.
    ///
    /// # Errors
    ///
    /// Those of [`Searcher::search_many`].
    pub fn search_many(
        &self,
        queries: &[&str],
        k: usize,
        parameters: Bm25,
        threads: usize,
        control: &Control,
    ) -> Result<Vec<Vec<Hit>>, Error> {
        self.searcher().search_many(queries, k, parameters, threads, control)
    }

    /// Calls [`Searcher::ids`] for the current commit. A passage keeps its ord for as long as it is in the index, so
    /// hits of earlier commits are found too, unless their passages have been deleted.
    ///
    /// # Errors
    ///
    /// Those of [`Searcher::ids`].
    pub fn ids(&self, hits: &[Hit]) -> Result<Vec<String>, Error> {
        self.searcher().ids(hits)
    }

    /// Calls [`Searcher::explain`] for the current commit.
    ///
    /// # Errors
    ///
    /// Those of [`Searcher::explain`].
    pub fn explain(&self, query: &str, id: &str, parameters: Bm25) -> Result<Explanation, Error> {
        self.searcher().explain(query, id, parameters)
    }

    fn reload_and_verify(&self, max_verified_bytes: u64) -> Result<(), Error> {
        let mut verified = self.verified.lock().unwrap_or_else(PoisonError::into_inner);
        let (path, expected) = (&self.path, self.expected_analyzer.as_ref());
        let searcher =
            Arc::new(open_searcher(path, expected, self.in_memory, &mut verified, max_verified_bytes)?);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = searcher;
        Ok(())
    }
}

fn open_searcher(
    path: &Path,
    analyzer: Option<&Analyzer>,
    in_memory: bool,
    verified: &mut HashSet<PathBuf>,
    max_verified_bytes: u64,
) -> Result<Searcher, Error> {
    let index = if in_memory { read_index(path)? } else { open_index(path)? };
    let snapshot = Snapshot::open(&index, path, verified, max_verified_bytes)?;
    snapshot.check_analyzer(analyzer)?;
    Ok(Searcher::new(snapshot))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{IndexWriter, WriterOptions};

    #[test]
    fn damage_in_files_that_are_too_large_to_verify_causes_no_panic() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path();
        let mut writer =
            IndexWriter::create(path, Analyzer::SIMPLE, WriterOptions::default()).expect("an empty folder");
        for number in 0..300u32 {
            // Nine words of one letter, in varying combinations.
            let text: String = (0..9)
                .map(|index| char::from(b'a' + (number * index % 23) as u8))
                .flat_map(|c| [c, ' '])
                .collect();
            let fields =
                [("number".to_owned(), f64::from(number).into()), ("text".to_owned(), text.as_str().into())];
            writer.put_stored(&number.to_string(), None, &text, &fields.into()).expect("a new id");
        }
        writer.commit().expect("a commit");
        writer.close().expect("merges that finish");
        let search = || {
            // 0 bytes: no file is compared with its checksum.
            let searcher = open_searcher(path, None, false, &mut HashSet::new(), 0)?;
            let hits = searcher.search("a b c d e", 20, Bm25::default(), &Control::new())?;
            searcher.explain("a b c", "7", Bm25::default())?;
            let conditions = r#"{"or": [{"range": {"field": "number", "lt": 99}}, {"equals": {"field": "text", "value": "b"}},
                {"range": {"field": "text", "gt": "c"}}, {"exists": {"field": "text"}}, {"prefix": {"field": "text", "value": "a "}}, {"ids": ["7", "8"]}]}"#;
            let filter = serde_json::from_str(conditions).expect("a filter");
            let filtered = searcher.filtered(Some(&filter), &Control::new())?;
            filtered.search("a b", 20, Bm25::default(), &Control::new())?;
            for field in ["number", "text"] {
                filtered.value_counts(field, 20)?;
                filtered.sorted_by(field, true, 0, 20)?;
            }
            let _ = filtered.ords();
            searcher.passages(&[7, 8, 290])?;
            searcher.fields("7")?;
            searcher.ids(&hits)
        };
        let intact = search().expect("an intact index");
        let mut errors = 0;
        for entry in std::fs::read_dir(path).expect("a folder") {
            let file = entry.expect("an entry").path();
            let content = std::fs::read(&file).expect("a file");
            // Inverts up to 60 bytes of each file, one at a time.
            for offset in (0..content.len()).step_by(content.len() / 60 + 1) {
                let mut corrupt = content.clone();
                corrupt[offset] ^= 0xff;
                std::fs::write(&file, corrupt).expect("a file to corrupt");
                // Without checksums the hits may be wrong, but a panic must become an error: this call must return.
                errors += u32::from(search().is_err());
            }
            std::fs::write(&file, content).expect("a file to restore");
        }
        assert!(errors > 50);
        assert_eq!(search().expect("an intact index"), intact);
    }
}
