//! Sorts passages by the value of a field.
//!
//! The first passages of each segment are selected by integer keys: the key of a text is its ordinal in the dictionary
//! of the segment. Then only the values of the selected passages are read, and the lists of all segments are merged by
//! value.

use std::cmp::Ordering;

use tantivy::DocId;

use super::field_columns::{FieldColumns, compare};
use crate::Error;
use crate::filter::fields::Scalar;
use crate::filter::known_fields::check_known_field;
use crate::index::snapshot::Snapshot;
use crate::search::filtered_searcher::FilteredSearcher;

/// A passage with its sort key in its segment.
struct Keyed {
    /// The type of the value and the value, both as integers that sort in the requested order; [`MISSING`] if the
    /// passage has no value.
    key: (u8, u64),
    ord: u32,
}

/// A passage with its value.
struct Sorted {
    value: Option<Scalar>,
    ord: u32,
}

/// The key of a passage without the field. Such passages come last in both directions.
const MISSING: (u8, u64) = (u8::MAX, 0);

/// The first part of the key of a text. It is the same in both directions.
const TEXT: u8 = 1;

impl FilteredSearcher<'_> {
    /// Sorts the passages that match the filter by the value of a field, skips `offset` of them, and returns the ords of
    /// the next `k`. In ascending order, numbers come first, then texts by the code points of their characters, then
    /// false and true. `descending` reverses this order. A passage with a list of texts is sorted by the text of the
    /// list that comes first in the chosen direction. In both directions, passages with equal values are in the order
    /// of their ords, and passages without the field come last.
    ///
    /// # Errors
    ///
    /// [`Error::Part`] for a field that no passage of the index has, unless the index is empty; [`Error::Corrupt`] or
    /// [`Error::Io`] if the index cannot be read.
    pub fn sorted_by(
        &self,
        field: &str,
        descending: bool,
        offset: usize,
        k: usize,
    ) -> Result<Vec<u32>, Error> {
        let index = self.index();
        let count = offset.saturating_add(k);
        index.read(|| {
            check_known_field(field, index)?;
            let mut sorted = Vec::new();
            for (segment_index, segment) in index.segments.iter().enumerate() {
                let columns = FieldColumns::open(index, segment, field)?;
                let keyed = self.docs(segment_index).map(|doc| {
                    let ord = segment.passages.ord(doc);
                    Keyed { key: columns.key(doc, descending), ord }
                });
                sorted.extend(columns.values(first(keyed.collect(), count), descending, index)?);
            }
            sorted.sort_unstable_by(|a, b| a.compare(b, descending));
            Ok(sorted.into_iter().skip(offset).take(k).map(|passage| passage.ord).collect())
        })
    }
}

/// Returns the first `count` passages of a segment, in the order of their keys.
fn first(mut passages: Vec<Keyed>, count: usize) -> Vec<Keyed> {
    let by_key = |passage: &Keyed| (passage.key, passage.ord);
    if (1..passages.len()).contains(&count) {
        passages.select_nth_unstable_by_key(count - 1, by_key);
    }
    passages.truncate(count);
    passages.sort_unstable_by_key(by_key);
    passages
}

impl FieldColumns {
    /// Returns the sort key of a passage.
    fn key(&self, doc: DocId, descending: bool) -> (u8, u64) {
        let number = self.numbers.as_ref().and_then(|column| column.first(doc));
        let texts = self.texts.iter().flat_map(|column| column.ords().values_for_doc(doc));
        let text = || if descending { texts.max() } else { texts.min() };
        let boolean = || self.booleans.as_ref().and_then(|column| column.first(doc));
        let key = (number.map(|number| (0, ordered_bits(number))))
            .or_else(|| text().map(|ordinal| (TEXT, ordinal)))
            .or_else(|| boolean().map(|value| (2, u64::from(value))));
        match key {
            None => MISSING,
            Some((kind, value)) if descending => (2 - kind, !value),
            Some(key) => key,
        }
    }

    /// Replaces the sort key of each passage with the value that the key stands for.
    fn values(&self, passages: Vec<Keyed>, descending: bool, index: &Snapshot) -> Result<Vec<Sorted>, Error> {
        // Keys of a descending order have inverted bits.
        let ascending = |value: u64| if descending { !value } else { value };
        let mut ordinals: Vec<u64> = passages
            .iter()
            .filter(|passage| passage.key.0 == TEXT)
            .map(|passage| ascending(passage.key.1))
            .collect();
        ordinals.sort_unstable();
        ordinals.dedup();
        let texts = self.texts_of(&ordinals, index)?;
        let value = |(kind, value): (u8, u64)| {
            let value = ascending(value);
            match if descending { 2u8.checked_sub(kind)? } else { kind } {
                0 => Some(Scalar::Number(number_of(value))),
                TEXT => Some(Scalar::Text(texts.get(ordinals.binary_search(&value).ok()?)?.clone())),
                2 => Some(Scalar::Boolean(value == 1)),
                _ => None,
            }
        };
        Ok(passages.into_iter().map(|Keyed { key, ord }| Sorted { value: value(key), ord }).collect())
    }
}

impl Sorted {
    fn compare(&self, other: &Self, descending: bool) -> Ordering {
        let by_value = match (&self.value, &other.value) {
            (Some(a), Some(b)) if descending => compare(b, a),
            (Some(a), Some(b)) => compare(a, b),
            (a, b) => a.is_none().cmp(&b.is_none()),
        };
        by_value.then(self.ord.cmp(&other.ord))
    }
}

/// Maps a number to an integer. The integers have the same order as the numbers.
fn ordered_bits(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// Reverses [`ordered_bits`].
fn number_of(bits: u64) -> f64 {
    f64::from_bits(if bits >> 63 == 1 { bits & !(1 << 63) } else { !bits })
}
