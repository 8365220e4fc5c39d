//! The dictionary of a segment: the impacts that have a one-byte code. [`Counter`] finds the most frequent impacts of a
//! segment, [`Encoder`] maps impacts to codes, and [`Dictionary`] maps codes to impacts.

use std::collections::HashMap;

use kernels::impacts::MAX_CODES_PER_CLASS;
use tantivy::fieldnorm::FieldNormReader;

use super::code_classes::choose_codes;

/// What BM25 needs to know about a posting: the term's frequency in the passage, and the passage's fieldnorm (its
/// length, quantized to a byte).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Impact {
    pub frequency: u32,
    pub fieldnorm: u8,
}

/// The code of entries that are not postings, but bridge long gaps between passages; and of passages without the term.
pub(crate) const ABSENT: u8 = 0;

/// The code of postings whose impact is not in the dictionary. Their frequencies are in a list of overflow entries.
pub(crate) const OVERFLOW: u8 = 255;

/// Maximum number of impacts that get a code. The kernels use one upper bound for all codes of a class (up to 16
/// neighboring codes). The class that contains [`OVERFLOW`] has the bound 0, so it must not contain impacts.
pub(super) const MAX_IMPACTS: usize = 255 - MAX_CODES_PER_CLASS;

/// The most frequent impacts of a segment, at most [`MAX_IMPACTS`]. The impact at index `i` has the code `i + 1`. The
/// impacts are in ascending order of their contributions with k1 = 0.9 and b = 0.4. Neighbors then contribute nearly
/// the same with any parameters, so one upper bound per class of neighboring codes is tight. An impact may occur
/// several times ([`code_classes`](super::code_classes) says why); only the last of its codes is used.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dictionary {
    pub impacts: Vec<Impact>,
}

/// Codes are given to the most frequent impacts until at most one posting in this many has an impact without a code, or
/// until there are no more codes. With fewer impacts, classes are narrower, but overflow entries take more time than
/// other postings.
const POSTINGS_PER_OVERFLOW_ENTRY: u64 = 10_000;

/// Impacts with a frequency below this are counted and looked up in an array, the others in a hash map.
const ARRAY_FREQUENCIES: usize = 32;

/// Counts impacts to find the most frequent ones.
pub(crate) struct Counter {
    /// Indexed by frequency and fieldnorm.
    array: Vec<[u64; 256]>,
    /// The counts of impacts with higher frequencies.
    others: HashMap<Impact, u64>,
}

/// Maps impacts to their codes.
pub(crate) struct Encoder {
    /// Indexed by frequency and fieldnorm.
    array: Vec<[u8; 256]>,
    /// The codes of impacts with higher frequencies.
    others: HashMap<Impact, u8>,
}

impl Counter {
    pub fn new() -> Self {
        Self { array: vec![[0; 256]; ARRAY_FREQUENCIES], others: HashMap::new() }
    }

    /// Counts an impact that `count` postings have.
    #[inline]
    pub fn add(&mut self, impact: Impact, count: u64) {
        match self.array.get_mut(impact.frequency as usize) {
            Some(row) => row[usize::from(impact.fieldnorm)] += count,
            None if count > 0 => *self.others.entry(impact).or_default() += count,
            None => {}
        }
    }

    pub fn into_dictionary(self) -> Dictionary {
        let impacts_of = |(frequency, row): (u32, &[u64; 256])| {
            let counted = row.iter().zip(0..=u8::MAX).filter(|&(&count, _)| count > 0);
            counted.map(|(&count, fieldnorm)| (count, Impact { frequency, fieldnorm })).collect::<Vec<_>>()
        };
        let mut counts: Vec<(u64, Impact)> = (0..).zip(&self.array).flat_map(impacts_of).collect();
        counts.extend(self.others.into_iter().map(|(impact, count)| (count, impact)));
        counts.sort_unstable_by_key(|&(count, impact)| (std::cmp::Reverse(count), impact));
        let postings: u64 = counts.iter().map(|&(count, _)| count).sum();
        let length = |impact: Impact| f64::from(FieldNormReader::id_to_fieldnorm(impact.fieldnorm));
        // The mean over the postings is close enough to the mean length of the passages.
        let lengths: f64 = counts.iter().map(|&(count, impact)| count as f64 * length(impact)).sum();
        let average = lengths / postings.max(1) as f64;
        let mut without_code = postings;
        let has_code = |&(count, _): &(u64, Impact)| {
            let needs_code = without_code > postings / POSTINGS_PER_OVERFLOW_ENTRY;
            without_code -= count;
            needs_code
        };
        let frequent = counts.into_iter().take_while(has_code).take(MAX_IMPACTS);
        let mut impacts: Vec<(f64, Impact)> = frequent
            .map(|(_, impact)| {
                let norm = 0.9 * (0.6 + 0.4 * length(impact) / average);
                (f64::from(impact.frequency) / (f64::from(impact.frequency) + norm), impact)
            })
            .collect();
        impacts.sort_by(|(a, impact), (b, other)| a.total_cmp(b).then(impact.cmp(other)));
        let contributions: Vec<f64> = impacts.iter().map(|&(contribution, _)| contribution).collect();
        Dictionary {
            impacts: choose_codes(&contributions, MAX_IMPACTS)
                .into_iter()
                .map(|index| impacts[index].1)
                .collect(),
        }
    }
}

impl Dictionary {
    pub fn encoder(&self) -> Encoder {
        let (mut array, mut others) = (vec![[OVERFLOW; 256]; ARRAY_FREQUENCIES], HashMap::new());
        for (&impact, code) in self.impacts.iter().zip(1u8..) {
            match array.get_mut(impact.frequency as usize) {
                Some(row) => row[usize::from(impact.fieldnorm)] = code,
                None => drop(others.insert(impact, code)),
            }
        }
        Encoder { array, others }
    }

    /// Returns frequency · inverse norm for each code; 0 for codes without an impact. Contributions are computed from
    /// these numbers.
    pub fn normalized_frequencies(&self, inverse_norms: &[f32; 256]) -> [f32; 256] {
        let mut frequencies = [0.0; 256];
        for (impact, normalized) in self.impacts.iter().zip(&mut frequencies[1..]) {
            *normalized = impact.frequency as f32 * inverse_norms[usize::from(impact.fieldnorm)];
        }
        frequencies
    }
}

impl Encoder {
    #[inline]
    pub fn code(&self, impact: Impact) -> u8 {
        match self.array.get(impact.frequency as usize) {
            Some(row) => row[usize::from(impact.fieldnorm)],
            None => self.others.get(&impact).copied().unwrap_or(OVERFLOW),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rarest_impacts_overflow_even_if_there_are_codes_left() {
        let impact = |frequency| Impact { frequency, fieldnorm: 10 };
        let mut counter = Counter::new();
        for (frequency, count) in [(1, 100_000), (8, 6), (9, 5)] {
            counter.add(impact(frequency), count);
        }
        // 10 of 100,011 postings may overflow, but 11 may not.
        let encoder = counter.into_dictionary().encoder();
        assert_ne!(encoder.code(impact(8)), OVERFLOW);
        assert_eq!(encoder.code(impact(9)), OVERFLOW);
    }

    #[test]
    fn the_most_frequent_impacts_have_codes_and_the_others_overflow() {
        let impact = |frequency, fieldnorm| Impact { frequency, fieldnorm };
        let mut counter = Counter::new();
        for fieldnorm in 0..=255 {
            counter.add(impact(1, fieldnorm), 1);
        }
        counter.add(impact(40, 7), 3);
        counter.add(impact(2, 9), 2);
        let dictionary = counter.into_dictionary();
        assert_eq!(dictionary.impacts.len(), MAX_IMPACTS);
        let encoder = dictionary.encoder();
        // The codes are those of the two impacts that were added more than once, and of fieldnorms 0 to 236 with
        // frequency 1. The longest passages contribute least, so they have the lowest codes.
        assert_eq!(
            [impact(1, 236), impact(2, 9), impact(40, 7)].map(|impact| encoder.code(impact)),
            [1, 238, 239]
        );
        assert_eq!(
            [impact(1, 255), impact(5, 5), impact(99, 1)].map(|impact| encoder.code(impact)),
            [OVERFLOW; 3]
        );
        let inverse_norms = std::array::from_fn(|fieldnorm| fieldnorm as f32);
        // 2 · 9 and 40 · 7.
        let frequencies = dictionary.normalized_frequencies(&inverse_norms);
        assert_eq!([0, 238, 239, 255].map(|code: usize| frequencies[code]), [0.0, 18.0, 280.0, 0.0]);
    }
}
