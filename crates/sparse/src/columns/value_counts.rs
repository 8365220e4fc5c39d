//! Counts how many passages have each value of a field.

use std::collections::HashMap;

use tantivy::DocId;

use super::field_columns::{FieldColumns, compare};
use crate::Error;
use crate::filter::fields::Scalar;
use crate::filter::known_fields::check_known_field;
use crate::index::snapshot::Snapshot;
use crate::search::filtered_searcher::FilteredSearcher;

/// The number of passages for each value.
#[derive(Default)]
struct Counts {
    /// Keyed by the bits of the number: fields have no NaN and no −0, so equal numbers have equal bits.
    numbers: HashMap<u64, u64>,
    texts: HashMap<String, u64>,
    /// The counts of false and of true.
    booleans: [u64; 2],
}

impl FilteredSearcher<'_> {
    /// Counts how many of the passages that match the filter have each value of a field. Returns the `max` most
    /// frequent values, the most frequent first. Values with equal counts are sorted: numbers first, then texts by the
    /// code points of their characters, then false and true. A passage with a list of texts counts once for each
    /// distinct text. Passages without the field are not counted.
    ///
    /// # Errors
    ///
    /// [`Error::Part`] for a field that no passage of the index has, unless the index is empty; [`Error::Corrupt`] or
    /// [`Error::Io`] if the index cannot be read.
    pub fn value_counts(&self, field: &str, max: usize) -> Result<Vec<(Scalar, u64)>, Error> {
        let index = self.index();
        index.read(|| {
            check_known_field(field, index)?;
            let mut counts = Counts::default();
            for (segment_index, segment) in index.segments.iter().enumerate() {
                let columns = FieldColumns::open(index, segment, field)?;
                counts.add(&columns, || self.docs(segment_index), index)?;
            }
            Ok(counts.most_frequent(max))
        })
    }
}

impl Counts {
    /// Counts the values of the passages `docs` of one segment. `columns` are the columns of this segment.
    fn add<D: Iterator<Item = DocId>>(
        &mut self,
        columns: &FieldColumns,
        docs: impl Fn() -> D,
        index: &Snapshot,
    ) -> Result<(), Error> {
        if let Some(column) = &columns.numbers {
            for number in docs().filter_map(|doc| column.first(doc)) {
                *self.numbers.entry(number.to_bits()).or_default() += 1;
            }
        }
        if let Some(column) = &columns.booleans {
            for value in docs().filter_map(|doc| column.first(doc)) {
                self.booleans[usize::from(value)] += 1;
            }
        }
        let Some(column) = &columns.texts else { return Ok(()) };
        let (terms, bytes) = (column.dictionary().num_terms(), column.dictionary().num_bytes());
        // The terms are the distinct texts. Each takes at least one byte, so this check limits the allocation if the
        // number of terms is corrupt.
        if terms as u64 > bytes.get_bytes() {
            let got = format!("{terms} terms in {bytes}");
            return Err(Error::corrupt(&index.path, "a dictionary of a column", got));
        }
        let mut counts_by_ordinal = vec![0u64; terms];
        let mut passage_ordinals = Vec::new();
        for doc in docs() {
            passage_ordinals.clear();
            passage_ordinals.extend(column.ords().values_for_doc(doc));
            passage_ordinals.sort_unstable();
            passage_ordinals.dedup();
            passage_ordinals.iter().for_each(|&ordinal| counts_by_ordinal[ordinal as usize] += 1);
        }
        let (ordinals, counts): (Vec<u64>, Vec<u64>) =
            (0..).zip(counts_by_ordinal).filter(|&(_, count)| count > 0).unzip();
        for (text, count) in columns.texts_of(&ordinals, index)?.into_iter().zip(counts) {
            *self.texts.entry(text).or_default() += count;
        }
        Ok(())
    }

    fn most_frequent(self, max: usize) -> Vec<(Scalar, u64)> {
        let numbers = self.numbers.into_iter().map(|(bits, count)| (f64::from_bits(bits).into(), count));
        let texts = self.texts.into_iter().map(|(text, count)| (text.into(), count));
        let booleans = [false, true].into_iter().zip(self.booleans).filter(|&(_, count)| count > 0);
        let booleans = booleans.map(|(value, count)| (value.into(), count));
        let mut counts: Vec<(Scalar, u64)> = numbers.chain(texts).chain(booleans).collect();
        counts
            .sort_unstable_by(|(a, a_count), (b, b_count)| b_count.cmp(a_count).then_with(|| compare(a, b)));
        counts.truncate(max);
        counts
    }
}
