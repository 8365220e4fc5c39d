//! The set of pending rows that a search scans. The [module](super) says which rows are pending.

use super::index::GrowingIndex;
use crate::RowSet;
use crate::filter::Filter;
use crate::hnsw::search::code_scan::RowWords;

/// The pending rows that are live and that a filter allows, as a bitmap. The bitmap begins at the word of the first
/// pending row, so that its size usually depends on the number of pending rows and not on the size of the index.
pub(super) struct PendingRows {
    /// The position that `words[0]` would have in a bitmap of all rows, counted in words.
    first_word: usize,
    words: Vec<u64>,
    /// The number of rows in the set.
    len: usize,
}

impl PendingRows {
    /// Collects the pending rows of an index that are live and that the filter allows.
    pub fn of(index: &GrowingIndex, filter: Option<Filter>) -> Self {
        let (num_graph_rows, num_rows) = (index.graph.num_graph_rows(), index.len());
        let first_pending = index.revived.iter().next().map_or(num_graph_rows, |row| row as usize);
        let first_word = first_pending / 64;
        let allowed = filter.and_then(|filter| filter.rows());
        let word = |at: usize| {
            let not_in_graph = bits_from(num_graph_rows, at) & !bits_from(num_rows, at);
            let pending = not_in_graph & !word_of(index.rows.deleted(), at) | word_of(&index.revived, at);
            pending & allowed.map_or(u64::MAX, |allowed| word_of(allowed, at))
        };
        let mut words: Vec<u64> = if index.pending() == 0 {
            Vec::new()
        } else {
            (first_word..num_rows.div_ceil(64)).map(word).collect()
        };
        if let Some(filter) = filter.filter(|filter| filter.rows().is_none()) {
            for (at, word) in words.iter_mut().enumerate() {
                let mut rest = *word;
                while rest != 0 {
                    let bit = rest.trailing_zeros();
                    if !filter.allows((64 * (first_word + at)) as u32 + bit) {
                        *word &= !(1 << bit);
                    }
                    rest &= rest - 1;
                }
            }
        }
        let len = words.iter().map(|word| word.count_ones() as usize).sum();
        Self { first_word, words, len }
    }

    pub fn words(&self) -> RowWords<'_> {
        RowWords { first: (64 * self.first_word) as u32, words: &self.words }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// Returns the word at `at` of the bitmap of a set.
fn word_of(set: &RowSet, at: usize) -> u64 {
    set.words().get(at).copied().unwrap_or(0)
}

/// Returns the word at `at` of a bitmap in which the bits of `first` and all later rows are set.
fn bits_from(first: usize, at: usize) -> u64 {
    let num_unset = first.saturating_sub(64 * at);
    if num_unset < 64 { u64::MAX << num_unset } else { 0 }
}
