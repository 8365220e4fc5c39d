use std::collections::HashMap;

use kernels::impacts::MAX_CODES_PER_CLASS;
use tantivy::fieldnorm::FieldNormReader;

/// What BM25 knows of a term in a passage: its frequency, and the code of the passage's length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Impact {
    pub frequency: u32,
    pub length_code: u8,
}

/// The code of what is no posting.
pub(crate) const ABSENT: u8 = 0;

/// The code of impacts that are not in the dictionary; they stand in a list of their own.
pub(crate) const ESCAPE: u8 = 255;

/// Impacts that have codes: the class of [`ESCAPE`] has no others, see [`kernels::impacts::MAX_CODES_PER_CLASS`].
pub(super) const MOST: usize = 255 - MAX_CODES_PER_CLASS;

/// The commonest impacts of a segment, at most [`MOST`]: codes from 1 on, those that add least first, as b = 0.4 has
/// it. Codes next to each other then add nearly the same, whatever the parameters, and can be bounded together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dictionary {
    pub impacts: Vec<Impact>,
}

/// Frequencies below have a row of their own in the tables.
const FEW: usize = 32;

/// Counts impacts, to choose the commonest.
pub(crate) struct Counter {
    few: Vec<[u64; 256]>,
    many: HashMap<Impact, u64>,
}

/// Finds an impact's code.
pub(crate) struct Encoder {
    few: Vec<[u8; 256]>,
    many: HashMap<Impact, u8>,
}

impl Counter {
    pub fn new() -> Self {
        Self { few: vec![[0; 256]; FEW], many: HashMap::new() }
    }

    #[inline]
    pub fn add(&mut self, impact: Impact) {
        match self.few.get_mut(impact.frequency as usize) {
            Some(row) => row[usize::from(impact.length_code)] += 1,
            None => *self.many.entry(impact).or_default() += 1,
        }
    }

    pub fn into_dictionary(self) -> Dictionary {
        let of_row = |(frequency, row): (u32, &[u64; 256])| {
            let of_row = row.iter().zip(0..=u8::MAX).filter(|&(&count, _)| count > 0);
            of_row.map(|(&count, length_code)| (count, Impact { frequency, length_code })).collect::<Vec<_>>()
        };
        let mut counts: Vec<(u64, Impact)> = (0..).zip(&self.few).flat_map(of_row).collect();
        counts.extend(self.many.into_iter().map(|(impact, count)| (count, impact)));
        counts.sort_unstable_by_key(|&(count, impact)| (std::cmp::Reverse(count), impact));
        counts.truncate(MOST);
        let mut impacts: Vec<Impact> = counts.into_iter().map(|(_, impact)| impact).collect();
        let length = |impact: &Impact| f64::from(FieldNormReader::id_to_fieldnorm(impact.length_code));
        let average = impacts.iter().map(length).sum::<f64>() / impacts.len().max(1) as f64;
        let ratio = |impact: &Impact| f64::from(impact.frequency) / (0.6 * average + 0.4 * length(impact));
        impacts.sort_by(|a, b| ratio(a).total_cmp(&ratio(b)).then(a.cmp(b)));
        Dictionary { impacts }
    }
}

impl Dictionary {
    pub fn encoder(&self) -> Encoder {
        let (mut few, mut many) = (vec![[ESCAPE; 256]; FEW], HashMap::new());
        for (&impact, code) in self.impacts.iter().zip(1u8..) {
            match few.get_mut(impact.frequency as usize) {
                Some(row) => row[usize::from(impact.length_code)] = code,
                None => drop(many.insert(impact, code)),
            }
        }
        Encoder { few, many }
    }

    /// For each code tf / norm, of which the contribution is made; 0 for codes without an impact.
    pub fn ratios(&self, inverse_norms: &[f32; 256]) -> [f32; 256] {
        let mut ratios = [0.0; 256];
        for (impact, ratio) in self.impacts.iter().zip(&mut ratios[1..]) {
            *ratio = impact.frequency as f32 * inverse_norms[usize::from(impact.length_code)];
        }
        ratios
    }
}

impl Encoder {
    #[inline]
    pub fn code(&self, impact: Impact) -> u8 {
        match self.few.get(impact.frequency as usize) {
            Some(row) => row[usize::from(impact.length_code)],
            None => self.many.get(&impact).copied().unwrap_or(ESCAPE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commonest_impacts_have_codes_and_the_rest_escapes() {
        let impact = |frequency, length_code| Impact { frequency, length_code };
        let mut counter = Counter::new();
        for length_code in 0..=255 {
            counter.add(impact(1, length_code));
        }
        (0..3).for_each(|_| counter.add(impact(40, 7)));
        (0..2).for_each(|_| counter.add(impact(2, 9)));
        let dictionary = counter.into_dictionary();
        assert_eq!(dictionary.impacts.len(), MOST);
        let encoder = dictionary.encoder();
        assert_eq!(
            [impact(1, 236), impact(2, 9), impact(40, 7)].map(|impact| encoder.code(impact)),
            [1, 238, 239]
        );
        assert_eq!(
            [impact(1, 255), impact(5, 5), impact(99, 1)].map(|impact| encoder.code(impact)),
            [ESCAPE; 3]
        );
        let ratios = dictionary.ratios(&std::array::from_fn(|code| code as f32));
        assert_eq!([ratios[0], ratios[238], ratios[239], ratios[255]], [0.0, 18.0, 280.0, 0.0]);
    }
}
