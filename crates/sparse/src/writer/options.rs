//! The options of a writer: threads, memory, and whether it may overwrite an index.

use tantivy::indexer::IndexWriterOptions;

use crate::Error;

/// The minimum memory per thread that tantivy accepts, in bytes.
const MIN_BYTES_PER_THREAD: usize = 15_000_000;

/// Options of a writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriterOptions {
    /// Whether [`IndexWriter::create`](crate::IndexWriter::create) may replace an existing index.
    pub overwrite: bool,
    /// Number of threads that analyze passages, 1 to 8, in addition to the thread that adds them. With one thread,
    /// passages that fit in memory become one segment; with several threads, each writes segments of its own.
    pub threads: usize,
    /// Number of bytes of memory for passages that are not written yet, for all threads together: 15 to 4,000 MB per
    /// thread. When the memory is used up, the passages are written as a segment. In addition, each changed id takes 17
    /// to 35 bytes until the next commit, and merging takes about 30 bytes per passage and 25 per
    /// term.
    pub memory: usize,
}

impl Default for WriterOptions {
    /// No overwriting, one thread, 256 MB.
    fn default() -> Self {
        Self { overwrite: false, threads: 1, memory: 256_000_000 }
    }
}

impl WriterOptions {
    /// Checks the options and converts them to tantivy's.
    pub(crate) fn to_tantivy(self) -> Result<IndexWriterOptions, Error> {
        if !(1..=8).contains(&self.threads) {
            let got = self.threads.to_string();
            return Err(Error::Argument { what: "threads", expected: "1 to 8", got });
        }
        if !(MIN_BYTES_PER_THREAD..=4_000_000_000).contains(&(self.memory / self.threads)) {
            let got = format!("{} bytes (threads: {})", self.memory, self.threads);
            let expected = "15,000,000 to 4,000,000,000 bytes per thread";
            return Err(Error::Argument { what: "memory", expected, got });
        }
        // tantivy gets at least its minimum. If the memory is too small for that, the backlog needs additional memory.
        let index_bytes = (self.memory - self.max_backlog_bytes()) / self.threads;
        Ok(IndexWriterOptions::builder()
            .num_worker_threads(self.threads)
            .num_merge_threads(self.threads)
            .memory_budget_per_thread(index_bytes.max(MIN_BYTES_PER_THREAD))
            .build())
    }

    /// Returns the part of the memory, in bytes, that is for texts that wait to be analyzed.
    pub(crate) fn max_backlog_bytes(self) -> usize {
        (self.memory / 8).min(8_000_000)
    }
}
