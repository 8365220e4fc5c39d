use crate::search::query_terms::WeightedTerm;

/// Units that all terms of a query have together. The rest of 65,536 is for rounding up.
const UNITS: u16 = 49_152;

/// Terms whose rounding surely finds room: 256 units for each that is dense, one for others.
const MANY: usize = 60;

/// How scores become integers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    /// Units that a score of 1 has.
    pub units: f32,
}

impl Scale {
    /// The scale for a query's terms; none where there are too many.
    pub fn new(terms: &[WeightedTerm]) -> Option<Self> {
        let most: f64 = terms.iter().map(|term| f64::from(term.weight)).sum();
        let units = (f64::from(UNITS) / most) as f32;
        (terms.len() <= MANY && units.is_normal()).then_some(Self { units })
    }

    /// Above the contribution, by at most one unit and what f32 rounds.
    #[inline]
    pub fn bound(self, contribution: f32) -> u16 {
        (contribution * self.units) as u16 + 1
    }

    /// The size of steps, as a power of two, of which terms of these weights need at most 255 together.
    pub fn shift(self, weights: impl Iterator<Item = f32> + Clone) -> u32 {
        let steps = |weight, shift: u32| u32::from(self.bound(weight) >> shift) + 1;
        let fits = |&shift: &u32| weights.clone().map(|weight| steps(weight, shift)).sum::<u32>() < 256;
        (0..=8).find(fits).expect("256 units a step for at most 49,152")
    }
}
