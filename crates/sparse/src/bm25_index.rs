//! An index open for searching.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use control::Control;
use ranking::Hit;
use storage::OpenOptions;

use crate::index::integrity::{CHECKED_ON_OPEN, guarded};
use crate::index::open::{open_index, read_index};
use crate::index::snapshot::Snapshot;
use crate::repair::{Repair, repair};
use crate::search::explain::Explanation;
use crate::search::searcher::Searcher;
use crate::{Analyzer, Bm25, Error};

/// A BM25 index, open for searching. Shares nothing with writers: it shows the commit that it was opened at until
/// it is [reloaded](Self::reload).
#[derive(Debug)]
pub struct Bm25Index {
    path: PathBuf,
    /// Another analyzer than this one is refused.
    expected: Option<Analyzer>,
    in_memory: bool,
    current: RwLock<Arc<Searcher>>,
    /// Files whose checksums agreed. Segment files are never written again.
    checked: Mutex<HashSet<PathBuf>>,
}

impl Bm25Index {
    /// Opens the index in a folder. Segment files of up to 64 MiB in all are compared with their checksums;
    /// [`verify`](Self::verify) does so for more.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`], [`Error::NotAFolder`], [`Error::NotAnIndex`], [`Error::Corrupt`],
    /// [`Error::Version`], [`Error::AnalyzerVersion`], [`Error::Io`].
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::open_with(path, None, OpenOptions::default())
    }

    /// Opens the index in a folder unless it was made with another analyzer, now or at a later reload.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open), and [`Error::AnalyzerMismatch`].
    pub fn open_expecting(path: &Path, analyzer: Option<Analyzer>) -> Result<Self, Error> {
        Self::open_with(path, analyzer, OpenOptions::default())
    }

    /// Opens the index in a folder with options. Its files are mapped, or with `in_memory` read into memory, now and at
    /// each reload. With `verify` all files are compared with their checksums.
    ///
    /// If another program truncates a mapped file, a search that reads the missing part ends the process (SIGBUS). A
    /// writer never truncates files: it removes them, and their content stays available as long as a process has them
    /// open.
    ///
    /// # Errors
    ///
    /// Those of [`open_expecting`](Self::open_expecting).
    pub fn open_with(path: &Path, analyzer: Option<Analyzer>, options: OpenOptions) -> Result<Self, Error> {
        let (mut checked, limit) = (HashSet::new(), if options.verify { u64::MAX } else { CHECKED_ON_OPEN });
        let searcher = open_searcher(path, analyzer.as_ref(), options.in_memory, &mut checked, limit)?;
        Ok(Self {
            path: path.to_path_buf(),
            expected: analyzer,
            in_memory: options.in_memory,
            current: RwLock::new(Arc::new(searcher)),
            checked: Mutex::new(checked),
        })
    }

    /// Repairs an index that lost an impact file, or that lost passages to a deletion that was never committed, and
    /// checks every file. An intact index is not changed.
    ///
    /// # Errors
    ///
    /// [`Error::Locked`] while a writer has the index open; those of [`open`](Self::open) for other damage, which
    /// leaves everything but impact files as it was; [`Error::Io`].
    pub fn repair(path: &Path) -> Result<Repair, Error> {
        repair(path)
    }

    /// Shows the last commit from here on. Searchers handed out before stay as they are. After an error, so does
    /// this index.
    ///
    /// # Errors
    ///
    /// Those of [`open_expecting`](Self::open_expecting).
    pub fn reload(&self) -> Result<(), Error> {
        self.reload_checking(CHECKED_ON_OPEN)
    }

    /// Reads every file of the last commit, compares it with its checksum, and reloads.
    ///
    /// # Errors
    ///
    /// Those of [`open_expecting`](Self::open_expecting).
    pub fn verify(&self) -> Result<(), Error> {
        self.checked.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.reload_checking(u64::MAX)
    }

    /// The commit shown now. To be used where several calls must see the same one: a search and the
    /// [ids](Searcher::ids) of its hits.
    #[must_use]
    pub fn searcher(&self) -> Arc<Searcher> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Passages that can be found.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.searcher().len()
    }

    /// Whether there is no passage.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The analyzer that the index was made with.
    #[must_use]
    pub fn analyzer(&self) -> Analyzer {
        self.searcher().analyzer()
    }

    /// [`Searcher::search`] in the commit shown now.
    ///
    /// # Errors
    ///
    /// See there.
    pub fn search(
        &self,
        query: &str,
        k: usize,
        parameters: Bm25,
        control: &Control,
    ) -> Result<Vec<Hit>, Error> {
        self.searcher().search(query, k, parameters, control)
    }

    /// [`Searcher::search_terms`] in the commit shown now.
    ///
    /// # Errors
    ///
    /// See there.
    pub fn search_terms(
        &self,
        terms: &[(String, f32)],
        k: usize,
        parameters: Bm25,
        control: &Control,
    ) -> Result<Vec<Hit>, Error> {
        self.searcher().search_terms(terms, k, parameters, control)
    }

    /// [`Searcher::search_many`] in the commit shown now.
    ///
    /// # Errors
    ///
    /// See there.
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

    /// [`Searcher::ids`] in the commit shown now. A passage keeps its ord for as long as it is in the index.
    ///
    /// # Errors
    ///
    /// See there.
    pub fn ids(&self, hits: &[Hit]) -> Result<Vec<String>, Error> {
        self.searcher().ids(hits)
    }

    /// [`Searcher::explain`] in the commit shown now.
    ///
    /// # Errors
    ///
    /// See there.
    pub fn explain(&self, query: &str, id: &str, parameters: Bm25) -> Result<Explanation, Error> {
        self.searcher().explain(query, id, parameters)
    }

    fn reload_checking(&self, limit: u64) -> Result<(), Error> {
        let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        let (path, expected) = (&self.path, self.expected.as_ref());
        let searcher = Arc::new(open_searcher(path, expected, self.in_memory, &mut checked, limit)?);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = searcher;
        Ok(())
    }
}

fn open_searcher(
    path: &Path,
    analyzer: Option<&Analyzer>,
    in_memory: bool,
    checked: &mut HashSet<PathBuf>,
    limit: u64,
) -> Result<Searcher, Error> {
    guarded(path, || {
        let index = if in_memory { read_index(path)? } else { open_index(path)? };
        let segments = Snapshot::open(&index, path, checked, limit)?;
        segments.check_analyzer(analyzer)?;
        Ok(Searcher::new(segments))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{IndexWriter, WriterOptions};

    #[test]
    fn damage_in_files_too_large_to_check_does_not_panic() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path();
        let mut writer =
            IndexWriter::create(path, Analyzer::SIMPLE, WriterOptions::default()).expect("an empty folder");
        for at in 0..300u32 {
            let text: String = (0..9)
                .map(|place| char::from(b'a' + (at * place % 23) as u8))
                .flat_map(|c| [c, ' '])
                .collect();
            let fields = [("at".to_owned(), f64::from(at).into()), ("text".to_owned(), text.as_str().into())];
            writer.add_with_fields(&at.to_string(), None, &text, &fields.into()).expect("a new id");
        }
        writer.commit().expect("a commit");
        writer.close().expect("merges that end");
        let search = || {
            let searcher = open_searcher(path, None, false, &mut HashSet::new(), 0)?;
            let hits = searcher.search("a b c d e", 20, Bm25::default(), &Control::new())?;
            searcher.explain("a b c", "7", Bm25::default())?;
            let conditions = r#"{"or": [{"range": {"field": "at", "lt": 99}}, {"equals": {"field": "text", "value": "b"}},
                {"range": {"field": "text", "gt": "c"}}, {"exists": {"field": "text"}}, {"ids": ["7", "8"]}]}"#;
            let filter = serde_json::from_str(conditions).expect("a filter");
            let filtered = searcher.filtered(Some(&filter), &Control::new())?;
            filtered.search("a b", 20, Bm25::default(), &Control::new())?;
            searcher.fields("7")?;
            searcher.ids(&hits)
        };
        let sound = search().expect("a sound index");
        let mut errors = 0;
        for entry in std::fs::read_dir(path).expect("a folder") {
            let file = entry.expect("an entry").path();
            let content = std::fs::read(&file).expect("a file");
            for at in (0..content.len()).step_by(content.len() / 60 + 1) {
                let mut content = content.clone();
                content[at] ^= 0xff;
                std::fs::write(&file, content).expect("a file to damage");
                // Without checksums other answers may come, but no panic gets out.
                errors += u32::from(search().is_err());
            }
            std::fs::write(&file, content).expect("a file to mend");
        }
        assert!(errors > 50);
        assert_eq!(search().expect("a sound index"), sound);
    }
}
