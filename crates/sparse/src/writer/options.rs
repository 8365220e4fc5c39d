use tantivy::indexer::IndexWriterOptions;

use crate::Error;

/// The engine takes no less for a thread.
const LEAST: usize = 15_000_000;

/// How an index is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriterOptions {
    /// Whether [`IndexWriter::create`](crate::IndexWriter::create) may take the place of an index that is there.
    pub overwrite: bool,
    /// Threads that analyse passages, 1 to 8, beside the one that adds them. One makes one segment of what fits
    /// into memory.
    pub threads: usize,
    /// Bytes of memory for passages that are not written yet, all threads together: 15 to 4,000 MB a thread. What
    /// does not fit goes to another segment. Beside it, an id takes 17 to 35 bytes until the next commit, and merging
    /// about 30 bytes for each passage merged.
    pub memory: usize,
}

impl Default for WriterOptions {
    /// No overwriting, one thread, 256 MB.
    fn default() -> Self {
        Self { overwrite: false, threads: 1, memory: 256_000_000 }
    }
}

impl WriterOptions {
    /// The engine's self.
    pub(crate) fn checked(self) -> Result<IndexWriterOptions, Error> {
        if !(1..=8).contains(&self.threads) {
            let got = self.threads.to_string();
            return Err(Error::Argument { what: "threads", expected: "1 to 8", got });
        }
        if !(LEAST..=4_000_000_000).contains(&(self.memory / self.threads)) {
            let got = format!("{} for {}", self.memory, self.threads);
            let expected = "15,000,000 to 4,000,000,000 bytes a thread";
            return Err(Error::Argument { what: "memory", expected, got });
        }
        let indexed = (self.memory - self.waiting()) / self.threads;
        Ok(IndexWriterOptions::builder()
            .num_worker_threads(self.threads)
            .num_merge_threads(self.threads)
            .memory_budget_per_thread(indexed.max(LEAST))
            .build())
    }

    /// How much of the memory is for texts that wait to be analysed, in bytes.
    pub(crate) fn waiting(self) -> usize {
        (self.memory / 8).min(8_000_000)
    }
}
