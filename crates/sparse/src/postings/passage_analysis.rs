//! How a writer passes its analyzer to the plugin that analyzes passages on tantivy's threads.

use std::sync::{Arc, OnceLock};

use crate::Analyzer;
use crate::writer::backlog::Backlog;

/// The analyzer of the passages that a writer adds. The plugin of an index and the writer of the index share this
/// value; the writer sets it once, before it adds a passage.
#[derive(Clone, Default)]
pub(crate) struct PassageAnalysis(Arc<OnceLock<AnalysisSettings>>);

/// What a segment writer needs to analyze passages.
#[derive(Clone)]
pub(crate) struct AnalysisSettings {
    pub analyzer: Analyzer,
    /// Each text leaves this backlog when it is analyzed.
    pub backlog: Arc<Backlog>,
}

impl PassageAnalysis {
    pub fn set(&self, settings: AnalysisSettings) {
        assert!(self.0.set(settings).is_ok(), "the analyzer of an open index is set once");
    }

    pub fn get(&self) -> Option<AnalysisSettings> {
        self.0.get().cloned()
    }
}
