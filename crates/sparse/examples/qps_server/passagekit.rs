//! The BM25 index of this crate as an engine of the server.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use control::Control;
use sparse::{Analyzer, Bm25, Bm25Index, IndexWriter, Searcher, WriterOptions};

use crate::engine::{Analysis, Engine, Outcome, ScoredId, WRITER_MEMORY};
use crate::text_files::{for_each_line, split_id};

/// BM25 of this crate.
#[derive(Default)]
pub struct Passagekit {
    /// The searcher of the open index.
    searcher: Option<Arc<Searcher>>,
}

impl Passagekit {
    fn searcher(&self) -> &Searcher {
        self.searcher.as_ref().expect("opened before it is searched")
    }
}

impl Engine for Passagekit {
    type Hits = Vec<ranking::Hit>;
    const THREADS: &[&str] = &["query", "batch"];

    /// The version includes the time at which this program was compiled, because the benchmark must not reuse an index
    /// that a different build of this program has written.
    fn version(&self) -> String {
        let built = std::env::current_exe().and_then(fs::metadata).and_then(|program| program.modified());
        let seconds =
            built.ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map_or(0, |time| time.as_secs());
        format!("{} built {seconds}", env!("CARGO_PKG_VERSION"))
    }

    fn build(&self, passages: &Path, folder: &Path, analysis: Analysis) -> Outcome<()> {
        let analyzer = match analysis {
            Analysis::Tokens => Analyzer::WHITESPACE,
            Analysis::English => Analyzer::ENGLISH,
        };
        let options = WriterOptions { memory: WRITER_MEMORY, ..WriterOptions::default() };
        let mut writer = IndexWriter::create(folder, analyzer, options)?;
        for_each_line(passages, |line| {
            let (id, text) = split_id(line);
            let (text, title) = text.split_once('\t').unwrap_or((text, ""));
            Ok(writer.add(id, (!title.is_empty()).then_some(title), text)?)
        })?;
        writer.commit()?;
        writer.merge()?;
        Ok(writer.close()?)
    }

    fn open(&mut self, folder: &Path) -> Outcome<()> {
        self.searcher = Some(Bm25Index::open(folder)?.searcher());
        Ok(())
    }

    fn search(&self, query: &str, k: usize) -> Outcome<Self::Hits> {
        Ok(self.searcher().search(query, k, Bm25::default(), &Control::new())?)
    }

    fn search_batch(&self, queries: &[&str], k: usize, threads: usize) -> Outcome<Vec<Self::Hits>> {
        Ok(self.searcher().search_many(queries, k, Bm25::default(), threads, &Control::new())?)
    }

    fn with_ids(&self, hits: &Self::Hits) -> Outcome<Vec<ScoredId>> {
        Ok(self.searcher().ids(hits)?.into_iter().zip(hits.iter().map(|hit| hit.score)).collect())
    }
}
