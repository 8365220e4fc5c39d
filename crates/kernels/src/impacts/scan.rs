//! Parts of a scan that the instruction sets share.

use super::operands::{DenseTerm, GROUP, ScanOptions};

/// Returns the smallest sum that can reach the threshold once all dense terms are added.
pub(super) fn min_sum_to_reach_threshold<'a>(
    dense: impl Iterator<Item = &'a DenseTerm<'a>>,
    options: &ScanOptions<'_>,
) -> u16 {
    let max_units =
        |term: &DenseTerm<'_>| u32::from(term.bounds.units.iter().fold(0, |max, &units| units.max(max)));
    let max_units: u32 = dense.map(max_units).sum();
    options.threshold.saturating_sub(u16::try_from(max_units << options.shift).unwrap_or(u16::MAX))
}

/// The buffers to which a scan writes the passages that it finds, and the number of passages found so far.
pub(super) struct Found<'a> {
    pub sums: &'a mut [u16],
    pub positions: &'a mut [u16],
    pub count: usize,
}

/// Appends the passages of a group whose bits are set in `mask`.
#[inline]
pub(super) fn append_found(mask: u64, group: usize, group_sums: &[u16; GROUP], found: &mut Found<'_>) {
    for bit in set_bits(mask) {
        found.sums[found.count] = group_sums[bit];
        found.positions[found.count] = (group * GROUP + bit) as u16;
        found.count += 1;
    }
}

/// Advances each dense term past the scanned groups, in which it has `codes_read` codes.
#[inline]
pub(super) fn advance<'t, 'a: 't>(
    dense: impl Iterator<Item = &'t mut DenseTerm<'a>>,
    groups: usize,
    codes_read: &[usize],
) {
    for (term, &codes_read) in dense.zip(codes_read) {
        term.words = &term.words[groups..];
        term.codes = &term.codes[codes_read..];
    }
}

/// Returns the positions of the set bits of a word, lowest first.
#[inline]
pub(super) fn set_bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then_some(word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}
