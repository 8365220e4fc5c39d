//! How a writer passes its analyzer to the plugin that analyzes passages on tantivy's threads.

use std::sync::{Arc, PoisonError, RwLock};

use crate::Analyzer;
use crate::writer::backlog::Backlog;

/// The analyzer for the passages that are added from now on. The plugin of an index and the writer of the index share
/// this value; it is empty until the writer sets it.
#[derive(Clone, Default)]
pub(crate) struct PassageAnalysis(Arc<RwLock<Option<AnalysisSettings>>>);

/// What a segment writer needs to analyze passages.
#[derive(Clone)]
pub(crate) struct AnalysisSettings {
    pub analyzer: Analyzer,
    /// Each text leaves this backlog when it is analyzed.
    pub backlog: Arc<Backlog>,
}

impl PassageAnalysis {
    pub fn set(&self, settings: AnalysisSettings) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(settings);
    }

    pub fn get(&self) -> Option<AnalysisSettings> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
