use tantivy::indexer::IndexWriterOptions;

use crate::Error;

/// How an index is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriterOptions {
    /// Whether [`IndexWriter::create`](crate::IndexWriter::create) may take the place of an index that is there.
    pub overwrite: bool,
    /// Threads that analyse passages, 1 to 8. One makes one segment of what fits into memory.
    pub threads: usize,
    /// Bytes of memory for each thread, from 15 MB: passages beyond go to another segment.
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
        if !(15_000_000..=4_000_000_000).contains(&self.memory) {
            let got = self.memory.to_string();
            return Err(Error::Argument {
                what: "memory",
                expected: "15,000,000 to 4,000,000,000 bytes",
                got,
            });
        }
        Ok(IndexWriterOptions::builder()
            .num_worker_threads(self.threads)
            .memory_budget_per_thread(self.memory)
            .build())
    }
}
